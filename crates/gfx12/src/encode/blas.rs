//! A BLAS: boxes above primitive nodes.

use super::boxes::{Boxes, Contents, Orientation, contents};
use super::error::EncodeError;
use super::families;
use super::flatten::{Flat, references_below};
use super::leaves;
use super::obb_fit::{Orientations, orient};
use super::pool;
use super::radv_memory::{self, OPACITY, RadvContents};
use super::regroup::regroup;
use super::run::{PackedRun, RangeStart, RunPacker, Stored};
use super::sections::{NodeCounts, Sections};
use super::tables::{
    BUILD_FLAGS_BIT, GEOMETRY_INFO_BYTES, HeaderCounts, IdTable, header, write_pointers,
};
use super::{Options, Policy, hiprt_memory, hiprt_node};
use crate::decode::frames::LevelFrames;
use crate::layout::{BoxNode, CullFlags, NODE_BYTES, NodePointer};
use bvh4::EncodeError as TreeError;
use bvh4::encode::error::is_finite;
use bvh4::encode::margin::Margin;
use geometry::Aabb;
use machine::Segment;
use rayon::prelude::*;
use std::borrow::Cow;
use tree::{Blas, Bvh, PrimitiveFlags, Primitives};

/// A BLAS as bytes. Nothing in it depends on its address.
#[derive(Debug)]
pub(crate) struct EncodedBlas {
    /// The bytes; the address is set later.
    pub(crate) segment: Segment,
    /// Where its parts lie.
    pub(crate) sections: Sections,
    /// Primitive nodes.
    pub(crate) leaf_nodes: usize,
    /// The root node, which instances copy boxes from.
    pub(crate) root: BoxNode,
    /// The opacity of everything below the root.
    pub(crate) opacity: CullFlags,
    /// What it holds.
    pub(crate) kind: BlasKind,
    /// The box around it, as the hierarchy has it, or widened like the boxes of its root.
    pub(crate) bounds: Aabb,
    /// Box nodes.
    pub(crate) box_count: usize,
    /// What its leaf nodes hold.
    pub(crate) stored: Stored,
    /// Bytes up to the end of the nodes.
    pub(crate) node_bytes: u64,
    /// Cost of the hierarchy that was laid out.
    pub(crate) sah_cost: f64,
    /// Box nodes in a rotated frame.
    pub(crate) oriented_nodes: usize,
    /// What they change of the cost.
    pub(crate) oriented_cost_change: f64,
}

/// What kinds of primitives a BLAS holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlasKind {
    pub(crate) triangles: bool,
    pub(crate) procedurals: bool,
}

