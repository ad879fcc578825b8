//! The intersection instruction, as a total function from memory and registers to registers.
//!
//! | type, three bits | action |
//! |---|---|
//! | 5, 4 | four boxes of f32 or f16 planes: child pointers, or 0xFFFFFFFF |
//! | 0..=3 | [one triangle](triangle) |
//! | 6, 7 | four times 0xFFFFFFFF |
//!
//! `image_bvh_intersect_ray` takes a pointer of 32 bits (opcode 230 on GFX10.3, 25 on GFX11),
//! `image_bvh64_intersect_ray` one of 64 (231, 26): a node pointer added to an address divided by
//! eight, on GFX11 with ten flags at the top. A node out of bounds gives four times 0xFFFFFFFF, a
//! triangle a miss (R-11).
//!
//! Nothing here allocates or needs an operating system: an emulator brings its memory as a
//! [`Memory`], and calls [`image_bvh64_intersect_ray`].
//!
//! ```
//! use bvh4::layout::SortHeuristic;
//! use gfx10::Generation;
//! use gfx10::instruction::{Memory, Operands, image_bvh64_intersect_ray};
//! use gfx10::layout::Resource;
//!
//! /// Guest memory from address 0 on.
//! struct Guest<'a>(&'a [u8]);
//!
//! impl Memory for Guest<'_> {
//!     fn get(&self, address: u64, len: usize) -> Option<&[u8]> {
//!         self.0.get(usize::try_from(address).ok()?..)?.get(..len)
//!     }
//! }
//!
//! let bytes = include_bytes!("../../tests/vectors/hiprt-cornell-bvh4.bin");
//! let operands = Operands {
//!     node: 0x45,
//!     extent: f32::INFINITY,
//!     origin: [278.0, 273.0, -800.0],
//!     direction: [0.0, 0.0, 1.0],
//!     inverse: [f32::INFINITY, f32::INFINITY, 1.0],
//! };
//! let resource = Resource::hiprt(SortHeuristic::Closest);
//! let guest = Guest(&bytes[0x40..]);
//! let vdst = image_bvh64_intersect_ray(&guest, Generation::Gfx11, &resource, &operands);
//! assert_eq!(vdst.len(), 4);
//! ```

pub mod operands;
pub mod triangle;

pub use bvh4::unit::Memory;
pub use operands::Operands;

use crate::Generation;
use crate::layout::Resource;
use bvh4::layout::base_pointer::ADDRESS_MASK;
use bvh4::layout::{BasePointer, Bvh4Kind, Bvh4Pointer, PointerFlags};
use bvh4::unit::sort::{SortEntry, nearest_first};
use bvh4::unit::stored_boxes::{test_fp16, test_fp32};
use bvh4::unit::{NOTHING, UnitSlabRay};
use geometry::Vec3;
use machine::bits::HalfNodeBits;

/// `image_bvh64_intersect_ray`. Any memory and any registers have an answer.
#[must_use]
pub fn image_bvh64_intersect_ray<M: Memory + ?Sized>(
    memory: &M,
    generation: Generation,
    resource: &Resource,
    operands: &Operands,
) -> [u32; 4] {
    let resource = resource.for_generation(generation);
    let flags = resource.pointer_flags.then(|| BasePointer(operands.node).flags());
    // Where flags do not act, their bits are part of an address that is out of bounds.
    let units = operands.node >> 3 & if flags.is_some() { (1 << 51) - 1 } else { u64::MAX };
    intersect(memory, &resource, operands, units, flags)
}

/// `image_bvh_intersect_ray`: the low half of [`Operands::node`] is the pointer.
#[must_use]
pub fn image_bvh_intersect_ray<M: Memory + ?Sized>(
    memory: &M,
    generation: Generation,
    resource: &Resource,
    operands: &Operands,
) -> [u32; 4] {
    let resource = resource.for_generation(generation);
    // A short pointer has no room for flags: none of them is set.
    let flags = resource.pointer_flags.then(PointerFlags::empty);
    let units = (operands.node & 0xFFFF_FFFF) >> 3;
    intersect(memory, &resource, operands, units, flags)
}

