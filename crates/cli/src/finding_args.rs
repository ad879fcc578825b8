//! The options of commands that list findings, and their help.

use crate::failure::Failure;
use crate::values;
use clap::Args;
use siliray::machine::{Finding, Severity, nearest_name};

/// Which findings are listed.
#[derive(Debug, Clone, Args)]
pub(crate) struct FindingChoice {
    /// List the findings of this rule
    #[arg(long, value_name = "NAME")]
    rule: Option<String>,

    /// List the findings of this severity: error, warning or note
    #[arg(long, value_name = "SEVERITY", value_parser = values::severity)]
    severity: Option<Severity>,

    /// List all findings [default: errors, or all if there are at most 10; with --json all]
    #[arg(long)]
    all: bool,

    /// List at most N findings of each rule
    #[arg(long, value_name = "N", value_parser = values::index, allow_negative_numbers = true)]
    pub(crate) limit: Option<usize>,

    /// Fail, with exit status 1, if there is a finding as bad as that: error, warning or note
    #[arg(long, value_name = "SEVERITY", value_parser = values::severity, default_value = "error")]
    fail_on: Severity,
}

impl FindingChoice {
    /// Whether findings as bad as that fail the command.
    pub(crate) fn fails(&self, severity: Severity) -> bool {
        severity >= self.fail_on
    }

    /// Refuses a rule that is none of `known`.
    pub(crate) fn require_known(&self, known: &[&'static str]) -> Result<(), Failure> {
        let Some(rule) = self.rule.as_deref().filter(|rule| !known.contains(rule)) else {
            return Ok(());
        };
        let failure = Failure::usage(format!("--rule {rule}: the check has no such rule"));
        Err(match nearest_name(rule, known.iter().copied()) {
            Some(near) => failure.hint(format!("did you mean {near}?")),
            None => failure.hint(format!("rules are {}", known.join(", "))),
        })
    }

    /// Whether some are asked for by name.
    pub(crate) fn is_asked(&self) -> bool {
        self.rule.is_some() || self.severity.is_some() || self.all
    }

    /// Whether a finding is asked for.
    pub(crate) fn wants(&self, finding: &Finding) -> bool {
        self.rule.as_deref().is_none_or(|rule| rule == finding.rule)
            && self.severity.is_none_or(|severity| severity == finding.severity)
    }
}
