//! `siliray intersect`: one instruction on one node.

use super::open_image;
use crate::failure::Failure;
use crate::image_args::Intersect;
use crate::output::{Output, Table};
use serde::Serialize;
use siliray::geometry::Vec3;
use siliray::gfx12::bvh4x2::NAME as BVH4X2;
use siliray::gfx12::format::NAME as GFX12;
use siliray::gfx12::instruction::{
    Answer, Bvh8Operands, DualOperands, RayRegisters, TriangleArithmetic,
    image_bvh_dual_intersect_ray, image_bvh8_intersect_ray,
};
use siliray::gfx12::layout::bvh4x2::{Bvh4Kind, Bvh4Pointer};
use siliray::gfx12::layout::{BasePointer, NodeKind, NodePointer, Resource, SortHeuristic};
use siliray::gfx12::registers::{Decoded, Register, decode_bvh8, decode_dual};
use siliray::machine::ImageFile;
use std::path::Path;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    registers: Vec<String>,
    decoded: JsonDecoded,
}

#[derive(Serialize)]
struct JsonDecoded {
    instruction: &'static str,
    kind: &'static str,
    registers: Vec<JsonRegister>,
    origin: [f32; 3],
    direction: [f32; 3],
    warning: Option<String>,
}

#[derive(Serialize)]
struct JsonRegister {
    name: &'static str,
    value: String,
}

/// Executes the instruction and shows its registers.
pub(crate) fn run(args: &Intersect, output: &Output) -> Result<(), Failure> {
    let file = open_image(&args.file, &args.image, args.node.first().copied().map(u64::from))?.file;
    if ![GFX12, BVH4X2].contains(&file.image.format) {
        let (name, format) = (args.file.display(), file.image.format);
        let message = format!("{name}: {format} has no intersection instruction");
        return Err(Failure::input(message + &format!("; {GFX12} and {BVH4X2} have one")));
    }
    let ray = RayRegisters {
        origin: Vec3::from_array(args.origin),
        direction: Vec3::from_array(args.direction),
        extent: args.extent,
        mask: args.mask,
    };
    let is_dual = file.image.format == BVH4X2;
    let json = match (is_dual, args.node.as_slice()) {
        (false, &[node]) => {
            let node = NodePointer(node);
            let base = base_pointer(args, &file, usize::from(!node.is_box()))?;
            let resource = args.resource.unwrap_or(Resource::radv(SortHeuristic::Closest));
            let operands = Bvh8Operands { resource, base, ray, node };
            let arithmetic = TriangleArithmetic::default();
            let answer = image_bvh8_intersect_ray(&file.image, &operands, arithmetic);
            let decoded = decode_bvh8(&operands, &answer);
            let bytes = if node.kind() == NodeKind::Unused { 0 } else { 128 };
            let node = Read { pointer: node.0, offset: node.byte_offset(), bytes };
            refuse_outside(&args.file, &file, &resource, base, &[node])?;
            json("image_bvh8_intersect_ray", &answer, decoded)
        }
        (true, &[first]) => dual(args, &file, ray, [first, NodePointer::INVALID.0])?,
        (true, &[first, second]) => dual(args, &file, ray, [first, second])?,
        (false, _) => {
            let hint = "two nodes are for images of the format gfx12-bvh4x2";
            return Err(Failure::usage("image_bvh8_intersect_ray takes one --node").hint(hint));
        }
        (true, _) => return Err(Failure::usage("image_bvh_dual_intersect_ray takes two --node")),
    };
    output.result(&json, &text(&json))
}

