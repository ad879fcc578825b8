//! Where software keeps the box of a procedural primitive (G-14).
//!
//! The hardware does not test it. A procedural node has one pair without a second triangle, vertex
//! widths 1/1/1 and TZ 0, and six f32 (min x, y, z, max x, y, z) at a place that depends on its
//! writer:
//!
//! | writer | geometry ids | primitive ids | M | indices | box |
//! |---|---|---|---|---|---|
//! | GPURT, current | 30/30 | 31/31 | 933 | 15, 15, 15 | bits 160..352 (dwords 5..=10) |
//! | GPURT, older, and RRA's reader | 30/0 | 31/0 | 963 | 15, 15, 0 | bits 52..244 |
//! | RADV | 28/28 | 28/28 | 384 | 15, 15, 0 | bits 52..244 |
//!
//! ```
//! use gfx12::layout::{ProceduralBox, ProceduralWriter};
//! use geometry::{Aabb, Vec3};
//! let bounds = Aabb::new(Vec3::new(-1.0, 2.0, 0.5), Vec3::new(1.0, 5.0, 7.5));
//! let procedural = ProceduralBox { bounds, primitive_id: 9, geometry_id: 2, opaque: true };
//! let node = procedural.write(ProceduralWriter::Gpurt).unwrap();
//! assert_eq!(node.bits().word(5), 0xBF80_0000);
//! assert_eq!(ProceduralWriter::of(&node), ProceduralWriter::Gpurt);
//! assert_eq!(ProceduralBox::read(&node, ProceduralWriter::Gpurt), procedural);
//! ```

use super::pair_descriptor::{PairDescriptor, TriangleDescriptor};
use super::primitive_header::PrimitiveHeader;
use super::primitive_node::PrimitiveNode;
use super::primitive_writer::{PackError, PrimitiveContents};
use geometry::{Aabb, Vec3};

/// A procedural primitive as software stores it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProceduralBox {
    /// The box.
    pub bounds: Aabb,
    /// Its primitive id.
    pub primitive_id: u32,
    /// Its geometry id.
    pub geometry_id: u32,
    /// Whether it counts as opaque.
    pub opaque: bool,
}

/// Whose layout a procedural node has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ProceduralWriter {
    /// GPURT's current writer.
    Gpurt,
    /// GPURT's older header, which Radeon Raytracing Analyzer reads.
    GpurtOld,
    /// RADV.
    Radv,
}

impl ProceduralWriter {
    /// The writer, told by M: 933 is GPURT's, 963 its older one, anything else is read like RADV's
    /// (the box of the last two lies at the same place).
    #[must_use]
    pub fn of(node: &PrimitiveNode) -> Self {
        match node.header().midpoint {
            933 => Self::Gpurt,
            963 => Self::GpurtOld,
            _ => Self::Radv,
        }
    }

    pub(crate) const fn first_box_bit(self) -> usize {
        match self {
            Self::Gpurt => 160,
            Self::GpurtOld | Self::Radv => 52,
        }
    }

    const fn header(self) -> PrimitiveHeader {
        let (geometry, primitive, midpoint) = match self {
            Self::Gpurt => ([30, 30], [31, 31], 933),
            Self::GpurtOld => ([30, 0], [31, 0], 963),
            Self::Radv => ([28, 28], [28, 28], 384),
        };
        PrimitiveHeader {
            vertex_bits: [1; 3],
            trailing_zeros: 0,
            geometry_base_bits: geometry[0],
            geometry_payload_bits: geometry[1],
            pair_count: 1,
            vertex_type: false,
            primitive_base_bits: primitive[0],
            primitive_payload_bits: primitive[1],
            midpoint,
        }
    }

    const fn indices(self) -> [u8; 3] {
        match self {
            Self::Gpurt => [15; 3],
            Self::GpurtOld | Self::Radv => [15, 15, 0],
        }
    }
}

impl ProceduralBox {
    /// The node that a writer makes of it: one pair, one range.
    ///
    /// # Errors
    /// When an id is too large for the writer's fields.
    pub fn write(&self, writer: ProceduralWriter) -> Result<PrimitiveNode, PackError> {
        let first = TriangleDescriptor {
            indices: writer.indices(),
            double_sided: false,
            opaque: self.opaque,
        };
        let contents = PrimitiveContents {
            header: writer.header(),
            vertices: &[],
            primitive_ids: &[Some(self.primitive_id)],
            geometry_ids: &[Some(self.geometry_id)],
            pairs: &[PairDescriptor {
                prim_range_stop: true,
                triangles: [first, TriangleDescriptor::default()],
            }],
        };
        let mut bits = *contents.pack()?.bits();
        let planes = self.bounds.min.to_array().into_iter().chain(self.bounds.max.to_array());
        for (k, plane) in planes.enumerate() {
            let start = writer.first_box_bit() + 32 * k;
            // The prefixes of 31 bits each, which nothing reads, lie below the box.
            bits.set(start..start + 32, plane.to_bits());
        }
        Ok(PrimitiveNode::decode(&bits))
    }

    /// Reads the procedural in pair 0 of a node.
    #[must_use]
    pub fn read(node: &PrimitiveNode, writer: ProceduralWriter) -> Self {
        let plane = |k: usize| {
            let start = writer.first_box_bit() + 32 * k;
            f32::from_bits(node.bits().get(start..start + 32))
        };
        Self {
            bounds: Aabb::new(
                Vec3::new(plane(0), plane(1), plane(2)),
                Vec3::new(plane(3), plane(4), plane(5)),
            ),
            primitive_id: node.primitive_id(0),
            geometry_id: node.geometry_id(0),
            opaque: node.pair(0).triangles[0].opaque,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WRITERS: [ProceduralWriter; 3] =
        [ProceduralWriter::Gpurt, ProceduralWriter::GpurtOld, ProceduralWriter::Radv];

    proptest! {
        #[test]
        fn every_writer_is_read_back(
            planes in any::<[i16; 6]>(),
            primitive_id in 0u32..1 << 28,
            geometry_id in 0u32..1 << 28,
            opaque: bool,
        ) {
            let [a, b, c, d, e, f] = planes.map(|x| f32::from(x) * 0.37);
            let bounds = Aabb::new(Vec3::new(a, b, c), Vec3::new(d, e, f));
            let procedural = ProceduralBox { bounds, primitive_id, geometry_id, opaque };
            for writer in WRITERS {
                let node = procedural.write(writer).unwrap();
                prop_assert_eq!(ProceduralWriter::of(&node), writer);
                prop_assert_eq!(ProceduralBox::read(&node, writer), procedural);
                prop_assert!(node.pair(0).triangles[0].is_procedural());
                prop_assert!(node.pair(0).prim_range_stop);
            }
        }
    }

    #[test]
    fn ids_too_large_are_refused() {
        let procedural = ProceduralBox {
            bounds: Aabb::EMPTY,
            primitive_id: 1 << 28,
            geometry_id: 0,
            opaque: false,
        };
        let refused = procedural.write(ProceduralWriter::Radv);
        assert_eq!(
            refused.unwrap_err(),
            PackError::PrimitiveId { n: 0, expected: 1 << 28, found: 0 }
        );
    }

    #[test]
    fn gpurt_vertex_0_decodes_as_the_origin() {
        let bounds = Aabb::new(Vec3::splat(-3.0), Vec3::splat(5.0));
        let procedural = ProceduralBox { bounds, primitive_id: 1, geometry_id: 1, opaque: true };
        let node = procedural.write(ProceduralWriter::Gpurt).unwrap();
        assert_eq!(node.vertex(0), [0; 3]);
    }
}
