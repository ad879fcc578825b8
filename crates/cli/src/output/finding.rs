//! Findings in JSON.

use serde::Serialize;
use siliray::machine::Finding;

/// A finding as `--json` prints it.
#[derive(Serialize)]
pub(crate) struct JsonFinding {
    severity: &'static str,
    rule: &'static str,
    offset: u64,
    bits: [u32; 2],
    found: String,
    expected: String,
    place: String,
    message: String,
}

impl From<&Finding> for JsonFinding {
    fn from(finding: &Finding) -> Self {
        let Finding { severity, rule, offset, bits, found, expected, place, count: _ } =
            finding.clone();
        Self {
            severity: severity.name(),
            rule,
            offset,
            bits: [bits.start, bits.end],
            message: format!("{place}: found {found}, expected {expected}"),
            found,
            expected,
            place,
        }
    }
}
