//! The notes that a capture leaves in shared memory, behind the attributes.
//!
//! ISBE memory says what a meshlet looks like, not which vertices and triangles of a mesh it was
//! made of, and nothing of instances. A capture notes that where any mesh shader could: in its
//! shared memory. A dump of anything else has no notes, as it would have to begin with their magic.
//!
//! | word | content |
//! |---|---|
//! | 0, 1 | `SILNOTES` |
//! | 2 | kind: 0 meshlet, 1 boxes, 2 object without parts, 3 instances, 4 camera, 5 name |
//! | 3, 4 | object, part of it (kinds 0, 1 and 5; kind 2: object); ffffffff is no part |
//! | 5 | 1 if the part is opaque |
//! | 6, 7 | vertices here, triangles or boxes or instances here |
//! | 8, 9 | vertices, triangles or boxes of the whole part |
//! | 32.. | kind 0: the number of each vertex, then of each triangle, in the part |
//! | 32.. | kind 1: from which box on (word 10), six words for each |
//! | 32.. | kind 3: 16 words for each: object, rows of the transform, mask, number, flags |
//! | 32.. | kind 4: eye, target, up, field of view |
//! | 32.. | kind 5: a piece of the name of the object or part; word 7 says how many bytes |

use geometry::{Aabb, InstanceFlags, Transform, Vec3};
use scene::{Camera, Instance};

/// Words before the body.
pub const HEADER_WORDS: usize = 32;
/// Words of an instance.
pub const INSTANCE_WORDS: usize = 16;
/// Words of a box.
pub const BOX_WORDS: usize = 6;

/// The words of the header behind the magic, by number.
pub const HEADER_FIELDS: [(usize, &str); 9] = [
    (2, "kind"),
    (3, "object"),
    (4, "part"),
    (5, "opaque"),
    (6, "vertices here"),
    (7, "primitives, instances or bytes here"),
    (8, "vertices of the part"),
    (9, "primitives of the part"),
    (10, "first box"),
];

/// What notes of a kind are about.
#[must_use]
pub const fn kind_name(kind: u32) -> &'static str {
    match kind {
        0 => "meshlet",
        1 => "boxes",
        2 => "object without parts",
        3 => "instances",
        4 => "camera",
        5 => "name",
        _ => "unknown",
    }
}

const NO_PART: u32 = u32::MAX;
const MAGIC: [u32; 2] = [u32::from_le_bytes(*b"SILN"), u32::from_le_bytes(*b"OTES")];

/// Which part of a scene a workgroup belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The object.
    pub object: u32,
    /// The geometry of it.
    pub geometry: u32,
    /// Whether it is opaque.
    pub opaque: bool,
    /// Vertices of the whole part.
    pub vertices: u32,
    /// Triangles or boxes of the whole part.
    pub primitives: u32,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { object, geometry, opaque, vertices, primitives } = self;
        let opacity = if *opaque { "opaque" } else { "not opaque" };
        write!(
            f,
            "a part of object {object}, geometry {geometry}, {opacity}, with {vertices} vertices \
             and {primitives} primitives"
        )
    }
}

/// What a workgroup notes.
#[derive(Debug, Clone, PartialEq)]
pub enum CaptureNotes {
    /// It is a meshlet.
    Meshlet {
        /// Of which part.
        part: Part,
        /// The number of each vertex in the part.
        vertices: Vec<u32>,
        /// The number of each triangle in the part.
        triangles: Vec<u32>,
    },
    /// It has no primitives; procedural boxes are noted here.
    Boxes {
        /// Of which part.
        part: Part,
        /// The number of the first box in the part.
        first: u32,
        /// The boxes.
        boxes: Vec<Aabb>,
    },
    /// An object without parts.
    EmptyObject {
        /// Its number.
        object: u32,
    },
    /// Instances, behind those of earlier workgroups.
    Instances(Vec<Instance>),
    /// The camera.
    Camera(Camera),
    /// A piece of a name, behind those of earlier workgroups.
    Name {
        /// The object.
        object: u32,
        /// The part that is called so; `None` for the object itself.
        geometry: Option<u32>,
        /// UTF-8.
        piece: Vec<u8>,
    },
}

/// Notes that make no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("notes in shared memory, word {word}: found {found}, expected {expected}")]
pub struct CaptureNotesError {
    /// Which word of shared memory.
    pub word: usize,
    /// What is there.
    pub found: String,
    /// What should be there.
    pub expected: String,
}

impl CaptureNotes {
    /// The words to leave in shared memory.
    #[must_use]
    pub fn to_words(&self) -> Vec<u32> {
        let mut words = vec![0; HEADER_WORDS];
        words[..2].copy_from_slice(&MAGIC);
        match self {
            Self::Meshlet { part, vertices, triangles } => {
                put_part(&mut words, 0, part, [vertices.len(), triangles.len()]);
                words.extend(vertices);
                words.extend(triangles);
            }
            Self::Boxes { part, first, boxes } => {
                put_part(&mut words, 1, part, [0, boxes.len()]);
                words[10] = *first;
                let corners = boxes.iter().flat_map(|b| [b.min.to_array(), b.max.to_array()]);
                words.extend(corners.flatten().map(f32::to_bits));
            }
            Self::EmptyObject { object } => (words[2], words[3]) = (2, *object),
            Self::Instances(instances) => {
                (words[2], words[7]) = (3, instances.len() as u32);
                instances.iter().for_each(|instance| put_instance(&mut words, instance));
            }
            Self::Camera(Camera { eye, target, up, fov }) => {
                words[2] = 4;
                let points = [eye, target, up].map(|point| point.to_array());
                words.extend(points.as_flattened().iter().map(|number| number.to_bits()));
                words.push(fov.to_bits());
            }
            Self::Name { object, geometry, piece } => {
                (words[2], words[3], words[7]) = (5, *object, piece.len() as u32);
                words[4] = geometry.unwrap_or(NO_PART);
                words.extend(piece.chunks(4).map(|bytes| {
                    let mut word = [0; 4];
                    word[..bytes.len()].copy_from_slice(bytes);
                    u32::from_le_bytes(word)
                }));
            }
        }
        words
    }

