//! Where attributes lie in ATTR (section 2.2).
//!
//! Vertices come in groups of 32. A group holds one 128-byte line for each active attribute, in
//! ascending order of ids; a line holds the attribute of the group's 32 vertices, 4 bytes each.
//! Primitive attributes follow in the same way, then shared memory:
//!
//! ```text
//! addr_vertex(a, i)    =      (i / 32)*Gv + 128*rank(a in V) + 4*(i % 32)      Gv = 128*|V|
//! addr_primitive(a, j) = Tv + (j / 32)*Gp + 128*rank(a in P) + 4*(j % 32)      Gp = 128*|P|
//! shared_base          = Tv + Tp       Tv = Gv*ceil(Nv / 32)     Tp = Gp*ceil(Np / 32)
//! ```
//!
//! `Nv` and `Np` are the declared maxima. The published example, corrected (section 9):
//!
//! ```
//! use isbe::{AttributeId, AttributeSet, Layout, Limits};
//! let ids = ["POINT_SIZE", "POSITION_X"].map(|name| name.parse::<AttributeId>().unwrap());
//! let vertex: AttributeSet = ids.into_iter().collect();
//! let layout = Layout::new(vertex, 256, AttributeSet::default(), 1, Limits::Driver).unwrap();
//! assert_eq!(layout.vertices.address(ids[0], 64), Some(0x200));
//! assert_eq!(layout.vertices.address(ids[1], 255), Some(0x7fc));
//! assert_eq!(layout.shared_base(), 0x800);
//! ```

use crate::limits::{LANES, LINE_BYTES, Limits, MAX_OUTPUT_BYTES, MAX_VERTICES};
use crate::{AttributeId, AttributeSet};

/// The attributes of one kind of element, vertices or primitives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Area {
    base: u32,
    maximum: u32,
    set: AttributeSet,
    ids: Vec<AttributeId>,
}

/// The layout of one ATTR region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Vertex attributes, from address 0.
    pub vertices: Area,
    /// Primitive attributes, behind the vertices.
    pub primitives: Area,
}

/// What lies at an address of ATTR.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// An attribute of a vertex.
    Vertex(Element),
    /// An attribute of a primitive.
    Primitive(Element),
    /// Shared memory or task payload.
    Shared {
        /// Bytes from the start of shared memory.
        offset: u32,
    },
}

/// One byte of an attribute of a vertex or primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// The group of 32.
    pub group: u32,
    /// The attribute.
    pub attribute: AttributeId,
    /// The number of the vertex or primitive.
    pub index: u32,
    /// Which byte of the scalar, 0 the lowest.
    pub byte: u32,
    /// Whether the number is past the declared maximum, so that nothing uses the byte.
    pub padding: bool,
}

/// Why there is no layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// A maximum of 0 or past its limit.
    #[error("bad_maximum: found at most {found} {what}, expected 1 to {limit}")]
    BadMaximum {
        /// `vertices` or `primitives`.
        what: &'static str,
        /// The declared maximum.
        found: u32,
        /// The limit.
        limit: u32,
    },
    /// More attribute bytes than a workgroup can have.
    #[error("output_limit: found {found} bytes of attributes, expected at most {MAX_OUTPUT_BYTES}")]
    OutputLimit {
        /// Bytes of vertex and primitive attributes.
        found: u32,
    },
}

impl LayoutError {
    /// The stable name of the broken rule.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::BadMaximum { .. } => "bad_maximum",
            Self::OutputLimit { .. } => "output_limit",
        }
    }
}

impl Layout {
    /// The layout for these active attributes and declared maxima.
    ///
    /// # Errors
    /// When a maximum or the size is past its limit.
    pub fn new(
        vertex: AttributeSet,
        max_vertices: u32,
        primitive: AttributeSet,
        max_primitives: u32,
        limits: Limits,
    ) -> Result<Self, LayoutError> {
        check_sizes(vertex.len(), max_vertices, primitive.len(), max_primitives, limits)?;
        let vertices = Area::new(0, vertex, max_vertices);
        let primitives = Area::new(vertices.total_bytes(), primitive, max_primitives);
        Ok(Self { vertices, primitives })
    }

