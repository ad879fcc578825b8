//! The stages whose units have ISBE memory and can be dumped.

use crate::ShaderType;
use std::fmt;

/// What kind of unit sees the memory (section 1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Stage {
    /// A workgroup of a mesh shader.
    #[default]
    Mesh,
    /// A warp of a vertex shader.
    Vertex,
    /// A warp of a tessellation control shader.
    TessellationControl,
    /// A warp of a tessellation evaluation shader.
    TessellationEvaluation,
    /// A warp of a geometry shader.
    Geometry,
}

impl Stage {
    /// All stages, by their codes.
    pub const ALL: [Self; 5] = [
        Self::Mesh,
        Self::Vertex,
        Self::TessellationControl,
        Self::TessellationEvaluation,
        Self::Geometry,
    ];

    /// The code in a dump: that of SHADER_TYPE, and 0 for mesh, which has no type of its own.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The name in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mesh => "mesh",
            Self::Vertex => "vertex",
            Self::TessellationControl => "tess-control",
            Self::TessellationEvaluation => "tess-evaluation",
            Self::Geometry => "geometry",
        }
    }

    /// The stage with this code.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// The SHADER_TYPE that a header of this stage has; a mesh shader without a task has that of a
    /// vertex shader.
    #[must_use]
    pub const fn shader_type(self) -> ShaderType {
        match self {
            Self::Mesh | Self::Vertex => ShaderType::Vertex,
            Self::TessellationControl => ShaderType::TessellationInit,
            Self::TessellationEvaluation => ShaderType::Tessellation,
            Self::Geometry => ShaderType::Geometry,
        }
    }

    /// What a unit of this stage is called.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Mesh => "workgroup",
            _ => "warp",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
