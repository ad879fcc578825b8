//! The two spaces of a unit and their regions (sections 1 and 2).
//!
//! Each region has its own addresses from 0; the access field of an instruction selects it. The
//! output MAP stores downward: an access of n bytes at address A touches `A-(n-1) ..= A`, so that
//! the primitive count is written through address 3:
//!
//! ```
//! use isbe::{Access, MapOrder, Memory, Region, Size, Space};
//! let output = Space { map: vec![0xaa; 5], ..Space::default() };
//! let mut memory = Memory::new(Space::default(), output);
//! let count = Access { output: true, region: Region::Map, skew: false, size: Size::B32 };
//! memory.write(count, 3, 0x102).unwrap();
//! assert_eq!(memory.output.map, [0x02, 0x01, 0, 0, 0xaa]);
//! ```

use crate::Fault;
use crate::limits::LINE_BYTES;
use std::fmt;

/// The regions of a space, by the code in the access field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Region {
    /// Primitive to vertex handles, one byte each.
    Map,
    /// Attributes of a patch; layout unknown (I-2).
    Patch,
    /// Per-primitive area; layout unknown (I-2).
    Prim,
    /// Attributes, then shared memory or task payload.
    Attr,
}

/// How much one access touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Size {
    /// 8 bits.
    B8,
    /// 16 bits.
    B16,
    /// 32 bits.
    B32,
}

/// What an access says beside its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Access {
    /// The output space, not the input.
    pub output: bool,
    /// The region.
    pub region: Region,
    /// The SKEW view of ATTR.
    pub skew: bool,
    /// How much.
    pub size: Size,
}

/// The two views of ATTR.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// With SKEW.
    Skewed,
    /// Without.
    Flat,
}

/// The order of bytes in a multi-byte access of the output MAP (I-3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MapOrder {
    /// The low byte at the lowest address.
    #[default]
    LittleAtLow,
    /// The low byte at the highest address.
    Reversed,
}

/// One space: an array of bytes for each region.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Space {
    /// MAP.
    pub map: Vec<u8>,
    /// PATCH, of a size that the user gives (I-2).
    pub patch: Vec<u8>,
    /// PRIM, of a size that the user gives (I-2).
    pub prim: Vec<u8>,
    /// ATTR, in SKEW-logical order.
    pub attr: Vec<u8>,
}

impl Space {
    /// The bytes of a region.
    #[must_use]
    pub const fn region(&self, region: Region) -> &Vec<u8> {
        match region {
            Region::Map => &self.map,
            Region::Patch => &self.patch,
            Region::Prim => &self.prim,
            Region::Attr => &self.attr,
        }
    }

    /// The same, to be changed.
    pub const fn region_mut(&mut self, region: Region) -> &mut Vec<u8> {
        match region {
            Region::Map => &mut self.map,
            Region::Patch => &mut self.patch,
            Region::Prim => &mut self.prim,
            Region::Attr => &mut self.attr,
        }
    }
}

/// A write whose bytes are known to exist in the memory that made it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Store {
    access: Access,
    first: usize,
    value: u32,
}

/// The memory that a unit sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// The input space.
    pub input: Space,
    /// The output space. Where the spaces share storage, its ATTR is that of both.
    pub output: Space,
    /// The order of bytes in the output MAP.
    pub map_order: MapOrder,
    sharing: bool,
    /// The view of the last write to each line of input and output; empty where not trapped.
    views: [Vec<Option<View>>; 2],
}

impl Memory {
    /// Two separate spaces.
    #[must_use]
    pub fn new(input: Space, output: Space) -> Self {
        let views = [Vec::new(), Vec::new()];
        Self { input, output, map_order: MapOrder::default(), sharing: false, views }
    }

    /// Spaces whose ATTR lie at byte 0 of one buffer, as with SPH bit 25 (I-1).
    #[must_use]
    pub fn sharing(input: Space, mut output: Space) -> Self {
        let size = input.attr.len().max(output.attr.len());
        output.attr.resize(size, 0);
        output.attr[..input.attr.len()].copy_from_slice(&input.attr);
        Self { sharing: true, ..Self::new(input, output) }
    }

    /// The two spaces as a dump holds them. Where they share storage, what was stored is in both.
    #[must_use]
    pub fn into_spaces(mut self) -> [Space; 2] {
        if self.sharing {
            let length = self.input.attr.len();
            self.input.attr.copy_from_slice(&self.output.attr[..length]);
        }
        [self.input, self.output]
    }

    /// Traps reads of a line in another view than that of its last write (I-6).
    #[must_use]
    pub fn trapping_mixed_views(mut self) -> Self {
        let lines = |attr: &[u8]| attr.len().div_ceil(LINE_BYTES as usize);
        self.views = [vec![None; lines(&self.input.attr)], vec![None; lines(&self.output.attr)]];
        self
    }

