//! Names of instruction sets, as `-march` and `--isa` take them.

use thiserror::Error;

/// What the hart is.
pub const ISA: &str = "rv64imafdc_zicsr_zifencei_zicntr_zihpm_zicclsm";

/// Parts that a name may list beside the letters.
const PARTS: [&str; 6] = ["zicsr", "zifencei", "zicntr", "zihpm", "zicclsm", "zmmul"];

/// A name that asks for what the hart does not have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "the hart has no {missing:?}: it is {ISA} with machine and user mode (no S mode, so satp does \
     not exist)"
)]
pub struct IsaError {
    /// The part that is missing.
    pub missing: String,
}

/// Checks that the hart has everything that `name` lists. The hart always is what [`ISA`] says: a
/// program for less runs too.
///
/// ```
/// assert!(riscv::check_isa("rv64gc").is_ok());
/// assert_eq!(riscv::check_isa("rv64gcv").unwrap_err().missing, "v");
/// ```
pub fn check_isa(name: &str) -> Result<(), IsaError> {
    let missing = |part: &str| Err(IsaError { missing: part.to_owned() });
    let lower = name.to_ascii_lowercase();
    let mut parts = lower.split('_');
    let base = parts.next().unwrap_or_default();
    let Some(letters) = base.strip_prefix("rv64") else { return missing(base) };
    if !letters.starts_with(['i', 'g']) {
        return missing(base);
    }
    if let Some(letter) = letters.chars().find(|letter| !"imafdcgu".contains(*letter)) {
        return missing(letter.encode_utf8(&mut [0; 4]));
    }
    parts.find(|part| !PARTS.contains(part)).map_or(Ok(()), missing)
}
