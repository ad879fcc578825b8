//! The methods of the 3D class that size the regions (section 3), from Turing to Blackwell.
//!
//! | method | address | fields |
//! |---|---|---|
//! | SET_MESH_CONTROL | 0x114c | 0 enable |
//! | SET_MESH_SHADER_A | 0x1150 | 3:0 topology, 12:4 maximum of vertices, 22:13 of primitives |
//! | SET_MESH_SHADER_B | 0x1154 | 16:8 lines of shared memory, 25:20 threads |
//! | SET_MESH_INIT_SHADER | 0x1158 | 5:0 threads, 20:12 local lines, 30:22 lines for mesh |
//!
//! ```
//! use isbe::methods::{MeshShaderA, Topology};
//! let topology = Topology::Triangles.code();
//! let a = MeshShaderA { topology, max_vertex: 64, max_primitive: 126 };
//! assert_eq!(a.word(), Ok(0x000f_c404));
//! assert_eq!(MeshShaderA::from_word(0x000f_c404), a);
//! ```

use crate::bits::{get, set};
pub use crate::topology::Topology;
use std::ops::Range;

/// The address of SET_MESH_CONTROL; bit 0 says that a task or mesh shader is the first stage.
pub const SET_MESH_CONTROL: u16 = 0x114c;
/// The address of SET_MESH_SHADER_A.
pub const SET_MESH_SHADER_A: u16 = 0x1150;
/// The address of SET_MESH_SHADER_B.
pub const SET_MESH_SHADER_B: u16 = 0x1154;
/// The address of SET_MESH_INIT_SHADER.
pub const SET_MESH_INIT_SHADER: u16 = 0x1158;

/// The fields of SET_MESH_SHADER_A.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MeshShaderA {
    /// The code of the topology, mesh output or not.
    pub topology: u8,
    /// Declared maximum of vertices.
    pub max_vertex: u16,
    /// Declared maximum of primitives.
    pub max_primitive: u16,
}

/// The fields of SET_MESH_SHADER_B.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MeshShaderB {
    /// Lines of shared memory.
    pub shared_lines: u16,
    /// Threads of a workgroup.
    pub threads: u8,
}

/// The fields of SET_MESH_INIT_SHADER, the task stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MeshInitShader {
    /// Threads of a workgroup.
    pub threads: u8,
    /// Lines of the local buffer.
    pub local_lines: u16,
    /// Lines that the mesh stage gets, payload and its header.
    pub output_lines: u16,
}

/// A field of a method word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodField {
    /// The method.
    pub method: &'static str,
    /// The name in the class headers.
    pub name: &'static str,
    /// Its bits.
    pub bits: Range<u32>,
}

const fn field(method: &'static str, name: &'static str, bits: Range<u32>) -> MethodField {
    MethodField { method, name, bits }
}

const TOPOLOGY: MethodField = field("SET_MESH_SHADER_A", "OUTPUT_TOPOLOGY", 0..4);
const MAX_VERTEX: MethodField = field("SET_MESH_SHADER_A", "MAX_VERTEX", 4..13);
const MAX_PRIMITIVE: MethodField = field("SET_MESH_SHADER_A", "MAX_PRIMITIVE", 13..23);
const SHARED_LINES: MethodField = field("SET_MESH_SHADER_B", "SHARED_MEM_LINES", 8..17);
const THREADS: MethodField = field("SET_MESH_SHADER_B", "THREAD_COUNT", 20..26);
const INIT_THREADS: MethodField = field("SET_MESH_INIT_SHADER", "THREAD_COUNT", 0..6);
const LOCAL_LINES: MethodField = field("SET_MESH_INIT_SHADER", "LOCAL_BUFFER_LINES", 12..21);
const OUTPUT_LINES: MethodField = field("SET_MESH_INIT_SHADER", "OUTPUT_TO_M_S_LINES", 22..31);

/// All fields of the methods that size the regions, by method and position.
pub const FIELDS: [MethodField; 8] = [
    TOPOLOGY,
    MAX_VERTEX,
    MAX_PRIMITIVE,
    SHARED_LINES,
    THREADS,
    INIT_THREADS,
    LOCAL_LINES,
    OUTPUT_LINES,
];