    /// Reads, extended with zeros.
    ///
    /// # Errors
    /// When the access is misaligned, out of range, below the MAP, or trapped.
    pub fn read(&self, access: Access, address: u32) -> Result<u32, Fault> {
        let first = self.first_byte(access, address)? as usize;
        if access.region == Region::Attr {
            self.trap_mixed_views(access, first)?;
        }
        let bytes = &self.region(access)[first..first + access.size.bytes() as usize];
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        if self.is_reversed(access) {
            word[..bytes.len()].reverse();
        }
        Ok(u32::from_le_bytes(word))
    }

    /// Writes the low bits of `value`.
    ///
    /// # Errors
    /// When the region cannot be written, or the access is misaligned, out of range or below the
    /// MAP.
    pub fn write(&mut self, access: Access, address: u32, value: u32) -> Result<(), Fault> {
        let store = self.store(access, address, value)?;
        self.apply(store);
        Ok(())
    }

    /// A write that has been found to be possible but not made.
    ///
    /// # Errors
    /// As for [`Self::write`].
    pub(crate) fn store(&self, access: Access, address: u32, value: u32) -> Result<Store, Fault> {
        if matches!(access.region, Region::Patch | Region::Prim) {
            return Err(Fault::IllegalAccess { region: access.region });
        }
        self.store_attribute(access, address, value)
    }

    /// The same for AST, which may also store to the patch.
    ///
    /// # Errors
    /// When the access is misaligned, out of range or below the MAP.
    pub(crate) fn store_attribute(
        &self,
        access: Access,
        address: u32,
        value: u32,
    ) -> Result<Store, Fault> {
        let first = self.first_byte(access, address)? as usize;
        Ok(Store { access, first, value })
    }

    /// Makes a write.
    pub(crate) fn apply(&mut self, store: Store) {
        let Store { access, first, value } = store;
        if access.region == Region::Attr {
            let view = access.view();
            let views = &mut self.views[usize::from(access.output || self.sharing)];
            if let Some(line) = views.get_mut(first / LINE_BYTES as usize) {
                *line = Some(view);
            }
        }
        let mut word = value.to_le_bytes();
        let size = access.size.bytes() as usize;
        if self.is_reversed(access) {
            word[..size].reverse();
        }
        self.region_mut(access)[first..first + size].copy_from_slice(&word[..size]);
    }

    /// The lowest byte that an access touches, once all of it is known to be there.
    fn first_byte(&self, access: Access, address: u32) -> Result<u32, Fault> {
        let bytes = access.size.bytes();
        let region = access.region;
        let first = match region {
            // Downward (D); reads too (I-4).
            Region::Map if access.output => address
                .checked_sub(bytes - 1)
                .ok_or(Fault::MapUnderflow { address, size: access.size })?,
            Region::Attr if !address.is_multiple_of(bytes) => {
                return Err(Fault::Misaligned { address, alignment: bytes });
            }
            Region::Attr => phys(address, access.skew),
            Region::Map | Region::Patch | Region::Prim => address,
        };
        let size = self.region(access).len() as u32;
        match first.checked_add(bytes) {
            Some(end) if end <= size => Ok(first),
            _ => Err(Fault::OutOfRange { region, first, bytes, size }),
        }
    }

    fn trap_mixed_views(&self, access: Access, first: usize) -> Result<(), Fault> {
        let line = first / LINE_BYTES as usize;
        let views = &self.views[usize::from(access.output || self.sharing)];
        match views.get(line).copied().flatten() {
            Some(written) if written != access.view() => Err(Fault::MixedViews {
                line: line as u32 * LINE_BYTES,
                written,
                read: access.view(),
            }),
            _ => Ok(()),
        }
    }

    fn is_reversed(&self, access: Access) -> bool {
        access.output && access.region == Region::Map && self.map_order == MapOrder::Reversed
    }

    fn region(&self, access: Access) -> &[u8] {
        let aliased = self.sharing && access.region == Region::Attr;
        let space = if access.output || aliased { &self.output } else { &self.input };
        space.region(access.region)
    }

    fn region_mut(&mut self, access: Access) -> &mut [u8] {
        let aliased = self.sharing && access.region == Region::Attr;
        let space = if access.output || aliased { &mut self.output } else { &mut self.input };
        space.region_mut(access.region)
    }
}

/// Where a byte of ATTR is stored. The identity in both views (I-6): the one place to change if
/// SKEW should turn out to rotate banks.
#[must_use]
pub const fn phys(address: u32, _skew: bool) -> u32 {
    address
}

/// The address of corner `corner` of primitive `primitive` in MAP; the output MAP has a count
/// first.
#[must_use]
pub const fn map_address(output: bool, vertices: u32, primitive: u32, corner: u32) -> u32 {
    let base = if output { 4 } else { 0 };
    base + primitive * vertices + corner
}

