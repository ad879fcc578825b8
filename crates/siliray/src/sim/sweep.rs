//! Sweeps: the cross product of settings, each combination a configuration.

use std::collections::BTreeSet;
use ttu::Config;
use ttu::config::ConfigError;

/// One parameter with the values that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterSweep {
    /// The parameter.
    pub key: String,
    /// Its values.
    pub values: Vec<String>,
}

/// Why there is no sweep.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SweepError {
    /// The text is no sweep.
    #[error("`{0}` is no sweep, expected key=a,b,c")]
    Text(String),
    /// Of several values of one parameter only one could count.
    #[error("{0} is given twice, and one of the values would have no effect")]
    Twice(String),
    /// A combination is nonsense.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The cross product is too large.
    #[error("{count} combinations, expected at most {MOST_RUNS}")]
    TooMany {
        /// How many there would be.
        count: usize,
    },
}

/// Most combinations.
pub const MOST_RUNS: usize = 10_000;

impl std::str::FromStr for ParameterSweep {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let wrong = || SweepError::Text(text.to_owned());
        let (key, values) = text.split_once('=').ok_or_else(wrong)?;
        let values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
        if key.trim().is_empty() || values.iter().any(String::is_empty) {
            return Err(wrong());
        }
        let mut seen = BTreeSet::new();
        if let Some(again) = values.iter().find(|value| !seen.insert(*value)) {
            return Err(SweepError::Twice(format!("{}={again}", key.trim())));
        }
        Ok(Self { key: key.trim().to_owned(), values })
    }
}

/// A combination: what was set, and the configuration that came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Combination {
    /// What the swept parameters are set to, `key=value`, in the order of the sweeps.
    pub settings: Vec<String>,
    /// The configuration.
    pub config: Config,
}

/// All combinations; the last sweep varies fastest.
///
/// # Errors
/// When one of them is nonsense, or there are too many.
pub fn combinations(
    base: &Config,
    sweeps: &[ParameterSweep],
) -> Result<Vec<Combination>, SweepError> {
    let count = sweeps.iter().fold(1usize, |all, sweep| all.saturating_mul(sweep.values.len()));
    if count > MOST_RUNS {
        return Err(SweepError::TooMany { count });
    }
    (0..count)
        .map(|index| {
            let mut left = index;
            let mut values: Vec<String> = sweeps
                .iter()
                .rev()
                .map(|sweep| {
                    let value = sweep.values[left % sweep.values.len()].clone();
                    left /= sweep.values.len();
                    value
                })
                .collect();
            values.reverse();
            let settings = sweeps.iter().zip(&values);
            let settings: Vec<String> =
                settings.map(|(sweep, value)| format!("{}={value}", sweep.key)).collect();
            Ok(Combination { config: base.with_all(&settings)?, settings })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cross_product_in_order() {
        let sweeps = ["slots=8,16", "l0_lines=4,8,16"].map(|text| text.parse().unwrap());
        let all = combinations(&Config::default(), &sweeps).unwrap();
        let settings: Vec<String> = all.iter().map(|one| one.settings.join(" ")).collect();
        let expected = [(8, 4), (8, 8), (8, 16), (16, 4), (16, 8), (16, 16)];
        assert_eq!(settings, expected.map(|(a, b)| format!("slots={a} l0_lines={b}")));
        assert_eq!((all[4].config.slots, all[4].config.l0_lines), (16, 8));
        assert_eq!(combinations(&Config::default(), &[]).unwrap().len(), 1);
    }

    #[test]
    fn nonsense_is_named() {
        let error = "slots=8,16,8".parse::<ParameterSweep>().unwrap_err();
        assert_eq!(error, SweepError::Twice("slots=8".into()));
        assert!(
            "slots".parse::<ParameterSweep>().is_err()
                && "slots=1,,2".parse::<ParameterSweep>().is_err()
        );
        let sweep = ["l0_lines=8,0".parse().unwrap()];
        let error = combinations(&Config::default(), &sweep).unwrap_err().to_string();
        assert_eq!(error, "l0_lines = 0: expected 1 to 65536");
    }
}
