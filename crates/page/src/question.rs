//! What can be asked: the objects that a page sends, by their member `do`.

use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// A question.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum Question {
    /// What there is: formats, machines, scenes.
    About,
    /// Opens a file, whose bytes are the payload.
    Open {
        name: String,
        structure: Option<usize>,
        #[serde(flatten)]
        built: Built,
    },
    /// Opens a scene made by code.
    Builtin {
        name: String,
        triangles: Option<usize>,
        #[serde(flatten)]
        built: Built,
    },
    /// Opens a file that teaches something.
    Example { name: String },
    /// Changes bits of the file, and opens the result.
    Edit(Edit),
    /// The bytes of the file.
    Save,
    /// Their SHA-256.
    Hash,
    /// Every structure, or a piece of the list from an entry on.
    Outline { first: Option<usize> },
    /// The boxes that lie in frames of their own.
    Frames,
    /// One structure.
    Node(Place),
    /// Some bytes of the file.
    Bytes { offset: u64, length: usize },
    /// The structure that a byte belongs to.
    Owner { offset: u64 },
    /// What the check found.
    Check,
    /// Where something is.
    Find(Wanted),
    /// What can be drawn; of more than `most` triangles only some.
    Geometry { most: Option<usize> },
    /// What a machine does for a query.
    Walk {
        machine: Option<String>,
        #[serde(default)]
        rule: Option<String>,
        query: Query,
        why: Option<Primitive>,
    },
    /// Where two machines first differ.
    Against { machine: String, other: String, query: Query },
    /// A picture.
    Render(Render),
    /// Runs of the traversal unit.
    Simulate(Simulate),
    /// Loads a program, an ELF file or text, which is the payload.
    Program { name: String },
    /// Runs it until so many instructions have been tried, or until an address.
    Run { to: u64, stop: Option<String> },
    /// Some bytes of its memory.
    Memory { address: String, length: u64 },
}

/// How a scene becomes an image.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Built {
    pub(crate) format: Option<String>,
    pub(crate) preset: Option<String>,
    #[serde(default)]
    pub(crate) settings: BTreeMap<String, String>,
}

/// Bits of the file: `length` from bit `bit` of byte `offset` on, the lowest bit first.
#[derive(Debug, Deserialize)]
pub(crate) struct Edit {
    pub(crate) offset: u64,
    #[serde(default)]
    pub(crate) bit: u32,
    pub(crate) length: u32,
    /// As hexadecimal text.
    pub(crate) value: String,
}

/// A structure: by its number in the outline, or as a pointer of the format.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Place {
    Entry { entry: usize },
    Pointer { pointer: String, base: Option<String> },
}

/// What is looked for.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Wanted {
    Primitive { primitive: u32, geometry: Option<u32> },
    Offset { offset: u64 },
    Point { point: [f32; 3] },
}

/// A primitive by the ids of a hit.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Primitive {
    pub(crate) instance: Option<u32>,
    pub(crate) geometry: Option<u32>,
    pub(crate) primitive: u32,
}

/// A query of a machine.
#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    #[serde(default)]
    pub(crate) kind: Kind,
    pub(crate) mask: Option<u8>,
    /// Whether a beam, sphere or frustum must meet the primitive itself, not only its box.
    #[serde(default)]
    pub(crate) exact: bool,
    #[serde(flatten)]
    pub(crate) shape: Shape,
}

/// Which hits are wanted.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    #[default]
    Closest,
    Any,
    All,
}

/// What is asked about.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Shape {
    Ray { ray: Ray },
    Pixel { pixel: [u32; 2], size: [u32; 2], camera: Option<Camera> },
    Beam { beam: Beam },
    Sphere { sphere: Sphere },
    Frustum { frustum: Frustum },
}

#[derive(Debug, Deserialize)]
pub(crate) struct Ray {
    pub(crate) origin: [f32; 3],
    pub(crate) direction: [f32; 3],
    pub(crate) tmin: Option<f32>,
    pub(crate) tmax: Option<f32>,
}

/// From one box to another; each is a lower and an upper corner.
#[derive(Debug, Deserialize)]
pub(crate) struct Beam {
    pub(crate) from: [[f32; 3]; 2],
    pub(crate) to: [[f32; 3]; 2],
}

#[derive(Debug, Deserialize)]
pub(crate) struct Sphere {
    pub(crate) centre: [f32; 3],
    pub(crate) radius: f32,
}

/// What a camera sees in a picture that is `aspect` times as wide as it is high, between two
/// depths.
#[derive(Debug, Deserialize)]
pub(crate) struct Frustum {
    pub(crate) eye: [f32; 3],
    pub(crate) target: [f32; 3],
    pub(crate) up: Option<[f32; 3]>,
    pub(crate) fov: f32,
    pub(crate) aspect: Option<f32>,
    pub(crate) near: Option<f32>,
    pub(crate) far: Option<f32>,
}

/// A view.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Camera {
    pub(crate) eye: [f32; 3],
    pub(crate) target: [f32; 3],
    pub(crate) up: [f32; 3],
    pub(crate) fov: f32,
}

/// A picture that is wanted.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Render {
    pub(crate) machine: Option<String>,
    pub(crate) size: [u32; 2],
    pub(crate) camera: Option<Camera>,
    /// `picture`, `losses`, or the measure of a heat map.
    pub(crate) what: String,
    pub(crate) samples: Option<u32>,
    /// The count that has the brightest colour.
    pub(crate) scale: Option<u64>,
    /// Only these rows of a heat map, the first one and the one behind the last.
    pub(crate) rows: Option<[u32; 2]>,
}

/// Runs that are wanted.
#[derive(Debug, Deserialize)]
pub(crate) struct Simulate {
    #[serde(default = "patent")]
    pub(crate) config: String,
    #[serde(default)]
    pub(crate) set: Vec<String>,
    pub(crate) workload: Option<String>,
    pub(crate) rays: Option<usize>,
    #[serde(default)]
    pub(crate) sweep: Vec<String>,
    #[serde(default, deserialize_with = "one_or_more")]
    pub(crate) against: Vec<String>,
    pub(crate) camera: Option<Camera>,
    /// Most events of a unit that are kept.
    pub(crate) timeline: Option<usize>,
    /// The traversal unit whose events are wanted.
    #[serde(default)]
    pub(crate) ttu: usize,
}

/// A list, or a text that stands for a list of one.
fn one_or_more<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMore {
        One(String),
        More(Vec<String>),
    }
    Ok(match OneOrMore::deserialize(from)? {
        OneOrMore::One(text) => vec![text],
        OneOrMore::More(list) => list,
    })
}

fn patent() -> String {
    "patent".to_owned()
}
