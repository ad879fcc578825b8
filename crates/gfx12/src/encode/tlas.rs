//! The TLAS: boxes above instance nodes.
//!
//! Each leaf entry is one instance node. The front end tells triangle structures from procedural
//! ones by one flag of the instance, so an instance whose structure holds both kinds has two nodes
//! side by side: one that skips procedurals and one that skips triangles. Both have the same
//! sideband record. With rebraiding an instance may have a node for each part of its structure
//! ([`super::rebraid`]), and the hierarchy is built anew over the parts.

use super::blas::EncodedBlas;
use super::boxes::{Boxes, Contents, Orientation, contents};
use super::error::EncodeError;
use super::flatten::{Flat, references_below};
use super::instance::{InstancePart, instance_node, radv_data, sideband};
use super::radv_memory::{self, RadvContents};
use super::rebraid::{self, Opening};
use super::run::RangeStart;
use super::sections::{NodeCounts, Sections};
use super::tables::{HeaderCounts, header, write_pointers};
use super::{Options, Policy, hiprt_memory};
use crate::layout::{BoxNode, CullFlags, INSTANCE_TYPE, NODE_BYTES, NodePointer, RadvGeometryInfo};
use bvh4::EncodeError as TreeError;
use bvh4::encode::margin::{Margin, tlas_margin, transform_margin, widen};
use geometry::{Aabb, InstanceFlags};
use machine::Segment;
use rayon::prelude::*;
use tree::quality::half_area;
use tree::{Bvh, Instance, Tlas};

const SIDEBAND_BYTES: u64 = 64;

/// A TLAS as bytes.
#[derive(Debug)]
pub(crate) struct EncodedTop {
    /// The bytes; the address is set later.
    pub(crate) segment: Segment,
    /// Box nodes.
    pub(crate) box_count: usize,
    /// Instance nodes.
    pub(crate) instance_count: usize,
    /// Bytes of header and nodes.
    pub(crate) node_bytes: u64,
    /// Instances that name other nodes than their root.
    pub(crate) opened_instances: usize,
    /// What a ray meets before it is below the roots of structures.
    pub(crate) cost: f64,
}

/// A TLAS whose nodes have their places, but no contents yet.
#[derive(Debug)]
pub(crate) struct TlasPlan<'a> {
    tlas: &'a Tlas,
    /// For each BLAS, how its instances name it.
    openings: Vec<Opening>,
    bvh: Bvh,
    flat: Flat,
    sections: Sections,
    /// Nodes that an instance takes: RADV has as many bytes of its own behind each.
    nodes_of_instance: u64,
}

/// Gives all nodes of the TLAS their places.
pub(crate) fn plan<'a>(
    tlas: &'a Tlas,
    blases: &[EncodedBlas],
    options: &Options,
) -> Result<TlasPlan<'a>, EncodeError> {
    let level = blases.len();
    if options.rebraid && matches!(options.policy, Policy::Radv | Policy::Hiprt) {
        return Err(EncodeError::Rebraid { policy: options.policy });
    }
    let openings: Vec<Opening> = match options.rebraid {
        true => blases.iter().map(|blas| Opening::new(&blas.root)).collect(),
        false => vec![Opening::default(); level],
    };
    let bvh = if options.rebraid {
        rebraid::bvh(tlas, blases, &openings).map_err(TreeError::regrouped(level))?
    } else {
        one_node_leaves(tlas, blases).map_err(TreeError::regrouped(level))?
    };
    let flat = Flat::new(&bvh);
    let nodes_of_instance = if options.policy == Policy::Radv { 2 } else { 1 };
    let leaves = flat.leaves.len() * nodes_of_instance as usize;
    let counts = NodeCounts { boxes: flat.boxes.len(), leaves };
    let instances = tlas.instances.len();
    let sections = match options.policy {
        Policy::Radv => Sections::radv(level, counts, 1, instances, true),
        Policy::Hiprt => Sections::hiprt(level, counts, instances),
        Policy::Dense | Policy::Gpurt => {
            Sections::gpurt(level, counts, SIDEBAND_BYTES * flat.leaves.len() as u64, instances)
        }
    }?;
    Ok(TlasPlan { tlas, openings, bvh, flat, sections, nodes_of_instance })
}

