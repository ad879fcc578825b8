//! Collecting what a check finds, in bounded space and in an order that threads cannot change.
//!
//! For each rule the heaviest findings are kept, of equals those of the lowest offsets,
//! [`FINDINGS_PER_RULE`] of them, and the rest is counted; a last finding of the rule then stands
//! for all that are not listed.

use crate::{CheckRule, Finding, Severity};
use std::cmp::Reverse;
use std::ops::Range;

/// Findings of one rule that a report lists.
pub const FINDINGS_PER_RULE: usize = 1000;

/// Findings so far, about the rules of a format.
#[derive(Debug)]
pub struct Findings<R> {
    /// Rules that are broken, in their order.
    rules: Vec<(R, Collected)>,
}

impl<R> Default for Findings<R> {
    fn default() -> Self {
        Self { rules: Vec::new() }
    }
}

/// Findings of one rule.
#[derive(Debug, Default)]
struct Collected {
    /// The first ones, and up to as many again that are not sorted in yet.
    kept: Vec<Finding>,
    total: u64,
    /// Everything from this weight and offset on is only counted.
    limit: Option<(Reverse<u64>, u64)>,
}

impl<R: CheckRule> Findings<R> {
    /// Notes that `rule` is broken by bits of what lies at `offset`.
    pub fn add(
        &mut self,
        rule: R,
        offset: u64,
        bits: Range<u32>,
        place: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        self.add_with(rule, offset, bits, || [found.into(), expected.into(), place.into()]);
    }

    /// The same, with texts (found, expected, place) that are made only when they are kept.
    pub fn add_with(
        &mut self,
        rule: R,
        offset: u64,
        bits: Range<u32>,
        texts: impl FnOnce() -> [String; 3],
    ) {
        self.add_weighted(rule, 0, offset, bits, texts);
    }

    /// The same for a rule that can say how badly it is broken: the heaviest are listed first.
    pub fn add_weighted(
        &mut self,
        rule: R,
        weight: u64,
        offset: u64,
        bits: Range<u32>,
        texts: impl FnOnce() -> [String; 3],
    ) {
        let mut texts = Some(texts);
        let mut texts = || texts.take().map_or_else(Default::default, |texts| texts());
        let about = (rule.severity(), rule.name());
        self.of(rule).add(about, weight, offset, bits, &mut texts);
    }

    /// What was found about a rule.
    fn of(&mut self, rule: R) -> &mut Collected {
        let place = match self.rules.binary_search_by(|(known, _)| known.cmp(&rule)) {
            Ok(place) => place,
            Err(place) => {
                self.rules.insert(place, (rule, Collected::default()));
                place
            }
        };
        &mut self.rules[place].1
    }

    /// Takes over what another collector found.
    pub fn merge(&mut self, other: Self) {
        for (rule, theirs) in other.rules {
            let ours = self.of(rule);
            ours.total += theirs.total;
            ours.kept.extend(theirs.kept);
            ours.limit = ours.limit.into_iter().chain(theirs.limit).min();
            ours.prune();
        }
    }

    /// Whether nothing breaks `rule`.
    #[must_use]
    pub fn holds(&self, rule: R) -> bool {
        self.rules.iter().all(|(broken, _)| *broken != rule)
    }

    /// Whether no error has been found yet.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.rules.iter().all(|(rule, _)| rule.severity() != Severity::Error)
    }

    /// The report in its order ([`Finding::report_order`]); a rule that was cut short ends with its
    /// sum.
    #[must_use]
    pub fn into_sorted(self) -> Vec<Finding> {
        let rules = self.rules.into_iter();
        let mut all: Vec<Finding> = rules.flat_map(|(_, found)| found.into_listed()).collect();
        all.sort_by_key(Finding::report_order);
        all
    }
}

