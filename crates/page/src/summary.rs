//! What a file is, in short.

use crate::document::Document;
use crate::stored::StoredBytes;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use siliray::documents::findings::RuleCounts;
use siliray::documents::structure::LevelDocument;
use siliray::geometry::Vec3;
use siliray::machine::Severity;
use siliray::scene::Camera;
use std::fmt::Write;

/// The summary.
pub(crate) fn summary(document: &Document) -> Value {
    let counts = RuleCounts::of(&document.findings);
    let tree = document.checked.as_ref().map(|checked| checked.tree());
    let totals = document
        .entries
        .totals
        .iter()
        .map(|total| json!({"name": total.name, "label": total.label, "count": total.count}));
    let machines: Vec<&str> = document.machines().iter().map(|machine| machine.name).collect();
    let structures: Vec<LevelDocument> =
        document.file.structures.iter().map(LevelDocument::from).collect();
    json!({
        "name": document.name,
        "format": document.format.name,
        "source": if document.scene.is_some() { "built" } else { "stored" },
        "holds_trees": document.format.holds_trees(),
        "sound": counts.total(Severity::Error) == 0,
        "bytes": document.bytes.len(),
        "structure": document.file.structure,
        "structures": structures,
        "root": format!("{:#x}", document.file.image.root),
        "totals": totals.collect::<Vec<_>>(),
        "nodes": document.nodes,
        "errors": counts.total(Severity::Error),
        "warnings": counts.total(Severity::Warning),
        "notes": counts.total(Severity::Note),
        "kinds": document.entries.kind_names,
        "default_machine": machines.iter().find(|name| **name == "reference"),
        "machines": machines,
        "bounds": tree.map(|tree| {
            let bounds = tree.bounds();
            json!({"min": bounds.min.to_array(), "max": bounds.max.to_array()})
        }),
        "triangles": tree.map_or(0, |tree| tree.triangle_count()),
        "instances": tree.and_then(|tree| tree.tlas.as_ref()).map_or(0, |t| t.instances.len()),
        "cameras": cameras(document),
        "up": document.camera().map_or(Vec3::Y, |camera| camera.up).to_array(),
    })
}

/// Named views of the scene, behind the one that it is seen from at first.
fn cameras(document: &Document) -> Vec<Value> {
    let first = document.camera().map(|view| camera("", &view));
    let named = document.scene.iter().flat_map(|scene| &scene.cameras);
    let named = named.filter(|named| !named.name.is_empty());
    first.into_iter().chain(named.map(|named| camera(&named.name, &named.camera))).collect()
}

fn camera(name: &str, camera: &Camera) -> Value {
    let Camera { eye, target, up, fov } = *camera;
    json!({
        "name": name,
        "eye": eye.to_array(),
        "target": target.to_array(),
        "up": up.to_array(),
        "fov": fov,
    })
}

/// Bytes that are hashed in one call.
const HASHED_AT_ONCE: usize = 1 << 14;

/// The SHA-256 of a file.
pub(crate) fn hash(bytes: &StoredBytes) -> String {
    let mut digest = Sha256::new();
    // Part by part: engines speed a function up only between two calls of it.
    let parts = bytes.parts().flat_map(|part| part.chunks(HASHED_AT_ONCE));
    parts.for_each(|part| digest.update(part));
    let mut text = String::new();
    for byte in digest.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
