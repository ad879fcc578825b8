//! Findings, as text and in JSON: what is wrong, errors first, and how often each rule is broken.

use super::number::{counted, grouped};
use super::{Output, Table};
use crate::failure::Failure;
use crate::image_args::FindingChoice;
use serde::Serialize;
use siliray::machine::{Finding, RuleEntry, Severity};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

/// As many findings are listed without being asked for.
const LISTED: usize = 10;

/// What a check found in a file.
pub(crate) struct FindingReport<'a> {
    pub(crate) file: &'a Path,
    pub(crate) findings: &'a [Finding],
    /// How many things were looked at.
    pub(crate) nodes: usize,
    /// What these are.
    pub(crate) thing: &'static str,
    /// What the check looks for.
    pub(crate) rules: &'a [RuleEntry],
}

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    file: String,
    sound: bool,
    nodes: usize,
    errors: u64,
    warnings: u64,
    notes: u64,
    counts: Vec<JsonCount>,
    findings: Vec<JsonFinding>,
}

/// How often a rule is broken.
#[derive(Serialize)]
struct JsonCount {
    rule: &'static str,
    severity: &'static str,
    count: u64,
}

#[derive(Serialize)]
struct JsonFinding {
    severity: &'static str,
    rule: &'static str,
    offset: u64,
    bits: [u32; 2],
    found: String,
    expected: String,
    place: String,
    message: String,
}

impl FindingReport<'_> {
    /// Prints everything that was asked for; an error among it fails the command.
    pub(crate) fn show(&self, choice: &FindingChoice, output: &Output) -> Result<(), Failure> {
        // Rules of containers are in no table, but in the findings of a file that breaks them.
        let broken = self.findings.iter().map(|finding| finding.rule);
        let known: Vec<&str> = self.rules.iter().map(|rule| rule.name).chain(broken).collect();
        choice.require_known(&known)?;
        let counts = Counts::of(self.findings);
        let listed = self.listed(choice, output.is_json());
        let [errors, warnings, notes] =
            [Severity::Error, Severity::Warning, Severity::Note].map(|kind| counts.total(kind));
        let json = Json {
            file: self.file.display().to_string(),
            sound: errors == 0,
            nodes: self.nodes,
            errors,
            warnings,
            notes,
            counts: counts.json(),
            findings: listed.iter().copied().map(JsonFinding::from).collect(),
        };
        let mut text: String = listed.iter().copied().map(paragraph).collect();
        text += &counts.text(&listed, self.findings);
        let verdict = if json.sound { "sound" } else { "unsound" };
        let sums = [(self.nodes as u64, self.thing), (errors, "error"), (warnings, "warning")];
        let sums = sums.into_iter().chain((notes > 0).then_some((notes, "note")));
        let sums: Vec<String> = sums.map(|(count, thing)| counted(count, thing)).collect();
        text += &format!("{verdict}: {}\n", sums.join(", "));
        output.result(&json, &text)?;
        if json.sound {
            return Ok(());
        }
        Err(Failure::input(format!("{}: unsound, {}", json.file, counted(errors, "error"))))
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

/// How often each rule is broken, errors first.
struct Counts(BTreeMap<(Reverse<Severity>, &'static str), u64>);

impl Counts {
    fn of(findings: &[Finding]) -> Self {
        let mut counts = BTreeMap::new();
        for finding in findings {
            let rule = (Reverse(finding.severity), finding.rule);
            *counts.entry(rule).or_default() += u64::from(finding.count);
        }
        Self(counts)
    }

    fn rules(&self) -> impl Iterator<Item = (Severity, &'static str, u64)> {
        self.0.iter().map(|(&(Reverse(severity), rule), &count)| (severity, rule, count))
    }

    fn total(&self, severity: Severity) -> u64 {
        self.rules().filter(|(kind, ..)| *kind == severity).map(|(.., count)| count).sum()
    }

    fn json(&self) -> Vec<JsonCount> {
        let rules = self.rules();
        rules
            .map(|(severity, rule, count)| JsonCount { rule, severity: severity.name(), count })
            .collect()
    }

    /// A line for each rule, unless everything is listed already.
    fn text(&self, listed: &[&Finding], all: &[Finding]) -> String {
        let is_cut = listed.len() < all.len();
        if self.0.len() < 2 && !is_cut {
            return String::new();
        }
        let mut table =
            Table::new(&["rule", "severity", "count", "listed", "first at byte"]).left(2);
        for (severity, rule, count) in self.rules() {
            let is_one = |finding: &&Finding| (finding.severity, finding.rule) == (severity, rule);
            let shown = listed.iter().copied().filter(is_one);
            let shown = shown.map(|finding| u64::from(finding.count)).sum();
            let first = all.iter().find(is_one).map_or(0, |finding| finding.offset);
            let (count, shown, first) = (grouped(count), grouped(shown), format!("{first:#x}"));
            let cells = [rule, severity.name(), &count, &shown, &first];
            table.row(cells.map(str::to_owned).to_vec());
        }
        let gap = if listed.is_empty() { "" } else { "\n" };
        let hint = if is_cut { "--rule NAME lists those of a rule, --all every one\n" } else { "" };
        format!("{gap}{}{hint}\n", table.text())
    }
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

fn paragraph(finding: &Finding) -> String {
    let Finding { severity, rule, offset, bits, found, expected, place, count: _ } = finding;
    let severity = severity.name();
    let range = format!("at byte {offset:#x}, bits {}..{}", bits.start, bits.end);
    format!("{severity}: {place} [{rule}]\n  {range}\n  found {found}\n  expected {expected}\n")
}
