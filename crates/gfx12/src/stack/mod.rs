//! The traversal stack in LDS: `ds_bvh_stack_push8_pop1_rtn_b32` and its relatives.
//!
//! A ring of at most 31 entries in local memory. When it overflows the oldest entries are lost, and
//! a later pop says so by [`NodePointer::INVALID`]; the loop then walks back through parent
//! pointers and tells the next push which child it came from. The register that addresses the stack
//! also remembers how far the entries of an outer structure are ([`StackAddress`]).
//!
//! | opcode | function |
//! |---|---|
//! | 224 | [`push4_pop1`] |
//! | 225 | [`push8_pop1`] |
//! | 226 | [`push8_pop2`] |
//!
//! Semantics are those of GPURT's emulation with the fields of the ISA guide; the pseudocode in the
//! guide describes an older stack (G-21).
//!
//! ```
//! use gfx12::layout::NodePointer;
//! use gfx12::stack::{StackMode, push8_pop1};
//! const F: u32 = 0xFFFF_FFFF;
//! let (mut lds, mut address) = ([0; 512], 0);
//! let mode = StackMode { size: 16, range_mode: false };
//! let mut step = |data| push8_pop1(&mut lds, &mut address, NodePointer::INVALID, data, mode).0;
//! assert_eq!(step([0x15, 0x25, F, F, F, F, F, F]), 0x15);
//! assert_eq!(step([F; 8]), 0x25);
//! assert_eq!(step([F; 8]), NodePointer::TERMINAL.0);
//! ```

pub mod address;
mod push;
mod ring;

pub use address::StackAddress;
pub(crate) use push::for_each_pushed;

use crate::layout::NodePointer;
use ring::Ring;

/// The modifiers of a stack instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct StackMode {
    /// Entries of the ring, 5 bits.
    pub size: u8,
    /// Primitives are visited in ranges: a range update moves one on, and walking back skips them.
    pub range_mode: bool,
}

impl StackMode {
    /// The mode of the offset fields: OFFSET0 bits 0..5 are the size, OFFSET1 bit 1 is range mode.
    /// The triangle-pair optimisation of OFFSET1 bit 0 has no public description and does nothing
    /// here.
    #[must_use]
    pub const fn from_offsets(offset0: u8, offset1: u8) -> Self {
        Self { size: offset0 & 31, range_mode: offset1 & 2 != 0 }
    }
}

/// Dwords between two entries of a lane: one for each lane of a 32-lane wave.
pub const ENTRY_STRIDE: usize = 32;

/// Pushes up to eight nodes, nearest first, and pops one.
///
/// `last` is [`NodePointer::INVALID`] for a plain push, the child just left in a walkback step
/// (only what comes after it is pushed), or a [range update](NodePointer::range_update). Entries
/// outside `lds` read 0 and are not written.
pub fn push8_pop1(
    lds: &mut [u32],
    address: &mut u32,
    last: NodePointer,
    data: [u32; 8],
    mode: StackMode,
) -> NodePointer {
    let mut ring = Ring::new(lds, *address, mode.size);
    push::push8(&mut ring, last.0, &data, mode.range_mode);
    let top = ring.pop();
    *address = ring.address.register();
    NodePointer(top)
}

/// Pushes up to eight nodes and pops two, for `image_bvh_dual_intersect_ray`.
///
/// The results are the pointers of slots 0 and 1. A type 1 pointer on top brings its partner; an
/// instance comes alone. There is no range mode.
pub fn push8_pop2(
    lds: &mut [u32],
    address: &mut u32,
    last: NodePointer,
    data: [u32; 8],
    size: u8,
) -> [NodePointer; 2] {
    let mut ring = Ring::new(lds, *address, size);
    push::push8(&mut ring, last.0, &data, false);
    let top = ring.pop();
    let pair = if top & 7 == 1 {
        [top & !7, top]
    } else {
        match ring.try_pop() {
            Some(second) => [second, top],
            None => [top, NodePointer::INVALID.0],
        }
    };
    *address = ring.address.register();
    pair.map(NodePointer)
}

/// Pushes up to four nodes and pops one: [`push8_pop1`] with nothing in data 4..=7 (G-21).
pub fn push4_pop1(
    lds: &mut [u32],
    address: &mut u32,
    last: NodePointer,
    data: [u32; 4],
    mode: StackMode,
) -> NodePointer {
    let none = NodePointer::INVALID.0;
    let [a, b, c, d] = data;
    push8_pop1(lds, address, last, [a, b, c, d, none, none, none, none], mode)
}
