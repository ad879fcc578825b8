//! siliray's speed over Embree 4's, where the two are asked alike.

use super::report::Row;
use serde::Serialize;
use siliray::workload::Workload;

const PACKETS: &[&str] = &["packet16", "packet8"];
const SINGLE: &[&str] = &["single"];

/// What is compared: a mode of siliray, a workload, and the modes of Embree of which one is there.
const COMPARED: [(&str, Workload, &[&str]); 8] = [
    ("prepared", Workload::Primary, PACKETS),
    ("calls16", Workload::Primary, PACKETS),
    ("prepared", Workload::Occlusion, SINGLE),
    ("prepared", Workload::Bounce, SINGLE),
    ("in_place", Workload::Bounce, SINGLE),
    ("single", Workload::Primary, SINGLE),
    ("single", Workload::Occlusion, SINGLE),
    ("single", Workload::Bounce, SINGLE),
];

/// One comparison.
#[derive(Serialize)]
pub(super) struct Ratio<'a> {
    pub(super) scene: &'a str,
    threads: usize,
    workload: &'static str,
    /// Of siliray.
    mode: &'static str,
    /// Embree's mode.
    embree: &'static str,
    /// siliray's rays a second over Embree's.
    ratio: f64,
}

/// Those that rows of a scene with one number of threads allow.
pub(super) fn ratios<'a>(scene: &'a str, rows: &[&Row]) -> Vec<Ratio<'a>> {
    let find = |tracer: &str, modes: &[&str], workload| {
        let is_wanted = |row: &&&Row| {
            row.tracer == tracer && modes.contains(&row.mode) && row.workload == workload
        };
        rows.iter().find(is_wanted)
    };
    let ratio = |&(mode, workload, embree): &(&'static str, Workload, &[&str])| {
        let ours = find("siliray", &[mode], workload)?;
        let theirs = find("embree4", embree, workload)?;
        Some(Ratio {
            scene,
            threads: ours.threads,
            workload: workload.name(),
            mode,
            embree: theirs.mode,
            ratio: ours.mrays_per_second / theirs.mrays_per_second,
        })
    };
    COMPARED.iter().filter_map(ratio).collect()
}

/// A line for each mode of Embree.
pub(super) fn text(ratios: &[Ratio<'_>]) -> String {
    let line = |alike: &[Ratio<'_>]| {
        let words = |it: &Ratio<'_>| format!("{} {} {:.2}", it.mode, it.workload, it.ratio);
        let list: Vec<String> = alike.iter().map(words).collect();
        format!("over embree4 {}: {}\n", alike[0].embree, list.join(", "))
    };
    ratios.chunk_by(|a, b| a.embree == b.embree).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(tracer: &'static str, mode: &'static str, workload: Workload, speed: f64) -> Row {
        Row {
            workload,
            threads: 1,
            tracer,
            mode,
            mrays_per_second: speed,
            hits: 0,
            build_seconds: 0.0,
            bytes: 0,
            differing: 0,
        }
    }

    #[test]
    fn each_mode_is_compared_with_its_like() {
        let rows = [
            row("siliray", "prepared", Workload::Primary, 30.0),
            row("siliray", "prepared", Workload::Bounce, 9.0),
            row("siliray", "calls16", Workload::Primary, 10.0),
            row("siliray", "in_place", Workload::Bounce, 4.0),
            row("embree4", "single", Workload::Primary, 7.0),
            row("embree4", "single", Workload::Bounce, 5.0),
            row("embree4", "packet8", Workload::Primary, 20.0),
            row("embree3", "packet16", Workload::Primary, 99.0),
        ];
        let rows: Vec<&Row> = rows.iter().collect();
        let text = text(&ratios("a", &rows));
        let expected = "over embree4 packet8: prepared primary 1.50, calls16 primary 0.50\n\
                        over embree4 single: prepared bounce 1.80, in_place bounce 0.80\n";
        assert_eq!(text, expected);
    }
}