impl Collected {
    fn add(
        &mut self,
        (severity, rule): (Severity, &'static str),
        weight: u64,
        offset: u64,
        bits: Range<u32>,
        texts: &mut dyn FnMut() -> [String; 3],
    ) {
        self.total += 1;
        if self.limit.is_some_and(|limit| (Reverse(weight), offset) >= limit) {
            return;
        }
        let [found, expected, place] = texts();
        let count = 1;
        let finding =
            Finding { severity, rule, offset, bits, found, expected, place, count, weight };
        self.kept.push(finding);
        self.prune();
    }

    fn prune(&mut self) {
        if self.kept.len() < 2 * FINDINGS_PER_RULE {
            return;
        }
        sort(&mut self.kept);
        self.kept.truncate(FINDINGS_PER_RULE);
        self.limit = self.kept.last().map(|last| (Reverse(last.weight), last.offset + 1));
    }

    /// The first ones, and the sum of all where that is more than are listed.
    fn into_listed(mut self) -> Vec<Finding> {
        sort(&mut self.kept);
        self.kept.dedup();
        let is_cut = self.total > FINDINGS_PER_RULE as u64 && self.kept.len() >= FINDINGS_PER_RULE;
        self.kept.truncate(FINDINGS_PER_RULE);
        if let Some(last) = self.kept.last().filter(|_| is_cut).cloned() {
            let rest = self.total - FINDINGS_PER_RULE as u64;
            self.kept.push(Finding {
                found: format!("{} findings of this rule in all", self.total),
                expected: "none".into(),
                place: format!("the first {FINDINGS_PER_RULE} are listed"),
                count: u32::try_from(rest).unwrap_or(u32::MAX),
                weight: 0,
                ..last
            });
        }
        self.kept
    }
}

fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let key = |f: &Finding| (Reverse(f.weight), f.offset, f.bits.start, f.bits.end);
        key(a).cmp(&key(b)).then_with(|| a.found.cmp(&b.found)).then_with(|| a.place.cmp(&b.place))
    });
}

#[cfg(test)]
mod tests {
    use super::{FINDINGS_PER_RULE, Findings};
    use crate::{CheckRule, Severity};

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum Rule {
        Root,
        Parent,
    }

    impl CheckRule for Rule {
        fn name(self) -> &'static str {
            match self {
                Self::Root => "root",
                Self::Parent => "parent",
            }
        }

        fn severity(self) -> Severity {
            match self {
                Self::Root => Severity::Error,
                Self::Parent => Severity::Warning,
            }
        }
    }

    /// Whatever the order in which they come, the lowest are listed and all are counted.
    #[test]
    fn the_lowest_are_listed_and_the_rest_is_counted() {
        let many = 3 * FINDINGS_PER_RULE as u64 + 7;
        let mut whole = Findings::default();
        let mut parts = [Findings::default(), Findings::default()];
        for n in 0..many {
            // 2 is prime to the odd number of findings: every offset comes up once, in no order.
            let offset = 2 * n % many;
            whole.add(Rule::Parent, offset, 0..8, "here", "1", "0");
            parts[(n % 2) as usize].add(Rule::Parent, offset, 0..8, "here", "1", "0");
        }
        let [mut merged, second] = parts;
        merged.merge(second);
        assert!(merged.is_sound() && merged.holds(Rule::Root) && !merged.holds(Rule::Parent));
        let listed = whole.into_sorted();
        assert_eq!(listed, merged.into_sorted());
        let offsets: Vec<u64> =
            listed[..FINDINGS_PER_RULE].iter().map(|finding| finding.offset).collect();
        assert_eq!(offsets, (0..FINDINGS_PER_RULE as u64).collect::<Vec<_>>());
        assert_eq!(listed.len(), FINDINGS_PER_RULE + 1);
        assert_eq!(listed.iter().map(|finding| u64::from(finding.count)).sum::<u64>(), many);
    }

    /// A heavy finding is listed first, however late it comes and wherever it lies.
    #[test]
    fn the_heaviest_come_first() {
        let mut findings = Findings::default();
        for n in 0..3 * FINDINGS_PER_RULE as u64 {
            let texts = || ["1", "0", "here"].map(str::to_owned);
            findings.add_weighted(Rule::Parent, u64::from(n % 1500 == 1499), n, 0..8, texts);
        }
        let listed = findings.into_sorted();
        let first: Vec<_> = listed[..3].iter().map(|f| (f.weight, f.offset)).collect();
        assert_eq!(first, [(1, 1499), (1, 2999), (0, 0)]);
        assert_eq!(listed.len(), FINDINGS_PER_RULE + 1);
    }

    #[test]
    fn errors_come_first_then_offsets() {
        let mut findings = Findings::default();
        findings.add(Rule::Parent, 0, 0..8, "node 0", "1", "0");
        findings.add(Rule::Root, 64, 8..16, "node 1", "7", "0");
        findings.add(Rule::Root, 64, 0..8, "node 1", "7", "0");
        assert!(!findings.is_sound());
        let order = findings.into_sorted();
        let order: Vec<_> = order.iter().map(|f| (f.severity, f.offset, f.bits.start)).collect();
        let expected =
            [(Severity::Error, 64, 0), (Severity::Error, 64, 8), (Severity::Warning, 0, 0)];
        assert_eq!(order, expected);
    }
}
