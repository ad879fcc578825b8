//! The limits of section 4: what the hardware's fields allow and what drivers advertise.

/// Bytes of a line: 32 lanes of 4 bytes.
pub const LINE_BYTES: u32 = 128;
/// Lanes of a warp; also the granularity of vertices and primitives.
pub const LANES: usize = 32;
/// Most vertices of a workgroup: indices are 8 bits wide.
pub const MAX_VERTICES: u32 = 256;
/// Most primitives of a workgroup that drivers allow.
pub const MAX_PRIMITIVES: u32 = 256;
/// Most primitives of a workgroup that the method's field allows (I-15).
pub const MAX_PRIMITIVES_RAW: u32 = 1023;
/// Most bytes of vertex and primitive attributes together.
pub const MAX_OUTPUT_BYTES: u32 = 32_768;
/// Most bytes of task payload and mesh output together.
pub const MAX_PAYLOAD_AND_OUTPUT_BYTES: u32 = 48_128;
/// Most bytes of mesh shared memory, also together with the payload.
pub const MAX_MESH_SHARED_BYTES: u32 = 28_672;
/// Most bytes of task payload.
pub const MAX_TASK_PAYLOAD_BYTES: u32 = 16_384;
/// Most workgroups of a draw, in total and along x.
pub const MAX_WORKGROUPS: u32 = 1 << 22;
/// Most workgroups along y and along z.
pub const MAX_WORKGROUPS_YZ: u32 = 65_535;

/// Whether the driver's limit on primitives holds or that of the method's field (I-15).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Limits {
    /// 256 primitives.
    #[default]
    Driver,
    /// 1023 primitives.
    Raw,
}

impl Limits {
    /// Most primitives of a workgroup.
    #[must_use]
    pub const fn max_primitives(self) -> u32 {
        match self {
            Self::Driver => MAX_PRIMITIVES,
            Self::Raw => MAX_PRIMITIVES_RAW,
        }
    }
}
