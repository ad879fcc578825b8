//! Configurations as text: TOML files, single settings, ranges, and a hash that names the result.

use super::keys::{keys, refusal};
use super::{Attach, Config, shipped};
use machine::nearest_name;
use sha2::{Digest, Sha256};

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
    /// A value out of its range, or none of its kind.
    #[error("{key} = {value}: expected {expected}")]
    Range {
        /// The parameter.
        key: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        expected: String,
    },
    /// Something in a line of a file.
    #[error("{origin}:{line}: {source}")]
    Line {
        /// The file.
        origin: String,
        /// The line, from 1 on.
        line: usize,
        /// What is wrong there.
        source: Box<Self>,
    },
    /// A setting without a key or a value.
    #[error("`{0}` is no setting, expected key=value")]
    Setting(String),
    /// No parameter has this name.
    #[error("no parameter is called `{key}`; {}", suggestion(*near))]
    UnknownKey {
        /// The name.
        key: String,
        /// A parameter with a similar name.
        near: Option<&'static str>,
    },
    /// No configuration has this name.
    #[error(
        "no configuration is called `{name}`, expected one of {}, or a file",
        shipped::names().join(", ")
    )]
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
        let table = toml::from_str(text).map_err(|error| ConfigError::Text {
            origin: origin.to_owned(),
            message: error.to_string().trim().to_owned(),
        })?;
        let config = Self::from_table(table).and_then(|config| config.validate().map(|()| config));
        config.map_err(|error| match line_of(&error, text) {
            Some(line) => {
                let origin = origin.to_owned();
                ConfigError::Line { origin, line, source: Box::new(error) }
            }
            None => error,
        })
    }

    /// Keys are judged one by one before the table is taken apart, so that every refusal names the
    /// key and what it may be.
    fn from_table(table: toml::Table) -> Result<Self, ConfigError> {
        let ranges = Self::default().ranges();
        for (key, value) in &table {
            let Some(key) = keys().find(|known| known == key) else {
                return Err(ConfigError::UnknownKey {
                    key: key.clone(),
                    near: nearest_name(key, keys()),
                });
            };
            let range = ranges.iter().find(|(name, ..)| *name == key).map(|(.., range)| range);
            if let Some(expected) = refusal(key, value, range) {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                return Err(ConfigError::Range { key, value, expected });
            }
        }
        table.try_into().map_err(|error: toml::de::Error| ConfigError::Text {
            origin: "the configuration".to_owned(),
            message: error.message().to_owned(),
        })
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
        let mut table = self.to_table();
        let number = value.replace('_', "").parse::<i64>().map(toml::Value::Integer);
        let truth = || value.parse::<bool>().map(toml::Value::Boolean);
        let word = || toml::Value::String(value.trim_matches('"').to_owned());
        table.insert(key.to_owned(), number.or_else(|_| truth()).unwrap_or_else(|_| word()));
        Self::from_table(table)
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first one out of its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        for (key, value, range) in self.ranges() {
            if !range.contains(&value) {
                let expected = format!("{} to {}", range.start(), range.end());
                return Err(ConfigError::Range { key, value: value.to_string(), expected });
            }
        }
        let fits = |key, value: u32, holds: bool, expected: String| match holds {
            true => Ok(()),
            false => Err(ConfigError::Range { key, value: value.to_string(), expected }),
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
        let (sms, ttus) = (self.sms_per_tpc, self.ttus_per_tpc);
        let is_dealt = self.attach != Attach::Sm || ttus.is_multiple_of(sms);
        let expected = format!("a multiple of sms_per_tpc = {sms}, with attach = sm");
        fits("ttus_per_tpc", ttus, is_dealt, expected)?;
        let in_all = u64::from(self.gpcs) * u64::from(self.tpcs_per_gpc);
        let fits_sms = in_all * u64::from(sms) <= 1024;
        fits("sms_per_tpc", sms, fits_sms, "at most 1024 SMs in all".into())?;
        fits("gpcs", self.gpcs, self.ttus() <= 1024, "at most 1024 TTUs in all".into())
    }

    /// 16 hex digits that name the configuration: the start of the SHA-256 of its TOML text.
    #[must_use]
    pub fn hash(&self) -> String {
        let digest = Sha256::digest(self.to_toml().as_bytes());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

fn suggestion(near: Option<&'static str>) -> String {
    let all = || "siliray sim --configs lists all".to_owned();
    near.map_or_else(all, |near| format!("did you mean {near}?"))
}

/// The line of a file that an error is about.
fn line_of(error: &ConfigError, text: &str) -> Option<usize> {
    let key = match error {
        ConfigError::Range { key, .. } => key,
        ConfigError::UnknownKey { key, .. } => key.as_str(),
        _ => return None,
    };
    let names = |line: &str| {
        let after = line.trim_start_matches('\u{feff}').trim_start().trim_start_matches(['[', '"']);
        let rest = after.strip_prefix(key)?;
        rest.trim_start_matches('"').trim_start().starts_with(['=', '.', ']']).then_some(())
    };
    text.lines().position(|line| names(line).is_some()).map(|line| line + 1)
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
        assert_eq!(message("slots=-3"), "slots = -3: expected 1 to 4096");
        assert_eq!(message("slots=NaN"), "slots = NaN: expected a whole number, 1 to 4096");
        assert_eq!(message("slots=1e99"), "slots = 1e99: expected a whole number, 1 to 4096");
        assert_eq!(
            message("elephants=4"),
            "no parameter is called `elephants`; siliray sim --configs lists all"
        );
        assert!(message("l0_linse=4").contains("`l0_linse`; did you mean l0_lines?"));
        assert!(message("policy=fastest").starts_with("policy = fastest: expected one of `round"));
        assert!(message("t_l2").contains("`t_l2` is no setting"));
        assert!(message("l0_line_bytes=100").contains("a power of two"));
        assert!(message("l0_assoc=3").contains("a divisor of l0_lines = 8"));
        assert!(message("l2_kib=3").starts_with("l2_kib = 3"));
        let refused = |text: &str| Config::from_toml("my.toml", text).unwrap_err().to_string();
        assert_eq!(
            refused("slots = 4\nslotz = 5\n"),
            "my.toml:2: no parameter is called `slotz`; did you mean slots?"
        );
        assert_eq!(
            refused("slots = \"many\""),
            "my.toml:1: slots = many: expected a whole number, 1 to 4096"
        );
        assert_eq!(
            refused("\n t_l2 = -0.5"),
            "my.toml:2: t_l2 = -0.5: expected a whole number, 0 to 100000"
        );
        assert_eq!(
            refused("l0_lines = 8\nl0_assoc = 5"),
            "my.toml:2: l0_assoc = 5: expected 0 or a divisor of l0_lines = 8"
        );
        let l0 = "my.toml:1: no parameter is called `l0`; did you mean l0_lines?";
        assert_eq!(refused("[l0]\nlines = 4"), l0);
        assert!(message("dram=4").contains("did you mean t_dram?"));
        assert!(refused("slots = ").starts_with("my.toml: TOML parse error at line 1"));
        assert!(refused("policy = 7").starts_with("my.toml:1: policy = 7: expected "));
        assert_eq!(refused("l1 = \"on\""), "my.toml:1: l1 = on: expected a boolean");
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
