//! What each byte of a dump is.

#![allow(missing_docs, reason = "docs/json.md explains the keys")]

use isbe::container::REGIONS;
use isbe::container::explain::explain;
use isbe::{AttributeId, Dump, Reader, Region, Workgroup, WorkgroupView};
use serde::Serialize;
use std::collections::BTreeMap;

/// What bytes of a file are.
#[derive(Debug, Clone, Serialize)]
pub struct BytesDocument {
    pub file: String,
    pub bytes: Vec<ByteDocument>,
}

#[derive(Debug, Clone, Serialize)]
pub struct ByteDocument {
    pub offset: u64,
    pub value: u8,
    pub place: String,
}

/// A workgroup.
#[derive(Debug, Clone, Serialize)]
pub struct WorkgroupDocument {
    pub file: String,
    pub workgroup: usize,
    pub workgroups: usize,
    pub index: u32,
    pub task: Option<u32>,
    pub stage: &'static str,
    pub vertices: Vec<VertexDocument>,
    pub primitives: Vec<PrimitiveDocument>,
    /// What came in, as far as it was dumped.
    pub input_vertices: Vec<VertexDocument>,
    pub input_primitives: Vec<Vec<u8>>,
    /// The words of regions without a known layout.
    pub opaque: BTreeMap<&'static str, Vec<String>>,
}

#[derive(Debug, Clone, Serialize)]
pub struct VertexDocument {
    pub vertex: u32,
    pub attributes: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct PrimitiveDocument {
    pub primitive: u32,
    pub vertices: Vec<u8>,
    pub culled: bool,
    pub attributes: BTreeMap<String, String>,
}

/// Why there is nothing to show.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// The file has no such byte.
    #[error("{file}: found offset {offset:#x}, expected less than {length:#x}")]
    Offset {
        /// The file.
        file: String,
        /// The byte.
        offset: u64,
        /// How many there are.
        length: usize,
    },
    /// The file has no such workgroup.
    #[error("{file}: found workgroup {number}, expected less than {count}")]
    Workgroup {
        /// The file.
        file: String,
        /// The workgroup.
        number: usize,
        /// How many there are.
        count: usize,
    },
}

impl BytesDocument {
    /// Of some bytes of a file.
    ///
    /// # Errors
    /// When the file has no such byte.
    pub fn new(
        file: String,
        content: &[u8],
        dump: &Dump,
        reader: &Reader,
        offsets: &[u64],
    ) -> Result<Self, PlaceError> {
        let byte = |&offset: &u64| {
            let value = usize::try_from(offset).ok().and_then(|at| content.get(at));
            let (length, file) = (content.len(), file.clone());
            let value = *value.ok_or(PlaceError::Offset { file, offset, length })?;
            let place = explain(dump, reader, offset as usize).to_string();
            Ok(ByteDocument { offset, value, place })
        };
        let bytes = offsets.iter().map(byte).collect::<Result<_, PlaceError>>()?;
        Ok(Self { file, bytes })
    }
}

/// A workgroup of a file.
///
/// # Errors
/// When the file has no such workgroup.
pub fn view<'a>(
    file: &str,
    dump: &'a Dump,
    reader: &'a Reader,
    number: usize,
) -> Result<WorkgroupView<'a>, PlaceError> {
    let (file, count) = (file.to_owned(), dump.workgroups.len());
    let workgroup = dump.workgroups.get(number);
    let workgroup = workgroup.ok_or(PlaceError::Workgroup { file, number, count })?;
    Ok(WorkgroupView::new(reader, workgroup))
}

impl WorkgroupDocument {
    /// One of so many workgroups of a file, by its number.
    #[must_use]
    pub fn new(
        view: &WorkgroupView<'_>,
        reader: &Reader,
        [number, workgroups]: [usize; 2],
        file: String,
    ) -> Self {
        let row = |ids: &[AttributeId], word: &dyn Fn(AttributeId) -> Option<u32>| {
            let cell = |id: &AttributeId| Some((id.to_string(), id.value_text(word(*id)?)));
            ids.iter().filter_map(cell).collect()
        };
        let vertices = (0..view.vertex_count())
            .map(|vertex| {
                let attributes = row(reader.layout.vertices.ids(), &|id| view.vertex(id, vertex));
                VertexDocument { vertex, attributes }
            })
            .collect();
        let primitives = (0..view.primitive_count())
            .map(|primitive| {
                let word = |id| view.primitive_attribute(id, primitive);
                let attributes = row(reader.layout.primitives.ids(), &word);
                let (vertices, culled) =
                    (view.primitive(primitive).collect(), view.is_culled(primitive));
                PrimitiveDocument { primitive, vertices, culled, attributes }
            })
            .collect();
        let workgroup = view.workgroup();
        let (index, task, stage) = (workgroup.index, workgroup.task, reader.stage.name());
        let inputs =
            if workgroup.input.attr.is_empty() { 0 } else { reader.input.vertices.maximum() };
        let input_vertices = (0..inputs)
            .map(|vertex| {
                let word = |id| view.input_vertex(id, vertex);
                VertexDocument { vertex, attributes: row(reader.input.vertices.ids(), &word) }
            })
            .collect();
        let handles = workgroup.input.map.chunks(reader.input_corners.max(1) as usize);
        Self {
            file,
            workgroup: number,
            workgroups,
            index,
            task,
            stage,
            vertices,
            primitives,
            input_vertices,
            input_primitives: handles.map(<[u8]>::to_vec).collect(),
            opaque: opaque(workgroup),
        }
    }
}

/// The words of PATCH and PRIM of both spaces, where there are any.
#[must_use]
pub fn opaque(workgroup: &Workgroup) -> BTreeMap<&'static str, Vec<String>> {
    let mut shown = BTreeMap::new();
    for (name, output, region) in REGIONS {
        let space = if output { &workgroup.output } else { &workgroup.input };
        let bytes = space.region(region);
        if matches!(region, Region::Patch | Region::Prim) && !bytes.is_empty() {
            let word = |chunk: &[u8]| chunk.iter().rev().map(|b| format!("{b:02x}")).collect();
            shown.insert(name, bytes.chunks(4).map(word).collect());
        }
    }
    shown
}
