//! What can be said of the traversal unit before it runs.

use serde::Serialize;
use ttu::Explained;
use ttu::config::shipped::{SHIPPED, Shipped};
use ttu::config::{Config, ConfigError, Parameter, parameters};
use ttu::counters::Counters;
use ttu::run::{LIMITS, STATES};

/// The shipped configurations, and what parameters, counters, states and limits mean.
#[derive(Debug, Clone, Serialize)]
pub struct UnitDocument {
    /// The configurations; the first is the default.
    pub configs: Vec<NamedConfig>,
    /// What can be set.
    pub parameters: Vec<Parameter>,
    /// What is counted.
    pub counters: Vec<Explained>,
    /// What a slot can be doing.
    pub states: Vec<Explained>,
    /// What can limit throughput.
    pub limits: Vec<Explained>,
}

/// A configuration that comes with siliray.
#[derive(Debug, Clone, Serialize)]
pub struct NamedConfig {
    /// Its name.
    pub name: &'static str,
    /// What it stands for.
    pub about: &'static str,
    /// Its hash, by which runs are recognised.
    pub config_hash: String,
    /// All of it.
    pub config: Config,
}

impl UnitDocument {
    /// All of it.
    ///
    /// # Errors
    /// When a shipped configuration is nonsense.
    pub fn new() -> Result<Self, ConfigError> {
        let named = |Shipped { name, about, text }| {
            let config = Config::from_toml(name, text)?;
            Ok(NamedConfig { name, about, config_hash: config.hash(), config })
        };
        Ok(Self {
            configs: SHIPPED.into_iter().map(named).collect::<Result<_, ConfigError>>()?,
            parameters: parameters(),
            counters: Counters::EXPLAINED.to_vec(),
            states: STATES.to_vec(),
            limits: LIMITS.iter().map(|kind| kind.explained).collect(),
        })
    }
}
