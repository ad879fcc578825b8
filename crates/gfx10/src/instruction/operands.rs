//! Address registers of the instruction, and what they mean.
//!
//! | VGPR | A16 = 0 | A16 = 1, GFX10.3 (low, high half) | A16 = 1, GFX11 (low, high half) |
//! |---|---|---|---|
//! | 0 | node pointer | the same | the same |
//! | 1 | extent | the same | the same |
//! | 2..=4 | origin | the same | the same |
//! | 5 | dir.x | dir.x, dir.y | dir.x, inv.x |
//! | 6 | dir.y | dir.z, inv.x | dir.y, inv.y |
//! | 7 | dir.z | inv.y, inv.z | dir.z, inv.z |
//! | 8..=10 | inv.x, y, z | - | - |
//!
//! The 64-bit form has one register more at the front. The order is that without NSA. Halves are
//! widened exactly. Sources: ISA guides, LLVM.
//!
//! ```
//! use gfx10::{Generation, instruction::Operands};
//! let short = [0x45, 0x42C8_0000, 0, 0, 0, 0xC000_3800, 0x4000_4400, 0x3400_B800];
//! let operands = Operands::from_vaddr(&short, Generation::Gfx10, false, true);
//! assert_eq!(operands.direction, [0.5, -2.0, 4.0]);
//! assert_eq!(operands.inverse, [2.0, -0.5, 0.25]);
//! ```

use crate::Generation;
use half::f16;

/// What the instruction is told of a ray and a node. The inverse direction is the caller's: boxes
/// are tested with it alone, triangles with the direction alone.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Operands {
    /// The node pointer: an address divided by eight, a type, and flags on GFX11.
    pub node: u64,
    /// Largest parameter that boxes are tested against; triangles are not. NaN acts as infinity
    /// (R-14).
    pub extent: f32,
    /// Origin.
    pub origin: [f32; 3],
    /// Direction, of any length.
    pub direction: [f32; 3],
    /// What boxes are tested with; 1 / direction, rounded somehow.
    pub inverse: [f32; 3],
}

impl Operands {
    /// The operands in address registers; missing ones are 0.
    #[must_use]
    pub fn from_vaddr(vaddr: &[u32], generation: Generation, is_64: bool, a16: bool) -> Self {
        let word = |k: usize| vaddr.get(k).copied().unwrap_or(0);
        let first = usize::from(is_64);
        let float = |k: usize| f32::from_bits(word(first + k));
        let half = |k: usize, high: bool| {
            let word = word(first + k);
            f16::from_bits((if high { word >> 16 } else { word }) as u16).to_f32()
        };
        let [direction, inverse] = match (a16, generation) {
            (false, _) => [[5, 6, 7].map(float), [8, 9, 10].map(float)],
            (true, Generation::Gfx10) => [
                [half(5, false), half(5, true), half(6, false)],
                [half(6, true), half(7, false), half(7, true)],
            ],
            (true, Generation::Gfx11) => {
                [[5, 6, 7].map(|k| half(k, false)), [5, 6, 7].map(|k| half(k, true))]
            }
        };
        Self {
            node: u64::from(word(0)) | if is_64 { u64::from(word(1)) << 32 } else { 0 },
            extent: float(1),
            origin: [2, 3, 4].map(float),
            direction,
            inverse,
        }
    }

    /// The operands of a ray with the correctly rounded inverse of its direction (R-16).
    #[must_use]
    #[inline]
    pub fn of_ray(node: u64, extent: f32, origin: [f32; 3], direction: [f32; 3]) -> Self {
        Self { node, extent, origin, direction, inverse: direction.map(|d| 1.0 / d) }
    }
}
