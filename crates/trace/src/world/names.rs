//! From the name in a leaf to the ids of a triangle.
//!
//! A level whose triangles all belong to one geometry and have the same flags needs no table: the
//! name is the primitive. Otherwise it is a place in a table.

use tree::{PrimitiveFlags, PrimitiveId, Primitives};

/// What names of a bottom level stand for.
#[derive(Debug)]
pub(crate) enum Names {
    /// The primitive itself.
    Alike {
        /// The geometry of all.
        geometry: u32,
        /// The flags of all.
        flags: PrimitiveFlags,
    },
    /// A place in the table.
    Table(Vec<PrimitiveId>),
}

impl Names {
    /// Chooses for the triangles of a level.
    pub(crate) fn new(primitives: &Primitives) -> Self {
        let ids = &primitives.ids[..primitives.triangles.len().min(primitives.ids.len())];
        let kind = |id: &PrimitiveId| (id.geometry, id.flags);
        match ids.first().map(kind) {
            Some((geometry, flags)) if ids.iter().all(|id| kind(id) == (geometry, flags)) => {
                Self::Alike { geometry, flags }
            }
            _ => Self::Table(ids.to_vec()),
        }
    }

    /// The name of triangle `index` of the level.
    pub(crate) fn name(&self, primitives: &Primitives, index: usize) -> u32 {
        match self {
            Self::Alike { .. } => primitives.ids[index].primitive,
            Self::Table(_) => index as u32,
        }
    }

    /// The ids behind a name.
    #[inline]
    pub(crate) fn id(&self, name: u32) -> PrimitiveId {
        match self {
            Self::Alike { geometry, flags } => {
                PrimitiveId { geometry: *geometry, primitive: name, flags: *flags }
            }
            Self::Table(ids) => ids[name as usize],
        }
    }

    /// Bytes in memory.
    pub(crate) fn byte_count(&self) -> usize {
        match self {
            Self::Alike { .. } => 0,
            Self::Table(ids) => size_of_val(ids.as_slice()),
        }
    }
}
