//! What can be asked: the objects that a page sends, by their member `do`.

use crate::PageError;
use crate::members::{Member, Members, members};
use serde_json::Value;

/// A question.
#[derive(Debug)]
pub(crate) enum Question {
    /// What there is: formats, machines, scenes.
    About,
    /// Opens a file, whose bytes are the payload.
    Open { name: String, structure: Option<usize>, built: Built },
    /// Opens a scene made by code.
    Builtin { name: String, triangles: Option<usize>, built: Built },
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
    /// The boxes of every structure, from one on.
    Bounds { first: Option<usize> },
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
    /// What can be drawn, from a primitive on; of more than `most` primitives only some.
    Geometry { most: Option<usize>, first: Option<usize> },
    /// What a machine does for a query.
    Walk { machine: Option<String>, rule: Option<String>, query: Query, why: Option<Primitive> },
    /// Where two machines first differ.
    Against { machine: String, other: String, query: Query },
    /// A picture.
    Render(Render),
    /// Runs of the traversal unit.
    Simulate(Simulate),
    /// Loads a program, an ELF file or text, which is the payload.
    Program { name: String },
    /// Runs it until so many instructions have been tried, or until an address; says where it is.
    Run { to: Option<u64>, stop: Option<String> },
    /// Some bytes of its memory.
    Memory { address: String, length: u64 },
}

/// How a scene becomes an image.
#[derive(Debug, Default)]
pub(crate) struct Built {
    pub(crate) format: Option<String>,
    pub(crate) preset: Option<String>,
    pub(crate) settings: Vec<(String, String)>,
}

/// Bits of the file: `length` from bit `bit` of byte `offset` on, the lowest bit first.
#[derive(Debug)]
pub(crate) struct Edit {
    pub(crate) offset: u64,
    pub(crate) bit: u32,
    pub(crate) length: u32,
    /// As hexadecimal text.
    pub(crate) value: String,
}

/// A structure: by its number in the outline, or as a pointer of the format.
#[derive(Debug)]
pub(crate) enum Place {
    Entry { entry: usize },
    Pointer { pointer: String, base: Option<String> },
}

/// What is looked for.
#[derive(Debug)]
pub(crate) enum Wanted {
    Primitive { primitive: u32, geometry: Option<u32> },
    Offset { offset: u64 },
    Point { point: [f32; 3] },
}

/// A primitive by the ids of a hit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Primitive {
    pub(crate) instance: Option<u32>,
    pub(crate) geometry: Option<u32>,
    pub(crate) primitive: u32,
}

/// A query of a machine.
#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) kind: Kind,
    pub(crate) mask: Option<u8>,
    /// Whether a beam, sphere or frustum must meet the primitive itself, not only its box.
    pub(crate) exact: bool,
    pub(crate) shape: Shape,
}

/// Which hits are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Kind {
    #[default]
    Closest,
    Any,
    All,
}

/// What is asked about.
#[derive(Debug)]
pub(crate) enum Shape {
    Ray { ray: Ray },
    Pixel { pixel: [u32; 2], size: [u32; 2], camera: Option<Camera> },
    Beam { beam: Beam },
    Sphere { sphere: Sphere },
    Frustum { frustum: Frustum },
}

#[derive(Debug)]
pub(crate) struct Ray {
    pub(crate) origin: [f32; 3],
    pub(crate) direction: [f32; 3],
    pub(crate) tmin: Option<f32>,
    pub(crate) tmax: Option<f32>,
}

/// From one box to another; each is a lower and an upper corner.
#[derive(Debug)]
pub(crate) struct Beam {
    pub(crate) from: [[f32; 3]; 2],
    pub(crate) to: [[f32; 3]; 2],
}

#[derive(Debug)]
pub(crate) struct Sphere {
    pub(crate) centre: [f32; 3],
    pub(crate) radius: f32,
}