    /// Where shared memory begins; a multiple of 128.
    #[must_use]
    pub const fn shared_base(&self) -> u32 {
        self.primitives.base + self.primitives.total_bytes()
    }

    /// What lies at `address`, of which there is no end: behind the attributes all is shared
    /// memory.
    #[must_use]
    pub fn locate(&self, address: u32) -> Location {
        if let Some(element) = self.vertices.locate(address) {
            return Location::Vertex(element);
        }
        if let Some(element) = self.primitives.locate(address) {
            return Location::Primitive(element);
        }
        Location::Shared { offset: address - self.shared_base() }
    }
}

/// Whether so many attributes and elements have a layout.
///
/// # Errors
/// When a maximum or the size is past its limit.
pub fn check_sizes(
    vertex_attributes: usize,
    max_vertices: u32,
    primitive_attributes: usize,
    max_primitives: u32,
    limits: Limits,
) -> Result<(), LayoutError> {
    let maximum = |what, found: u32, limit| match found {
        found if (1..=limit).contains(&found) => Ok(found.div_ceil(LANES as u32)),
        found => Err(LayoutError::BadMaximum { what, found, limit }),
    };
    let vertex_groups = maximum("vertices", max_vertices, MAX_VERTICES)?;
    let primitive_groups = maximum("primitives", max_primitives, limits.max_primitives())?;
    let bytes = |attributes: usize, groups: u32| {
        u32::try_from(attributes).unwrap_or(u32::MAX).saturating_mul(LINE_BYTES * groups)
    };
    let vertex = bytes(vertex_attributes, vertex_groups);
    let found = vertex.saturating_add(bytes(primitive_attributes, primitive_groups));
    if found > MAX_OUTPUT_BYTES { Err(LayoutError::OutputLimit { found }) } else { Ok(()) }
}

impl Area {
    fn new(base: u32, set: AttributeSet, maximum: u32) -> Self {
        Self { base, maximum, set, ids: set.iter().collect() }
    }

    /// The declared maximum of elements.
    #[must_use]
    pub const fn maximum(&self) -> u32 {
        self.maximum
    }

    /// The active attributes.
    #[must_use]
    pub const fn set(&self) -> &AttributeSet {
        &self.set
    }

    /// The active attributes, ascending.
    #[must_use]
    pub fn ids(&self) -> &[AttributeId] {
        &self.ids
    }

    /// The first address.
    #[must_use]
    pub const fn base(&self) -> u32 {
        self.base
    }

    /// Bytes of a group of 32 elements.
    #[must_use]
    pub const fn group_bytes(&self) -> u32 {
        LINE_BYTES * self.ids.len() as u32
    }

    /// Bytes of all groups.
    #[must_use]
    pub const fn total_bytes(&self) -> u32 {
        self.group_bytes() * self.maximum.div_ceil(LANES as u32)
    }

    /// The address of an attribute of an element; `None` if either does not exist.
    #[must_use]
    pub fn address(&self, attribute: AttributeId, index: u32) -> Option<u32> {
        (self.set.contains(attribute) && index < self.maximum)
            .then(|| self.element_base(index) + LINE_BYTES * self.set.rank(attribute) as u32)
    }

    /// The address that the first active attribute of an element has or would have; each further
    /// attribute is one line behind. Elements past the maximum go on in the same way.
    #[must_use]
    pub const fn element_base(&self, index: u32) -> u32 {
        let lanes = LANES as u32;
        let group = (index / lanes).wrapping_mul(self.group_bytes());
        self.base.wrapping_add(group).wrapping_add(4 * (index % lanes))
    }

    fn locate(&self, address: u32) -> Option<Element> {
        let offset = address.checked_sub(self.base).filter(|o| *o < self.total_bytes())?;
        let (group, in_group) = (offset / self.group_bytes(), offset % self.group_bytes());
        let index = LANES as u32 * group + in_group % LINE_BYTES / 4;
        Some(Element {
            group,
            attribute: self.ids[(in_group / LINE_BYTES) as usize],
            index,
            byte: offset % 4,
            padding: index >= self.maximum,
        })
    }
}
