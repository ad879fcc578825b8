//! Mesh kernels: workgroups written in Rust against ISBE instructions.
//!
//! A kernel gets a [`Warp`] of 32 lanes whose input holds the number of its workgroup, and leaves
//! a mesh in the output memory. What it leaves is dumped:
//!
//! ```
//! use isbe::kernel::{MeshKernel, run_workgroup};
//! use isbe::warp::{LaneFault, LaneMask, Warp, lanes};
//! use isbe::{Access, AttributeId, Dump, Limits, UnitState, Region, Size, Topology};
//!
//! /// One triangle in each workgroup.
//! struct OneTriangle;
//!
//! impl MeshKernel for OneTriangle {
//!     fn run(&self, warp: &mut Warp) -> Result<(), LaneFault> {
//!         let skewed = Access { output: true, region: Region::Attr, skew: true, size: Size::B32 };
//!         let map = Access { output: true, region: Region::Map, skew: false, size: Size::B8 };
//!         let number = warp.workgroup_number()?;
//!         for (axis, line) in [0, 0x80, 0x100].into_iter().enumerate() {
//!             let corner = |lane| if lane as usize == axis { 1.0 } else { number as f32 };
//!             let values = lanes(|lane| f32::to_bits(corner(lane)));
//!             warp.isbewr(skewed, &lanes(|lane| line + 4 * lane), &values, LaneMask::first(3))?;
//!         }
//!         warp.isbewr(map, &lanes(|lane| 4 + lane), &lanes(|lane| lane), LaneMask::first(3))?;
//!         warp.set_primitive_count(1)
//!     }
//! }
//!
//! let xyz = ["POSITION_X", "POSITION_Y", "POSITION_Z"];
//! let xyz = xyz.map(|id| id.parse::<AttributeId>().unwrap());
//! let vertex = (xyz.into_iter().collect(), 3);
//! let state = UnitState::new(75, Topology::Triangles, vertex, (Default::default(), 1), 0);
//! let workgroup = run_workgroup(&state, Limits::Driver, 7, &OneTriangle).unwrap();
//! assert_eq!(workgroup.output.map, [1, 0, 0, 0, 0, 1, 2]);
//! assert_eq!(workgroup.output.attr[4..8], 7.0f32.to_le_bytes());
//! ```

use crate::container::Workgroup;
use crate::limits::{LANES, Limits};
use crate::memory::{Access, Region, Size};
use crate::unit_state::{StateError, UnitState};
use crate::warp::{LaneFault, LaneMask, Warp};

/// The code of a mesh workgroup.
pub trait MeshKernel {
    /// Runs the workgroup to its end.
    ///
    /// # Errors
    /// The first fault that a lane meets.
    fn run(&self, warp: &mut Warp) -> Result<(), LaneFault>;
}

/// Why a workgroup left no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KernelError {
    /// The state is not that of a mesh shader.
    #[error(transparent)]
    State(#[from] StateError),
    /// A lane met a fault.
    #[error("workgroup {workgroup}, {fault}")]
    Fault {
        /// The number of the workgroup.
        workgroup: u32,
        /// The fault and its lane.
        fault: LaneFault,
    },
}

/// Runs one workgroup and dumps its output memory.
///
/// # Errors
/// When the state is not that of a mesh shader, or a lane meets a fault.
pub fn run_workgroup(
    state: &UnitState,
    limits: Limits,
    workgroup: u32,
    kernel: &impl MeshKernel,
) -> Result<Workgroup, KernelError> {
    let memory = state.memory(limits, workgroup)?;
    let output = state.layout(limits).map_err(StateError::from)?;
    let input = state.input_layout(limits).map_err(StateError::from)?;
    let mut warp = Warp::new(state.sm, memory, input, output);
    kernel.run(&mut warp).map_err(|fault| KernelError::Fault { workgroup, fault })?;
    let output = warp.memory.output;
    Ok(Workgroup { index: workgroup, output, ..Workgroup::default() })
}

impl Warp {
    /// The number of this workgroup, which waits as VERTEX_ID at SKEW address 0 of the input for
    /// every lane (section 2.2).
    ///
    /// # Errors
    /// When the SM or the input does not have it.
    pub fn workgroup_number(&mut self) -> Result<u32, LaneFault> {
        let access = Access { output: false, region: Region::Attr, skew: true, size: Size::B32 };
        Ok(self.isberd(access, &[0; LANES], LaneMask::ALL)?[0])
    }

    /// Stores the number of primitives: lane 0 writes 32 bits through address 3 of the output MAP.
    ///
    /// # Errors
    /// When the SM or the output does not have it.
    pub fn set_primitive_count(&mut self, count: u32) -> Result<(), LaneFault> {
        let access = Access { output: true, region: Region::Map, skew: false, size: Size::B32 };
        self.isbewr(access, &[3; LANES], &[count; LANES], LaneMask::first(1))
    }
}
