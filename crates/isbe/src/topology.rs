//! Primitive topologies, as `SET_MESH_SHADER_A` numbers them.

use std::fmt;

/// What the indices of a workgroup make. Only these three are mesh outputs (I-16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Topology {
    /// One vertex each.
    Points,
    /// Two vertices each.
    Lines,
    /// Three vertices each.
    Triangles,
}

impl Topology {
    /// The topology with this code, if a mesh shader can put it out.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Points),
            1 => Some(Self::Lines),
            4 => Some(Self::Triangles),
            _ => None,
        }
    }

    /// The code in `SET_MESH_SHADER_A`.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Points => 0,
            Self::Lines => 1,
            Self::Triangles => 4,
        }
    }

    /// Vertices of a primitive.
    #[must_use]
    pub const fn vertices(self) -> u32 {
        match self {
            Self::Points => 1,
            Self::Lines => 2,
            Self::Triangles => 3,
        }
    }

    /// The name used in reports and vectors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Lines => "lines",
            Self::Triangles => "triangles",
        }
    }

    /// The topology with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Points, Self::Lines, Self::Triangles].into_iter().find(|t| t.name() == name)
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a topology code means in the 3D classes, mesh output or not.
#[must_use]
pub const fn topology_code_name(code: u8) -> &'static str {
    match code {
        0 => "points",
        1 => "lines",
        2 => "line loop",
        3 => "line strip",
        4 => "triangles",
        5 => "triangle strip",
        6 => "triangle fan",
        7 => "quads",
        8 => "quad strip",
        9 => "polygon",
        0xa => "lines adjacency",
        0xb => "line strip adjacency",
        0xc => "triangles adjacency",
        0xd => "triangle strip adjacency",
        0xe => "patch",
        _ => "reserved",
    }
}
