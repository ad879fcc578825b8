//! What can be drawn: triangles, procedural boxes, instances.

use crate::document::Document;
use crate::entries::Entries;
use crate::{PageError, Response};
use serde_json::{Value, json};
use siliray::geometry::Aabb;
use siliray::input::Input;
use siliray::machine::{EntryState, Outline};
use siliray::tree::primitives::Primitive;
use siliray::tree::{Blas, Bvh, PrimitiveId, Tree};
use std::collections::HashMap;
use std::path::Path;

/// A primitive that no structure refers to.
const NOWHERE: u32 = u32::MAX;

/// Most primitives of a piece.
const PIECE: usize = 1 << 16;

/// The geometry of the image, BLAS by BLAS and piece by piece, from the primitive `first` on; where
/// there are more than `most` primitives, every second, third, and so on. What all pieces share is
/// in the first one.
pub(crate) fn geometry(
    document: &mut Document,
    most: usize,
    first: usize,
) -> Result<Response, PageError> {
    if !document.format.holds_trees() {
        return mesh(document);
    }
    let Some(checked) = document.checked.clone() else {
        let text = format!("{}: an unsound image has no geometry", document.name);
        return Err(PageError::Refused(text));
    };
    let tree = checked.tree();
    let step = tree.primitive_count().div_ceil(most.max(1)).max(1);
    let owners = document.owners.take().unwrap_or_else(|| Owners::new(document, tree));
    // What is drawn of a BLAS: triangles stand before boxes.
    let drawn = |blas: &Blas| {
        let all = blas.primitives.len().div_ceil(step);
        let triangles = blas.primitives.triangles.len().div_ceil(step);
        [triangles, all - triangles]
    };
    let drawn: Vec<[usize; 2]> = tree.blases.iter().map(drawn).collect();
    let all: usize = drawn.iter().flatten().sum();
    let piece = first.min(all)..all.min(first.saturating_add(PIECE));
    let shown = || {
        let levels = tree.blases.iter().zip(&owners.0).zip(&drawn);
        let (piece, mut end) = (piece.clone(), 0);
        levels.flat_map(move |((blas, owners), [triangles, boxes])| {
            let start = end;
            end += triangles + boxes;
            let within = [piece.start, piece.end].map(|at| at.clamp(start, end) - start);
            let numbers = (within[0]..within[1]).map(move |number| number * step);
            numbers.map(move |number| (&blas.primitives, owners[number], number))
        })
    };
    let corners = shown().filter_map(|(primitives, _, number)| match primitives.get(number) {
        Primitive::Triangle(triangle) => Some(triangle.vertices.map(|corner| corner.to_array())),
        Primitive::Box(_) => None,
    });
    let planes = shown().filter_map(|(primitives, _, number)| match primitives.get(number) {
        Primitive::Triangle(_) => None,
        Primitive::Box(Aabb { min, max }) => Some([min.to_array(), max.to_array()]),
    });
    let ids = shown().map(|(primitives, _, number)| {
        let id = &primitives.ids[number];
        [id.geometry, id.primitive]
    });
    let leaves = shown().map(|(_, owner, _)| [owner]);
    let boxes = planes.clone().count();
    let mut answer = json!({
        "step": step,
        "primitives": all,
        "first": piece.start,
        "count": piece.len(),
    });
    let mut transforms: Vec<[[f32; 4]; 3]> = Vec::new();
    if piece.start == 0 {
        let blases = drawn.iter().map(|[n, boxes]| json!({"triangles": n, "boxes": boxes}));
        answer["blases"] = blases.collect();
        answer["instances"] = instances(tree, &owners);
        let placed = tree.tlas.iter().flat_map(|tlas| &tlas.instances);
        transforms = placed.map(|instance| instance.object_to_world.rows).collect();
    }
    let response = Response::new(answer)
        .with_rows("positions", 3 * (piece.len() - boxes), corners.flatten())
        .with_rows("ids", piece.len(), ids)
        .with_rows("boxes", 2 * boxes, planes.flatten())
        .with_rows("leaf", piece.len(), leaves)
        .with("transforms", transforms.as_flattened().as_flattened());
    document.owners = Some(owners).filter(|_| piece.end < all);
    Ok(response)
}