/// Lays out one BLAS.
pub(crate) fn encode(
    blas: &Blas,
    level: usize,
    margin: Margin,
    frames: Option<&LevelFrames>,
    options: &Options,
) -> Result<EncodedBlas, EncodeError> {
    let Blas { primitives, bvh } = blas;
    check_finite(primitives, level)?;
    if options.policy == Policy::Hiprt && !primitives.boxes.is_empty() {
        return Err(EncodeError::Procedurals { level });
    }
    let ids = IdTable::new(primitives, level)?;
    let bvh = prepare(bvh, primitives, level, options)?;
    let mut flat = Flat::new(&bvh);
    let packer = RunPacker::new(level, &bvh, primitives, options);
    order_leaves(&mut flat, &packer, options);
    let leaves = pack(&flat, &packer, &ids, options)?;
    let contents = contents(&bvh, &flat, |items| leaf_contents(items, primitives, options.policy));
    let kind = BlasKind {
        triangles: leaves.stored.triangles > 0,
        procedurals: leaves.stored.procedurals > 0,
    };
    let sections = sections(level, &flat, &leaves, &ids, kind, options)?;
    let boxes = Boxes {
        level,
        bvh: &bvh,
        flat: &flat,
        starts: &leaves.starts,
        contents: &contents,
        bounds: None,
        margin,
        sections: &sections,
        policy: options.policy,
        // RADV's triangles are filled in when the flags have been written.
        leaf_flags: options.policy != Policy::Radv || !kind.triangles || options.updatable,
        orientation: Orientation::Plain,
    };
    let kept = frames.filter(|frames| frames.bounds.len() == bvh.nodes().len());
    let orientations = if options.obb && kept.is_none() {
        orient(&boxes, &references_below(&bvh), primitives)
    } else {
        Orientations::default()
    };
    let orientation = match kept {
        Some(frames) => Orientation::Kept(frames),
        None => Orientation::Fitted(&orientations, primitives),
    };
    let boxes = Boxes { orientation, ..boxes };
    let mut segment = Segment::zeroed(0, sections.end as usize);
    let bytes = segment.bytes_mut();
    boxes.write(bytes)?;
    leaves.write(&mut bytes[sections.leaves as usize..]);
    let root = boxes.node(0)?;
    // RADV's instances copy this box, and must show the margin of what is below.
    let is_widened = options.margin
        && options.policy == Policy::Radv
        && root.obb_matrix_index == BoxNode::NO_ROTATION;
    let encoded = EncodedBlas {
        sections,
        leaf_nodes: leaves.node_count,
        root,
        opacity: contents[0].cull_flags & OPACITY,
        kind,
        bounds: if is_widened { decoded_bounds(&root) } else { bvh.root().bounds },
        box_count: flat.boxes.len(),
        stored: leaves.stored,
        node_bytes: sections.nodes_end,
        sah_cost: tree::Quality::of(&bvh).sah_cost,
        oriented_nodes: orientations.count(),
        oriented_cost_change: orientations.cost_change,
        segment,
    };
    Ok(match options.policy {
        Policy::Radv => encoded.with_radv_header(&ids, options.updatable),
        // Its header has addresses.
        Policy::Hiprt => encoded,
        Policy::Dense | Policy::Gpurt => {
            let pointers = primitive_pointers(&bvh, primitives, &flat, &leaves, &ids, &sections);
            encoded.with_gpurt_tables(&ids, &pointers, options.updatable)
        }
    })
}

/// Where the parts of a BLAS lie.
fn sections(
    level: usize,
    flat: &Flat,
    leaves: &Leaves,
    ids: &IdTable,
    kind: BlasKind,
    options: &Options,
) -> Result<Sections, EncodeError> {
    let counts = NodeCounts { boxes: flat.boxes.len(), leaves: leaves.node_count };
    let geometries = ids.geometry_count() as usize;
    match options.policy {
        Policy::Radv => {
            let leaves_first = !kind.triangles || options.updatable;
            Sections::radv(level, counts, geometries, 0, leaves_first)
        }
        Policy::Hiprt => Sections::hiprt(level, counts, 0),
        Policy::Dense | Policy::Gpurt => {
            let info_bytes = GEOMETRY_INFO_BYTES * geometries as u64;
            Sections::gpurt(level, counts, info_bytes, ids.pointer_count())
        }
    }
}

impl EncodedBlas {
    fn with_gpurt_tables(
        mut self,
        ids: &IdTable,
        pointers: &[NodePointer],
        updatable: bool,
    ) -> Self {
        let Self { sections, leaf_nodes, .. } = self;
        let bytes = self.segment.bytes_mut();
        ids.write_infos(&mut bytes[sections.records as usize..sections.pointers as usize]);
        write_pointers(pointers, &mut bytes[sections.pointers as usize..]);
        let counts = HeaderCounts {
            is_blas: true,
            primitives: ids.pointer_count(),
            active: pointers.iter().filter(|&&pointer| pointer != NodePointer::INVALID).count(),
            descriptors: ids.geometry_count(),
            procedural: self.kind.procedurals && !self.kind.triangles,
            boxes: self.box_count,
            leaves: leaf_nodes,
            rebraided: false,
        };
        let mut header = header(&counts, &sections, &self.root);
        header.info |= u32::from(updatable) << BUILD_FLAGS_BIT;
        header.encode().write_bytes(bytes);
        self
    }

