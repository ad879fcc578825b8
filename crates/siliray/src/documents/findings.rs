//! What a check found.

use machine::{Finding, Severity};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What was found in a file.
#[derive(Debug, Clone, Serialize)]
pub struct CheckDocument {
    /// The file.
    pub file: String,
    /// Whether it is safe to walk.
    pub sound: bool,
    /// How many things were looked at.
    pub nodes: usize,
    /// How many errors.
    pub errors: u64,
    /// How many warnings.
    pub warnings: u64,
    /// How many notes.
    pub notes: u64,
    /// The same by rule.
    pub counts: Vec<RuleCount>,
    /// Those that are listed.
    pub findings: Vec<FindingDocument>,
}

/// How often a rule is broken.
#[derive(Debug, Clone, Serialize)]
pub struct RuleCount {
    /// The rule.
    pub rule: &'static str,
    /// How bad that is.
    pub severity: &'static str,
    /// How often.
    pub count: u64,
}

/// One finding.
#[derive(Debug, Clone, Serialize)]
pub struct FindingDocument {
    /// How bad it is.
    pub severity: &'static str,
    /// The rule that is broken.
    pub rule: &'static str,
    /// Where in the file.
    pub offset: u64,
    /// The bits at fault, the first one and the one behind the last.
    pub bits: [u32; 2],
    /// What is there.
    pub found: String,
    /// What should be there.
    pub expected: String,
    /// The place in words.
    pub place: String,
    /// All of it in words.
    pub message: String,
}

impl CheckDocument {
    /// About a file with `findings`, of which some are `listed`.
    pub fn new<'a>(
        file: String,
        nodes: usize,
        findings: &[Finding],
        listed: impl IntoIterator<Item = &'a Finding>,
    ) -> Self {
        let counts = RuleCounts::of(findings);
        let [errors, warnings, notes] =
            [Severity::Error, Severity::Warning, Severity::Note].map(|kind| counts.total(kind));
        let by_rule = counts.rules();
        Self {
            file,
            sound: errors == 0,
            nodes,
            errors,
            warnings,
            notes,
            counts: by_rule
                .map(|(severity, rule, count)| RuleCount { rule, severity: severity.name(), count })
                .collect(),
            findings: listed.into_iter().map(FindingDocument::from).collect(),
        }
    }
}

impl From<&Finding> for FindingDocument {
    fn from(finding: &Finding) -> Self {
        let Finding { severity, rule, offset, bits, found, expected, place, count: _, weight: _ } =
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

/// How often each rule is broken, errors first.
#[derive(Debug, Clone)]
pub struct RuleCounts(BTreeMap<(Reverse<Severity>, &'static str), u64>);

impl RuleCounts {
    /// Of these findings.
    #[must_use]
    pub fn of(findings: &[Finding]) -> Self {
        let mut counts = BTreeMap::new();
        for finding in findings {
            let rule = (Reverse(finding.severity), finding.rule);
            *counts.entry(rule).or_default() += u64::from(finding.count);
        }
        Self(counts)
    }

    /// Each rule that is broken.
    pub fn rules(&self) -> impl Iterator<Item = (Severity, &'static str, u64)> {
        self.0.iter().map(|(&(Reverse(severity), rule), &count)| (severity, rule, count))
    }

    /// How many findings are as bad as that.
    #[must_use]
    pub fn total(&self, severity: Severity) -> u64 {
        self.rules().filter(|(kind, ..)| *kind == severity).map(|(.., count)| count).sum()
    }
}
