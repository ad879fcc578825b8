//! Configurations as text: TOML files, single settings, ranges, and a hash that names the result.

use super::{Config, shipped};
use sha2::{Digest, Sha256};
use std::ops::RangeInclusive;

/// Why a configuration is refused. Every message names the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The text is not TOML, or a key or a value does not belong there.
    #[error("{origin}: {message}")]
    Text {
        /// The file or the setting.
        origin: String,
        /// What the reader says: it names the key and the line.
        message: String,
    },
    /// A value out of its range.
    #[error("{key} = {value}: expected {expected}")]
    Range {
        /// The parameter.
        key: &'static str,
        /// Its value.
        value: u64,
        /// What it may be.
        expected: String,
    },
    /// A setting without a key or a value.
    #[error("`{0}` is no setting, expected key=value")]
    Setting(String),
    /// No parameter has this name.
    #[error("no parameter is called `{key}`; did you mean {near}?")]
    UnknownKey {
        /// The name.
        key: String,
        /// The parameter with the most similar name.
        near: &'static str,
    },
    /// No configuration has this name.
    #[error("no configuration is called `{name}`, expected one of {}, or a file", shipped::names().join(", "))]
    UnknownName {
        /// The name.
        name: String,
    },
}

impl Config {
    /// Reads a TOML file's text; keys that are left out keep their defaults.
    ///
    /// # Errors
    /// An unknown key, a value of the wrong kind or out of its range.
    pub fn from_toml(origin: &str, text: &str) -> Result<Self, ConfigError> {
        let config: Self = toml::from_str(text).map_err(|error| ConfigError::Text {
            origin: origin.to_owned(),
            message: error.to_string().trim().to_owned(),
        })?;
        config.validate()?;
        Ok(config)
    }

    /// The parameters as TOML.
    #[must_use]
    pub fn to_toml(&self) -> String {
        // A flat table of numbers, booleans and strings always has a text.
        toml::to_string(self).unwrap_or_default()
    }

    /// The same configuration with `key=value` set.
    ///
    /// # Errors
    /// As [`Config::from_toml`].
    pub fn with(&self, setting: &str) -> Result<Self, ConfigError> {
        let config = self.with_unchecked(setting)?;
        config.validate()?;
        Ok(config)
    }

    /// The same configuration with several settings, which are judged together.
    ///
    /// # Errors
    /// As [`Config::from_toml`].
    pub fn with_all<S: AsRef<str>>(&self, settings: &[S]) -> Result<Self, ConfigError> {
        let mut config = self.clone();
        for setting in settings {
            config = config.with_unchecked(setting.as_ref())?;
        }
        config.validate()?;
        Ok(config)
    }

    fn with_unchecked(&self, setting: &str) -> Result<Self, ConfigError> {
        let (key, value) =
            setting.split_once('=').ok_or_else(|| ConfigError::Setting(setting.to_owned()))?;
        let (key, value) = (key.trim(), value.trim());
        let text = |error: toml::de::Error| ConfigError::Text {
            origin: setting.to_owned(),
            message: error.message().to_owned(),
        };
        let mut table: toml::Table = toml::from_str(&self.to_toml()).map_err(text)?;
        if !table.contains_key(key) {
            return Err(ConfigError::UnknownKey { key: key.to_owned(), near: nearest_key(key) });
        }
        let number = value.replace('_', "").parse::<i64>().map(toml::Value::Integer);
        let truth = || value.parse::<bool>().map(toml::Value::Boolean);
        let word = || toml::Value::String(value.trim_matches('"').to_owned());
        table.insert(key.to_owned(), number.or_else(|_| truth()).unwrap_or_else(|_| word()));
        table.try_into().map_err(text)
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first one out of its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        for (key, value, range) in self.ranges() {
            if !range.contains(&value) {
                let expected = format!("{} to {}", range.start(), range.end());
                return Err(ConfigError::Range { key, value: value.into(), expected });
            }
        }
        let fits = |key, value: u32, holds: bool, expected: String| match holds {
            true => Ok(()),
            false => Err(ConfigError::Range { key, value: value.into(), expected }),
        };
        let line = self.l0_line_bytes;
        fits("l0_line_bytes", line, line.is_power_of_two(), "a power of two".into())?;
        let lines = self.l0_lines;
        let expected = format!("0 or a divisor of l0_lines = {lines}");
        let assoc = self.l0_assoc;
        fits("l0_assoc", assoc, assoc == 0 || lines.is_multiple_of(assoc), expected)?;
        let on_chip = self.stack_on_chip;
        let expected = format!("at most stack_on_chip = {on_chip}");
        fits("spill_group", self.spill_group, self.spill_group <= on_chip, expected)?;
        let even = self.l2_kib.is_multiple_of(2);
        fits("l2_kib", self.l2_kib, even, "0 or an even number: sets of 16 lines".into())?;
        let even = self.l1_kib.is_multiple_of(2);
        fits("l1_kib", self.l1_kib, even, "an even number: sets of 16 lines".into())?;
        fits("gpcs", self.gpcs, self.ttus() <= 1024, "at most 1024 TTUs in all".into())
    }