    /// Gives it an address, and HIPRT's header, which depends on it.
    pub(crate) fn place(&mut self, address: u64, policy: Policy) {
        self.segment.address = address;
        if policy == Policy::Hiprt {
            let leaves = [self.stored.pairs, self.leaf_nodes];
            let header = hiprt_memory::geometry(address, &self.sections, self.box_count, leaves);
            header.encode().write_bytes(self.segment.bytes_mut());
        }
    }

    fn with_radv_header(mut self, ids: &IdTable, updatable: bool) -> Self {
        let sections = self.sections;
        let geometry_type = u32::from(self.kind.procedurals && !self.kind.triangles);
        let is_empty = !self.kind.procedurals && !self.kind.triangles;
        let contents = RadvContents {
            geometry_type,
            geometry_count: ids.geometry_count(),
            primitives: ids.pointer_count(),
            bounds: if is_empty { Aabb::EMPTY } else { self.bounds },
            flags: self.opacity,
            build_flags: if updatable { radv_memory::ALLOW_UPDATE } else { 0 },
        };
        let bytes = self.segment.bytes_mut();
        radv_memory::header(&contents, &sections).encode().write_bytes(bytes);
        let infos = &mut bytes[sections.records as usize..sections.pointers as usize];
        ids.write_radv_infos(geometry_type, infos);
        self
    }
}

/// The box around the children of a root, margin and all.
fn decoded_bounds(root: &BoxNode) -> Aabb {
    (0..root.used_children().len())
        .filter(|&slot| !root.children[slot].is_inverted())
        .fold(Aabb::EMPTY, |all, slot| all.union(root.child_box(slot)))
}

fn check_finite(primitives: &Primitives, level: usize) -> Result<(), EncodeError> {
    let numbers = (0..primitives.len()).into_par_iter();
    let broken = numbers.find_first(|&primitive| !is_finite(primitives, primitive));
    broken.map_or(Ok(()), |primitive| Err(TreeError::NotFinite { level, primitive }.into()))
}

/// The hierarchy with leaves that the policy can store, and likes to.
fn prepare<'a>(
    bvh: &'a Bvh,
    primitives: &Primitives,
    level: usize,
    options: &Options,
) -> Result<Cow<'a, Bvh>, EncodeError> {
    let ranges = leaves::ranges(bvh, primitives, options).map_err(TreeError::regrouped(level))?;
    if options.policy == Policy::Dense && !options.keep_leaves {
        let dense = regroup(&ranges, primitives).map_err(TreeError::regrouped(level))?;
        let ranges =
            leaves::ranges(&dense, primitives, options).map_err(TreeError::regrouped(level))?;
        return Ok(Cow::Owned(ranges.into_owned()));
    }
    Ok(ranges)
}

/// All leaf nodes of a level.
struct Leaves {
    runs: Vec<PackedRun>,
    /// For each leaf in memory order, where its range begins among all leaf nodes.
    starts: Vec<RangeStart>,
    node_count: usize,
    stored: Stored,
}

impl Leaves {
    fn write(&self, mut bytes: &mut [u8]) {
        for run in &self.runs {
            let (own, rest) = bytes.split_at_mut(run.nodes.len() * NODE_BYTES as usize);
            own.par_chunks_exact_mut(NODE_BYTES as usize)
                .zip(&run.nodes)
                .for_each(|(out, node)| node.write_bytes(out));
            bytes = rest;
        }
    }
}

/// Chooses the order of the leaves.
fn order_leaves(flat: &mut Flat, packer: &RunPacker<'_>, options: &Options) {
    match options.policy {
        // Neighbours have nothing in common that would take fewer bits.
        Policy::Dense | Policy::Radv if options.updatable => return,
        Policy::Dense => return pool::order_leaves(flat, packer, options.keep_leaves),
        Policy::Hiprt => return,
        Policy::Radv | Policy::Gpurt => (),
    }
    let mut families = Vec::new();
    let mut first = 0;
    for family in flat.leaf_parents.chunk_by(|a, b| a == b) {
        families.push(&flat.leaves[first..first + family.len()]);
        first += family.len();
    }
    let orders: Vec<Vec<u32>> = families
        .par_iter()
        .map(|family| families::order_family(family, packer, options.policy))
        .collect();
    let leaves = orders.concat();
    flat.reorder(leaves);
}

