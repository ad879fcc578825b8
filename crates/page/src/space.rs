//! What can be drawn: triangles, procedural boxes, instances.

use crate::document::Document;
use crate::{PageError, Response};
use serde_json::json;
use siliray::machine::{EntryState, Outline};
use siliray::tree::Tree;
use siliray::tree::primitives::Primitive;
use std::collections::HashMap;

/// A primitive that no structure refers to.
const NOWHERE: u32 = u32::MAX;

/// The geometry of the image, BLAS by BLAS; where there are more than `most` primitives, every
/// second, third, and so on.
pub(crate) fn geometry(document: &Document, most: usize) -> Result<Response, PageError> {
    let checked = document.checked.as_ref().ok_or_else(|| {
        PageError::Refused(format!("{}: an unsound image has no geometry", document.name))
    })?;
    let tree = checked.tree();
    let step = tree.primitive_count().div_ceil(most.max(1)).max(1);
    let mut positions: Vec<[f32; 3]> = Vec::new();
    let mut ids: Vec<[u32; 2]> = Vec::new();
    let mut boxes: Vec<[f32; 3]> = Vec::new();
    let mut leaf: Vec<u32> = Vec::new();
    let mut blases = Vec::new();
    let mut leaves = Leaves::new(&document.outline);
    for blas in &tree.blases {
        let primitives = &blas.primitives;
        let mut counts = [0, 0];
        for (number, id) in primitives.ids.iter().enumerate() {
            // Asked of every one: what was found is given out once.
            let owner = leaves.of(id.geometry, id.primitive);
            if number % step != 0 {
                continue;
            }
            match primitives.get(number) {
                Primitive::Triangle(triangle) => {
                    positions.extend(triangle.vertices.map(|corner| corner.to_array()));
                    counts[0] += 1;
                }
                Primitive::Box(bounds) => {
                    boxes.extend([bounds.min.to_array(), bounds.max.to_array()]);
                    counts[1] += 1;
                }
            }
            ids.push([id.geometry, id.primitive]);
            leaf.push(owner);
        }
        blases.push(json!({"triangles": counts[0], "boxes": counts[1]}));
    }
    let entries = instance_entries(document, tree);
    let instances = tree.tlas.iter().flat_map(|tlas| &tlas.instances).enumerate();
    let instances = instances.map(|(number, instance)| {
        json!({
            "blas": instance.blas,
            "entry": entries.get(number).copied().flatten(),
            "custom_index": instance.custom_index,
            "mask": instance.mask,
            "sbt_offset": instance.sbt_offset,
            "flags": instance.flags.bits(),
        })
    });
    let placed = tree.tlas.iter().flat_map(|tlas| &tlas.instances);
    let transforms: Vec<[[f32; 4]; 3]> = placed.map(|i| i.object_to_world.rows).collect();
    let answer = json!({
        "step": step,
        "blases": blases,
        "instances": instances.collect::<Vec<_>>(),
    });
    Ok(Response::new(answer)
        .with("positions", positions.as_flattened())
        .with("ids", ids.as_flattened())
        .with("boxes", boxes.as_flattened())
        .with("leaf", &leaf)
        .with("transforms", transforms.as_flattened().as_flattened()))
}

/// The structures that refer to primitives first.
struct Leaves(HashMap<(u32, u32), Vec<u32>>);

impl Leaves {
    fn new(outline: &Outline) -> Self {
        let mut owners: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
        for (number, entry) in outline.entries.iter().enumerate().rev() {
            for id in outline.primitives.get(entry.primitives.clone()).unwrap_or_default() {
                owners.entry((id.geometry, id.primitive)).or_default().push(number as u32);
            }
        }
        Self(owners)
    }

    /// The structure of a primitive. Each BLAS has ids of its own, so of several structures with
    /// the same id each is given out once, in their order.
    fn of(&mut self, geometry: u32, primitive: u32) -> u32 {
        let owners = self.0.get_mut(&(geometry, primitive));
        let owner = owners.and_then(|owners| match &owners[..] {
            [_, _, ..] => owners.pop(),
            _ => owners.last().copied(),
        });
        owner.unwrap_or(NOWHERE)
    }
}

/// The structure of each instance.
fn instance_entries(document: &Document, tree: &Tree) -> Vec<Option<usize>> {
    let (Some(tlas), Some(checked)) = (&tree.tlas, &document.checked) else { return Vec::new() };
    let Some(places) = checked.node_places() else { return vec![None; tlas.instances.len()] };
    let entries = document.outline.entries.iter().enumerate();
    let entries = entries.filter(|(_, entry)| entry.state != EntryState::Outside);
    let by_place: HashMap<(u64, u64), usize> =
        entries.map(|(number, entry)| ((entry.address, entry.node.pointer), number)).collect();
    let mut found = vec![None; tlas.instances.len()];
    let places = places.get(tree.blases.len()).map_or(&[][..], Vec::as_slice);
    for (place, node) in places.iter().zip(tlas.bvh.nodes()) {
        if node.link.is_leaf() {
            for &item in tlas.bvh.items(node) {
                let entry = by_place.get(&(place.address, place.pointer)).copied();
                found[item as usize] = entry;
            }
        }
    }
    found
}