/// What a camera sees in a picture that is `aspect` times as wide as it is high, between two
/// depths.
#[derive(Debug)]
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
#[derive(Debug, Clone, Copy)]
pub(crate) struct Camera {
    pub(crate) eye: [f32; 3],
    pub(crate) target: [f32; 3],
    pub(crate) up: [f32; 3],
    pub(crate) fov: f32,
}

/// A picture that is wanted.
#[derive(Debug, Default)]
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
#[derive(Debug)]
pub(crate) struct Simulate {
    pub(crate) config: String,
    pub(crate) set: Vec<String>,
    pub(crate) workload: Option<String>,
    pub(crate) rays: Option<usize>,
    pub(crate) sweep: Vec<String>,
    pub(crate) against: Vec<String>,
    pub(crate) camera: Option<Camera>,
    /// Most events of a unit that are kept.
    pub(crate) timeline: Option<usize>,
    /// The traversal unit whose events are wanted.
    pub(crate) ttu: usize,
}

members! {
    Kind: "closest, any or all" = |value| match value.as_str()? {
        "closest" => Some(Kind::Closest),
        "any" => Some(Kind::Any),
        "all" => Some(Kind::All),
        _ => None,
    };
    Camera: "eye, target, up and fov" = |value| {
        let members = Members(value);
        Some(Camera {
            eye: members.get("eye").ok()?,
            target: members.get("target").ok()?,
            up: members.get("up").ok()?,
            fov: members.get("fov").ok()?,
        })
    };
    Primitive: "primitive, and perhaps geometry and instance" = |value| {
        let members = Members(value);
        Some(Primitive {
            instance: members.find("instance").ok()?,
            geometry: members.find("geometry").ok()?,
            primitive: members.get("primitive").ok()?,
        })
    };
}

impl Question {
    /// The question that an object stands for.
    pub(crate) fn read(object: &Value) -> Result<Self, PageError> {
        let members = Members(object);
        let verb: String = members.get("do")?;
        Ok(match verb.as_str() {
            "about" => Self::About,
            "open" => Self::Open {
                name: members.get("name")?,
                structure: members.find("structure")?,
                built: Built::read(&members)?,
            },
            "builtin" => Self::Builtin {
                name: members.get("name")?,
                triangles: members.find("triangles")?,
                built: Built::read(&members)?,
            },
            "example" => Self::Example { name: members.get("name")? },
            "edit" => Self::Edit(Edit {
                offset: members.get("offset")?,
                bit: members.find("bit")?.unwrap_or(0),
                length: members.get("length")?,
                value: members.get("value")?,
            }),
            "save" => Self::Save,
            "hash" => Self::Hash,
            "outline" => Self::Outline { first: members.find("first")? },
            "bounds" => Self::Bounds { first: members.find("first")? },
            "frames" => Self::Frames,
            "node" => Self::Node(Place::read(&members)?),
            "bytes" => {
                Self::Bytes { offset: members.get("offset")?, length: members.get("length")? }
            }
            "owner" => Self::Owner { offset: members.get("offset")? },
            "check" => Self::Check,
            "find" => Self::Find(Wanted::read(&members)?),
            "geometry" => {
                Self::Geometry { most: members.find("most")?, first: members.find("first")? }
            }
            "walk" => Self::Walk {
                machine: members.find("machine")?,
                rule: members.find("rule")?,
                query: Query::read(&members.inside("query"))?,
                why: members.find("why")?,
            },
            "against" => Self::Against {
                machine: members.get("machine")?,
                other: members.get("other")?,
                query: Query::read(&members.inside("query"))?,
            },
            "render" => Self::Render(Render {
                machine: members.find("machine")?,
                size: members.get("size")?,
                camera: members.find("camera")?,
                what: members.get("what")?,
                samples: members.find("samples")?,
                scale: members.find("scale")?,
                rows: members.find("rows")?,
            }),
            "simulate" => Self::Simulate(Simulate::read(&members)?),
            "program" => Self::Program { name: members.get("name")? },
            "run" => Self::Run { to: members.find("to")?, stop: members.find("stop")? },
            "memory" => {
                Self::Memory { address: members.get("address")?, length: members.get("length")? }
            }
            _ => return Err(PageError::Question(format!("`do` is {verb:?}"))),
        })
    }
}

