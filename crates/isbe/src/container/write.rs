//! A dump as bytes.

use super::{
    Dump, FLAG_ALL_REGIONS, FLAG_GEOMETRY, FLAG_INPUT_ATTR, FLAG_REVERSED_MAP, FLAG_SKEW_LOGICAL,
    FLAG_TASKS, HEADER_BYTES, MAGIC, NO_TASK, SPH_BYTES, VERSION, Workgroup, padded,
};
use crate::Sph;
use crate::memory::MapOrder;
use crate::methods::FieldOverflow;
use std::io::{self, Write};

/// Why a dump was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A method word has no room for a value.
    #[error(transparent)]
    Field(#[from] FieldOverflow),
    /// More workgroups, or a longer region, than a field can say.
    #[error("{what}: found {found}, expected at most {}", u32::MAX)]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How much.
        found: usize,
    },
    /// The sink failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Dump {
    /// Writes the container. The same dump gives the same bytes.
    ///
    /// # Errors
    /// When a field has no room, or the sink fails.
    pub fn write(&self, sink: &mut impl Write) -> Result<(), WriteError> {
        sink.write_all(&self.header()?)?;
        sink.write_all(&padded_header(&self.state.header))?;
        if let Some(geometry) = &self.state.geometry {
            sink.write_all(&padded_header(geometry))?;
        }
        for workgroup in &self.workgroups {
            self.write_unit(workgroup, sink)?;
        }
        Ok(())
    }

    /// The container's bytes.
    ///
    /// # Errors
    /// When a field has no room.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        let mut bytes = Vec::new();
        self.write(&mut bytes)?;
        Ok(bytes)
    }

    fn header(&self) -> Result<Vec<u8>, WriteError> {
        let state = &self.state;
        let mut header = MAGIC.to_vec();
        let methods = [
            state.shader_a.word()?,
            state.shader_b.word()?,
            state.init.word()?,
            state.unit.word()?,
        ];
        let minor = if self.all_regions || methods[3] != 0 { VERSION.1 } else { 0 };
        for half in [VERSION.0, minor, state.sm, state.header.version().number() as u16] {
            header.extend(half.to_le_bytes());
        }
        let count = fits("workgroups", self.workgroups.len())?;
        for word in [self.flags(), count].into_iter().chain(methods) {
            header.extend(word.to_le_bytes());
        }
        header.resize(HEADER_BYTES, 0);
        Ok(header)
    }

    fn flags(&self) -> u32 {
        let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
        flag(self.skew_logical, FLAG_SKEW_LOGICAL)
            | flag(self.map_order == MapOrder::Reversed, FLAG_REVERSED_MAP)
            | flag(self.state.geometry.is_some(), FLAG_GEOMETRY)
            | flag(self.workgroups.iter().any(|w| !w.input.attr.is_empty()), FLAG_INPUT_ATTR)
            | flag(self.workgroups.iter().any(|w| w.task.is_some()), FLAG_TASKS)
            | flag(self.all_regions, FLAG_ALL_REGIONS)
    }

    fn write_unit(&self, unit: &Workgroup, sink: &mut impl Write) -> Result<(), WriteError> {
        let mut record = Vec::with_capacity(self.record_bytes());
        for word in [unit.index, unit.task.unwrap_or(NO_TASK)] {
            record.extend(word.to_le_bytes());
        }
        for region in self.regions() {
            record.extend(fits(region.0, unit.region(*region).len())?.to_le_bytes());
        }
        record.resize(self.record_bytes(), 0);
        sink.write_all(&record)?;
        for region in self.regions().iter().map(|region| unit.region(*region)) {
            sink.write_all(region)?;
            sink.write_all(&[0; 16][..padded(region.len()) - region.len()])?;
        }
        Ok(())
    }
}

fn padded_header(header: &Sph) -> Vec<u8> {
    let mut bytes = header.to_bytes();
    bytes.resize(SPH_BYTES, 0);
    bytes
}

fn fits(what: &'static str, found: usize) -> Result<u32, WriteError> {
    u32::try_from(found).map_err(|_| WriteError::TooMany { what, found })
}
