//! Everything that sizes the memory of a unit, a mesh workgroup or a warp of an earlier stage:
//! headers and method words.
//!
//! What can be derived is derived here and nowhere else: active sets from the headers (section
//! 5.4), maxima and topology from the methods, the layout from both. No method sizes the memory of
//! vertex, tessellation and geometry warps: MAX_VERTEX is theirs too, and what comes in is said by
//! [`Unit`] (I-18).

use crate::generation::Sm;
use crate::limits::{
    LANES, LINE_BYTES, Limits, MAX_MESH_SHARED_BYTES, MAX_PAYLOAD_AND_OUTPUT_BYTES,
    MAX_TASK_PAYLOAD_BYTES,
};
use crate::memory::{Memory, Space, map_address};
use crate::methods::{MeshInitShader, MeshShaderA, MeshShaderB, Unit};
use crate::topology::{Topology, topology_code_name};
use crate::{AttributeSet, Layout, LayoutError, Sph, SphVersion, Stage, Workgroup};

/// The state of a pipeline, as far as the ISBE memory of one stage depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitState {
    /// The generation.
    pub sm: Sm,
    /// The header of the shader; its outputs are the vertex attributes.
    pub header: Sph,
    /// The pass-through geometry header, if any; its outputs are the primitive attributes.
    pub geometry: Option<Sph>,
    /// Topology and maxima.
    pub shader_a: MeshShaderA,
    /// Shared memory and threads.
    pub shader_b: MeshShaderB,
    /// The task stage.
    pub init: MeshInitShader,
    /// The stage, and what comes in where no method says it.
    pub unit: Unit,
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
    /// A stage that does not exist.
    #[error("bad_stage: found stage {found}, expected 0 to {}", Stage::ALL.len() - 1)]
    Stage {
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
            Self::Stage { .. } => "bad_stage",
            Self::Layout(error) => error.id(),
        }
    }
}

