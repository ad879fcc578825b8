//! Where a child of a node leads, in 32 bits.
//!
//! | bits 31..29 | bits below | leads to |
//! |---|---|---|
//! | `0..` | place in units of 16 bytes | a node |
//! | `10.` | 3: triangles minus 1; 27: place in units of 16 bytes | a leaf of triangles |
//! | `110` | 29: number of an instance | an instance |
//! | `111` | 29: number of a list | procedural boxes |
//!
//! Places are the lowest 27 bits of nodes and leaves alike, so that a kernel can ask for memory
//! before it knows what is there. The two largest lists do not exist: [`Pointer::DONE`] lies at the
//! bottom of every stack, and [`Pointer::LEAVE`] where a walk leaves an instance.

use super::node::Node;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Bytes in which places are counted.
pub(crate) const UNIT: usize = 16;

const LEAF: u32 = 0x8000_0000;
const INSTANCE: u32 = 0xC000_0000;
const BOXES: u32 = 0xE000_0000;
const PLACE_BITS: u32 = 27;
const PLACE: u32 = (1 << PLACE_BITS) - 1;

/// A packed pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(transparent)]
pub(crate) struct Pointer(pub(crate) u32);

/// A pointer, unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// A node.
    Node,
    /// A leaf.
    Leaf,
    /// An instance, by number.
    Instance(usize),
    /// A list of procedural boxes, by number.
    Boxes(usize),
    /// The end of an instance.
    Leave,
    /// The end of a walk.
    Done,
}

impl Pointer {
    /// The end of a walk.
    pub(crate) const DONE: Self = Self(u32::MAX);
    /// The end of an instance.
    pub(crate) const LEAVE: Self = Self(u32::MAX - 1);
    /// The first word that leads neither to a node nor to a leaf.
    pub(crate) const FIRST_OTHER: u32 = INSTANCE;

    /// To a node, by number; `None` if its place has too many bits, as for all of these.
    pub(crate) fn node(number: usize) -> Option<Self> {
        place(number.checked_mul(size_of::<Node>())? / UNIT).map(Self)
    }

    /// To a leaf of 1 to 8 triangles.
    pub(crate) fn leaf(byte: usize, triangles: usize) -> Option<Self> {
        Some(Self(LEAF | (triangles as u32 - 1) << PLACE_BITS | place(byte / UNIT)?))
    }

    /// To an instance.
    pub(crate) fn instance(number: usize) -> Option<Self> {
        let number = u32::try_from(number).ok().filter(|&number| number < BOXES - INSTANCE)?;
        Some(Self(INSTANCE | number))
    }

    /// To a list of procedural boxes.
    pub(crate) fn boxes(number: usize) -> Option<Self> {
        let number = u32::try_from(number).ok().filter(|&number| number < Self::LEAVE.0 - BOXES)?;
        Some(Self(BOXES | number))
    }

    /// Where it leads.
    #[inline]
    pub(crate) fn target(self) -> Target {
        match self.0 {
            word if word < LEAF => Target::Node,
            word if word < INSTANCE => Target::Leaf,
            word if word < BOXES => Target::Instance((word - INSTANCE) as usize),
            _ if self == Self::DONE => Target::Done,
            _ if self == Self::LEAVE => Target::Leave,
            word => Target::Boxes((word - BOXES) as usize),
        }
    }

    /// Whether it leads to a node.
    #[inline(always)]
    pub(crate) fn is_node(self) -> bool {
        self.0 < LEAF
    }

    /// Whether it leads to a node or a leaf.
    #[inline(always)]
    pub(crate) fn is_node_or_leaf(self) -> bool {
        self.0 < Self::FIRST_OTHER
    }

    /// The number of a node.
    pub(crate) fn node_number(self) -> usize {
        self.byte() / size_of::<Node>()
    }

    /// The first byte of a node or leaf.
    #[inline(always)]
    pub(crate) fn byte(self) -> usize {
        (self.0 & PLACE) as usize * UNIT
    }

    /// The number of triangles of a leaf.
    #[inline(always)]
    pub(crate) fn triangles(self) -> usize {
        (self.0 >> PLACE_BITS & 7) as usize + 1
    }
}

fn place(units: usize) -> Option<u32> {
    u32::try_from(units).ok().filter(|&units| units <= PLACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_comes_back() {
        let node = Pointer::node(0x7F_FFFF).unwrap();
        assert_eq!((node.target(), node.byte()), (Target::Node, 0x7FFF_FF00));
        assert_eq!(Pointer::node(0x80_0000), None);
        let leaf = Pointer::leaf(0x7FFF_FFF0, 8).unwrap();
        assert_eq!((leaf.target(), leaf.byte(), leaf.triangles()), (Target::Leaf, 0x7FFF_FFF0, 8));
        assert_eq!(Pointer::leaf(0x8000_0000, 1), None);
        let leaf = Pointer::leaf(80, 1).unwrap();
        assert_eq!((leaf.target(), leaf.byte(), leaf.triangles()), (Target::Leaf, 80, 1));
        let instance = Pointer::instance(0x1FFF_FFFF);
        assert_eq!(instance.map(Pointer::target), Some(Target::Instance(0x1FFF_FFFF)));
        assert_eq!(Pointer::instance(0x2000_0000), None);
        assert_eq!(Pointer::boxes(5).map(Pointer::target), Some(Target::Boxes(5)));
        assert_eq!(Pointer::boxes(0x1FFF_FFFE), None);
        assert_eq!(
            (Pointer::DONE.target(), Pointer::LEAVE.target()),
            (Target::Done, Target::Leave)
        );
    }
}
