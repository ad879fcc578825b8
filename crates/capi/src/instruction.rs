//! The intersection instructions of AMD's generations on memory of the caller's, (memory,
//! registers) → registers, bit for bit, where any memory and any registers have an answer; and on
//! an image that was opened, by the instruction of its format.

use crate::boundary::{self, Out};
use crate::context::Context;
use crate::ids::Id;
use crate::status::{CError, Failure, SilirayStatus, guarded};
use siliray::geometry::Vec3;
use siliray::gfx10::instruction::Memory;
use siliray::gfx10::{self, Generation};
use siliray::gfx12::instruction::{
    self, Answer, RayRegisters, TriangleArithmetic, image_bvh_dual_intersect_ray,
    image_bvh8_intersect_ray,
};
use siliray::gfx12::layout::bvh4x2::Bvh4Pointer;
use siliray::gfx12::layout::{BasePointer, NodePointer, PointerFlags, Resource};
use siliray::intersect::{IntersectError, Operands, intersect};
use std::ffi::c_void;

/// The ray of an instruction.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct RayOperands {
    /// The largest parameter that boxes are tested against.
    pub extent: f32,
    /// Where the ray starts.
    pub origin: [f32; 3],
    /// Where it goes.
    pub direction: [f32; 3],
}

/// Operands of image_bvh64_intersect_ray.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Bvh64Operands {
    /// The node: an address divided by eight, a type, and flags on GFX11.
    pub node: u64,
    /// The ray.
    pub ray: RayOperands,
    /// What boxes are tested with: 1 / direction, rounded as the caller likes.
    pub inverse: [f32; 3],
}

/// Operands of image_bvh8_intersect_ray.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Bvh8Operands {
    /// The base: an address divided by eight, and flags.
    pub base: u64,
    /// The node, counted from there.
    pub node: u32,
    /// The ray's instance mask, eight bits.
    pub mask: u32,
    /// The ray.
    pub ray: RayOperands,
}

/// Operands of image_bvh_dual_intersect_ray.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct DualOperands {
    /// The base: an address divided by eight, and flags.
    pub base: u64,
    /// The nodes, counted from there; 0xFFFFFFFF: none.
    pub nodes: [u32; 2],
    /// The ray's instance mask, eight bits.
    pub mask: u32,
    /// The ray.
    pub ray: RayOperands,
}

/// Operands of the instruction of an image's format.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ImageOperands {
    /// The nodes, counted from the bases of the image. The second is for
    /// image_bvh_dual_intersect_ray; 0xFFFFFFFF: none.
    pub nodes: [u32; 2],
    /// The ray's instance mask, eight bits; GFX10.3 and GFX11 have none.
    pub mask: u32,
    /// Flags of the base pointer, from its bit 54 on; GFX10.3 has none.
    pub flags: u32,
    /// The ray.
    pub ray: RayOperands,
    /// Four words of a resource descriptor; null: as drivers set them.
    pub resource: *const u32,
}

/// What an instruction writes.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Registers {
    /// The result registers; image_bvh64_intersect_ray has four, and the others are 0.
    pub vdst: [u32; 10],
    /// The origin: changed only by an instance that is entered.
    pub origin: [f32; 3],
    /// The direction: changed only by an instance that is entered.
    pub direction: [f32; 3],
    /// Whether the descriptor makes the answer useless: a bit that the instruction needs is wrong.
    pub is_useless: bool,
}

impl From<Answer> for Registers {
    fn from(answer: Answer) -> Self {
        Self {
            vdst: answer.vdst,
            origin: answer.origin.to_array(),
            direction: answer.direction.to_array(),
            is_useless: answer.warning.is_some(),
        }
    }
}

/// Memory of the caller's, from an address on.
struct CallerMemory<'a> {
    address: u64,
    bytes: &'a [u8],
}

impl Memory for CallerMemory<'_> {
    fn get(&self, address: u64, len: usize) -> Option<&[u8]> {
        let start = usize::try_from(address.checked_sub(self.address)?).ok()?;
        self.bytes.get(start..start.checked_add(len)?)
    }
}

/// The memory and the descriptor of a call.
fn sources<'a>(
    memory: *const c_void,
    size: usize,
    address: u64,
    resource: *const u32,
) -> Result<(CallerMemory<'a>, [u32; 4]), Failure> {
    let bytes = boundary::bytes(memory, size, u64::MAX, "memory")?;
    let words = boundary::numbers(resource, 4, "resource")?;
    // There are four of them.
    let words = words.first_chunk().copied().unwrap_or_default();
    Ok((CallerMemory { address, bytes }, words))
}

fn ray_registers(ray: &RayOperands, mask: u32) -> RayRegisters {
    let [origin, direction] = [ray.origin, ray.direction].map(Vec3::from_array);
    // The hardware reads the low eight bits.
    RayRegisters { origin, direction, extent: ray.extent, mask: mask as u8 }
}

