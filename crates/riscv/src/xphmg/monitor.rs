//! What the debugger's `monitor rt` prints: the policy in force, every register that is not 0,
//! and what the memory of jobs did.

use ::xphmg::Unit;
use std::fmt::Write;

/// The report.
pub(super) fn report(unit: &Unit) -> String {
    let policy = unit.policy();
    let mut text = format!(
        "{} elements, rounding {}, saturate {}, flush {}, NaN {:?}, SAE {}\n",
        policy.format, policy.rounding, policy.saturate, policy.flush, policy.nan, policy.suppress
    );
    for (name, value) in unit.state().into_iter().filter(|(_, value)| *value != 0) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<16} {value:#018x}");
    }
    for total in unit.memory_totals() {
        let named: Vec<String> =
            super::trace::total(total).iter().map(|(name, n)| format!("{name} {n}")).collect();
        let _ = writeln!(text, "jobs: {}", named.join(", "));
    }
    text
}
