//! Extensions of the hart by name, as `siliray run --extension` takes them.

use riscv::Extension;
use thiserror::Error;

/// The names that [`extension`] knows.
pub const NAMES: [&str; 0] = [];

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
    #[error("unknown extension {name:?}; {}", known())]
    Unknown {
        /// What was asked for.
        name: String,
    },
}

fn known() -> String {
    if NAMES.is_empty() {
        "there is none yet".to_owned()
    } else {
        format!("known are {}", NAMES.join(", "))
    }
}

/// The extension called `name`.
pub fn extension(name: &str, options: &Options) -> Result<Box<dyn Extension>, ExtensionError> {
    let _ = options;
    Err(ExtensionError::Unknown { name: name.to_owned() })
}