impl TlasPlan<'_> {
    /// Bytes of the structure.
    pub(crate) fn byte_count(&self) -> u64 {
        self.sections.end
    }

    /// Writes the structure; `blases` have their addresses by now.
    pub(crate) fn write(
        &self,
        blases: &[EncodedBlas],
        address: u64,
        options: &Options,
    ) -> Result<EncodedTop, EncodeError> {
        let Self { tlas, bvh, flat, sections, .. } = self;
        let Options { policy, .. } = *options;
        let contents = contents(bvh, flat, |items| {
            let all = Contents { cull_flags: CullFlags::all(), mask: 0 };
            items.iter().fold(all, |all, &item| {
                let instance = instance_of(tlas, item);
                let own = match policy {
                    Policy::Radv => opacity(instance, &blases[instance.blas as usize]),
                    Policy::Dense | Policy::Gpurt | Policy::Hiprt => CullFlags::empty(),
                };
                // HIPRT's masks are tested by software.
                let mask = if policy == Policy::Hiprt { 0xFF } else { instance.mask };
                Contents { cull_flags: all.cull_flags & own, mask: all.mask | mask }
            })
        });
        let length = self.nodes_of_instance as u8;
        let starts: Vec<RangeStart> = (0..flat.leaves.len() as u32)
            .map(|place| place * u32::from(length))
            .map(|node| RangeStart { node, node_type: INSTANCE_TYPE, length })
            .collect();
        let widened = options.margin.then(|| widened_bounds(bvh, tlas));
        let boxes = Boxes {
            level: blases.len(),
            bvh,
            flat,
            starts: &starts,
            contents: &contents,
            bounds: widened.as_deref(),
            margin: if options.margin { tlas_margin(tlas) } else { Margin::default() },
            sections,
            policy,
            leaf_flags: true,
            orientation: Orientation::Plain,
        };
        let mut segment = Segment::zeroed(address, sections.end as usize);
        let bytes = segment.bytes_mut();
        boxes.write(bytes)?;
        self.write_instances(blases, policy, bytes);
        match policy {
            Policy::Radv => {
                let everything =
                    if flat.leaves.is_empty() { Aabb::EMPTY } else { bvh.root().bounds };
                self.write_radv_header(everything, contents[0].cull_flags, bytes);
            }
            Policy::Hiprt => self.write_hiprt_tables(blases, address, bytes),
            Policy::Dense | Policy::Gpurt => {
                self.write_gpurt_tables(&boxes.node(0)?, options.rebraid, bytes);
            }
        }
        Ok(EncodedTop {
            segment,
            box_count: flat.boxes.len(),
            instance_count: flat.leaves.len(),
            node_bytes: sections.nodes_end,
            opened_instances: self.opened_instances(),
            cost: self.cost(),
        })
    }

    /// Instances that name other nodes than their root.
    fn opened_instances(&self) -> usize {
        let blases = self.tlas.instances.iter().map(|instance| instance.blas as usize);
        blases.filter(|&blas| !self.openings[blas].parts.is_empty()).count()
    }

    /// Box nodes and instance nodes that a ray meets before it is below the roots of structures,
    /// by the surface-area heuristic.
    fn cost(&self) -> f64 {
        let below = references_below(&self.bvh);
        let entries = self.bvh.nodes().iter().zip(below).filter(|(_, below)| *below > 0);
        let costs = entries.map(|(entry, _)| {
            let opening = self.bvh.items(entry).first().map(|&item| self.opening(item));
            let roots = opening.map_or(0.0, |opening| f64::from(opening.parts.is_empty()));
            half_area(&entry.bounds) * (1.0 + roots)
        });
        costs.sum::<f64>() / half_area(&self.bvh.root().bounds)
    }

    /// How the structure of an item is named.
    fn opening(&self, item: u32) -> &Opening {
        &self.openings[instance_of(self.tlas, item).blas as usize]
    }

    /// Writes the instance nodes, and what RADV has behind them.
    fn write_instances(&self, blases: &[EncodedBlas], policy: Policy, structure: &mut [u8]) {
        let stride = (NODE_BYTES * self.nodes_of_instance) as usize;
        let (start, end) = (self.sections.leaves as usize, self.flat.leaves.len() * stride);
        let nodes = structure[start..start + end].par_chunks_exact_mut(stride);
        nodes.enumerate().for_each(|(place, out)| {
            let item = self.item(place);
            let instance = instance_of(self.tlas, item);
            let blas = &blases[instance.blas as usize];
            let parent = self.sections.box_pointer(self.flat.leaf_parents[place]);
            let shown = part_of(item, blas);
            let part = self.opening(item).parts.get(item as usize % ITEMS as usize / 2);
            let node = match policy {
                Policy::Hiprt => hiprt_memory::instance_node(instance, item / ITEMS, blas),
                _ => instance_node(instance, blas, part, shown, parent, policy),
            };
            node.encode().write_bytes(out);
            if let Some(behind) = out.get_mut(NODE_BYTES as usize..) {
                radv_data(instance, item / ITEMS, blas).encode().write_bytes(behind);
            }
        });
    }

    /// Writes the header, one sideband record for each node, and the list of pointers.
    fn write_gpurt_tables(&self, root: &BoxNode, rebraided: bool, structure: &mut [u8]) {
        let Self { tlas, flat, sections, .. } = self;
        let pointers = self.instance_pointers();
        let counts = HeaderCounts {
            is_blas: false,
            primitives: tlas.instances.len(),
            active: pointers.iter().filter(|&&pointer| pointer != NodePointer::INVALID).count(),
            descriptors: tlas.instances.len() as u32,
            procedural: false,
            boxes: flat.boxes.len(),
            leaves: flat.leaves.len(),
            rebraided,
        };
        header(&counts, sections, root).encode().write_bytes(structure);
        let (before, pointer_bytes) = structure.split_at_mut(sections.pointers as usize);
        write_pointers(&pointers, pointer_bytes);
        let records = before[sections.records as usize..].chunks_exact_mut(SIDEBAND_BYTES as usize);
        for (place, out) in records.enumerate() {
            let item = self.item(place);
            sideband(instance_of(tlas, item), item / ITEMS).encode().write_bytes(out);
        }
    }

    /// Writes the header, the only geometry info, and where each instance's node lies.
    fn write_radv_header(&self, bounds: Aabb, flags: CullFlags, structure: &mut [u8]) {
        let Self { tlas, sections, .. } = self;
        let instances = tlas.instances.len();
        let contents = RadvContents {
            geometry_type: radv_memory::INSTANCES,
            geometry_count: 1,
            primitives: instances,
            bounds,
            flags,
            build_flags: 0,
        };
        radv_memory::header(&contents, sections).encode().write_bytes(structure);
        let info = RadvGeometryInfo {
            primitive_count: instances as u32,
            flags: 0,
            geometry_type: radv_memory::INSTANCES,
        };
        info.encode().write_bytes(&mut structure[sections.records as usize..]);
        let places = &mut structure[sections.pointers as usize..][..4 * instances];
        for (out, pointer) in places.chunks_exact_mut(4).zip(self.instance_pointers()) {
            let offset = match pointer {
                NodePointer::INVALID => 0,
                pointer => pointer.byte_offset() as u32,
            };
            out.copy_from_slice(&offset.to_le_bytes());
        }
    }

    /// Writes the header, and for each instance what it places and where.
    fn write_hiprt_tables(&self, blases: &[EncodedBlas], address: u64, structure: &mut [u8]) {
        let Self { tlas, flat, sections, .. } = self;
        let counts = [tlas.instances.len(), flat.leaves.len()];
        let header = hiprt_memory::scene(address, sections, flat.boxes.len(), counts);
        header.encode().write_bytes(structure);
        for (number, instance) in tlas.instances.iter().enumerate() {
            let blas = &blases[instance.blas as usize];
            let (placed, frame) = hiprt_memory::records(instance, number, blas);
            placed.encode().write_bytes(&mut structure[sections.records as usize + 16 * number..]);
            frame.encode().write_bytes(&mut structure[sections.pointers as usize + 64 * number..]);
        }
    }

    /// The item of the leaf at a place.
    fn item(&self, place: usize) -> u32 {
        let entry = &self.bvh.nodes()[self.flat.leaves[place] as usize];
        self.bvh.items(entry)[0]
    }

    /// For each instance, its first instance node.
    fn instance_pointers(&self) -> Vec<NodePointer> {
        let mut pointers = vec![NodePointer::INVALID; self.tlas.instances.len()];
        for place in (0..self.flat.leaves.len()).rev() {
            let units = self.sections.leaf_units(place as u64 * self.nodes_of_instance);
            pointers[(self.item(place) / ITEMS) as usize] =
                NodePointer(units | u32::from(INSTANCE_TYPE));
        }
        pointers
    }
}

