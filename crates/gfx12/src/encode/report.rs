//! What encoding came to.

/// Figures of an encoded image.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Report {
    /// Bytes of all structures, tables included.
    pub bytes: u64,
    /// Bytes of headers and nodes: what a ray can touch.
    pub node_bytes: u64,
    /// Box nodes.
    pub box_nodes: usize,
    /// Primitive nodes with triangles.
    pub triangle_nodes: usize,
    /// Primitive nodes with a procedural.
    pub procedural_nodes: usize,
    /// Instance nodes.
    pub instance_nodes: usize,
    /// Instances that name other nodes than the roots of their structures.
    pub opened_instances: usize,
    /// Box nodes and instance nodes that a ray meets before it is below those roots, by the
    /// surface-area heuristic.
    pub tlas_cost: f64,
    /// Triangles of the tree.
    pub triangles: usize,
    /// Triangles stored; a split one counts once for each leaf.
    pub stored_triangles: usize,
    /// Pairs stored.
    pub pairs: usize,
    /// Vertices stored.
    pub vertices: usize,
    /// Bits of vertices and prefixes.
    pub vertex_bits: usize,
    /// Cost of the BLASes that were given, by the surface-area heuristic, weighted by triangles.
    pub sah_given: f64,
    /// The same for what was laid out, with boxes along the axes.
    pub sah_encoded: f64,
    /// The same with the boxes of oriented nodes in their frames.
    pub sah_oriented: f64,
    /// Box nodes in a rotated frame.
    pub oriented_nodes: usize,
}

impl Report {
    /// Bytes of headers and nodes for each triangle.
    #[must_use]
    pub fn bytes_per_triangle(&self) -> f64 {
        ratio(self.node_bytes as f64, self.triangles)
    }

    /// Pairs for each primitive node with triangles.
    #[must_use]
    pub fn pairs_per_node(&self) -> f64 {
        ratio(self.pairs as f64, self.triangle_nodes)
    }

    /// Triangles for each primitive node with triangles.
    #[must_use]
    pub fn triangles_per_node(&self) -> f64 {
        ratio(self.stored_triangles as f64, self.triangle_nodes)
    }

    /// Bits that sharing and compression save, against nine floats a triangle.
    #[must_use]
    pub fn vertex_bits_saved(&self) -> usize {
        (self.stored_triangles * 9 * 32).saturating_sub(self.vertex_bits)
    }
}

fn ratio(amount: f64, count: usize) -> f64 {
    if count == 0 { 0.0 } else { amount / count as f64 }
}
