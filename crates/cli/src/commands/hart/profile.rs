//! `siliray run --profile`: where a program spends its instructions.

use crate::output::Table;
use crate::output::number::grouped;
use serde::Serialize;
use siliray::riscv::{Hart, Profile, Program, Spent};

/// The key `profile` of `--json`.
#[derive(Serialize)]
pub(crate) struct JsonProfile {
    instructions: Vec<JsonSpent>,
    functions: Vec<JsonSpent>,
}

#[derive(Serialize)]
struct JsonSpent {
    name: String,
    count: u64,
    share: f64,
}

/// Rows of each table.
const ROWS: usize = 24;

impl JsonProfile {
    /// What a run has spent.
    pub(crate) fn new(profile: &Profile, hart: &Hart, program: &Program) -> Self {
        let total = profile.total().max(1) as f64;
        let shares = |spent: Vec<Spent>| {
            let share =
                |Spent { name, count }| JsonSpent { name, count, share: count as f64 / total };
            spent.into_iter().map(share).collect()
        };
        Self {
            instructions: shares(profile.instructions(hart)),
            functions: shares(profile.functions(program)),
        }
    }

    /// Two tables, the hottest rows of each.
    pub(crate) fn text(&self) -> String {
        let functions = table("function", &self.functions);
        format!("{functions}\n{}", table("instruction", &self.instructions).trim_end())
    }
}

fn table(what: &str, spent: &[JsonSpent]) -> String {
    let mut table = Table::new(&[what, "count", "share"]);
    let mut add = |name: String, count: u64, share: f64| {
        table.row(vec![name, grouped(count), format!("{:.1} %", 100.0 * share)]);
    };
    for JsonSpent { name, count, share } in spent.iter().take(ROWS) {
        add(name.clone(), *count, *share);
    }
    if let Some(rest) = spent.get(ROWS..).filter(|rest| !rest.is_empty()) {
        let count = rest.iter().map(|it| it.count).sum();
        add(format!("{} others", rest.len()), count, rest.iter().map(|it| it.share).sum());
    }
    table.text()
}
