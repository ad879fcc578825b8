//! From the name in a leaf to the ids of a triangle.
//!
//! A level whose triangles all belong to one geometry and have the same flags needs no table: the
//! name is the primitive. Otherwise triangles whose primitives differ in the lowest bits alone
//! share a page, and a name is the number of the page and these bits: `page << 6 | primitive & 63`.
//! A scene numbers the primitives of a geometry one after the other, which makes pages full and the
//! table small; and even if each triangle had a page of its own there would be names enough for all
//! the leaves that pointers reach.

use tree::{PrimitiveFlags, PrimitiveId, Primitives};

/// Bits of a primitive that its page leaves open.
const PAGE_BITS: u32 = 6;
const LOW: u32 = (1 << PAGE_BITS) - 1;

/// What names of a BLAS stand for.
#[derive(Debug, Clone)]
pub(crate) enum PrimitiveIds {
    /// The primitive itself.
    Alike {
        /// The geometry of all.
        geometry: u32,
        /// The flags of all.
        flags: PrimitiveFlags,
    },
    /// A page, and the lowest bits of the primitive. Pages are the ids of their first primitives,
    /// in order.
    Pages(Vec<PrimitiveId>),
}

impl PrimitiveIds {
    /// Chooses for the triangles of a level.
    pub(crate) fn new(primitives: &Primitives) -> Self {
        let ids = &primitives.ids[..primitives.triangles.len().min(primitives.ids.len())];
        let kind = |id: &PrimitiveId| (id.geometry, id.flags);
        match ids.first().map(kind) {
            Some((geometry, flags)) if ids.iter().all(|id| kind(id) == (geometry, flags)) => {
                Self::Alike { geometry, flags }
            }
            _ => {
                let mut pages: Vec<PrimitiveId> = ids.iter().map(page).collect();
                // Neighbours often share a page: that leaves little to be sorted.
                pages.dedup();
                pages.sort_unstable_by_key(key);
                pages.dedup();
                pages.shrink_to_fit();
                Self::Pages(pages)
            }
        }
    }

    /// The name of a triangle of the level, by its ids.
    pub(crate) fn name(&self, id: &PrimitiveId) -> u32 {
        match self {
            Self::Alike { .. } => id.primitive,
            Self::Pages(pages) => {
                let place = pages.partition_point(|other| key(other) < key(&page(id)));
                (place as u32) << PAGE_BITS | id.primitive & LOW
            }
        }
    }

    /// The ids behind a name.
    #[inline]
    pub(crate) fn id(&self, name: u32) -> PrimitiveId {
        match self {
            Self::Alike { geometry, flags } => {
                PrimitiveId { geometry: *geometry, primitive: name, flags: *flags }
            }
            Self::Pages(pages) => {
                let page = pages[(name >> PAGE_BITS) as usize];
                PrimitiveId { primitive: page.primitive | name & LOW, ..page }
            }
        }
    }

    /// Whether there are ids behind a name.
    #[inline]
    pub(crate) fn has(&self, name: u32) -> bool {
        match self {
            Self::Alike { .. } => true,
            Self::Pages(pages) => ((name >> PAGE_BITS) as usize) < pages.len(),
        }
    }

    /// Bytes in memory.
    pub(crate) fn byte_count(&self) -> usize {
        match self {
            Self::Alike { .. } => 0,
            Self::Pages(pages) => size_of_val(pages.as_slice()),
        }
    }
}

/// The first primitive of a triangle's page.
fn page(id: &PrimitiveId) -> PrimitiveId {
    PrimitiveId { primitive: id.primitive & !LOW, ..*id }
}

fn key(id: &PrimitiveId) -> (u32, u8, u32) {
    (id.geometry, id.flags.bits(), id.primitive)
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::random::Random;
    use geometry::{Triangle, Vec3};

    fn names(ids: &[PrimitiveId]) -> PrimitiveIds {
        let triangles = vec![Triangle { vertices: [Vec3::ONE; 3] }; ids.len()];
        PrimitiveIds::new(&Primitives { triangles, boxes: Vec::new(), ids: ids.to_vec() })
    }

    #[test]
    fn every_id_comes_back() {
        let mut random = Random(7);
        let ids: Vec<PrimitiveId> = (0..5_000)
            .map(|_| PrimitiveId {
                geometry: random.below(3) as u32 * 0x7FFF_FFFF,
                primitive: (random.bits() >> (32 + random.below(32))) as u32,
                flags: PrimitiveFlags::from_bits_truncate(random.bits() as u8),
            })
            .collect();
        let names = names(&ids);
        assert!(ids.iter().all(|id| names.id(names.name(id)) == *id));
        assert!(names.byte_count() <= 12 * ids.len());
    }

    #[test]
    fn geometries_numbered_in_turn_need_few_pages() {
        let of = |geometry: u32, count: u32| {
            let flags = PrimitiveFlags::OPAQUE;
            (0..count).map(move |primitive| PrimitiveId { geometry, primitive, flags })
        };
        let ids: Vec<PrimitiveId> = of(4, 1_000).chain(of(9, 65)).chain(of(2, 1)).collect();
        assert_eq!(names(&ids).byte_count(), 12 * (16 + 2 + 1));
        assert_eq!(names(&ids[..1_000]).byte_count(), 0);
    }
}
