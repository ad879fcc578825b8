//! Where a child of a node leads, in 32 bits.
//!
//! | bits 31..29 | bits below | leads to |
//! |---|---|---|
//! | `0..` | 31: number of a node | a node |
//! | `10.` | 3: triangles minus 1; 27: place in units of 16 bytes | a leaf of triangles |
//! | `110` | 29: number of a placement | an instance |
//! | `111` | 29: number of a list | procedural boxes |
//!
//! The two largest lists do not exist: [`Pointer::DONE`] lies at the bottom of every stack, and
//! [`Pointer::LEAVE`] where a walk leaves an instance.

/// Bytes in which the places of leaves are counted.
pub(crate) const LEAF_UNIT: usize = 16;

const LEAF: u32 = 0x8000_0000;
const INSTANCE: u32 = 0xC000_0000;
const BOXES: u32 = 0xE000_0000;
const PLACE_BITS: u32 = 27;

/// A packed pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pointer(pub(crate) u32);

/// A pointer, unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// A node, by number.
    Node(usize),
    /// A leaf, by its first byte, and how many triangles it has.
    Leaf(usize, usize),
    /// A placement, by number.
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

    /// To a node; `None` if its number is too large, as for all of these.
    pub(crate) fn node(number: usize) -> Option<Self> {
        u32::try_from(number).ok().filter(|&number| number < LEAF).map(Self)
    }

    /// To a leaf of 1 to 8 triangles.
    pub(crate) fn leaf(byte: usize, triangles: usize) -> Option<Self> {
        let place =
            u32::try_from(byte / LEAF_UNIT).ok().filter(|&place| place >> PLACE_BITS == 0)?;
        Some(Self(LEAF | (triangles as u32 - 1) << PLACE_BITS | place))
    }

    /// To a placement.
    pub(crate) fn instance(number: usize) -> Option<Self> {
        u32::try_from(number)
            .ok()
            .filter(|&number| number < BOXES - INSTANCE)
            .map(|n| Self(INSTANCE | n))
    }

    /// To a list of procedural boxes.
    pub(crate) fn boxes(number: usize) -> Option<Self> {
        u32::try_from(number)
            .ok()
            .filter(|&number| number < Self::LEAVE.0 - BOXES)
            .map(|n| Self(BOXES | n))
    }

    /// Where it leads.
    #[inline]
    pub(crate) fn target(self) -> Target {
        match self.0 {
            word if word < LEAF => Target::Node(word as usize),
            word if word < INSTANCE => {
                let (byte, triangles) = self.leaf_place();
                Target::Leaf(byte, triangles)
            }
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
        self.0 < INSTANCE
    }

    /// First byte and number of triangles, of a pointer to a leaf.
    #[inline(always)]
    pub(crate) fn leaf_place(self) -> (usize, usize) {
        let place = self.0 & ((1 << PLACE_BITS) - 1);
        (place as usize * LEAF_UNIT, (self.0 >> PLACE_BITS & 7) as usize + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_comes_back() {
        assert_eq!(
            Pointer::node(0x7FFF_FFFF).map(Pointer::target),
            Some(Target::Node(0x7FFF_FFFF))
        );
        assert_eq!(Pointer::node(0x8000_0000), None);
        let leaf = Pointer::leaf(0x7FFF_FFF0, 8);
        assert_eq!(leaf.map(Pointer::target), Some(Target::Leaf(0x7FFF_FFF0, 8)));
        assert_eq!(Pointer::leaf(0x8000_0000, 1), None);
        assert_eq!(Pointer::leaf(48, 1).map(Pointer::target), Some(Target::Leaf(48, 1)));
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
