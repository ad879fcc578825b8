//! A sample of the law, as part of the tests. `siliray conformance` runs as much of it as wanted.

use siliray::build::unwatched;
use siliray::conformance::{self, Options};
use std::ops::ControlFlow;

#[test]
fn every_machine_equals_the_oracle() {
    let options = Options { seed: 7, rays: 120, ..Options::default() };
    let table = conformance::run(&options, &unwatched).unwrap();
    let wrong: Vec<_> = table.cells.iter().filter(|cell| cell.mismatches > 0).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(table.cells.iter().all(|cell| cell.cases == 120));
    let losses = |format, machine| -> usize {
        let cells = table.cells.iter().filter(|cell| cell.format == format);
        cells.filter(|cell| cell.machine == machine).map(|cell| cell.losses).sum()
    };
    assert!(losses("gfx12:radv", "gfx12-radv") > losses("gfx12", "gfx12-radv"));
    for machine in ["reference", "gfx12-radv", "gfx12-radv-26.2", "gfx12-gpurt"] {
        assert!(table.cells.iter().any(|c| (c.format, c.machine) == ("gfx12", machine)));
    }
}

/// Entries that a short stack loses are found again.
#[test]
fn two_entries_are_enough() {
    for scene in ["interior", "forest"] {
        let only = [format!("scene={scene}"), "preset=balanced".into(), "format=gfx12".into()]
            .map(|filter| filter.parse().unwrap());
        let options = Options { seed: 3, rays: 300, only: only.to_vec(), stack_size: 2 };
        let table = conformance::run(&options, &unwatched).unwrap();
        let wrong: Vec<_> = table.cells.iter().filter(|cell| cell.mismatches > 0).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

#[test]
fn filters_choose_cells() {
    let only = |text: &[&str]| Options {
        rays: 3,
        only: text.iter().map(|filter| filter.parse().unwrap()).collect(),
        ..Options::default()
    };
    let table = conformance::run(
        &only(&["format=tree", "scene=mixed", "query=any", "rule=watertight", "preset=best"]),
        &unwatched,
    )
    .unwrap();
    let machines: Vec<_> = table.cells.iter().map(|cell| cell.machine).collect();
    assert_eq!(machines, ["reference", "fast"]);
    let error = conformance::run(&only(&["format=gfx11"]), &unwatched);
    let text = error.unwrap_err().to_string();
    assert!(text.starts_with("format has no value \"gfx11\"; its values are tree, "), "{text}");
    // Alternatives within a column, all of them between columns.
    let either = [
        "format=tree",
        "machine=reference",
        "query=any",
        "rule=watertight",
        "preset=fast",
        "preset=best",
        "scene=mixed",
        "scene=forest",
    ];
    let table = conformance::run(&only(&either), &unwatched).unwrap();
    let cells: Vec<_> = table.cells.iter().map(|cell| (cell.scene, cell.preset.name())).collect();
    assert_eq!(
        cells,
        [("forest", "fast"), ("forest", "best"), ("mixed", "fast"), ("mixed", "best")]
    );
    let apart = only(&["format=tree", "machine=gfx12-dual"]);
    let error = conformance::run(&apart, &unwatched).unwrap_err();
    assert_eq!(error.to_string(), "no cell of the table has format=tree, machine=gfx12-dual");
    assert!("colour=red".parse::<conformance::Filter>().is_err());
}

#[test]
fn cancelling_stops_the_run() {
    let run = conformance::run(&Options::default(), &|_| ControlFlow::Break(()));
    assert_eq!(run.unwrap_err().to_string(), "cancelled");
}