fn dual(
    args: &Intersect,
    file: &ImageFile,
    ray: RayRegisters,
    nodes: [u32; 2],
) -> Result<Json, Failure> {
    let base = base_pointer(args, file, 0)?;
    let nodes = nodes.map(Bvh4Pointer);
    // In images of this format, boxes of 64 bytes are those of high precision.
    let high_precision = nodes.iter().any(|node| node.kind() == Bvh4Kind::HalfBox);
    // GPURT's growth: a flat exact box and the triangle in it are rounded differently.
    let default = Resource::dual(SortHeuristic::Closest, 6, high_precision);
    let resource = args.resource.unwrap_or(default);
    let operands = DualOperands { resource, base, ray, nodes };
    let answer =
        image_bvh_dual_intersect_ray(&file.image, &operands, TriangleArithmetic::default());
    let reads = nodes.map(|node| {
        let bytes = match node.kind() {
            _ if node.is_special() => 0,
            Bvh4Kind::Triangle0 | Bvh4Kind::Triangle1 | Bvh4Kind::HalfBox => 64,
            Bvh4Kind::Fp32Box | Bvh4Kind::Instance => 128,
            Bvh4Kind::OldTriangle | Bvh4Kind::User => 0,
        };
        Read { pointer: node.0, offset: node.byte_offset(), bytes }
    });
    refuse_outside(&args.file, file, &resource, base, &reads)?;
    let decoded = decode_dual(&operands, &answer);
    Ok(json("image_bvh_dual_intersect_ray", &answer, decoded))
}

/// A node that an instruction reads, if it reads any bytes.
struct Read {
    pointer: u32,
    offset: u64,
    bytes: usize,
}

/// Refuses nodes that are not in the image. Hardware has an answer for those too (G-15): a miss,
/// which looks like one of a node that is there.
fn refuse_outside(
    name: &Path,
    file: &ImageFile,
    resource: &Resource,
    base: BasePointer,
    nodes: &[Read],
) -> Result<(), Failure> {
    let start = resource.base_address() + base.address();
    // Addresses have 48 bits.
    let place = |node: &Read| (start + node.offset) % (1 << 48);
    let is_outside =
        |node: &&Read| node.bytes > 0 && file.image.get(place(node), node.bytes).is_none();
    let Some(node) = nodes.iter().find(is_outside) else { return Ok(()) };
    let (name, pointer, address) = (name.display(), node.pointer, place(node));
    let message = format!("{name}: the node {pointer:#x} at address {address:#x} is outside");
    Err(Failure::input(message + " the image"))
}

fn base_pointer(args: &Intersect, file: &ImageFile, class: usize) -> Result<BasePointer, Failure> {
    let address = file.image.bases[class];
    BasePointer::new(address, args.flags).ok_or_else(|| {
        Failure::input(format!("the base {address:#x} is not a multiple of 64 below 2^48"))
    })
}

fn json(instruction: &'static str, answer: &Answer, decoded: Decoded) -> Json {
    let register = |register: Register| JsonRegister { name: register.name, value: register.value };
    Json {
        registers: answer.vdst.iter().map(|word| format!("{word:#010x}")).collect(),
        decoded: JsonDecoded {
            instruction,
            kind: decoded.kind,
            registers: decoded.registers.into_iter().map(register).collect(),
            origin: answer.origin.to_array(),
            direction: answer.direction.to_array(),
            warning: answer.warning.map(|warning| warning.to_string()),
        },
    }
}

fn text(json: &Json) -> String {
    let decoded = &json.decoded;
    let article = if decoded.kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    let mut text = format!("{} on {article} {} node\n\n", decoded.instruction, decoded.kind);
    let mut table = Table::new(&["register", "word", "name", "value"]).left(4);
    for (number, (word, register)) in json.registers.iter().zip(&decoded.registers).enumerate() {
        let (name, value) = (register.name.to_owned(), register.value.clone());
        table.row(vec![format!("VGPR{number}"), word.clone(), name, value]);
    }
    text += &table.text();
    let [ox, oy, oz] = decoded.origin;
    let [dx, dy, dz] = decoded.direction;
    text += &format!("\norigin {ox:?}, {oy:?}, {oz:?}; direction {dx:?}, {dy:?}, {dz:?}\n");
    if let Some(warning) = &decoded.warning {
        text += &format!("warning: {warning}\n");
    }
    text
}
