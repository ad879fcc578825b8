//! Parent table of 4-wide nodes: one dword for each 64-byte unit, below the first
//! node.
//!
//! No 4-wide node has room for its parent. With `first` the unit of the first node (2 behind
//! a GPURT header, 0 in images of siliray and RADV), the parent of a node at `unit` is the dword at
//!
//! ```text
//! base - 4 (unit - first + 1)
//! ```
//!
//! The table grows downward from the base. The root's parent is 0xFFFFFFFF; a 128-byte node uses
//! the slot of its first unit. Sources: GPURT, Mesa (older layout).
//!
//! ```
//! use bvh4::layout::{Bvh4Pointer, parent_slot_address};
//! assert_eq!(parent_slot_address(0x1000, Bvh4Pointer(0x5), 0), Some(0xFFC));
//! assert_eq!(parent_slot_address(0x1000, Bvh4Pointer(0x29), 0), Some(0xFE8));
//! assert_eq!(parent_slot_address(0x1000, Bvh4Pointer(0x15), 2), Some(0xFFC));
//! assert_eq!(parent_slot_address(0x1000, Bvh4Pointer(0x5), 2), None);
//! ```

use super::pointer::Bvh4Pointer;

/// The address of the dword that holds the parent of `pointer`: `None` if the node lies before the
/// first one or the table would start below address 0.
#[must_use]
pub fn parent_slot_address(base: u64, pointer: Bvh4Pointer, first_unit: u32) -> Option<u64> {
    let index = u64::from(pointer.unit().checked_sub(first_unit)?);
    base.checked_sub(4 * (index + 1))
}
