//! The leaf nodes of a BLAS: triangles alone or in pairs, and procedurals.

use crate::layout::bvh4x2::{TriangleInfo, TriangleNode};
use bvh4::encode::draft::Leaf;
use bvh4::encode::places::NodeBytes;
use bvh4::layout::triangle_info::id_word;
use tree::primitives::Primitive;
use tree::{PrimitiveFlags, PrimitiveId, Primitives};

/// The node of a leaf.
pub(super) fn leaf_bytes(leaf: &Leaf, primitives: &Primitives) -> NodeBytes {
    let id = |item: u32| primitives.ids[item as usize];
    let node = match *leaf {
        Leaf::Pair { items, edge } => {
            let [first, second] = items.map(|item| &primitives.triangles[item as usize]);
            TriangleNode {
                vertices: edge.vertices(first, second),
                primitive_ids: items.map(|item| id(item).primitive),
                geometry_id: id(items[0]).geometry,
                id_word: id_word(&edge.nibbles(), &items.map(|item| id(item).flags)),
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
                        id_word: id_word(&[TriangleInfo::OWN_ORDER], &[flags]),
                    }
                }
                Primitive::Box(bounds) => {
                    let opaque = flags.contains(PrimitiveFlags::OPAQUE);
                    TriangleNode::procedural(bounds, primitive, geometry, opaque)
                }
            }
        }
    };
    NodeBytes::Half(node.encode())
}
