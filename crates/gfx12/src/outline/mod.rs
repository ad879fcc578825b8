//! The outline of an image: every node from the root down, sound or not.
//!
//! Pointers are followed depth first and in slot order, as far as memory reaches. Each box, and
//! each structure below an instance, is read once, and each pair of a range counted once, so an
//! outline takes time in proportion to the image, whatever its bytes are. Whether an image is sound
//! is for [`crate::check`] to say.
//!
//! | file | concept |
//! |---|---|
//! | `compressed` | boxes, instances and ranges of the format `gfx12` |

mod compressed;

pub use compressed::{id_bits, outline, range_pairs};

use crate::bvh4x2::survey::Structure;
use machine::{Image, Outline};

/// The outline of an image of the format `gfx12-bvh4x2`.
#[must_use]
pub fn bvh4x2_outline(image: &Image) -> Outline {
    bvh4::image::outline::<Structure>(image)
}
