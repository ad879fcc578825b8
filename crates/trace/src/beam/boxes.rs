//! Boxes as structure of arrays, in groups of 16.

use geometry::{Aabb, Vec3};

/// Boxes in a group.
pub const GROUP: usize = 16;

/// One group: for each axis minima, then maxima.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct BoxGroup {
    pub(super) planes: [[[f32; GROUP]; 2]; 3],
}

/// Many boxes, laid out for the kernels.
#[derive(Debug, Clone)]
pub struct Boxes {
    groups: Vec<BoxGroup>,
    len: usize,
}

impl Boxes {
    /// Lays boxes out. Each should have passed [`geometry::beam::check_box`]; an inverted infinite box, as
    /// pads the last group, is never met.
    #[must_use]
    pub fn new(boxes: &[Aabb]) -> Self {
        const NOTHING: BoxGroup =
            BoxGroup { planes: [[[f32::INFINITY; GROUP], [f32::NEG_INFINITY; GROUP]]; 3] };
        let mut groups = vec![NOTHING; boxes.len().div_ceil(GROUP)];
        for (index, bounds) in boxes.iter().enumerate() {
            let planes = &mut groups[index / GROUP].planes;
            for axis in 0..3 {
                planes[axis][0][index % GROUP] = bounds.min[axis];
                planes[axis][1][index % GROUP] = bounds.max[axis];
            }
        }
        Self { groups, len: boxes.len() }
    }

    /// How many boxes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many groups of [`GROUP`] they fill.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// Box `index`.
    ///
    /// # Panics
    /// When there is no such box.
    #[must_use]
    pub fn get(&self, index: usize) -> Aabb {
        self.groups[index / GROUP].bounds(index % GROUP)
    }

    pub(super) fn as_groups(&self) -> &[BoxGroup] {
        &self.groups
    }
}

impl BoxGroup {
    pub(super) fn bounds(&self, lane: usize) -> Aabb {
        let corner =
            |side: usize| Vec3::from_array(std::array::from_fn(|k| self.planes[k][side][lane]));
        Aabb::new(corner(0), corner(1))
    }
}
