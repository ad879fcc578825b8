//! What can be chosen about a hart.

use crate::memory::{LDS_BASE, RAM_BASE};
use crate::registry::RegistrationError;
use thiserror::Error;

/// Sizes and start-up of a hart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Bytes of RAM from 0x8000_0000 on; a multiple of 4096.
    pub ram: u64,
    /// Bytes of LDS from 0x7000_0000 on; a multiple of 4096.
    pub lds: u64,
    /// Start in the boot ROM, which jumps to the program, instead of in the program.
    pub boot_rom: bool,
    /// Fill RAM with a pattern of this seed, to expose reads of memory that nobody has written.
    pub fill: Option<u64>,
}

/// The most RAM that a hart can have.
pub const MAX_RAM: u64 = 64 << 30;

/// What sizes must be multiples of.
pub const SIZE_STEP: u64 = 4096;

impl Default for Config {
    fn default() -> Self {
        Self { ram: 128 << 20, lds: 64 << 10, boot_rom: false, fill: None }
    }
}

/// Why a hart cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HartError {
    /// Extensions do not fit.
    #[error(transparent)]
    Registration(#[from] RegistrationError),
    /// A size is out of range.
    #[error("{region} of {size} bytes: expected a multiple of {SIZE_STEP} up to {most}")]
    Size {
        /// `RAM` or `LDS`.
        region: &'static str,
        /// What was asked for.
        size: u64,
        /// The most.
        most: u64,
    },
}

impl Config {
    /// Whether the sizes are possible.
    pub(crate) fn check(&self) -> Result<(), HartError> {
        for (region, size, most) in
            [("RAM", self.ram, MAX_RAM), ("LDS", self.lds, RAM_BASE - LDS_BASE)]
        {
            if size > most || size % SIZE_STEP != 0 {
                return Err(HartError::Size { region, size, most });
            }
        }
        Ok(())
    }
}
