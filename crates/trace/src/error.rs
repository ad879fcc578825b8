//! Why there is no tracer.

use crate::Kernel;
use machine::Finding;

/// Why there is no tracer.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The scene has no tree.
    #[error(transparent)]
    Build(#[from] build::BuildError),
    /// The tree has no image.
    #[error("the tree has no image in the format gfx12: {0}")]
    Encode(machine::EncodeError),
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] scene::FileError),
    /// The file is broken.
    #[error(transparent)]
    Broken(#[from] Box<gfx12::rra::RraError>),
    /// The image is not sound.
    #[error("the image is not sound: {}", first(findings))]
    Unsound {
        /// Everything that was found.
        findings: Vec<Finding>,
    },
    /// There are more nodes or leaves than 32 bits can name.
    #[error("the scene is too large: more than 2^31 nodes or 2 GiB of leaves")]
    TooLarge,
    /// The processor cannot run the kernel.
    #[error("this processor cannot run the kernel {kernel}")]
    Kernel {
        /// What was asked for.
        kernel: Kernel,
    },
}

/// The first error, and how many there are.
fn first(findings: &[Finding]) -> String {
    let mut errors = findings.iter().filter(|finding| finding.severity == machine::Severity::Error);
    match errors.next() {
        Some(error) => format!("{error} (and {} more)", errors.count()),
        None => "no error was named".to_owned(),
    }
}
