//! Runs of many configurations, at the same time.

use super::questions::NamedQueries;
use super::row::{Row, RunKey, RunLabel};
use super::sweep::{ParameterSweep, SweepError, combinations};
use crate::resume::Rows;
use build::{Progress, ProgressFn};
use rayon::prelude::*;
use scene::{FileError, read_file};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use ttu::config::{Config, ConfigError, shipped};
use ttu::run::{Options, Questions, Run};
use ttu::{RunError, World, simulate};

/// A configuration to run, and what it is called.
pub type NamedConfig = (RunLabel, Config);

/// A row, and its run if it was made just now and is needed.
pub type CompletedRun = (Row, Option<Run>);

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum BaseError {
    /// It is neither a file nor shipped, or nonsense.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// The file is no text.
    #[error("{}: not UTF-8 text", .0.display())]
    NoText(PathBuf),
}

/// The shipped configuration of that name, or the file.
///
/// # Errors
/// When it is neither, or nonsense.
pub fn base_config(name: &Path) -> Result<Config, BaseError> {
    let named = name.to_str().filter(|name| shipped::names().contains(name));
    match named {
        Some(name) => Ok(shipped::named(name)?),
        None if name.is_file() => {
            let text = String::from_utf8(read_file(name)?)
                .map_err(|_| BaseError::NoText(name.to_owned()))?;
            Ok(Config::from_toml(&name.display().to_string(), &text)?)
        }
        None => Err(ConfigError::UnknownName { name: name.display().to_string() })?,
    }
}

/// Every combination of swept values, on a configuration with settings.
///
/// # Errors
/// When one of them is nonsense, or there are too many.
pub fn configurations(
    name: &str,
    base: &Config,
    settings: &[String],
    sweeps: &[ParameterSweep],
) -> Result<Vec<NamedConfig>, SweepError> {
    let mut keys: BTreeSet<&str> =
        settings.iter().filter_map(|it| it.split_once('=')).map(|(key, _)| key.trim()).collect();
    if let Some(again) = sweeps.iter().find(|sweep| !keys.insert(&sweep.key)) {
        return Err(SweepError::Twice(again.key.clone()));
    }
    let all = combinations(&base.with_all(settings)?, sweeps)?.into_iter();
    let named =
        all.map(|one| (RunLabel::new(name, settings.iter().chain(&one.settings)), one.config));
    Ok(named.collect())
}

/// Why a sweep has no result.
#[derive(Debug, thiserror::Error)]
pub enum SweepRunError {
    /// A run has no result.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A row could not be kept.
    #[error("{0}")]
    Keep(String),
}

/// What all runs of a sweep share.
#[derive(Clone)]
pub struct SweepRun<'a> {
    /// What is walked.
    pub world: &'a World,
    /// What is asked.
    pub asked: &'a NamedQueries,
    /// What the runs are about, but for the configuration.
    pub key: RunKey,
    /// Rows of earlier runs.
    pub kept: Option<&'a dyn Rows<Row>>,
    /// What is noted.
    pub options: Options,
    /// Whether anybody needs more than the rows.
    pub keeps_runs: bool,
}

impl SweepRun<'_> {
    /// Runs every configuration.
    ///
    /// # Errors
    /// When one is nonsense or too small for the world, or `watch` breaks.
    pub fn run(
        &self,
        all: &[NamedConfig],
        watch: &ProgressFn<'_>,
    ) -> Result<Vec<CompletedRun>, SweepRunError> {
        let whole = (all.len() * self.asked.queries.len()) as f32;
        let answered = AtomicU64::new(0);
        all.par_iter().map(|named| self.one(named, watch, &answered, whole)).collect()
    }

    fn one(
        &self,
        (label, config): &NamedConfig,
        watch: &ProgressFn<'_>,
        answered: &AtomicU64,
        whole: f32,
    ) -> Result<CompletedRun, SweepRunError> {
        let key = RunKey { config_hash: config.hash(), ..self.key.clone() };
        // A kept row has no events, and perhaps not the counter that is asked for.
        let is_enough = |row: &Row| {
            self.options.trace_events == 0
                && (!self.options.count_false_positives || row.averages.false_positives.is_some())
        };
        if let Some(row) = self.kept.and_then(|kept| kept.find(&key)).filter(is_enough) {
            answered.fetch_add(self.asked.queries.len() as u64, Ordering::Relaxed);
            return Ok((Row { label: label.clone(), ..row }, None));
        }
        let told = AtomicU64::new(0);
        let keep_going = |so_far: u64| {
            let before = told.swap(so_far, Ordering::Relaxed);
            let more = so_far.saturating_sub(before);
            let all = answered.fetch_add(more, Ordering::Relaxed) + more;
            watch(Progress { fraction: all as f32 / whole })
        };
        let questions =
            Questions { queries: &self.asked.queries, priorities: &self.asked.priorities };
        let mut run = simulate(self.world, config, questions, self.options, &keep_going)?;
        let row = Row::new(key, label.clone(), &run);
        if let Some(kept) = self.kept {
            kept.keep(&row).map_err(SweepRunError::Keep)?;
        }
        run.answers = Vec::new();
        Ok((row, self.keeps_runs.then_some(run)))
    }
}