/// The address of a vertex's handle in the input MAP, from the invocation info that tessellation
/// and geometry stages read as system value 0x1d: its bytes 0 and 2 are the local primitive and the
/// vertices of a primitive, in an order that does not matter to their product (I-5).
#[must_use]
pub const fn handle_address(invocation_info: u32, vertex: u32) -> u32 {
    let [primitive, _, vertices, _] = invocation_info.to_le_bytes();
    primitive as u32 * vertices as u32 + vertex
}

impl Access {
    const fn view(self) -> View {
        if self.skew { View::Skewed } else { View::Flat }
    }
}

impl Size {
    /// How many bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::B8 => 1,
            Self::B16 => 2,
            Self::B32 => 4,
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-bit", 8 * self.bytes())
    }
}

impl Region {
    /// The name in instructions and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Map => "MAP",
            Self::Patch => "PATCH",
            Self::Prim => "PRIM",
            Self::Attr => "ATTR",
        }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Skewed => "skewed",
            Self::Flat => "flat",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(output: bool, region: Region, size: Size) -> Access {
        Access { output, region, skew: false, size }
    }

    fn space() -> Space {
        let bytes = |from: u8, n: u8| (from..from + n).collect();
        Space { map: bytes(0, 8), patch: bytes(50, 4), prim: bytes(60, 4), attr: bytes(100, 16) }
    }

    #[test]
    fn output_map_reads_go_downward_and_input_map_reads_upward() {
        let mut memory = Memory::new(space(), space());
        let output = access(true, Region::Map, Size::B16);
        assert_eq!(memory.read(output, 5), Ok(0x0504));
        assert_eq!(memory.read(access(false, Region::Map, Size::B16), 5), Ok(0x0605));
        memory.map_order = MapOrder::Reversed;
        assert_eq!(memory.read(output, 5), Ok(0x0405));
        assert_eq!(memory.read(output, 0).unwrap_err().id(), "map_underflow");
        assert_eq!(memory.read(output, 8).unwrap_err().id(), "out_of_range");
        assert_eq!(memory.read(access(true, Region::Map, Size::B8), 7), Ok(7));
    }

    #[test]
    fn every_region_has_its_own_bytes_and_faults() {
        let mut memory = Memory::new(space(), space());
        assert_eq!(memory.read(access(false, Region::Patch, Size::B32), 0), Ok(0x3534_3332));
        assert_eq!(memory.read(access(true, Region::Prim, Size::B8), 3), Ok(63));
        for region in [Region::Patch, Region::Prim] {
            let store = memory.write(access(true, region, Size::B32), 0, 0);
            assert_eq!(store, Err(Fault::IllegalAccess { region }));
        }
        let word = access(true, Region::Attr, Size::B32);
        assert_eq!(memory.read(word, 4), Ok(0x6b6a_6968));
        assert_eq!(memory.read(word, 6).unwrap_err().id(), "misaligned");
        assert_eq!(memory.read(word, 16).unwrap_err().id(), "out_of_range");
        assert_eq!(memory.read(word, u32::MAX - 3).unwrap_err().id(), "out_of_range");
        let half = access(true, Region::Attr, Size::B16);
        assert_eq!(memory.read(half, 3).unwrap_err().id(), "misaligned");
        memory.write(half, 2, 0xdead_beef).unwrap();
        assert_eq!(memory.read(word, 0), Ok(0xbeef_6564));
        assert_eq!(memory.input, space());
    }

    #[test]
    fn the_invocation_info_leads_to_a_handle() {
        assert_eq!(handle_address(0xaa03_bb05, 2), map_address(false, 3, 5, 2));
        assert_eq!(handle_address(0x0005_0003, 1), 16);
    }

    #[test]
    fn shared_spaces_alias_at_byte_zero() {
        let input = Space { attr: vec![7; 8], ..space() };
        let mut memory = Memory::sharing(input, space());
        assert_eq!(memory.read(access(true, Region::Attr, Size::B32), 4), Ok(0x0707_0707));
        memory.write(access(true, Region::Attr, Size::B8), 5, 9).unwrap();
        assert_eq!(memory.read(access(false, Region::Attr, Size::B8), 5), Ok(9));
    }

    #[test]
    fn mixed_views_are_trapped_only_when_asked() {
        let plain = Memory::new(Space::default(), Space { attr: vec![0; 256], ..Space::default() });
        let skewed = Access { skew: true, ..access(true, Region::Attr, Size::B32) };
        let flat = access(true, Region::Attr, Size::B32);
        for (trapping, answer) in [(false, None), (true, Some("mixed_views"))] {
            let memory = plain.clone();
            let mut memory = if trapping { memory.trapping_mixed_views() } else { memory };
            memory.write(skewed, 0x84, 3).unwrap();
            assert_eq!(memory.read(skewed, 0x84), Ok(3));
            assert_eq!(memory.read(flat, 0x80).err().map(|fault| fault.id()), answer);
            assert_eq!(memory.read(flat, 0x7c), Ok(0), "a line never written has no view");
        }
    }
}