    fn ranges(&self) -> Vec<(&'static str, u32, RangeInclusive<u32>)> {
        const LATENCY: RangeInclusive<u32> = 0..=100_000;
        const WIDTH: RangeInclusive<u32> = 1..=64;
        vec![
            ("clock_mhz", self.clock_mhz, 1..=100_000),
            ("slots", self.slots, 1..=4096),
            ("accept_per_cycle", self.accept_per_cycle, WIDTH),
            ("port_bytes", self.port_bytes, 1..=1024),
            ("t_rcp", self.t_rcp, LATENCY),
            ("pick_per_cycle", self.pick_per_cycle, WIDTH),
            ("t_pop", self.t_pop, LATENCY),
            ("l0_lines", self.l0_lines, 1..=65_536),
            ("l0_line_bytes", self.l0_line_bytes, 32..=4096),
            ("l0_lookups_per_cycle", self.l0_lookups_per_cycle, WIDTH),
            ("t_l0", self.t_l0, 1..=100_000),
            ("l0_mshrs", self.l0_mshrs, 1..=4096),
            ("merge", self.merge, 0..=4096),
            ("fill_bytes_per_cycle", self.fill_bytes_per_cycle, 1..=4096),
            ("l1_kib", self.l1_kib, 2..=65_536),
            ("t_l1", self.t_l1, LATENCY),
            ("t_l2", self.t_l2, LATENCY),
            ("t_dram", self.t_dram, LATENCY),
            ("dram_bytes_per_cycle", self.dram_bytes_per_cycle, 1..=65_536),
            ("t_setup", self.t_setup, 1..=10_000),
            ("setup_fifo", self.setup_fifo, 1..=4096),
            ("units", self.units, WIDTH),
            ("tests_per_unit", self.tests_per_unit, 1..=16),
            ("t_box", self.t_box, 1..=10_000),
            ("unit_slots", self.unit_slots, WIDTH),
            ("readable", self.readable, WIDTH),
            ("writable", self.writable, WIDTH),
            ("result_queue", self.result_queue, 1..=65_536),
            ("smu_per_cycle", self.smu_per_cycle, WIDTH),
            ("stack_on_chip", self.stack_on_chip, 1..=65_536),
            ("spill_group", self.spill_group, 1..=65_536),
            ("t_leaf", self.t_leaf, LATENCY),
            ("tris_per_cycle", self.tris_per_cycle, WIDTH),
            ("t_feedback", self.t_feedback, LATENCY),
            ("gpcs", self.gpcs, 1..=1024),
            ("tpcs_per_gpc", self.tpcs_per_gpc, 1..=1024),
            ("ttus_per_tpc", self.ttus_per_tpc, 1..=1024),
            ("pending_slots", self.pending_slots, 1..=65_536),
            ("active_slots", self.active_slots, 1..=65_536),
            ("l2_kib", self.l2_kib, 0..=1_048_576),
        ]
    }

    /// 16 hex digits that name the configuration: the start of the SHA-256 of its TOML text.
    #[must_use]
    pub fn hash(&self) -> String {
        let digest = Sha256::digest(self.to_toml().as_bytes());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The parameter whose name differs in the fewest letters.
fn nearest_key(key: &str) -> &'static str {
    let numbers = Config::default().ranges().into_iter().map(|(name, ..)| name);
    let others = ["rcp", "policy", "l0_assoc", "l0_replace", "l1", "root_test", "dispatch"];
    let all = numbers.chain(others).chain(["push_order", "wakeup"]);
    all.min_by_key(|name| edit_distance(name, key)).unwrap_or("slots")
}

fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Dispatch, Policy};

    fn message(setting: &str) -> String {
        Config::default().with(setting).unwrap_err().to_string()
    }

    /// Every refusal names the key.
    #[test]
    fn nonsense_is_named() {
        assert_eq!(message("l0_lines=0"), "l0_lines = 0: expected 1 to 65536");
        assert_eq!(message("slots=1000000000"), "slots = 1000000000: expected 1 to 4096");
        assert!(message("slots=-3").contains("slots"), "{}", message("slots=-3"));
        assert!(message("l0_linse=4").contains("`l0_linse`; did you mean l0_lines?"));
        assert!(message("policy=fastest").starts_with("policy=fastest: "));
        assert!(message("t_l2").contains("`t_l2` is no setting"));
        assert!(message("l0_line_bytes=100").contains("a power of two"));
        assert!(message("l0_assoc=3").contains("a divisor of l0_lines = 8"));
        assert!(message("l2_kib=3").starts_with("l2_kib = 3"));
        let unknown =
            Config::from_toml("my.toml", "slots = 4\nslotz = 5\n").unwrap_err().to_string();
        assert!(unknown.starts_with("my.toml: ") && unknown.contains("slotz"), "{unknown}");
        let kind = Config::from_toml("my.toml", "slots = \"many\"").unwrap_err().to_string();
        assert!(kind.contains("slots"), "{kind}");
    }

    #[test]
    fn settings_and_text_agree() {
        let config = Config::default().with_all(&["slots=8", "policy=last_line", "dispatch=a"]);
        let config = config.unwrap();
        assert_eq!((config.slots, config.policy), (8, Policy::LastLine));
        assert_eq!(config.dispatch, Dispatch::A);
        let back = Config::from_toml("", &config.to_toml()).unwrap();
        assert_eq!((back.hash(), &back), (config.hash(), &config));
        assert_ne!(config.hash(), Config::default().hash());
        assert_eq!(Config::from_toml("", "").unwrap(), Config::default());
    }

    #[test]
    fn every_parameter_is_in_the_text() {
        let text = Config::default().to_toml();
        for (key, ..) in Config::default().ranges() {
            assert!(text.contains(&format!("{key} = ")), "{key}");
        }
    }
}
