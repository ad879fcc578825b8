//! The file that a file of cases names: whether it is the one that is meant.

use crate::{Case, Comparison, Section, VectorError};
use sha2::{Digest, Sha256};

impl Section {
    /// The size of the attachment.
    pub const BYTES: Self = Self::whole("bytes", bytes);
    /// Its digest, in hexadecimal.
    pub const SHA256: Self = Self::whole("sha256", sha256);
}

fn bytes(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    comparison.check("bytes", &case.integer()?, &case.attachment()?.len());
    Ok(())
}

fn sha256(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let digest = Sha256::digest(case.attachment()?);
    let got: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    comparison.check("sha256", &case.text()?.to_lowercase(), &got);
    Ok(())
}