/// `image_bvh64_intersect_ray` of GFX10.3 (`generation` 10) and GFX11 (11) on `size` bytes of
/// memory from `address` on. `resource` has four words; `vdst` takes four. Nothing is allocated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_image_bvh64_intersect_ray(
    generation: u32,
    memory: *const c_void,
    size: usize,
    address: u64,
    resource: *const u32,
    operands: *const Bvh64Operands,
    vdst: *mut u32,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let place = Out::new(vdst.cast::<[u32; 4]>(), "vdst")?;
        let generation = match generation {
            10 => Generation::Gfx10,
            11 => Generation::Gfx11,
            _ => {
                let text = format!("generation {generation}, expected 10 or 11");
                return Err(Failure::new(SilirayStatus::Option, text));
            }
        };
        let (memory, resource) = sources(memory, size, address, resource)?;
        let Bvh64Operands { node, ray, inverse } = boundary::get(operands, "operands")?;
        let RayOperands { extent, origin, direction } = ray;
        let operands = gfx10::instruction::Operands { node, extent, origin, direction, inverse };
        let resource = gfx10::layout::Resource::from_words(resource);
        let answer = gfx10::instruction::image_bvh64_intersect_ray(
            &memory, generation, &resource, &operands,
        );
        place.put(answer);
        Ok(())
    })
}

/// `image_bvh8_intersect_ray` of GFX12 on `size` bytes of memory from `address` on. `resource` has
/// four words. Nothing is allocated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_image_bvh8_intersect_ray(
    memory: *const c_void,
    size: usize,
    address: u64,
    resource: *const u32,
    operands: *const Bvh8Operands,
    registers: *mut Registers,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let place = Out::new(registers, "registers")?;
        let (memory, resource) = sources(memory, size, address, resource)?;
        let Bvh8Operands { base, node, mask, ray } = boundary::get(operands, "operands")?;
        let operands = instruction::Bvh8Operands {
            resource: Resource::from_words(resource),
            base: BasePointer(base),
            ray: ray_registers(&ray, mask),
            node: NodePointer(node),
        };
        let answer = image_bvh8_intersect_ray(&memory, &operands, TriangleArithmetic::default());
        place.put(answer.into());
        Ok(())
    })
}

/// `image_bvh_dual_intersect_ray` of GFX12 on `size` bytes of memory from `address` on. `resource`
/// has four words. Nothing is allocated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_image_bvh_dual_intersect_ray(
    memory: *const c_void,
    size: usize,
    address: u64,
    resource: *const u32,
    operands: *const DualOperands,
    registers: *mut Registers,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let place = Out::new(registers, "registers")?;
        let (memory, resource) = sources(memory, size, address, resource)?;
        let DualOperands { base, nodes, mask, ray } = boundary::get(operands, "operands")?;
        let operands = instruction::DualOperands {
            resource: Resource::from_words(resource),
            base: BasePointer(base),
            ray: ray_registers(&ray, mask),
            nodes: nodes.map(Bvh4Pointer),
        };
        let arithmetic = TriangleArithmetic::default();
        place.put(image_bvh_dual_intersect_ray(&memory, &operands, arithmetic).into());
        Ok(())
    })
}

/// The instruction of an image's format on a node of it: image_bvh64_intersect_ray,
/// image_bvh8_intersect_ray or image_bvh_dual_intersect_ray. The image may be unsound; a node
/// outside of it is SILIRAY_STATUS_NO_STRUCTURE, since hardware would answer as for a miss.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_intersect(
    context: *const Context,
    image: Id,
    operands: *const ImageOperands,
    registers: *mut Registers,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let place = Out::new(registers, "registers")?;
        let image = boundary::context(context)?.image(image)?;
        let asked = boundary::get(operands, "operands")?;
        let resource = match asked.resource.is_null() {
            true => None,
            false => Some(boundary::numbers(asked.resource, 4, "operands.resource")?),
        };
        let flags = u16::try_from(asked.flags).ok().and_then(PointerFlags::from_bits);
        let unknown = || {
            let text = format!("flags {:#x}, expected ten bits", asked.flags);
            Failure::new(SilirayStatus::Option, text)
        };
        let operands = Operands {
            nodes: asked.nodes.into_iter().filter(|node| *node != u32::MAX).collect(),
            origin: asked.ray.origin,
            direction: asked.ray.direction,
            extent: asked.ray.extent,
            mask: asked.mask as u8,
            resource: resource
                .and_then(|words| words.first_chunk())
                .map(|&w| Resource::from_words(w)),
            flags: flags.ok_or_else(unknown)?,
        };
        let answer = intersect(image.file()?, &operands).map_err(|error| {
            let status = match error {
                IntersectError::Format(_) => SilirayStatus::Unsupported,
                IntersectError::Nodes { .. } | IntersectError::Flags(_) => SilirayStatus::Option,
                IntersectError::Outside { .. } => SilirayStatus::NoStructure,
                IntersectError::Base(_) => SilirayStatus::Unsound,
            };
            Failure::new(status, error)
        })?;
        let word = |number: usize| answer.vdst.get(number).copied().unwrap_or(0);
        place.put(Registers {
            vdst: std::array::from_fn(word),
            origin: answer.decoded.origin,
            direction: answer.decoded.direction,
            is_useless: answer.decoded.warning.is_some(),
        });
        Ok(())
    })
}