fn intersect<M: Memory + ?Sized>(
    memory: &M,
    resource: &Resource,
    operands: &Operands,
    unit: u64,
    flags: Option<PointerFlags>,
) -> [u32; 4] {
    let node = Bvh4Pointer(operands.node as u32);
    match node.kind() {
        Bvh4Kind::Fp32Box => read(memory, resource, unit).map_or([NOTHING; 4], |bytes| {
            let slab = slab(resource, operands);
            sorted(&test_fp32(bytes, &slab, resource.heuristic, flags), resource)
        }),
        // R-10: no flags cull the children of an fp16 box.
        Bvh4Kind::HalfBox => read(memory, resource, unit).map_or([NOTHING; 4], |bytes| {
            let slab = slab(resource, operands);
            sorted(&test_fp16(bytes, &slab, resource.heuristic), resource)
        }),
        Bvh4Kind::Triangle0 | Bvh4Kind::Triangle1 | Bvh4Kind::OldTriangle => {
            read(memory, resource, unit).map_or(triangle::OUT_OF_BOUNDS, |bytes: &[u8; 64]| {
                let bits = HalfNodeBits::from_bytes(bytes);
                triangle::test(bits.words(), node.node_type(), resource, flags, operands)
            })
        }
        Bvh4Kind::Instance | Bvh4Kind::User => [NOTHING; 4],
    }
}

/// The node of `BYTES` bytes at a unit; `None` if it is out of bounds (R-11).
#[inline]
fn read<'a, const BYTES: usize, M: Memory + ?Sized>(
    memory: &'a M,
    resource: &Resource,
    unit: u64,
) -> Option<&'a [u8; BYTES]> {
    let last = unit.checked_add(BYTES as u64 / 64 - 1)?;
    if last > resource.last_unit {
        return None;
    }
    let address = (resource.base_address() + 64 * unit) & ADDRESS_MASK;
    memory.get(address, BYTES)?.try_into().ok()
}

#[inline]
fn slab(resource: &Resource, operands: &Operands) -> UnitSlabRay {
    let Operands { extent, origin, inverse, .. } = *operands;
    UnitSlabRay::with_inverse(Vec3::from_array(origin), inverse, extent, resource.box_grow)
}

#[inline]
fn sorted(entries: &[SortEntry; 4], resource: &Resource) -> [u32; 4] {
    match resource.box_sort_enabled {
        true => nearest_first(entries),
        false => entries.map(|entry| entry.pointer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bvh4::layout::SortHeuristic;
    use machine::Segment;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_panics(
            bytes in any::<[u8; 128]>(), resource: [u32; 4], node: u64, ray in any::<[u32; 10]>(),
            in_bounds: bool,
        ) {
            let memory = Segment::new(0, &bytes);
            let [extent, ox, oy, oz, dx, dy, dz, ix, iy, iz] = ray.map(f32::from_bits);
            let mut operands = Operands {
                node,
                extent,
                origin: [ox, oy, oz],
                direction: [dx, dy, dz],
                inverse: [ix, iy, iz],
            };
            let mut resource = Resource::from_words(resource);
            if in_bounds {
                resource = Resource::radv(Generation::Gfx11, SortHeuristic::Midpoint);
                operands.node &= 0xFFC0_0000_0000_000F;
            }
            for generation in Generation::ALL {
                let _ = image_bvh64_intersect_ray(&memory, generation, &resource, &operands);
                let short = image_bvh_intersect_ray(&memory, generation, &resource, &operands);
                // Without flags, a small pointer is the same in both.
                operands.node &= 0xF;
                let long = image_bvh64_intersect_ray(&memory, generation, &resource, &operands);
                prop_assert!(node & 0xFFFF_FFF0 != 0 || short == long);
                operands.node = node;
            }
        }
    }

    #[test]
    fn every_unit_must_be_in_bounds() {
        let memory = Segment::new(0, &[0; 512]);
        let operands = |node| Operands { node, ..Operands::default() };
        for last in 0..8 {
            let usual = Resource::radv(Generation::Gfx10, SortHeuristic::Closest);
            let resource = Resource { last_unit: last, ..usual };
            let run = |node| {
                image_bvh64_intersect_ray(&memory, Generation::Gfx10, &resource, &operands(node))
            };
            assert_eq!(run(0x20) == triangle::OUT_OF_BOUNDS, last < 4);
            // Boxes of zeros hold the ray, which stands still at the origin; their pointers are 0.
            assert_eq!(run(0x25), if last < 5 { [NOTHING; 4] } else { [0; 4] });
        }
    }
}