fn instances(tree: &Tree, owners: &Owners) -> Value {
    let instances = tree.tlas.iter().flat_map(|tlas| &tlas.instances).enumerate();
    let instances = instances.map(|(number, instance)| {
        let entry = owners.0.last().map_or(NOWHERE, |entries| entries[number]);
        json!({
            "blas": instance.blas,
            "entry": (entry != NOWHERE).then_some(entry),
            "custom_index": instance.custom_index,
            "mask": instance.mask,
            "sbt_offset": instance.sbt_offset,
            "flags": instance.flags.bits(),
        })
    });
    instances.collect()
}

/// The mesh in a dump that holds no tree.
fn mesh(document: &Document) -> Result<Response, PageError> {
    let scene = Input::read(Path::new(&document.name), &document.bytes.to_vec())?.into_scene()?;
    let (mut positions, mut ids): (Vec<[f32; 3]>, Vec<[u32; 2]>) = Default::default();
    for placed in scene.flattened() {
        for (number, triangle) in (0..).zip(placed.triangles()) {
            positions.extend(triangle.vertices.map(|corner| corner.to_array()));
            ids.push([placed.number, number]);
        }
    }
    let answer = json!({
        "step": 1,
        "primitives": ids.len(),
        "first": 0,
        "count": ids.len(),
        "blases": [{"triangles": ids.len(), "boxes": 0}],
        "instances": [],
    });
    Ok(Response::new(answer)
        .with("positions", positions.as_flattened())
        .with("leaf", &vec![NOWHERE; ids.len()])
        .with("ids", ids.as_flattened())
        .with::<f32>("boxes", &[])
        .with::<f32>("transforms", &[]))
}

/// For each level, the BLASes and then the TLAS, the structure that refers to each primitive or
/// instance.
pub(crate) struct Owners(Vec<Vec<u32>>);

impl Owners {
    fn new(document: &Document, tree: &Tree) -> Self {
        match document.boxes().of_tree() {
            Some(nodes) => Self::by_node(&document.entries, tree, nodes),
            None => Self::by_id(&document.outline(), tree),
        }
    }

    /// Leaves of the tree are structures of the image: the first that has a primitive counts.
    fn by_node(
        entries: &Entries,
        tree: &Tree,
        nodes: impl Iterator<Item = Option<(usize, usize)>>,
    ) -> Self {
        let levels = tree.blases.iter().map(|blas| &blas.bvh);
        let levels: Vec<&Bvh> = levels.chain(tree.tlas.as_ref().map(|tlas| &tlas.bvh)).collect();
        let mut owners: Vec<Vec<u32>> =
            levels.iter().map(|bvh| vec![NOWHERE; bvh.item_count()]).collect();
        for (entry, node) in (0u32..).zip(nodes) {
            let is_read = entries.states[entry as usize] == EntryState::Read;
            let Some((level, node)) = node.filter(|_| is_read) else { continue };
            for &item in levels[level].items(&levels[level].nodes()[node]) {
                let owner = &mut owners[level][item as usize];
                *owner = entry.min(*owner);
            }
        }
        Self(owners)
    }

    /// Structures name primitives by id. Each BLAS has ids of its own, so of several structures
    /// with the same id each counts once, in their order.
    fn by_id(outline: &Outline, tree: &Tree) -> Self {
        let mut known: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
        for (number, entry) in outline.entries.iter().enumerate().rev() {
            for id in outline.primitives.get(entry.primitives.clone()).unwrap_or_default() {
                known.entry((id.geometry, id.primitive)).or_default().push(number as u32);
            }
        }
        let mut owner = |id: &PrimitiveId| {
            let owners = known.get_mut(&(id.geometry, id.primitive))?;
            if owners.len() > 1 { owners.pop() } else { owners.last().copied() }
        };
        let mut levels: Vec<Vec<u32>> = Vec::new();
        for blas in &tree.blases {
            let ids = blas.primitives.ids.iter();
            levels.push(ids.map(|id| owner(id).unwrap_or(NOWHERE)).collect());
        }
        levels.extend(tree.tlas.as_ref().map(|tlas| vec![NOWHERE; tlas.instances.len()]));
        Self(levels)
    }
}