/// Items of the rewritten hierarchy for each instance, in order: for each of two parts, its
/// triangles (or all of it) and its procedurals.
pub(super) const ITEMS: u32 = 4;

/// The instance of an item.
pub(super) fn instance_of(tlas: &Tlas, item: u32) -> &Instance {
    &tlas.instances[(item / ITEMS) as usize]
}

/// What RADV says of the opacity of an instance.
fn opacity(instance: &Instance, blas: &EncodedBlas) -> CullFlags {
    if instance.flags.contains(InstanceFlags::FORCE_OPAQUE) {
        CullFlags::ONLY_OPAQUE
    } else if instance.flags.contains(InstanceFlags::FORCE_NON_OPAQUE) {
        CullFlags::ONLY_NON_OPAQUE
    } else {
        blas.opacity
    }
}

/// What the node of an item shows of its structure.
fn part_of(item: u32, blas: &EncodedBlas) -> InstancePart {
    if item % 2 == 1 || !blas.kind.triangles {
        InstancePart::Procedurals
    } else {
        InstancePart::Triangles
    }
}

/// The hierarchy over the first two items of each instance: its triangles, or all of it; and its
/// procedurals, where it has both. One item a leaf. Instances of empty structures are left out, and
/// those that no ray sees.
fn one_node_leaves(tlas: &Tlas, blases: &[EncodedBlas]) -> Result<Bvh, tree::BvhError> {
    let kind = |item: u32| blases[instance_of(tlas, item).blas as usize].kind;
    let is_mixed = |item: u32| kind(item).triangles && kind(item).procedurals;
    // Two neighbours with the same mixed instance are what a decoded pair of nodes looks like.
    let mut paired = vec![false; tlas.bvh.nodes().len()];
    let mut seconds = Vec::new();
    for parent in tlas.bvh.nodes().iter().filter(|entry| !entry.link.is_leaf()) {
        for first in parent.link.range().skip(1).map(|second| second - 1) {
            let [a, b] = [first, first + 1].map(|child| tlas.bvh.items(&tlas.bvh.nodes()[child]));
            if a.len() == 1 && a == b && is_mixed(ITEMS * a[0]) && !paired[first] {
                seconds.push(first + 1);
                (paired[first], paired[first + 1]) = (true, true);
            }
        }
    }
    let gathered = tree::reshape::gather(&tlas.bvh, |leaf| paired[leaf])?;
    let mut entries = gathered.nodes().to_vec();
    let mut references: Vec<u32> = gathered.indices().iter().map(|&item| ITEMS * item).collect();
    for second in seconds {
        references[entries[second].link.range().start] += 1;
    }
    for (entry, paired) in entries.iter_mut().zip(paired) {
        let items = if entry.link.is_leaf() { entry.link.range() } else { 0..0 };
        let items = &references[items];
        let nothing = |&item: &u32| {
            let is_empty = !kind(item).triangles && !kind(item).procedurals;
            is_empty || instance_of(tlas, item).mask == 0
        };
        if entry.link.is_leaf() && items.iter().all(nothing) {
            entry.bounds = Aabb::EMPTY;
        } else if items.iter().any(nothing) || !paired && items.iter().any(|&i| is_mixed(i)) {
            let shown = items.iter().filter(|&item| !nothing(item)).flat_map(|&item| {
                let second = is_mixed(item).then_some(item + 1);
                std::iter::once(item).chain(second)
            });
            let shown: Vec<u32> = shown.collect();
            entry.link = tree::NodeLink::leaf(references.len() as u32, shown.len());
            references.extend(shown);
        }
    }
    let bvh = Bvh::new(entries, references, ITEMS as usize * tlas.instances.len())?;
    let divide = |items: &[u32], leaf: &Aabb| {
        let part = |&item: &u32| {
            let instance = instance_of(tlas, item);
            let root = blases[instance.blas as usize].bounds;
            // The transform was found to be invertible.
            let own = instance.world_bounds(&root).unwrap_or(*leaf).intersection(*leaf);
            (vec![item], if own.is_empty() { *leaf } else { own })
        };
        items.iter().map(part).collect()
    };
    tree::reshape::split_leaves(&bvh, |items| items.len() <= 1, divide)
        .map(std::borrow::Cow::into_owned)
}

/// The boxes of all entries with room for the rounding of the transforms below them.
fn widened_bounds(bvh: &Bvh, tlas: &Tlas) -> Vec<Aabb> {
    let world = tlas.bvh.root().bounds;
    let below = references_below(bvh);
    let mut bounds: Vec<Aabb> = bvh
        .nodes()
        .par_iter()
        .map(|entry| {
            let margins = bvh
                .items(entry)
                .iter()
                .map(|&item| transform_margin(instance_of(tlas, item), &world));
            widen(&entry.bounds, margins.fold(0.0, f32::max))
        })
        .collect();
    for (index, entry) in bvh.nodes().iter().enumerate().rev() {
        if !entry.link.is_leaf() {
            let held = entry.link.range().filter(|&child| below[child] > 0);
            bounds[index] = held.fold(bounds[index], |all, child| all.union(bounds[child]));
        }
    }
    bounds
}
