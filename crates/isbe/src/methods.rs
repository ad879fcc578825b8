//! The methods of the 3D class that size the regions (section 3), from Turing to Blackwell.
//!
//! | method | address | fields |
//! |---|---|---|
//! | SET_MESH_CONTROL | 0x114c | 0 enable |
//! | SET_MESH_SHADER_A | 0x1150 | 3:0 topology, 12:4 maximum of vertices, 22:13 of primitives |
//! | SET_MESH_SHADER_B | 0x1154 | 16:8 lines of shared memory, 25:20 threads |
//! | SET_MESH_INIT_SHADER | 0x1158 | 5:0 threads, 20:12 local lines, 30:22 lines for mesh |
//!
//! Beside them stands a word of siliray's own, [`Unit`].
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

/// Declares methods by their fields: the name here, the name in the class headers, and the bits.
macro_rules! methods {
    ($(
        $(#[$doc:meta])*
        $type:ident $method:literal {
            $($(#[$meaning:meta])* $field:ident: $number:ty = $name:literal $bits:expr;)+
        }
    )+) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
            pub struct $type {
                $($(#[$meaning])* pub $field: $number,)+
            }

            impl $type {
                /// The fields of a method word.
                #[must_use]
                pub const fn from_word(word: u32) -> Self {
                    Self { $($field: get(word as u128, $bits) as $number,)+ }
                }

                /// The method word.
                ///
                /// # Errors
                /// When a value has no room in its field.
                pub fn word(&self) -> Result<u32, FieldOverflow> {
                    let mut word = 0;
                    $(put(&mut word, $method, $name, $bits, self.$field.into())?;)+
                    Ok(word as u32)
                }
            }
        )+

        /// All fields of the methods that size the regions, by method and position.
        pub const FIELDS: &[MethodField] =
            &[$($(MethodField { method: $method, name: $name, bits: $bits },)+)+];
    };
}

methods! {
    /// The fields of SET_MESH_SHADER_A.
    MeshShaderA "SET_MESH_SHADER_A" {
        /// The code of the topology, mesh output or not.
        topology: u8 = "OUTPUT_TOPOLOGY" 0..4;
        /// Declared maximum of vertices.
        max_vertex: u16 = "MAX_VERTEX" 4..13;
        /// Declared maximum of primitives.
        max_primitive: u16 = "MAX_PRIMITIVE" 13..23;
    }

    /// The fields of SET_MESH_SHADER_B.
    MeshShaderB "SET_MESH_SHADER_B" {
        /// Lines of shared memory.
        shared_lines: u16 = "SHARED_MEM_LINES" 8..17;
        /// Threads of a workgroup.
        threads: u8 = "THREAD_COUNT" 20..26;
    }

    /// The fields of SET_MESH_INIT_SHADER, the task stage.
    MeshInitShader "SET_MESH_INIT_SHADER" {
        /// Threads of a workgroup.
        threads: u8 = "THREAD_COUNT" 0..6;
        /// Lines of the local buffer.
        local_lines: u16 = "LOCAL_BUFFER_LINES" 12..21;
        /// Lines that the mesh stage gets, payload and its header.
        output_lines: u16 = "OUTPUT_TO_M_S_LINES" 22..31;
    }

    /// siliray's own word for what no method says of other stages than mesh (I-18); zero for a mesh
    /// workgroup.
    Unit "UNIT" {
        /// The code of the stage.
        stage: u8 = "STAGE" 0..4;
        /// Vertices of the input ATTR.
        input_vertices: u16 = "INPUT_VERTICES" 4..13;
        /// Primitives of the input MAP.
        input_primitives: u16 = "INPUT_PRIMITIVES" 13..23;
        /// Vertices of each of them.
        input_corners: u8 = "INPUT_CORNERS" 23..29;
    }
}

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

fn put(
    word: &mut u128,
    method: &'static str,
    field: &'static str,
    bits: Range<u32>,
    found: u32,
) -> Result<(), FieldOverflow> {
    let limit = (1 << (bits.end - bits.start)) - 1;
    if found > limit {
        return Err(FieldOverflow { method, field, bits, found, limit });
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