impl UnitState {
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
            header: Sph::mesh(version, false, &vertex.0),
            geometry,
            shader_a: MeshShaderA {
                topology: topology.code(),
                max_vertex: vertex.1,
                max_primitive: primitive.1,
            },
            shader_b: MeshShaderB { shared_lines, threads: LANES as u8 },
            init: MeshInitShader::default(),
            unit: Unit::default(),
        }
    }

    /// The state of a warp of another stage: inputs of so many vertices, outputs of so many.
    #[must_use]
    pub fn warp(
        sm: Sm,
        stage: Stage,
        (inputs, input_vertices): (AttributeSet, u16),
        (outputs, max_vertex): (AttributeSet, u16),
    ) -> Self {
        let mut header = Sph::new(SphVersion::of(sm), stage.shader_type());
        header.set_inputs(&inputs);
        header.set_outputs(&outputs);
        Self {
            sm,
            header,
            geometry: None,
            shader_a: MeshShaderA { max_vertex, ..MeshShaderA::default() },
            shader_b: MeshShaderB::default(),
            init: MeshInitShader::default(),
            unit: Unit { stage: stage.code(), input_vertices, ..Unit::default() },
        }
    }

    /// The stage.
    ///
    /// # Errors
    /// When there is no such stage.
    pub fn stage(&self) -> Result<Stage, StateError> {
        let found = self.unit.stage;
        Stage::from_code(found).ok_or(StateError::Stage { found })
    }

    /// What the output MAP holds; nothing for other stages than mesh, whose primitives are made by
    /// the hardware.
    ///
    /// # Errors
    /// When mesh shaders cannot put it out, or there is no such stage.
    pub fn topology(&self) -> Result<Option<Topology>, StateError> {
        let found = self.shader_a.topology;
        match self.stage()? {
            Stage::Mesh => {
                Topology::from_code(found).ok_or(StateError::Topology { found }).map(Some)
            }
            _ => Ok(None),
        }
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
        let is_mesh = self.unit.stage == Stage::Mesh.code();
        let max_primitive = if is_mesh { self.shader_a.max_primitive } else { 1 };
        Layout::new(
            self.header.outputs(),
            self.shader_a.max_vertex.into(),
            self.primitive_attributes(),
            max_primitive.into(),
            limits,
        )
    }

    /// The layout of the input ATTR. A mesh workgroup is one vertex of a draw of points.
    ///
    /// # Errors
    /// When the number of vertices or the size is past its limit.
    pub fn input_layout(&self, limits: Limits) -> Result<Layout, LayoutError> {
        let is_mesh = self.unit.stage == Stage::Mesh.code();
        let vertices = if is_mesh { 1 } else { self.unit.input_vertices.into() };
        Layout::new(self.header.inputs(), vertices, AttributeSet::default(), 1, limits)
    }

    /// Bytes of the output MAP.
    ///
    /// # Errors
    /// When the topology or the stage is not one.
    pub fn map_bytes(&self) -> Result<u32, StateError> {
        let primitives = u32::from(self.shader_a.max_primitive);
        Ok(self.topology()?.map_or(0, |it| map_address(true, it.vertices(), primitives, 0)))
    }

    /// Bytes of the input MAP.
    #[must_use]
    pub const fn input_map_bytes(&self) -> u32 {
        let Unit { input_primitives, input_corners, .. } = self.unit;
        map_address(false, input_corners as u32, input_primitives as u32, 0)
    }

    /// Bytes of PATCH on each side, input first: as many as PER_PATCH_ATTRIBUTE_COUNT counts, where
    /// the stage has a patch (I-2).
    fn patch_bytes(&self, stage: Stage) -> [usize; 2] {
        let bytes = 4 * self.header.get(56..64) as usize;
        match stage {
            Stage::TessellationControl => [0, bytes],
            Stage::TessellationEvaluation => [bytes, 0],
            Stage::Mesh | Stage::Vertex | Stage::Geometry => [0, 0],
        }
    }

    /// Bytes of shared memory.
    #[must_use]
    pub const fn shared_bytes(&self) -> u32 {
        LINE_BYTES * self.shader_b.shared_lines as u32
    }

    /// The memory of a unit before its first instruction: the number of a mesh workgroup waits at
    /// address 0 of the input ATTR (section 2.2), all else is zero.
    ///
    /// # Errors
    /// When the state has no memory.
    pub fn memory(&self, limits: Limits, workgroup: u32) -> Result<Memory, StateError> {
        let unit = Workgroup { index: workgroup, ..Workgroup::default() };
        self.memory_of(limits, &unit)
    }

    /// The memory of a unit that was dumped; regions that were not are as before its first
    /// instruction.
    ///
    /// # Errors
    /// When the state has no memory.
    pub fn memory_of(&self, limits: Limits, unit: &Workgroup) -> Result<Memory, StateError> {
        let (stage, layout) = (self.stage()?, self.layout(limits)?);
        let [input_patch, patch] = self.patch_bytes(stage);
        // A mesh workgroup has one line for each input; address 0 is there without any.
        let least = if stage == Stage::Mesh { LINE_BYTES } else { 0 };
        let input_attr = self.input_layout(limits)?.shared_base().max(least);
        let region = |dumped: &Vec<u8>, bytes: usize| match dumped.len() {
            0 => vec![0; bytes],
            _ => dumped.clone(),
        };
        let mut input = Space {
            map: region(&unit.input.map, self.input_map_bytes() as usize),
            patch: region(&unit.input.patch, input_patch),
            prim: unit.input.prim.clone(),
            attr: region(&unit.input.attr, input_attr as usize),
        };
        if stage == Stage::Mesh && unit.input.attr.is_empty() {
            input.attr[..4].copy_from_slice(&unit.index.to_le_bytes());
        }
        let output = Space {
            map: region(&unit.output.map, self.map_bytes()? as usize),
            patch: region(&unit.output.patch, patch),
            prim: unit.output.prim.clone(),
            attr: region(&unit.output.attr, (layout.shared_base() + self.shared_bytes()) as usize),
        };
        Ok(if self.header.shares_spaces() {
            Memory::sharing(input, output)
        } else {
            Memory::new(input, output)
        })
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
