//! What drivers keep beside an instance node, for software only.
//!
//! RADV appends 128 bytes to every instance node ([`RadvInstanceData`]):
//!
//! | dwords | field |
//! |---|---|
//! | 0..=11 | object-to-world transform, 3 rows |
//! | 12 | custom index |
//! | 13 | instance index |
//! | 14 | bvh_offset |
//! | 15 | leaf_node_offsets_offset |
//! | 16..=31 | unused |
//!
//! GPURT keeps 64 bytes in an array of their own ([`GpurtSideband`]); the index of a record is the
//! distance of its node from the first leaf, in nodes:
//!
//! | dwords | field |
//! |---|---|
//! | 0 | instance index |
//! | 1 | bits 0..24 instance id, 24..32 flags |
//! | 2 | blas_metadata_size |
//! | 3 | zero |
//! | 4..=15 | object-to-world transform, 3 rows |
//!
//! ```
//! use gfx12::layout::{GpurtSideband, HalfNodeBits};
//! let mut words = [0; 16];
//! words[..5].copy_from_slice(&[3, 0x0200_002A, 128, 0, 0x3F80_0000]);
//! let record = GpurtSideband::decode(&HalfNodeBits::from_words(words));
//! assert_eq!((record.instance_index, record.instance_id, record.flags), (3, 42, 2));
//! assert_eq!(record.object_to_world.rows[0][0], 1.0);
//! assert_eq!(record.encode().words(), &words);
//! ```

use super::instance_node::{set_transform_at, transform_at};
use super::{HalfNodeBits, NodeBits};
use geometry::Transform;

/// The 128 bytes behind an instance node of RADV.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RadvInstanceData {
    /// The inverse of the node's transform.
    pub object_to_world: Transform,
    /// The index that the application chose.
    pub custom_index: u32,
    /// Position in the list of instances.
    pub instance_index: u32,
    /// Where the nodes start in the child structure.
    pub bvh_offset: u32,
    /// Where the child structure lists its leaves.
    pub leaf_node_offsets_offset: u32,
    /// Dwords 16..=31.
    pub unused: [u32; 16],
}

impl RadvInstanceData {
    /// Reads the record.
    #[must_use]
    pub fn decode(bits: &NodeBits) -> Self {
        Self {
            object_to_world: transform_at(bits, 0),
            custom_index: bits.word(12),
            instance_index: bits.word(13),
            bvh_offset: bits.word(14),
            leaf_node_offsets_offset: bits.word(15),
            unused: std::array::from_fn(|k| bits.word(16 + k)),
        }
    }

    /// Writes the record.
    #[must_use]
    pub fn encode(&self) -> NodeBits {
        let mut bits = NodeBits::ZERO;
        set_transform_at(&mut bits, 0, &self.object_to_world);
        bits.set_word(12, self.custom_index);
        bits.set_word(13, self.instance_index);
        bits.set_word(14, self.bvh_offset);
        bits.set_word(15, self.leaf_node_offsets_offset);
        for (k, &word) in self.unused.iter().enumerate() {
            bits.set_word(16 + k, word);
        }
        bits
    }
}

/// GPURT's 64-byte record for an instance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GpurtSideband {
    /// Position in the list of instances.
    pub instance_index: u32,
    /// The id that the application chose, 24 bits.
    pub instance_id: u32,
    /// Flags of the instance.
    pub flags: u8,
    /// Bytes of metadata before the child structure; 0 marks an inactive instance.
    pub blas_metadata_size: u32,
    /// Dword 3; 0.
    pub reserved: u32,
    /// The inverse of the node's transform.
    pub object_to_world: Transform,
}

impl GpurtSideband {
    /// Reads the record.
    #[must_use]
    pub fn decode(bits: &HalfNodeBits) -> Self {
        Self {
            instance_index: bits.word(0),
            instance_id: bits.get(32..56),
            flags: bits.get(56..64) as u8,
            blas_metadata_size: bits.word(2),
            reserved: bits.word(3),
            object_to_world: transform_at(bits, 4),
        }
    }

    /// Writes the record.
    #[must_use]
    pub fn encode(&self) -> HalfNodeBits {
        let mut bits = HalfNodeBits::ZERO;
        bits.set_word(0, self.instance_index);
        bits.set(32..56, self.instance_id);
        bits.set(56..64, u32::from(self.flags));
        bits.set_word(2, self.blas_metadata_size);
        bits.set_word(3, self.reserved);
        set_transform_at(&mut bits, 4, &self.object_to_world);
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in any::<[u8; 128]>()) {
            let radv = RadvInstanceData::decode(&NodeBits::from_bytes(&bytes));
            prop_assert_eq!(radv.encode().to_bytes(), bytes);
            let gpurt = GpurtSideband::decode(&HalfNodeBits::from_bytes(&bytes));
            prop_assert_eq!(gpurt.encode().to_bytes().to_vec(), bytes[..64].to_vec());
        }
    }
}
