//! Long work is watched: who runs the module hears how far it is, and may stop it.

use siliray::build::Progress;
use std::ops::ControlFlow;

/// Tells how much is done, from 0 to 1, and says whether to go on.
pub(crate) fn keep_going(share: f32) -> ControlFlow<()> {
    #[cfg(target_family = "wasm")]
    let is_unwanted = crate::abi::told(share);
    // Elsewhere nobody waits.
    #[cfg(not(target_family = "wasm"))]
    let is_unwanted = share.is_nan();
    if is_unwanted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// The same for builders and pictures.
pub(crate) fn progress(progress: Progress) -> ControlFlow<()> {
    keep_going(progress.fraction)
}
