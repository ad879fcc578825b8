//! A sample of the law, as part of the tests. `siliray conformance` runs as much of it as wanted.

use siliray::conformance::{self, Options};
use std::ops::ControlFlow;

#[test]
fn every_machine_equals_the_oracle() {
    let options = Options { seed: 7, rays: 400, ..Options::default() };
    let table = conformance::run(&options, &|_| ControlFlow::Continue(())).unwrap();
    let wrong: Vec<_> = table.cells.iter().filter(|cell| cell.mismatches > 0).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(table.cells.iter().all(|cell| cell.cases == 400));
    let losses = |format, machine| -> usize {
        let cells = table.cells.iter().filter(|cell| cell.format == format);
        cells.filter(|cell| cell.machine == machine).map(|cell| cell.losses).sum()
    };
    assert!(losses("gfx12:radv", "gfx12-radv") > losses("gfx12", "gfx12-radv"));
    for machine in ["reference", "gfx12-radv", "gfx12-radv-literal", "gfx12-gpurt"] {
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
        let table = conformance::run(&options, &|_| ControlFlow::Continue(())).unwrap();
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
        &|_| ControlFlow::Continue(()),
    )
    .unwrap();
    assert_eq!(table.cells.len(), 1);
    let error = conformance::run(&only(&["format=gfx11"]), &|_| ControlFlow::Continue(()));
    assert_eq!(error.unwrap_err().to_string(), "no cell of the table has gfx11");
    assert!("colour=red".parse::<conformance::Filter>().is_err());
}

#[test]
fn cancelling_stops_the_run() {
    let run = conformance::run(&Options::default(), &|_| ControlFlow::Break(()));
    assert_eq!(run.unwrap_err().to_string(), "cancelled");
}
