//! Box node with binary16 planes (type 4; on GFX12 with T# bit 116 clear), 64 bytes.
//!
//! There are no cull flags. Source: GPURT.
//!
//! ```
//! use bvh4::layout::Fp16BoxNode;
//! use machine::bits::HalfNodeBits;
//! let mut words = [0; 16];
//! words[4..7].copy_from_slice(&[0xC000_BC00, 0x3C00_0001, 0x7BFF_4000]);
//! let bounds = Fp16BoxNode::decode(&HalfNodeBits::from_words(words)).child_box(0);
//! assert_eq!(bounds.min.to_array(), [-1.0, -2.0, 2f32.powi(-24)]);
//! assert_eq!(bounds.max.to_array(), [1.0, 2.0, 65504.0]);
//! ```

use super::pointer::Bvh4Pointer;
use geometry::{Aabb, Vec3};
use half::f16;
use machine::fields::Show;

machine::fields! {
    /// An fp16 box node.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "GPURT"]
    pub struct Fp16BoxNode: 16 words {
        /// The children; 0xFFFFFFFF for none.
        pub children: [Bvh4Pointer; 4] = 0..128;
        /// Their planes as binary16: min x, y, z, max x, y, z.
        pub planes: [[u16; 6]; 4] = 128..512, Show::Each(half_text) => "scene units";
    }
}

/// A half as the number that it is.
fn half_text(raw: u64) -> String {
    format!("{:?}", f16::from_bits(raw as u16).to_f32())
}

impl Fp16BoxNode {
    /// The box of a slot (0..=3). Widening to f32 is exact, subnormals included.
    #[must_use]
    pub fn child_box(&self, slot: usize) -> Aabb {
        let [x, y, z, far_x, far_y, far_z] =
            self.planes[slot].map(|plane| f16::from_bits(plane).to_f32());
        Aabb::new(Vec3::new(x, y, z), Vec3::new(far_x, far_y, far_z))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::bits::HalfNodeBits;
    use proptest::prelude::*;

    #[test]
    fn planes_are_shown_as_numbers() {
        let mut words = [0; 16];
        words[4] = 0xC000_3C00;
        let fields = Fp16BoxNode::describe(&HalfNodeBits::from_words(words));
        let value = |name: &str| &fields.iter().find(|field| field.name == name).unwrap().value;
        assert_eq!([value("planes[0][0]"), value("planes[0][1]")], ["1.0", "-2.0"]);
        // Meanings are for people, not for rustdoc.
        assert!(fields.iter().all(|field| !field.meaning.contains("[`")));
    }

    proptest! {
        #[test]
        fn planes_are_the_halves_in_order(bytes in any::<[u8; 64]>()) {
            let node = Fp16BoxNode::decode(&HalfNodeBits::from_bytes(&bytes));
            for slot in 0..4 {
                let bounds = node.child_box(slot);
                let planes = bounds.min.to_array().into_iter().chain(bounds.max.to_array());
                for (k, plane) in planes.enumerate() {
                    let at = 16 + 12 * slot + 2 * k;
                    let half = u16::from_le_bytes([bytes[at], bytes[at + 1]]);
                    prop_assert!(half & 0x7FFF > 0x7C00 || f16::from_f32(plane).to_bits() == half);
                }
            }
        }
    }
}