/// A value that its field has no room for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{method} bits {}..{}: found {field} {found}, expected at most {limit}",
    bits.start,
    bits.end
)]
pub struct FieldOverflow {
    /// The method.
    pub method: &'static str,
    /// The field.
    pub field: &'static str,
    /// Its bits.
    pub bits: Range<u32>,
    /// The value.
    pub found: u32,
    /// The largest value with room.
    pub limit: u32,
}

impl MeshShaderA {
    /// The fields of a method word.
    #[must_use]
    pub const fn from_word(word: u32) -> Self {
        let word = word as u128;
        Self {
            topology: get(word, TOPOLOGY.bits) as u8,
            max_vertex: get(word, MAX_VERTEX.bits) as u16,
            max_primitive: get(word, MAX_PRIMITIVE.bits) as u16,
        }
    }

    /// The method word.
    ///
    /// # Errors
    /// When a value has no room in its field.
    pub fn word(&self) -> Result<u32, FieldOverflow> {
        let mut word = 0;
        put(&mut word, TOPOLOGY, self.topology.into())?;
        put(&mut word, MAX_VERTEX, self.max_vertex.into())?;
        put(&mut word, MAX_PRIMITIVE, self.max_primitive.into())?;
        Ok(word as u32)
    }
}

impl MeshShaderB {
    /// The fields of a method word.
    #[must_use]
    pub const fn from_word(word: u32) -> Self {
        let word = word as u128;
        Self {
            shared_lines: get(word, SHARED_LINES.bits) as u16,
            threads: get(word, THREADS.bits) as u8,
        }
    }

    /// The method word.
    ///
    /// # Errors
    /// When a value has no room in its field.
    pub fn word(&self) -> Result<u32, FieldOverflow> {
        let mut word = 0;
        put(&mut word, SHARED_LINES, self.shared_lines.into())?;
        put(&mut word, THREADS, self.threads.into())?;
        Ok(word as u32)
    }
}

impl MeshInitShader {
    /// The fields of a method word.
    #[must_use]
    pub const fn from_word(word: u32) -> Self {
        let word = word as u128;
        Self {
            threads: get(word, INIT_THREADS.bits) as u8,
            local_lines: get(word, LOCAL_LINES.bits) as u16,
            output_lines: get(word, OUTPUT_LINES.bits) as u16,
        }
    }

    /// The method word.
    ///
    /// # Errors
    /// When a value has no room in its field.
    pub fn word(&self) -> Result<u32, FieldOverflow> {
        let mut word = 0;
        put(&mut word, INIT_THREADS, self.threads.into())?;
        put(&mut word, LOCAL_LINES, self.local_lines.into())?;
        put(&mut word, OUTPUT_LINES, self.output_lines.into())?;
        Ok(word as u32)
    }
}

fn put(word: &mut u128, field: MethodField, found: u32) -> Result<(), FieldOverflow> {
    let MethodField { method, name, bits } = field;
    let limit = (1 << (bits.end - bits.start)) - 1;
    if found > limit {
        return Err(FieldOverflow { method, field: name, bits, found, limit });
    }
    set(word, bits, found);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_without_room_is_refused_where_it_stands() {
        let a = MeshShaderA { topology: 4, max_vertex: 512, max_primitive: 1 };
        let error = a.word().unwrap_err();
        assert_eq!((error.field, error.bits, error.limit), ("MAX_VERTEX", 4..13, 511));
        let a = MeshShaderA { max_vertex: 1, max_primitive: 1024, ..a };
        assert_eq!(a.word().unwrap_err().field, "MAX_PRIMITIVE");
        let b = MeshShaderB { shared_lines: 512, threads: 32 };
        assert_eq!(b.word().unwrap_err().field, "SHARED_MEM_LINES");
        let init = MeshInitShader { threads: 64, ..MeshInitShader::default() };
        assert_eq!(init.word().unwrap_err().field, "THREAD_COUNT");
    }
}
