//! From a mesh to ISBE memory and back (section 8).
//!
//! A mesh is split into meshlets, each meshlet is emitted by a workgroup through the model, and the
//! workgroups' memory is dumped. Which vertex and which triangle of the mesh each one was is noted
//! in shared memory, behind the attributes; so the mesh comes back bit for bit, in its own order,
//! for any set of attributes. A dump without such notes becomes a scene too, workgroup by
//! workgroup.
//!
//! | file | concept |
//! |---|---|
//! | [`split`] | triangles become meshlets |
//! | `emit` | the kernel that emits a meshlet |
//! | [`capture_notes`] | the notes in shared memory |
//! | [`capture`] | meshes and scenes become dumps |
//! | [`restore`] | a dump with notes becomes what was captured |
//! | [`import`] | any dump becomes a scene |
//! | [`read`] | a file's bytes become a scene |
//! | [`position`] | from clip space to the world |

pub mod capture;
pub mod capture_notes;
mod emit;
pub mod import;
pub mod position;
pub mod read;
pub mod restore;
pub mod split;

use crate::{AttributeId, AttributeSet};

/// A triangle mesh with any attributes, as bit patterns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mesh {
    /// The attributes of each vertex.
    pub vertices: AttributeTable,
    /// The attributes of each triangle; a table without columns if there are none.
    pub primitives: AttributeTable,
    /// Three vertices for each triangle, all in range.
    pub triangles: Vec<[u32; 3]>,
}

/// A row of words for each element, one word for each attribute in ascending order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttributeTable {
    set: AttributeSet,
    rows: usize,
    words: Vec<u32>,
}

impl AttributeTable {
    /// A table of zeros.
    #[must_use]
    pub fn new(set: AttributeSet, rows: usize) -> Self {
        Self { set, rows, words: vec![0; rows * set.len()] }
    }

    /// The attributes.
    #[must_use]
    pub const fn set(&self) -> &AttributeSet {
        &self.set
    }

    /// How many elements there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no element.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The words of an element.
    #[must_use]
    pub fn row(&self, element: usize) -> &[u32] {
        let width = self.set.len();
        &self.words[element * width..(element + 1) * width]
    }

    /// The words of an element, to be changed.
    pub fn row_mut(&mut self, element: usize) -> &mut [u32] {
        let width = self.set.len();
        &mut self.words[element * width..(element + 1) * width]
    }

    /// The column of an attribute, if the table has it.
    #[must_use]
    pub fn column(&self, attribute: AttributeId) -> Option<usize> {
        self.set.contains(attribute).then(|| self.set.rank(attribute))
    }
}
