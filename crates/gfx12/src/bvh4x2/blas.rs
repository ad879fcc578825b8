//! A BLAS: triangles alone or in pairs, and procedurals.

use super::write::{LeafBits, Structure};
use super::{EncodeError, GEOMETRY_LIMIT, Options};
use crate::layout::bvh4x2::{TriangleInfo, TriangleNode};
use bvh4::encode::draft::{Draft, Leaf};
pub(super) use bvh4::encode::leaves::referred_bounds;
use bvh4::encode::leaves::{check_primitives, contents, kept_leaves, paired_leaves};
use tree::primitives::Primitive;
use tree::{Blas, PrimitiveFlags, PrimitiveId, Primitives};

/// Sources of a triangle in its own order.
const OWN_ORDER: u8 = 0x9;

/// A BLAS with a place for each node.
pub(super) fn structure(
    level: usize,
    blas: &Blas,
    margin: f32,
    options: &Options,
) -> Result<Structure, EncodeError> {
    let primitives = &blas.primitives;
    check_primitives(level, blas, GEOMETRY_LIMIT)?;
    let draft = Draft::new(&blas.bvh, options.keep_leaves, |loose| {
        if options.keep_leaves {
            kept_leaves(loose, primitives)
        } else {
            paired_leaves(loose, primitives)
        }
    });
    Structure::new(level, draft, options.precision, margin, |leaf| contents(leaf, primitives))
}

/// The node of a leaf.
pub(super) fn leaf_bits(leaf: &Leaf, primitives: &Primitives) -> LeafBits {
    let id = |item: u32| primitives.ids[item as usize];
    let node = match *leaf {
        Leaf::Pair { items, edge } => {
            let [first, second] = items.map(|item| &primitives.triangles[item as usize]);
            let [low, high] = edge.nibbles();
            TriangleNode {
                vertices: edge.vertices(first, second),
                primitive_ids: items.map(|item| id(item).primitive),
                geometry_id: id(items[0]).geometry,
                id_word: u32::from(info_byte(low, id(items[0])))
                    | u32::from(info_byte(high, id(items[1]))) << 8,
            }
        }
        Leaf::Triangle(item) | Leaf::Procedural(item) | Leaf::Instance(item) => {
            let PrimitiveId { geometry, primitive, flags } = id(item);
            match primitives.get(item as usize) {
                Primitive::Triangle(triangle) => {
                    let [v0, v1, v2] = triangle.vertices;
                    TriangleNode {
                        vertices: [v0, v1, v2, v2],
                        primitive_ids: [primitive; 2],
                        geometry_id: geometry,
                        id_word: u32::from(info_byte(OWN_ORDER, id(item))),
                    }
                }
                Primitive::Box(bounds) => {
                    let opaque = flags.contains(PrimitiveFlags::OPAQUE);
                    TriangleNode::procedural(bounds, primitive, geometry, opaque)
                }
            }
        }
    };
    LeafBits::Half(node.encode())
}

fn info_byte(sources: u8, id: PrimitiveId) -> u8 {
    TriangleInfo {
        double_sided: id.flags.contains(PrimitiveFlags::DOUBLE_SIDED),
        opaque: id.flags.contains(PrimitiveFlags::OPAQUE),
        ..TriangleInfo::from_byte(sources)
    }
    .to_byte()
}
