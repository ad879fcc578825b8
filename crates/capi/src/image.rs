//! Bytes that are looked at: a file, a dump, raw memory.

use crate::boundary::{self, Out, c_text};
use crate::context::{Context, Thing};
use crate::ids::Id;
use crate::report::beyond;
use crate::status::{CError, Failure, SilirayStatus, failed, guarded};
use siliray::gfx12;
use siliray::input::{InputError, OpenedImage, StoredImage};
use siliray::machine::{FormatEntry, ImageFile, RawLayout, ReadError, ReadOptions};
use siliray::registry::registry;
use std::ffi::{CString, c_char, c_void};
use std::sync::{Arc, OnceLock};

/// The bytes are those of a file.
pub const SILIRAY_FILE: u32 = 0;
/// The bytes are raw memory: addresses are offsets into them.
pub const SILIRAY_RAW: u32 = 1;

/// How the image in some bytes is found. All zeros: a file whose bytes say what it is.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// What texts call it, and by whose ending it is known if its bytes do not tell; null: "image".
    pub name: *const c_char,
    /// The format of raw memory; null: "gfx12".
    pub format: *const c_char,
    /// Raw memory: who wrote it, for formats that drivers lay out each in its own way; null: what
    /// the memory shows.
    pub writer: *const c_char,
    /// SILIRAY_FILE or SILIRAY_RAW.
    pub kind: u32,
    /// Of a file with several structures: 0: start in the largest, 1: in `structure`.
    pub starts_in_structure: u32,
    /// The number of a structure.
    pub structure: usize,
    /// Raw memory: where box nodes count from.
    pub base: u64,
    /// Raw memory: where other nodes count from; the same number if there is one base.
    pub primitive_base: u64,
    /// Raw memory: the pointer of the first node.
    pub root: u64,
    /// Raw memory: where its first byte lies; instances name their structures by address.
    pub address: u64,
}

/// What an image is.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ImageInfo {
    /// The name of its format.
    pub format: *const c_char,
    /// Bytes of all its memory.
    pub bytes: u64,
    /// The pointer of its first node.
    pub root: u64,
    /// Where box nodes count from.
    pub base: u64,
    /// Structures of a file that holds several; otherwise 0.
    pub structures: usize,
    /// The one that it starts in.
    pub structure: usize,
}

/// A structure of a file that holds several.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct FileStructure {
    /// "TLAS" or "BLAS"; lives until the image is released.
    pub level: *const c_char,
    /// Where it lies in memory.
    pub address: u64,
    /// Where it lies in the file.
    pub offset: u64,
    /// Bytes of it.
    pub bytes: usize,
    /// Primitives or instances, as its header says.
    pub primitives: u32,
    /// Box nodes.
    pub boxes: u32,
    /// Nodes of primitives or instances.
    pub leaves: u32,
}

/// An image, which may be broken.
#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) opened: OpenedImage,
    pub(crate) format: CString,
    /// What each structure of the file is.
    levels: Vec<CString>,
    /// What machines walk; proved when somebody walks.
    stored: OnceLock<Result<Arc<StoredImage>, Failure>>,
}

impl Image {
    fn read(context: &Context, bytes: &[u8], reading: Option<Reading>) -> Result<Self, Failure> {
        let (name, format, writer) = match &reading {
            None => (None, None, None),
            Some(reading) => (
                boundary::text(reading.name, "reading.name")?,
                boundary::text(reading.format, "reading.format")?,
                boundary::text(reading.writer, "reading.writer")?,
            ),
        };
        let format = known_format(format.unwrap_or(gfx12::NAME))?;
        let writer = writer.map(|writer| known_writer(format, writer)).transpose()?;
        let options = reading.map(|reading| read_options(&reading, writer)).transpose()?;
        let options = options.unwrap_or_default();
        let name = name.unwrap_or("image").to_owned();
        let opened = context.run(|| OpenedImage::read(name, bytes, format, &options));
        if let Err(error @ ReadError::NoStructure { .. }) = &opened.file {
            return Err(Failure::new(SilirayStatus::Index, error));
        }
        let format = c_text(opened.format.name);
        let structures = opened.file.iter().flat_map(|file| &file.structures);
        let levels = structures.map(|structure| c_text(structure.level)).collect();
        Ok(Self { opened, format, levels, stored: OnceLock::new() })
    }

    /// The image, unless it is broken.
    pub(crate) fn file(&self) -> Result<&ImageFile, Failure> {
        self.opened.file.as_ref().map_err(failed(SilirayStatus::Broken))
    }

