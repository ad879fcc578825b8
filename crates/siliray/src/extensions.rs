//! Extensions of the hart by name, as `siliray run --extension` takes them.

use riscv::Extension;
use riscv::xphmg::Xphmg;
use thiserror::Error;
use xphmg::Readings;
use xphmg::readings::ReadingError;

/// The names that [`extension`] knows.
pub const NAMES: [&str; 1] = ["xphmg"];

/// What can be chosen about an extension.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Keys and values of `--reading`: which reading of a disputed passage to follow.
    pub readings: Vec<(String, String)>,
    /// The features that it has, if not all.
    pub capabilities: Option<u64>,
    /// Whether to warn of programs that break a rule without consequence.
    pub lint: bool,
}

/// Why there is no such extension.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ExtensionError {
    /// A name that nobody has.
    #[error("unknown extension {name:?}; known are {}", NAMES.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// A reading that does not exist.
    #[error(transparent)]
    Reading(#[from] ReadingError),
}

/// The extension called `name`.
///
/// # Errors
/// When there is none of that name, or it has no such reading.
pub fn extension(name: &str, options: &Options) -> Result<Box<dyn Extension>, ExtensionError> {
    if name != NAMES[0] {
        return Err(ExtensionError::Unknown { name: name.to_owned() });
    }
    let mut readings = Readings::default();
    for (key, value) in &options.readings {
        readings.set(&format!("{key}={value}"))?;
    }
    if let Some(features) = options.capabilities {
        readings.set(&format!("rtcap={features:#x}"))?;
    }
    Ok(Box::new(Xphmg::new(readings, options.lint)))
}