fn pack(
    flat: &Flat,
    packer: &RunPacker<'_>,
    ids: &IdTable,
    options: &Options,
) -> Result<Leaves, EncodeError> {
    let policy = options.policy;
    let results: Vec<Result<PackedRun, EncodeError>> = flat
        .runs
        .par_iter()
        .map(|run| {
            let (leaves, parents) = (&flat.leaves[run.clone()], &flat.leaf_parents[run.clone()]);
            match policy {
                Policy::Dense => packer.pack(leaves),
                Policy::Radv | Policy::Gpurt if options.updatable => {
                    families::pack_updatable(leaves, packer, policy)
                }
                Policy::Radv | Policy::Gpurt => families::pack(leaves, parents, packer, policy),
                Policy::Hiprt => hiprt_node::pack(leaves, parents, packer, ids),
            }
        })
        .collect();
    let runs = results.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut starts = Vec::with_capacity(flat.leaves.len());
    let (mut node_count, mut stored) = (0, Stored::default());
    for run in &runs {
        let first = node_count as u32;
        let moved =
            run.starts.iter().map(|start| RangeStart { node: first + start.node, ..*start });
        starts.extend(moved);
        node_count += run.nodes.len();
        stored = stored.plus(run.stored);
    }
    Ok(Leaves { runs, starts, node_count, stored })
}

/// What a leaf holds. RADV says nothing about the kinds of primitives, HIPRT nothing at all.
fn leaf_contents(items: &[u32], primitives: &Primitives, policy: Policy) -> Contents {
    let cull_flags = items.iter().fold(CullFlags::all(), |flags, &item| {
        let opaque = primitives.ids[item as usize].flags.contains(PrimitiveFlags::OPAQUE);
        let triangle = (item as usize) < primitives.triangles.len();
        let of_opacity = if opaque { CullFlags::ONLY_OPAQUE } else { CullFlags::ONLY_NON_OPAQUE };
        let of_kind = if triangle { CullFlags::ONLY_TRIANGLES } else { CullFlags::ONLY_PROCEDURAL };
        flags & (of_opacity | of_kind)
    });
    let kinds = CullFlags::ONLY_TRIANGLES | CullFlags::ONLY_PROCEDURAL;
    let unsaid = match policy {
        Policy::Dense | Policy::Gpurt => CullFlags::empty(),
        Policy::Radv => kinds,
        Policy::Hiprt => CullFlags::all(),
    };
    Contents { cull_flags: cull_flags - unsaid, mask: 0xFF }
}

/// For each id, where its primitive lies; the first place of one that is stored twice.
fn primitive_pointers(
    bvh: &Bvh,
    primitives: &Primitives,
    flat: &Flat,
    leaves: &Leaves,
    ids: &IdTable,
    sections: &Sections,
) -> Vec<NodePointer> {
    let mut pointers = vec![NodePointer::INVALID; ids.pointer_count()];
    let mut base = sections.leaf_units(0);
    let mut leaf_entries = flat.leaves.iter();
    for run in &leaves.runs {
        let mut places = run.pointers.iter();
        for &leaf in leaf_entries.by_ref().take(run.starts.len()) {
            let items = bvh.items(&bvh.nodes()[leaf as usize]);
            for (&item, &place) in items.iter().zip(places.by_ref()) {
                let id = primitives.ids[item as usize];
                let pointer = &mut pointers[ids.position(id.geometry, id.primitive)];
                pointer.0 = pointer.0.min(base + place);
            }
        }
        base += (run.nodes.len() as u32) << 4;
    }
    pointers
}
