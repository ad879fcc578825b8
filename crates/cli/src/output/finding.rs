//! Findings, as text and in JSON: what is wrong, errors first, and how often each rule is broken.

use super::number::{counted, grouped};
use super::{Output, Table};
use crate::failure::Failure;
use crate::finding_args::FindingChoice;
use siliray::documents::findings::{CheckDocument, RuleCounts};
use siliray::machine::{Finding, RuleEntry, Severity};
use std::collections::BTreeMap;

/// As many findings are listed without being asked for.
const LISTED: usize = 10;

/// What a check found in a file.
pub(crate) struct FindingReport {
    pub(crate) file: String,
    pub(crate) findings: Vec<Finding>,
    /// How many things were looked at.
    pub(crate) nodes: usize,
    /// What these are.
    pub(crate) thing: &'static str,
    /// What the check looks for.
    pub(crate) rules: Vec<RuleEntry>,
}

/// What is told of a report.
pub(crate) struct Outcome {
    /// In JSON.
    pub(crate) json: CheckDocument,
    /// The findings that are listed.
    pub(crate) text: String,
    /// A line about the whole.
    pub(crate) verdict: String,
    /// Why it fails the command.
    pub(crate) failure: Option<String>,
}

impl FindingReport {
    /// Prints everything that was asked for; an error among it fails the command.
    pub(crate) fn show(&self, choice: &FindingChoice, output: &Output) -> Result<(), Failure> {
        choice.require_known(&self.known().collect::<Vec<_>>())?;
        let Outcome { json, text, verdict, failure } = self.outcome(choice, output.is_json());
        output.result(&json, &format!("{text}{verdict}\n"))?;
        let failed = |reason| Err(Failure::input(format!("{}: {reason}", self.file)));
        failure.map_or(Ok(()), failed)
    }

    /// The rules that may be asked for: those of containers are in no table, but in the findings of
    /// a file that breaks them.
    pub(crate) fn known(&self) -> impl Iterator<Item = &'static str> {
        let broken = self.findings.iter().map(|finding| finding.rule);
        self.rules.iter().map(|rule| rule.name).chain(broken)
    }

    /// What is told of it.
    pub(crate) fn outcome(&self, choice: &FindingChoice, is_json: bool) -> Outcome {
        let listed = self.listed(choice, is_json);
        let file = self.file.clone();
        let json = CheckDocument::new(file, self.nodes, &self.findings, listed.iter().copied());
        let CheckDocument { errors, warnings, notes, .. } = json;
        let mut text: String = listed.iter().copied().map(paragraph).collect();
        text += &rule_table(&listed, &self.findings);
        let verdict = if json.sound { "sound" } else { "unsound" };
        let sums = [(self.nodes as u64, self.thing), (errors, "error"), (warnings, "warning")];
        let sums = sums.into_iter().chain((notes > 0).then_some((notes, "note")));
        let sums: Vec<String> = sums.map(|(count, thing)| counted(count, thing)).collect();
        let verdict = format!("{verdict}: {}", sums.join(", "));
        let sums = [(Severity::Warning, warnings, "warning"), (Severity::Note, notes, "note")];
        let failing = sums.into_iter().find(|(kind, count, _)| *count > 0 && choice.fails(*kind));
        let failure = match failing {
            _ if !json.sound => Some(format!("unsound, {}", counted(errors, "error"))),
            Some((_, count, thing)) => Some(format!("sound, but {}", counted(count, thing))),
            None => None,
        };
        Outcome { json, text, verdict, failure }
    }

    /// The findings that are listed: those that were asked for, or the errors; where there are few,
    /// all of them.
    fn listed(&self, choice: &FindingChoice, is_json: bool) -> Vec<&Finding> {
        let is_few = self.findings.len() <= LISTED;
        let is_asked = choice.is_asked() || is_json;
        let limit = match choice.limit {
            Some(limit) => limit,
            None if is_asked => usize::MAX,
            None => LISTED,
        };
        let mut seen: BTreeMap<(Severity, &str), usize> = BTreeMap::new();
        let is_wanted = |finding: &&Finding| {
            let is_shown = is_asked || is_few || finding.severity == Severity::Error;
            is_shown && choice.wants(finding)
        };
        let wanted = self.findings.iter().filter(is_wanted);
        wanted
            .filter(|finding| {
                let seen = seen.entry((finding.severity, finding.rule)).or_default();
                *seen += 1;
                *seen <= limit
            })
            .collect()
    }
}

/// A line for each rule, unless everything is listed already.
fn rule_table(listed: &[&Finding], all: &[Finding]) -> String {
    let counts = RuleCounts::of(all);
    let is_cut = listed.len() < all.len();
    if counts.rules().count() < 2 && !is_cut {
        return String::new();
    }
    let mut table = Table::new(&["rule", "severity", "count", "listed", "first at byte"]).left(2);
    for (severity, rule, count) in counts.rules() {
        let is_one = |finding: &&Finding| (finding.severity, finding.rule) == (severity, rule);
        let shown = listed.iter().copied().filter(is_one);
        let shown = shown.map(|finding| u64::from(finding.count)).sum();
        let first = all.iter().filter(is_one).map(|finding| finding.offset).min().unwrap_or(0);
        let (count, shown, first) = (grouped(count), grouped(shown), format!("{first:#x}"));
        let cells = [rule, severity.name(), &count, &shown, &first];
        table.row(cells.map(str::to_owned).to_vec());
    }
    let gap = if listed.is_empty() { "" } else { "\n" };
    let hint = if is_cut { "--rule NAME lists those of a rule, --all every one\n" } else { "" };
    format!("{gap}{}{hint}\n", table.text())
}

fn paragraph(finding: &Finding) -> String {
    let Finding { severity, rule, offset, bits, found, expected, place, count: _, weight: _ } =
        finding;
    let severity = severity.name();
    let range = format!("at byte {offset:#x}, bits {}..{}", bits.start, bits.end);
    format!("{severity}: {place} [{rule}]\n  {range}\n  found {found}\n  expected {expected}\n")
}
