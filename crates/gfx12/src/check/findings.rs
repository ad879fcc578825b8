//! Collecting what a check finds, in bounded space and in an order that threads cannot change.
//!
//! For each rule the findings of the lowest offsets are kept, [`FINDINGS_PER_RULE`] of them, and the
//! rest is counted; a last finding then gives the sum.

use super::rule::Rule;
use crate::decode::Memory;
use machine::{CheckRule, Finding, Severity};
use std::collections::BTreeMap;
use std::ops::Range;

/// Findings of one rule that a report lists.
pub const FINDINGS_PER_RULE: usize = 1000;

/// Findings so far, about the rules of a format.
#[derive(Debug)]
pub struct Findings<R = Rule> {
    rules: BTreeMap<R, Collected>,
}

impl<R> Default for Findings<R> {
    fn default() -> Self {
        Self { rules: BTreeMap::new() }
    }
}

/// Findings of one rule.
#[derive(Debug, Default)]
struct Collected {
    /// The lowest ones, and up to as many again that are not sorted in yet.
    kept: Vec<Finding>,
    total: u64,
    /// Everything from this offset on is only counted.
    limit: Option<u64>,
}

/// Where a finding is: bits of a node or record, and its name in words.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) memory: &'a Memory<'a>,
    /// Address of the node or record.
    pub(crate) address: u64,
    /// What it is called.
    pub(crate) name: &'a dyn Fn() -> String,
}

impl<R: CheckRule> Findings<R> {
    /// Notes that `rule` is broken. The texts are made only when they are kept.
    pub(crate) fn add(
        &mut self,
        rule: R,
        place: &Place<'_>,
        bits: Range<u32>,
        texts: impl FnOnce() -> (String, String),
    ) {
        self.add_at(rule, place.memory, place.address, bits, || {
            let (found, expected) = texts();
            [found, expected, (place.name)()]
        });
    }

    /// Notes that `rule` is broken by bits of what lies at `address`. The texts (found, expected,
    /// place) are made only when they are kept.
    pub(crate) fn add_at(
        &mut self,
        rule: R,
        memory: &Memory<'_>,
        address: u64,
        bits: Range<u32>,
        texts: impl FnOnce() -> [String; 3],
    ) {
        let offset = memory.offset_of(address);
        let collected = self.rules.entry(rule).or_default();
        collected.total += 1;
        if collected.limit.is_some_and(|limit| offset >= limit) {
            return;
        }
        let [found, expected, place] = texts();
        let (severity, rule) = (rule.severity(), rule.name());
        collected.kept.push(Finding {
            severity,
            rule,
            offset,
            bits,
            found,
            expected,
            place,
            count: 1,
        });
        collected.prune();
    }

    /// Takes over what another collector found.
    pub(crate) fn merge(&mut self, other: Self) {
        for (rule, theirs) in other.rules {
            let ours = self.rules.entry(rule).or_default();
            ours.total += theirs.total;
            ours.kept.extend(theirs.kept);
            ours.limit = ours.limit.into_iter().chain(theirs.limit).min();
            ours.prune();
        }
    }

    /// Whether nothing breaks `rule`.
    pub(crate) fn holds(&self, rule: R) -> bool {
        !self.rules.contains_key(&rule)
    }

    /// Whether no error has been found yet.
    pub(crate) fn is_sound(&self) -> bool {
        self.rules.keys().all(|rule| rule.severity() != Severity::Error)
    }

    /// The report: by offset, each rule that was cut short followed by its sum.
    pub(crate) fn into_sorted(self) -> Vec<Finding> {
        let mut all = Vec::new();
        for collected in self.rules.into_values() {
            let Collected { mut kept, total, .. } = collected;
            sort(&mut kept);
            kept.dedup();
            let (kept_before, listed) = (kept.len(), kept.len().min(FINDINGS_PER_RULE));
            kept.truncate(listed);
            if let Some(last) = kept.last()
                && (total > FINDINGS_PER_RULE as u64 && kept_before >= FINDINGS_PER_RULE)
            {
                kept.push(Finding {
                    found: format!("{total} findings of this rule in all"),
                    expected: "none".into(),
                    place: format!("the first {listed} are listed"),
                    count: u32::try_from(total - listed as u64).unwrap_or(u32::MAX),
                    ..last.clone()
                });
            }
            all.append(&mut kept);
        }
        all.sort_by_key(|finding| (finding.offset, finding.bits.start));
        all
    }
}

impl Collected {
    fn prune(&mut self) {
        if self.kept.len() < 2 * FINDINGS_PER_RULE {
            return;
        }
        sort(&mut self.kept);
        self.kept.truncate(FINDINGS_PER_RULE);
        self.limit = self.kept.last().map(|last| last.offset + 1);
    }
}

fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let key = |f: &Finding| (f.offset, f.bits.start, f.bits.end);
        key(a).cmp(&key(b)).then_with(|| a.found.cmp(&b.found)).then_with(|| a.place.cmp(&b.place))
    });
}
