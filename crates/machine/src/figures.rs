//! What encoding a tree came to.

/// Figures of an encoded image.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figures {
    /// Bytes of everything.
    pub bytes: u64,
    /// Bytes of headers and nodes: what a ray can touch.
    pub node_bytes: u64,
    /// Nodes with boxes.
    pub box_nodes: usize,
    /// Nodes or ranges with primitives.
    pub primitive_nodes: usize,
    /// Nodes with instances.
    pub instance_nodes: usize,
    /// Triangles of the tree.
    pub triangles: usize,
    /// What only this format knows: a key and a number, in the order in which reports show them.
    pub details: Vec<(&'static str, f64)>,
}

impl Figures {
    /// Bytes of headers and nodes for each triangle.
    #[must_use]
    pub fn bytes_per_triangle(&self) -> f64 {
        self.node_bytes as f64 / self.triangles.max(1) as f64
    }

    /// All nodes.
    #[must_use]
    pub const fn nodes(&self) -> usize {
        self.box_nodes + self.primitive_nodes + self.instance_nodes
    }
}