    /// The image, proved to be safe to walk, and its tree. Asked for on the caller's own thread:
    /// one of the context's would begin other work meanwhile, which may wait for the same image.
    pub(crate) fn stored(&self, context: &Context) -> Result<Arc<StoredImage>, Failure> {
        let prove = || {
            let stored = context.run(|| {
                let stored = self.opened.stored()?;
                stored.checked.tree();
                Ok(stored)
            });
            stored.map(Arc::new).map_err(|error| match error {
                InputError::Broken { .. } => Failure::new(SilirayStatus::Broken, error),
                _ => Failure::new(SilirayStatus::Unsound, error),
            })
        };
        self.stored.get_or_init(prove).clone()
    }
}

fn known_format(name: &str) -> Result<&'static FormatEntry, Failure> {
    let unknown = || {
        let all: Vec<&str> = registry().formats().iter().map(|format| format.name).collect();
        let text = format!("there is no format {name:?}; formats are {}", all.join(", "));
        Failure::new(SilirayStatus::UnknownName, text)
    };
    registry().format(name).ok_or_else(unknown)
}

fn known_writer(format: &FormatEntry, name: &str) -> Result<&'static str, Failure> {
    let unknown = || {
        let (format, all) = (format.name, format.writers.join(", "));
        let text = format!("{format} has no writer {name:?}; writers are {all}");
        Failure::new(SilirayStatus::UnknownName, text)
    };
    format.writers.iter().copied().find(|writer| *writer == name).ok_or_else(unknown)
}

fn read_options(reading: &Reading, writer: Option<&'static str>) -> Result<ReadOptions, Failure> {
    let Reading { kind, starts_in_structure, structure, .. } = *reading;
    if kind > SILIRAY_RAW || starts_in_structure > 1 {
        let text =
            format!("kind {kind}, starts_in_structure {starts_in_structure}; expected 0 or 1");
        return Err(Failure::new(SilirayStatus::Option, text));
    }
    let is_raw = kind == SILIRAY_RAW;
    if !is_raw && writer.is_some() {
        let text = "a file says who wrote it, expected no writer";
        return Err(Failure::new(SilirayStatus::Option, text));
    }
    if is_raw && starts_in_structure == 1 {
        let text = "raw memory has no structures to start in, expected starts_in_structure 0";
        return Err(Failure::new(SilirayStatus::Option, text));
    }
    let structure = (starts_in_structure == 1).then_some(structure);
    let Reading { address, base, primitive_base, root, .. } = *reading;
    let primitive_base = Some(primitive_base);
    let raw = is_raw.then_some(RawLayout { address, base, primitive_base, root, writer });
    Ok(ReadOptions { structure, raw })
}

/// Takes a copy of an image's bytes in, which may be broken: `siliray_check` then says where.
/// `reading` may be null: the bytes are a file that says what it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_image_read(
    context: *const Context,
    bytes: *const c_void,
    size: usize,
    reading: *const Reading,
    image: *mut Id,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let context = boundary::context(context)?;
        let place = Out::new(image, "image")?;
        let bytes = boundary::bytes(bytes, size, context.most_bytes(), "bytes")?;
        let reading =
            if reading.is_null() { None } else { Some(boundary::get(reading, "reading")?) };
        let read = Image::read(context, bytes, reading)?;
        place.put(context.keep(Thing::Image(Arc::new(read)))?);
        Ok(())
    })
}

/// What an image is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_image_about(
    context: *const Context,
    image: Id,
    about: *mut ImageInfo,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let place = Out::new(about, "about")?;
        let image = boundary::context(context)?.image(image)?;
        let file = image.file()?;
        place.put(ImageInfo {
            format: image.format.as_ptr(),
            bytes: file.image.byte_count() as u64,
            root: file.image.root,
            base: file.image.bases.first().copied().unwrap_or(0),
            structures: file.structures.len(),
            structure: file.structure,
        });
        Ok(())
    })
}

/// A structure of an image's file, by number: the number that a reading may start in.
/// SILIRAY_STATUS_INDEX ends the list, which is empty where a file holds one structure only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_image_structure(
    context: *const Context,
    image: Id,
    index: usize,
    structure: *mut FileStructure,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let place = Out::new(structure, "structure")?;
        let image = boundary::context(context)?.image(image)?;
        let structures = &image.file()?.structures;
        let found = structures.iter().zip(&image.levels).nth(index);
        let (found, level) = found.ok_or_else(beyond(index, structures.len()))?;
        let [boxes, leaves] = found.nodes;
        place.put(FileStructure {
            level: level.as_ptr(),
            address: found.address,
            offset: found.offset,
            bytes: found.bytes,
            primitives: found.primitives,
            boxes,
            leaves,
        });
        Ok(())
    })
}
