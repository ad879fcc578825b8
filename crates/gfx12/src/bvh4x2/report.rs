//! What an image of the format `gfx12-bvh4x2` came to.

use super::survey::Survey;
use crate::encode::Report;
use crate::survey::Memory;
use bvh4::image::decode::leaf_node;
use machine::Image;
use tree::Tree;

/// Vertices are three floats.
const VERTEX_BITS: usize = 96;

/// The figures of the image that `tree` was laid out as. Costs are not estimated: boxes are kept as
/// they are, up to the margin.
#[must_use]
pub fn report(tree: &Tree, image: &Image) -> Report {
    let memory = Memory::new(image);
    let survey = Survey::new(image);
    let mut report = Report {
        bytes: image.byte_count() as u64,
        triangles: tree.blases.iter().map(|blas| blas.primitives.triangles.len()).sum(),
        ..Report::default()
    };
    for surveyed in &survey.structures {
        report.box_nodes += surveyed.boxes.len();
        report.instance_nodes += surveyed.instances.len();
        let pointers = surveyed.pointers();
        report.node_bytes += pointers.map(|pointer| pointer.node_bytes() as u64).sum::<u64>();
        for leaf in 0..surveyed.leaves.len() {
            let Some(node) = leaf_node(&memory, surveyed, leaf) else { continue };
            if node.is_procedural() {
                report.procedural_nodes += 1;
            } else {
                let triangles = node.count;
                report.triangle_nodes += 1;
                report.pairs += 1;
                report.stored_triangles += triangles;
                report.vertices += 2 + triangles;
            }
        }
    }
    report.vertex_bits = VERTEX_BITS * report.vertices;
    report
}
