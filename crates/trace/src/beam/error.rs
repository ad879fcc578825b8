//! Why a tracer takes no beams.

use crate::tracer::NAME;
use machine::MachineError;
use machine::beam::BeamWorldError;

/// Why a tracer takes no beams.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum BeamsError {
    /// Something cannot be tested.
    #[error(transparent)]
    World(#[from] BeamWorldError),
    /// A tracer in place makes its copy for beams when the first is asked, and that copy does not
    /// fit into 32-bit pointers.
    #[error("the scene is too large: more than 2^31 nodes or 2 GiB of leaves")]
    TooLarge,
}

impl From<BeamsError> for MachineError {
    fn from(error: BeamsError) -> Self {
        match error {
            BeamsError::World(error) => error.into(),
            BeamsError::TooLarge => Self::Failed { machine: NAME, reason: error.to_string() },
        }
    }
}
