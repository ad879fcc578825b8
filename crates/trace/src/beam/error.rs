//! Why a tracer takes no beams.

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
