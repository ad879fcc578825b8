//! Everything that sizes the memory of a mesh workgroup: headers and method words.
//!
//! What can be derived is derived here and nowhere else: active sets from the headers (section
//! 5.4), maxima and topology from the methods, the layout from both.

use crate::generation::Sm;
use crate::limits::{
    LANES, LINE_BYTES, Limits, MAX_MESH_SHARED_BYTES, MAX_PAYLOAD_AND_OUTPUT_BYTES,
    MAX_TASK_PAYLOAD_BYTES,
};
use crate::memory::{Memory, Space, map_address};
use crate::methods::{MeshInitShader, MeshShaderA, MeshShaderB};
use crate::topology::{Topology, topology_code_name};
use crate::{AttributeSet, Layout, LayoutError, Sph, SphVersion};

/// The state of a mesh pipeline, as far as ISBE memory depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeshState {
    /// The generation.
    pub sm: Sm,
    /// The header of the mesh shader; its outputs are the vertex attributes.
    pub mesh: Sph,
    /// The pass-through geometry header, if any; its outputs are the primitive attributes.
    pub geometry: Option<Sph>,
    /// Topology and maxima.
    pub shader_a: MeshShaderA,
    /// Shared memory and threads.
    pub shader_b: MeshShaderB,
    /// The task stage.
    pub init: MeshInitShader,
}

/// State that no memory follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// Not a mesh output topology.
    #[error(
        "topology_unsupported: found topology {found:#x} ({}), expected 0 (points), 1 (lines) or 4 \
         (triangles)",
        topology_code_name(*found)
    )]
    Topology {
        /// The code.
        found: u8,
    },
    /// Maxima or sizes past their limits.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

/// A limit that drivers advertise and this state breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{name}: found {found}, expected at most {limit}")]
pub struct BrokenLimit {
    /// What is limited.
    pub name: &'static str,
    /// How much there is.
    pub found: u32,
    /// How much there may be.
    pub limit: u32,
}

impl StateError {
    /// The stable name of the broken rule.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Topology { .. } => "topology_unsupported",
            Self::Layout(error) => error.id(),
        }
    }
}

impl MeshState {
    /// The state of a mesh shader without a task, with 32 threads.
    #[must_use]
    pub fn new(
        sm: Sm,
        topology: Topology,
        vertex: (AttributeSet, u16),
        primitive: (AttributeSet, u16),
        shared_lines: u16,
    ) -> Self {
        let version = SphVersion::of(sm);
        let geometry = (!primitive.0.is_empty()).then(|| Sph::pass_through(version, &primitive.0));
        Self {
            sm,
            mesh: Sph::mesh(version, false, &vertex.0),
            geometry,
            shader_a: MeshShaderA {
                topology: topology.code(),
                max_vertex: vertex.1,
                max_primitive: primitive.1,
            },
            shader_b: MeshShaderB { shared_lines, threads: LANES as u8 },
            init: MeshInitShader::default(),
        }
    }

    /// The topology.
    ///
    /// # Errors
    /// When mesh shaders cannot put it out.
    pub fn topology(&self) -> Result<Topology, StateError> {
        let found = self.shader_a.topology;
        Topology::from_code(found).ok_or(StateError::Topology { found })
    }

    /// The attributes of a primitive; none without a geometry header.
    #[must_use]
    pub fn primitive_attributes(&self) -> AttributeSet {
        self.geometry.map_or_else(AttributeSet::default, |header| header.outputs())
    }

    /// The layout of the output ATTR.
    ///
    /// # Errors
    /// When the maxima or sizes are past their limits.
    pub fn layout(&self, limits: Limits) -> Result<Layout, LayoutError> {
        Layout::new(
            self.mesh.outputs(),
            self.shader_a.max_vertex.into(),
            self.primitive_attributes(),
            self.shader_a.max_primitive.into(),
            limits,
        )
    }

    /// Bytes of the output MAP.
    #[must_use]
    pub const fn map_bytes(&self, topology: Topology) -> u32 {
        map_address(true, topology.vertices(), self.shader_a.max_primitive as u32, 0)
    }

    /// Bytes of shared memory.
    #[must_use]
    pub const fn shared_bytes(&self) -> u32 {
        LINE_BYTES * self.shader_b.shared_lines as u32
    }

    /// The memory of a workgroup before its first instruction: its number waits at address 0 of the
    /// input ATTR (section 2.2), all else is zero.
    ///
    /// # Errors
    /// When the state is not that of a mesh shader.
    pub fn memory(&self, limits: Limits, workgroup: u32) -> Result<Memory, StateError> {
        let layout = self.layout(limits)?;
        // One vertex, so one line for each input; address 0 is there without any.
        let lines = self.mesh.inputs().len().max(1);
        let mut input = Space { attr: vec![0; lines * LINE_BYTES as usize], ..Space::default() };
        input.attr[..4].copy_from_slice(&workgroup.to_le_bytes());
        let output = Space {
            map: vec![0; self.map_bytes(self.topology()?) as usize],
            attr: vec![0; (layout.shared_base() + self.shared_bytes()) as usize],
            ..Space::default()
        };
        Ok(Memory::new(input, output))
    }

    /// The advertised limits that this state breaks; each is a driver's property, not a fault.
    #[must_use]
    pub fn broken_limits(&self) -> Vec<BrokenLimit> {
        let payload = LINE_BYTES * u32::from(self.init.output_lines);
        let output = self.layout(Limits::Raw).map_or(0, |layout| layout.shared_base());
        let checks = [
            ("threads of a workgroup", self.shader_b.threads.into(), LANES as u32),
            ("threads of a task workgroup", self.init.threads.into(), LANES as u32),
            ("task payload bytes", payload, MAX_TASK_PAYLOAD_BYTES),
            ("payload and output bytes", payload + output, MAX_PAYLOAD_AND_OUTPUT_BYTES),
            ("mesh shared memory bytes", self.shared_bytes(), MAX_MESH_SHARED_BYTES),
            (
                "payload and shared memory bytes",
                payload + self.shared_bytes(),
                MAX_MESH_SHARED_BYTES,
            ),
        ];
        let broken = checks.into_iter().filter(|(_, found, limit)| found > limit);
        broken.map(|(name, found, limit)| BrokenLimit { name, found, limit }).collect()
    }
}
