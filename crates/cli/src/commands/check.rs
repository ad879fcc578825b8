//! `siliray check`: is this image safe to walk?

use super::{NO_CONTAINER, RAW_HINT, no_image, read_image};
use crate::failure::Failure;
use crate::image_args::Check;
use crate::output::number::{counted, grouped};
use crate::output::{JsonFinding, Output, Table};
use serde::Serialize;
use siliray::machine::{AnyReport, Finding, ReadError, Severity};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Findings of each rule that are listed as text.
const LISTED: usize = 10;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    sound: bool,
    nodes: usize,
    counts: Vec<JsonCount>,
    findings: Vec<JsonFinding>,
}

/// How often a rule is broken.
#[derive(Serialize)]
struct JsonCount {
    rule: &'static str,
    severity: &'static str,
    count: u64,
}

/// Checks the file and lists what was found.
pub(crate) fn run(args: &Check, output: &Output) -> Result<(), Failure> {
    let (format, file) = read_image(&args.file, &args.image, None)?;
    let report = match file {
        // A file that cannot be taken apart is unsound for one reason, and that is a finding.
        Err(ReadError::Broken(finding)) => {
            AnyReport { findings: vec![*finding], ..AnyReport::default() }
        }
        Err(error) => return Err(no_image(&args.file, &error)),
        Ok(file) => file.check(format.check),
    };
    let everything = if output.is_json() { usize::MAX } else { LISTED };
    let counts = Counts::of(&report.findings);
    let listed = listed(args, &report.findings, args.limit.unwrap_or(everything));
    let json = Json {
        sound: report.is_sound(),
        nodes: report.nodes,
        counts: counts.json(),
        findings: listed.iter().copied().map(JsonFinding::from).collect(),
    };
    let thing = if format.holds_trees() { "node" } else { "structure" };
    let text = text(&counts, &listed, args.shows_all());
    output.result(&json, &(text + &verdict(&report, &counts, thing)))?;
    if json.sound {
        return Ok(());
    }
    let (file, errors) = (args.file.display(), counts.total(Severity::Error));
    let failure = Failure::input(format!("{file}: unsound, {}", counted(errors, "error")));
    let no_container = report.findings.iter().any(|finding| finding.rule == NO_CONTAINER);
    Err(if no_container { failure.hint(RAW_HINT) } else { failure })
}

/// How often each rule is broken, errors first.
struct Counts(BTreeMap<(Reverse<Severity>, &'static str), u64>);

impl Counts {
    fn of(findings: &[Finding]) -> Self {
        let mut counts = BTreeMap::new();
        for finding in findings {
            let rule = (Reverse(finding.severity), finding.rule);
            *counts.entry(rule).or_default() += u64::from(finding.count);
        }
        Self(counts)
    }

    fn rules(&self) -> impl Iterator<Item = (Severity, &'static str, u64)> {
        self.0.iter().map(|(&(Reverse(severity), rule), &count)| (severity, rule, count))
    }

    fn total(&self, severity: Severity) -> u64 {
        self.rules().filter(|(kind, ..)| *kind == severity).map(|(.., count)| count).sum()
    }

    fn json(&self) -> Vec<JsonCount> {
        let rules = self.rules();
        rules
            .map(|(severity, rule, count)| JsonCount { rule, severity: severity.name(), count })
            .collect()
    }
}

/// The findings that were asked for, so many of each rule.
fn listed<'a>(args: &Check, findings: &'a [Finding], limit: usize) -> Vec<&'a Finding> {
    let mut seen: BTreeMap<(Severity, &str), usize> = BTreeMap::new();
    let wanted = findings.iter().filter(|finding| args.wants(finding));
    wanted
        .filter(|finding| {
            let seen = seen.entry((finding.severity, finding.rule)).or_default();
            *seen += 1;
            *seen <= limit
        })
        .collect()
}

/// One paragraph for each finding that is listed, and the sum of every rule.
fn text(counts: &Counts, listed: &[&Finding], is_whole: bool) -> String {
    let mut text = String::new();
    for finding in listed {
        let Finding { severity, rule, offset, bits, found, expected, place, count: _ } = finding;
        text += &format!("{}: {place} [{rule}]\n", severity.name());
        text += &format!("  at {offset:#x}, bits {}..{}\n", bits.start, bits.end);
        text += &format!("  found {found}\n  expected {expected}\n");
    }
    let shown = |severity: Severity, rule: &str| {
        let alike = listed.iter().filter(|f| (f.severity, f.rule) == (severity, rule));
        alike.map(|finding| u64::from(finding.count)).sum::<u64>()
    };
    let is_cut = counts.rules().any(|(severity, rule, count)| shown(severity, rule) < count);
    if counts.0.len() > 1 || is_cut {
        let mut table = Table::new(&["rule", "severity", "count", "listed"]).left(2);
        for (severity, rule, count) in counts.rules() {
            let shown = grouped(shown(severity, rule));
            let cells = [rule, severity.name(), &grouped(count), &shown];
            table.row(cells.map(str::to_owned).to_vec());
        }
        let gap = if listed.is_empty() { "" } else { "\n" };
        text += &format!("{gap}{}", table.text());
        if is_cut && is_whole {
            text += "--rule NAME and --limit N list more\n";
        }
        text += "\n";
    }
    text
}

fn verdict(report: &AnyReport, counts: &Counts, thing: &str) -> String {
    let verdict = if report.is_sound() { "sound" } else { "unsound" };
    let [errors, warnings, notes] =
        [Severity::Error, Severity::Warning, Severity::Note].map(|kind| counts.total(kind));
    let things = [(report.nodes as u64, thing), (errors, "error"), (warnings, "warning")];
    let mut sums = things.map(|(count, thing)| counted(count, thing)).to_vec();
    if notes > 0 {
        sums.push(counted(notes, "note"));
    }
    format!("{verdict}: {}\n", sums.join(", "))
}