    /// The notes in shared memory; `None` if there are none.
    ///
    /// # Errors
    /// When there are notes that make no sense.
    pub fn from_shared(shared: &[u8]) -> Option<Result<Self, CaptureNotesError>> {
        let words: Vec<u32> = shared.as_chunks().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
        words.starts_with(&MAGIC).then(|| parse(&words))
    }
}

fn put_part(words: &mut [u32], kind: u32, part: &Part, here: [usize; 2]) {
    let Part { object, geometry, opaque, vertices, primitives } = *part;
    let here = here.map(|count| count as u32);
    let header = [kind, object, geometry, opaque.into(), here[0], here[1], vertices, primitives];
    words[2..10].copy_from_slice(&header);
}

fn put_instance(words: &mut Vec<u32>, instance: &Instance) {
    let Instance { object, object_to_world, mask, custom_index, sbt_offset, flags } = instance;
    words.push(*object as u32);
    words.extend(object_to_world.rows.as_flattened().iter().map(|number| number.to_bits()));
    words.extend([u32::from(*mask), *custom_index, u32::from(flags.bits()) | sbt_offset << 8]);
}

fn parse(words: &[u32]) -> Result<CaptureNotes, CaptureNotesError> {
    let end = |expected: usize| CaptureNotesError {
        word: words.len(),
        found: "the end of shared memory".to_owned(),
        expected: format!("{expected} words"),
    };
    let header = words.get(..HEADER_WORDS).ok_or_else(|| end(HEADER_WORDS))?;
    let body = |count: u32, width: usize| {
        let length = (count as usize).saturating_mul(width);
        words[HEADER_WORDS..].get(..length).ok_or_else(|| end(HEADER_WORDS.saturating_add(length)))
    };
    match header[2] {
        0 => {
            let total = header[6].saturating_add(header[7]);
            let (vertices, triangles) = body(total, 1)?.split_at(header[6] as usize);
            let (vertices, triangles) = (vertices.to_vec(), triangles.to_vec());
            Ok(CaptureNotes::Meshlet { part: take_part(header), vertices, triangles })
        }
        1 => {
            let boxes = body(header[7], BOX_WORDS)?.as_chunks::<BOX_WORDS>().0.iter();
            let boxes = boxes.map(|words| take_box(words.map(f32::from_bits))).collect();
            Ok(CaptureNotes::Boxes { part: take_part(header), first: header[10], boxes })
        }
        2 => Ok(CaptureNotes::EmptyObject { object: header[3] }),
        3 => {
            let instances = body(header[7], INSTANCE_WORDS)?.as_chunks::<INSTANCE_WORDS>().0;
            let parsed = instances.iter().enumerate().map(|(n, words)| take_instance(n, words));
            parsed.collect::<Result<_, _>>().map(CaptureNotes::Instances)
        }
        4 => {
            let numbers = body(10, 1)?.iter().map(|word| f32::from_bits(*word)).collect::<Vec<_>>();
            let [eye, target, up] = [0, 3, 6].map(|at| Vec3::from_slice(&numbers[at..]));
            Ok(CaptureNotes::Camera(Camera { eye, target, up, fov: numbers[9] }))
        }
        5 => {
            let words = body(header[7].div_ceil(4), 1)?;
            let mut piece: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            piece.truncate(header[7] as usize);
            let geometry = (header[4] != NO_PART).then_some(header[4]);
            Ok(CaptureNotes::Name { object: header[3], geometry, piece })
        }
        kind => Err(CaptureNotesError {
            word: 2,
            found: format!("kind {kind}"),
            expected: "0 to 5".into(),
        }),
    }
}

fn take_part(header: &[u32]) -> Part {
    Part {
        object: header[3],
        geometry: header[4],
        opaque: header[5] & 1 == 1,
        vertices: header[8],
        primitives: header[9],
    }
}

fn take_box([x, y, z, to_x, to_y, to_z]: [f32; BOX_WORDS]) -> Aabb {
    Aabb { min: Vec3::new(x, y, z), max: Vec3::new(to_x, to_y, to_z) }
}

fn take_instance(
    number: usize,
    words: &[u32; INSTANCE_WORDS],
) -> Result<Instance, CaptureNotesError> {
    let wrong = |at: usize, expected: &str| CaptureNotesError {
        word: HEADER_WORDS + INSTANCE_WORDS * number + at,
        found: format!("{:#x}", words[at]),
        expected: expected.to_owned(),
    };
    let row = |at: usize| std::array::from_fn(|column| f32::from_bits(words[at + column]));
    let object_to_world = Transform { rows: [row(1), row(5), row(9)] };
    if object_to_world.inverse().is_err() {
        return Err(wrong(1, "a transform with an inverse"));
    }
    let flags = InstanceFlags::from_bits(words[15] as u8);
    Ok(Instance {
        object: words[0] as usize,
        object_to_world,
        mask: u8::try_from(words[13]).map_err(|_| wrong(13, "a mask of 8 bits"))?,
        custom_index: words[14],
        sbt_offset: words[15] >> 8,
        flags: flags.ok_or_else(|| wrong(15, "instance flags"))?,
    })
}
