//! Boxes as structure of arrays, in groups of 16.

use geometry::{Aabb, Vec3};

/// Boxes in a group.
pub const GROUP: usize = 16;

/// `N` boxes: for each axis minima, then maxima.
pub(crate) type Planes<const N: usize> = [[[f32; N]; 2]; 3];

/// One group.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct BoxGroup {
    pub(super) planes: Planes<GROUP>,
}

/// Many boxes, laid out for the kernels.
#[derive(Debug, Clone)]
pub struct Boxes {
    groups: Vec<BoxGroup>,
    len: usize,
}

impl Boxes {
    /// Lays boxes out. Each should have passed [`geometry::beam::check_box`]; an inverted infinite
    /// box, as pads the last group, is never met.
    #[must_use]
    pub fn new(boxes: &[Aabb]) -> Self {
        let groups = boxes.chunks(GROUP).map(|group| BoxGroup::of(group.iter().copied()));
        Self { groups: groups.collect(), len: boxes.len() }
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
        box_at(&self.groups[index / GROUP].planes, index % GROUP)
    }

    pub(super) fn as_groups(&self) -> &[BoxGroup] {
        &self.groups
    }
}

impl BoxGroup {
    /// Up to [`GROUP`] boxes, and then none.
    pub(super) fn of(boxes: impl Iterator<Item = Aabb>) -> Self {
        let mut group = Self { planes: [[[f32::INFINITY; GROUP], [f32::NEG_INFINITY; GROUP]]; 3] };
        for (lane, bounds) in boxes.enumerate().take(GROUP) {
            for axis in 0..3 {
                group.planes[axis][0][lane] = bounds.min[axis];
                group.planes[axis][1][lane] = bounds.max[axis];
            }
        }
        group
    }
}

/// One of the boxes.
pub(super) fn box_at<const N: usize>(planes: &Planes<N>, lane: usize) -> Aabb {
    let corner = |side: usize| Vec3::from_array(std::array::from_fn(|k| planes[k][side][lane]));
    Aabb::new(corner(0), corner(1))
}
