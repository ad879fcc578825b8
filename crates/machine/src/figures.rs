//! What encoding a tree came to.

/// Where the bytes of an image go. Every format is split the same way, and every byte counts once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ByteSplit {
    /// The hierarchy: nodes, references and instances, and all that is neither geometry nor ids:
    /// headers, tables, gaps.
    pub nodes: u64,
    /// Corners of triangles and procedural boxes, with what packs them.
    pub geometry: u64,
    /// What tells primitives apart: ids of geometries and primitives, and their flags.
    pub ids: u64,
}

impl ByteSplit {
    /// The split of so many bytes.
    #[must_use]
    pub const fn new(total: u64, geometry: u64, ids: u64) -> Self {
        Self { nodes: total.saturating_sub(geometry + ids), geometry, ids }
    }

    /// All bytes.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.nodes + self.geometry + self.ids
    }

    /// Each share with its name, and the total.
    #[must_use]
    pub const fn named(&self) -> [(&'static str, u64); 4] {
        let total = self.total();
        [("nodes", self.nodes), ("geometry", self.geometry), ("ids", self.ids), ("total", total)]
    }

    /// The same for each of so many triangles.
    #[must_use]
    pub fn per_triangle(&self, triangles: usize) -> [(&'static str, f64); 4] {
        self.named().map(|(name, bytes)| (name, bytes as f64 / triangles.max(1) as f64))
    }
}

/// Figures of an image.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figures {
    /// Where its bytes go.
    pub bytes: ByteSplit,
    /// Nodes with boxes.
    pub box_nodes: usize,
    /// Nodes or ranges with primitives.
    pub primitive_nodes: usize,
    /// Nodes with instances.
    pub instance_nodes: usize,
    /// What only this format knows, in the order in which reports show it.
    pub details: Vec<(&'static str, Detail)>,
}

/// What a format knows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Detail {
    /// A number of things.
    Count(u64),
    /// An average, a share or a cost.
    Number(f64),
}

impl Figures {
    /// All nodes.
    #[must_use]
    pub const fn nodes(&self) -> usize {
        self.box_nodes + self.primitive_nodes + self.instance_nodes
    }
}
