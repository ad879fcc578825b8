//! The names of parameters, and what each may be.

use super::Config;
use std::ops::RangeInclusive;

impl Config {
    /// Every parameter that is a number, its value and what it may be.
    pub(super) fn ranges(&self) -> Vec<(&'static str, u32, RangeInclusive<u32>)> {
        const LATENCY: RangeInclusive<u32> = 0..=100_000;
        const WIDTH: RangeInclusive<u32> = 1..=64;
        vec![
            ("clock_mhz", self.clock_mhz, 1..=100_000),
            ("slots", self.slots, 1..=4096),
            ("accept_per_cycle", self.accept_per_cycle, WIDTH),
            ("port_bytes", self.port_bytes, 1..=1024),
            ("t_rcp", self.t_rcp, LATENCY),
            ("pick_per_cycle", self.pick_per_cycle, WIDTH),
            ("t_pop", self.t_pop, LATENCY),
            ("l0_lines", self.l0_lines, 1..=65_536),
            ("l0_line_bytes", self.l0_line_bytes, 32..=4096),
            ("l0_assoc", self.l0_assoc, 0..=65_536),
            ("l0_lookups_per_cycle", self.l0_lookups_per_cycle, WIDTH),
            ("t_l0", self.t_l0, 1..=100_000),
            ("l0_mshrs", self.l0_mshrs, 1..=4096),
            ("merge", self.merge, 0..=4096),
            ("fill_bytes_per_cycle", self.fill_bytes_per_cycle, 1..=4096),
            ("l1_kib", self.l1_kib, 2..=65_536),
            ("t_l1", self.t_l1, LATENCY),
            ("t_l2", self.t_l2, LATENCY),
            ("t_dram", self.t_dram, LATENCY),
            ("l2_bytes_per_cycle", self.l2_bytes_per_cycle, 0..=65_536),
            ("dram_bytes_per_cycle", self.dram_bytes_per_cycle, 1..=65_536),
            ("t_setup", self.t_setup, 1..=10_000),
            ("setup_fifo", self.setup_fifo, 1..=4096),
            ("units", self.units, WIDTH),
            ("tests_per_unit", self.tests_per_unit, 1..=16),
            ("t_box", self.t_box, 1..=10_000),
            ("unit_slots", self.unit_slots, WIDTH),
            ("readable", self.readable, WIDTH),
            ("writable", self.writable, WIDTH),
            ("result_queue", self.result_queue, 1..=65_536),
            ("smu_per_cycle", self.smu_per_cycle, WIDTH),
            ("stack_on_chip", self.stack_on_chip, 1..=65_536),
            ("spill_group", self.spill_group, 1..=65_536),
            ("t_leaf", self.t_leaf, LATENCY),
            ("tris_per_cycle", self.tris_per_cycle, WIDTH),
            ("sm_fetch_bytes_per_cycle", self.sm_fetch_bytes_per_cycle, 0..=65_536),
            ("t_feedback", self.t_feedback, LATENCY),
            ("gpcs", self.gpcs, 1..=1024),
            ("tpcs_per_gpc", self.tpcs_per_gpc, 1..=1024),
            ("ttus_per_tpc", self.ttus_per_tpc, 1..=1024),
            ("pending_slots", self.pending_slots, 1..=65_536),
            ("active_slots", self.active_slots, 1..=65_536),
            ("l2_kib", self.l2_kib, 0..=1_048_576),
        ]
    }
}

/// What a parameter may be, if it may not be `value`. Numbers have a range; what the others may be
/// says their reader.
pub(super) fn refusal(
    key: &str,
    value: &toml::Value,
    range: Option<&RangeInclusive<u32>>,
) -> Option<String> {
    let Some(range) = range else {
        let alone = toml::Table::from_iter([(key.to_owned(), value.clone())]);
        let error = alone.try_into::<Config>().err()?;
        let expected = error.message().rsplit_once("expected ").map(|(_, expected)| expected);
        return Some(expected.unwrap_or(error.message()).to_owned());
    };
    let number = value.as_integer();
    let fits = number.and_then(|number| u32::try_from(number).ok());
    let whole = if number.is_some() { "" } else { "a whole number, " };
    let is_fit = fits.is_some_and(|number| range.contains(&number));
    (!is_fit).then(|| format!("{whole}{} to {}", range.start(), range.end()))
}

/// All parameters: those with a range, and the others.
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    let numbers = Config::default().ranges().into_iter().map(|(name, ..)| name);
    let others = ["rcp", "policy", "l0_replace", "l1", "root_test", "dispatch"];
    numbers.chain(others).chain(["push_order", "wakeup"])
}

/// The parameter whose name differs in the fewest letters, if most letters are the same.
pub(super) fn nearest_key(key: &str) -> Option<&'static str> {
    let nearest = keys().map(|name| (edit_distance(name, key), name)).min()?;
    (2 * nearest.0 < key.len().max(nearest.1.len())).then_some(nearest.1)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