impl Built {
    fn read(members: &Members<'_>) -> Result<Self, PageError> {
        Ok(Self {
            format: members.find("format")?,
            preset: members.find("preset")?,
            settings: members.find("settings")?.unwrap_or_default(),
        })
    }
}

impl Place {
    fn read(members: &Members<'_>) -> Result<Self, PageError> {
        if let Some(entry) = members.find("entry")? {
            return Ok(Self::Entry { entry });
        }
        Ok(Self::Pointer { pointer: members.get("pointer")?, base: members.find("base")? })
    }
}

impl Wanted {
    fn read(members: &Members<'_>) -> Result<Self, PageError> {
        if let Some(primitive) = members.find("primitive")? {
            return Ok(Self::Primitive { primitive, geometry: members.find("geometry")? });
        }
        if let Some(offset) = members.find("offset")? {
            return Ok(Self::Offset { offset });
        }
        Ok(Self::Point { point: members.get("point")? })
    }
}

impl Query {
    fn read(members: &Members<'_>) -> Result<Self, PageError> {
        Ok(Self {
            kind: members.find("kind")?.unwrap_or_default(),
            mask: members.find("mask")?,
            exact: members.is_set("exact")?,
            shape: Shape::read(members)?,
        })
    }
}

impl Shape {
    fn read(members: &Members<'_>) -> Result<Self, PageError> {
        if members.has("pixel") {
            return Ok(Self::Pixel {
                pixel: members.get("pixel")?,
                size: members.get("size")?,
                camera: members.find("camera")?,
            });
        }
        if members.has("beam") {
            let beam = members.inside("beam");
            return Ok(Self::Beam { beam: Beam { from: beam.get("from")?, to: beam.get("to")? } });
        }
        if members.has("sphere") {
            let sphere = members.inside("sphere");
            let (centre, radius) = (sphere.get("centre")?, sphere.get("radius")?);
            return Ok(Self::Sphere { sphere: Sphere { centre, radius } });
        }
        if members.has("frustum") {
            let frustum = members.inside("frustum");
            return Ok(Self::Frustum {
                frustum: Frustum {
                    eye: frustum.get("eye")?,
                    target: frustum.get("target")?,
                    up: frustum.find("up")?,
                    fov: frustum.get("fov")?,
                    aspect: frustum.find("aspect")?,
                    near: frustum.find("near")?,
                    far: frustum.find("far")?,
                },
            });
        }
        if !members.has("ray") {
            let expected = "`query` has no ray, pixel, beam, sphere or frustum";
            return Err(PageError::Question(expected.to_owned()));
        }
        let ray = members.inside("ray");
        Ok(Self::Ray {
            ray: Ray {
                origin: ray.get("origin")?,
                direction: ray.get("direction")?,
                tmin: ray.find("tmin")?,
                tmax: ray.find("tmax")?,
            },
        })
    }
}

impl Simulate {
    fn read(members: &Members<'_>) -> Result<Self, PageError> {
        // A list, or a text that stands for a list of one.
        let against = match members.0["against"].as_str() {
            Some(one) => vec![one.to_owned()],
            None => members.find("against")?.unwrap_or_default(),
        };
        Ok(Self {
            config: members.find("config")?.unwrap_or_else(|| "patent".to_owned()),
            set: members.find("set")?.unwrap_or_default(),
            workload: members.find("workload")?,
            rays: members.find("rays")?,
            sweep: members.find("sweep")?.unwrap_or_default(),
            against,
            camera: members.find("camera")?,
            timeline: members.find("timeline")?,
            ttu: members.find("ttu")?.unwrap_or(0),
        })
    }
}
