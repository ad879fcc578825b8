//! One intersection instruction of GFX10.3, GFX11 or GFX12 on a node, for images of any bytes.

use geometry::Vec3;
use gfx10::{GFX10_NAME as GFX10, GFX11_NAME as GFX11, Generation};
use gfx12::bvh4x2::NAME as BVH4X2;
use gfx12::format::NAME as GFX12;
use gfx12::instruction::{
    Answer, Bvh8Operands, DualOperands, RayRegisters, TriangleArithmetic,
    image_bvh_dual_intersect_ray, image_bvh8_intersect_ray,
};
use gfx12::layout::bvh4x2::{Bvh4Kind, Bvh4Pointer};
use gfx12::layout::{BasePointer, NodeKind, NodePointer, PointerFlags, Resource, SortHeuristic};
use gfx12::registers::{Decoded, Register, decode_bvh8, decode_dual};
use machine::ImageFile;
use serde::Serialize;

/// What the instruction is asked.
#[derive(Debug, Clone)]
pub struct Operands {
    /// Pointers of the nodes: one, or for the dual instruction one or two.
    pub nodes: Vec<u32>,
    /// Where the ray starts.
    pub origin: [f32; 3],
    /// Where it goes.
    pub direction: [f32; 3],
    /// The largest parameter that boxes are tested against.
    pub extent: f32,
    /// The ray's instance mask.
    pub mask: u8,
    /// The resource descriptor; as drivers set it by default.
    pub resource: Option<Resource>,
    /// Flags of the base pointer.
    pub flags: PointerFlags,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IntersectError {
    /// The format has no instruction.
    #[error("{0} has no intersection instruction; {GFX10}, {GFX11}, {GFX12} and {BVH4X2} have one")]
    Format(&'static str),
    /// The instruction takes another number of nodes.
    #[error("{instruction} takes {expected}, found {found} nodes")]
    Nodes {
        /// The instruction.
        instruction: &'static str,
        /// How many it takes.
        expected: &'static str,
        /// How many there are.
        found: usize,
    },
    /// Hardware has an answer for those too (G-15): a miss, which looks like one of a node that is
    /// there.
    #[error("the node {pointer:#x} at address {address:#x} is outside the image")]
    Outside {
        /// The node.
        pointer: u32,
        /// Where it would be.
        address: u64,
    },
    /// No base pointer can hold it.
    #[error("the base {0:#x} is not a multiple of 64 below 2^48")]
    Base(u64),
    /// The generation's pointers have no flags.
    #[error("{0} has no pointer flags: its pointers are addresses up to their last bit")]
    Flags(&'static str),
}

/// The registers, and what they mean.
#[derive(Debug, Clone, Serialize)]
pub struct IntersectDocument {
    /// The result VGPRs, four or ten.
    #[serde(skip)]
    pub vdst: Vec<u32>,
    /// The same as hex words.
    pub registers: Vec<String>,
    /// What they mean.
    pub decoded: DecodedDocument,
}

/// What the registers mean.
#[derive(Debug, Clone, Serialize)]
pub struct DecodedDocument {
    /// The instruction.
    pub instruction: &'static str,
    /// Of the node.
    pub kind: &'static str,
    /// Each register.
    pub registers: Vec<RegisterDocument>,
    /// The origin, as the instruction leaves it.
    pub origin: [f32; 3],
    /// The direction, as the instruction leaves it.
    pub direction: [f32; 3],
    /// Why the answer is useless.
    pub warning: Option<String>,
}

/// A register.
#[derive(Debug, Clone, Serialize)]
pub struct RegisterDocument {
    /// What it is called.
    pub name: &'static str,
    /// What it holds.
    pub value: String,
}

/// The instruction with four children.
const BVH64: &str = "image_bvh64_intersect_ray";

/// The instruction with eight children.
const BVH8: &str = "image_bvh8_intersect_ray";

/// The instruction with two nodes.
const DUAL: &str = "image_bvh_dual_intersect_ray";

/// Executes the instruction of the image's format.
///
/// # Errors
/// When the format has none, or a node is not in the image.
pub fn intersect(
    file: &ImageFile,
    operands: &Operands,
) -> Result<IntersectDocument, IntersectError> {
    let format = file.image.format;
    let ray = RayRegisters {
        origin: Vec3::from_array(operands.origin),
        direction: Vec3::from_array(operands.direction),
        extent: operands.extent,
        mask: operands.mask,
    };
    let found = operands.nodes.len();
    match (format, operands.nodes.as_slice()) {
        (GFX10, &[node]) => bvh64(file, operands, Generation::Gfx10, Bvh4Pointer(node)),
        (GFX11, &[node]) => bvh64(file, operands, Generation::Gfx11, Bvh4Pointer(node)),
        (GFX10 | GFX11, _) => {
            Err(IntersectError::Nodes { instruction: BVH64, expected: "one node", found })
        }
        (GFX12, &[node]) => bvh8(file, operands, ray, NodePointer(node)),
        (GFX12, _) => Err(IntersectError::Nodes { instruction: BVH8, expected: "one node", found }),
        (BVH4X2, &[first]) => dual(file, operands, ray, [first, NodePointer::INVALID.0]),
        (BVH4X2, &[first, second]) => dual(file, operands, ray, [first, second]),
        (BVH4X2, _) => {
            Err(IntersectError::Nodes { instruction: DUAL, expected: "one or two nodes", found })
        }
        _ => Err(IntersectError::Format(format)),
    }
}

fn bvh64(
    file: &ImageFile,
    asked: &Operands,
    generation: Generation,
    node: Bvh4Pointer,
) -> Result<IntersectDocument, IntersectError> {
    if generation == Generation::Gfx10 && !asked.flags.is_empty() {
        return Err(IntersectError::Flags(file.image.format));
    }
    let is_box = matches!(node.kind(), Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box);
    let base = base_pointer(asked, file, usize::from(!is_box))?;
    let usual = || gfx10::layout::Resource::radv(generation, SortHeuristic::Closest).words();
    let words = asked.resource.map_or_else(usual, |resource| resource.words());
    let bytes = match node.kind() {
        // What software keeps behind these types is its own: nothing is read.
        Bvh4Kind::Instance | Bvh4Kind::User => 0,
        _ => node.node_bytes(),
    };
    let read = Read { pointer: node.0, offset: node.byte_offset(), bytes };
    refuse_outside(file, &Resource::from_words(words), base, &[read])?;
    let resource = gfx10::layout::Resource::from_words(words);
    let pointer = base.0 + u64::from(node.0);
    let operands =
        gfx10::instruction::Operands::of_ray(pointer, asked.extent, asked.origin, asked.direction);
    let vdst = gfx10::instruction::image_bvh64_intersect_ray(
        &file.image,
        generation,
        &resource,
        &operands,
    );
    let (kind, named) = gfx10::registers::decode(node, &resource, vdst);
    let registers = named.into_iter().map(|(name, value)| RegisterDocument { name, value });
    Ok(IntersectDocument {
        vdst: vdst.to_vec(),
        registers: vdst.iter().map(|word| format!("{word:#010x}")).collect(),
        decoded: DecodedDocument {
            instruction: BVH64,
            kind,
            registers: registers.collect(),
            origin: asked.origin,
            direction: asked.direction,
            warning: resource
                .check(generation)
                .map(|found| format!("T# has {}, expected {}", found.found, found.expected)),
        },
    })
}

fn bvh8(
    file: &ImageFile,
    asked: &Operands,
    ray: RayRegisters,
    node: NodePointer,
) -> Result<IntersectDocument, IntersectError> {
    let base = base_pointer(asked, file, usize::from(!node.is_box()))?;
    let resource = asked.resource.unwrap_or(Resource::radv(SortHeuristic::Closest));
    let bytes = if node.kind() == NodeKind::Unused { 0 } else { 128 };
    let read = Read { pointer: node.0, offset: node.byte_offset(), bytes };
    refuse_outside(file, &resource, base, &[read])?;
    let operands = Bvh8Operands { resource, base, ray, node };
    let answer = image_bvh8_intersect_ray(&file.image, &operands, TriangleArithmetic::default());
    let decoded = decode_bvh8(&operands, &answer);
    Ok(document(BVH8, &answer, decoded))
}

fn dual(
    file: &ImageFile,
    asked: &Operands,
    ray: RayRegisters,
    nodes: [u32; 2],
) -> Result<IntersectDocument, IntersectError> {
    let base = base_pointer(asked, file, 0)?;
    let nodes = nodes.map(Bvh4Pointer);
    // In images of this format, boxes of 64 bytes are those of high precision.
    let high_precision = nodes.iter().any(|node| node.kind() == Bvh4Kind::HalfBox);
    // GPURT's growth: a flat exact box and the triangle in it are rounded differently.
    let default = Resource::dual(SortHeuristic::Closest, 6, high_precision);
    let resource = asked.resource.unwrap_or(default);
    let reads = nodes.map(|node| {
        let bytes = match node.kind() {
            _ if node.is_special() => 0,
            Bvh4Kind::Triangle0 | Bvh4Kind::Triangle1 | Bvh4Kind::HalfBox => 64,
            Bvh4Kind::Fp32Box | Bvh4Kind::Instance => 128,
            Bvh4Kind::OldTriangle | Bvh4Kind::User => 0,
        };
        Read { pointer: node.0, offset: node.byte_offset(), bytes }
    });
    refuse_outside(file, &resource, base, &reads)?;
    let operands = DualOperands { resource, base, ray, nodes };
    let answer =
        image_bvh_dual_intersect_ray(&file.image, &operands, TriangleArithmetic::default());
    let decoded = decode_dual(&operands, &answer);
    Ok(document(DUAL, &answer, decoded))
}

/// A node that an instruction reads, if it reads any bytes.
struct Read {
    pointer: u32,
    offset: u64,
    bytes: usize,
}

fn refuse_outside(
    file: &ImageFile,
    resource: &Resource,
    base: BasePointer,
    nodes: &[Read],
) -> Result<(), IntersectError> {
    let start = resource.base_address() + base.address();
    // Addresses have 48 bits.
    let place = |node: &Read| (start + node.offset) % (1 << 48);
    let is_outside =
        |node: &&Read| node.bytes > 0 && file.image.get(place(node), node.bytes).is_none();
    match nodes.iter().find(is_outside) {
        None => Ok(()),
        Some(node) => Err(IntersectError::Outside { pointer: node.pointer, address: place(node) }),
    }
}

fn base_pointer(
    asked: &Operands,
    file: &ImageFile,
    class: usize,
) -> Result<BasePointer, IntersectError> {
    let address = file.image.bases[class];
    BasePointer::new(address, asked.flags).ok_or(IntersectError::Base(address))
}

fn document(instruction: &'static str, answer: &Answer, decoded: Decoded) -> IntersectDocument {
    let register =
        |register: Register| RegisterDocument { name: register.name, value: register.value };
    IntersectDocument {
        vdst: answer.vdst.to_vec(),
        registers: answer.vdst.iter().map(|word| format!("{word:#010x}")).collect(),
        decoded: DecodedDocument {
            instruction,
            kind: decoded.kind,
            registers: decoded.registers.into_iter().map(register).collect(),
            origin: answer.origin.to_array(),
            direction: answer.direction.to_array(),
            warning: answer.warning.map(|warning| warning.to_string()),
        },
    }
}
