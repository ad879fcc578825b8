//! Every structure of an image, from its header down. The image may be unsound: nothing is followed
//! that does not lead to memory, and no node, range or triangle is listed twice.

use super::contents::Contents;
use super::header::HEADER_BYTES;
use super::target::Target;
use crate::layout::records::triangle_bytes;
use machine::{EntryState, Image, Outline, OutlineEntry, PrimitiveRef, Total};
use std::collections::HashSet;
use tree::PrimitiveId;

/// Everything in the image, in the order of a walk that goes deep first.
#[must_use]
pub fn outline(image: &Image) -> Outline {
    let mut outline = Outline::default();
    if image.get(image.root, HEADER_BYTES).is_none() {
        return outline;
    }
    let node = Target::Header.reference(image);
    outline.entries.push(OutlineEntry {
        depth: 0,
        slot: 0,
        node,
        kind: Target::Header.kind(),
        address: image.root,
        bytes: HEADER_BYTES,
        state: EntryState::Read,
        primitives: 0..0,
    });
    if let Some(contents) = &Contents::new(image) {
        let size = triangle_bytes(contents.policy.format);
        let stored = (image.byte_count() / size).min(contents.header.triangles as usize);
        let mut walk =
            Walk { image, contents, outline, seen: HashSet::new(), triangles: vec![false; stored] };
        walk.run();
        outline = walk.outline;
    }
    let count = |kind: &str, state: EntryState| {
        let entries = outline.entries.iter();
        entries.filter(|entry| entry.kind == kind && entry.state == state).count() as u64
    };
    let outside = outline.entries.iter().filter(|entry| entry.state == EntryState::Outside).count();
    let total = |name, label, count| Total { name, label, count };
    outline.totals = vec![
        total("nodes", "nodes", count("node", EntryState::Read)),
        total("ranges", "ranges", count("range", EntryState::Read)),
        total("instances", "instances", count("instance", EntryState::Read)),
        total("triangles", "triangles", outline.primitives.len() as u64),
        total("outside", "pointers to nowhere", outside as u64),
    ];
    outline
}

struct Walk<'a> {
    image: &'a Image,
    contents: &'a Contents<'a>,
    outline: Outline,
    /// Nodes and ranges that were read.
    seen: HashSet<Target>,
    /// Triangles that were listed.
    triangles: Vec<bool>,
}

impl Walk<'_> {
    fn run(&mut self) {
        let mut open = vec![(1, 0, Target::Node(0, 0))];
        while let Some((depth, slot, target)) = open.pop() {
            let (address, bytes) = target.place(self.image, self.contents);
            let state = match self.contents.bytes(address, bytes) {
                None => EntryState::Outside,
                Some(_) if self.seen.insert(target) => EntryState::Read,
                Some(_) => EntryState::Again,
            };
            let first = self.outline.primitives.len();
            match target {
                Target::Node(level, number) if state == EntryState::Read => {
                    let contents = self.contents.level(level);
                    let children = 0..contents.shape.width();
                    open.extend(children.rev().filter_map(|slot| {
                        let child = contents.child(number, slot);
                        let target = Target::of_child(self.contents, level, &child)?;
                        Some((depth + 1, slot as u32, target))
                    }));
                }
                Target::Range(level, index) if state == EntryState::Read => self.list(level, index),
                Target::Instance(index) if state == EntryState::Read => {
                    let number = self.contents.instance_number(index);
                    let record = number.and_then(|number| self.contents.instance(number));
                    let known = record.filter(|it| it.blas < self.contents.header.blases);
                    open.extend(known.map(|it| (depth + 1, 0, Target::Blas(it.blas))));
                }
                Target::Blas(number) if state == EntryState::Read => {
                    open.push((depth + 1, 0, Target::Node(number + 1, 0)));
                }
                _ => (),
            }
            let primitives = first..self.outline.primitives.len();
            let (node, kind) = (target.reference(self.image), target.kind());
            let entry = OutlineEntry { depth, slot, node, kind, address, bytes, state, primitives };
            self.outline.entries.push(entry);
        }
    }

    /// Lists the triangles of a range up to the first that another range has.
    fn list(&mut self, level: u32, index: u32) {
        let range = self.contents.level(level).range(index);
        for number in range.first..range.first.saturating_add(range.count) {
            match self.triangles.get_mut(number as usize) {
                Some(listed) if !*listed => *listed = true,
                _ => return,
            }
            let PrimitiveId { geometry, primitive, .. } = self.contents.id(number);
            self.outline.primitives.push(PrimitiveRef { geometry, primitive });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tiles::describe::describe;
    use crate::tiles::{Precision, Tiles, encode};
    use geometry::random::Random;

    /// Damaged bytes end the walk, and no panic does; whatever was read can be described.
    #[test]
    fn damage_is_walked_around() {
        let scene = scene::builtin::Builtin::Organic.scene(300);
        let tree = build::Options::default().build(&scene).unwrap();
        let mut random = Random(7);
        for precision in Precision::ALL {
            let sound = encode::encode(&tree, &Tiles::new(precision)).unwrap();
            let all = outline(&sound);
            assert!(all.entries.iter().all(|entry| entry.state == EntryState::Read));
            assert_eq!(all.primitives.len(), scene.triangle_count());
            for round in 0..200 {
                let mut damaged = sound.clone();
                let bytes = damaged.segments[0].bytes_mut();
                let end = if round % 2 == 0 { HEADER_BYTES } else { bytes.len() };
                for _ in 0..4 {
                    bytes[random.below(end)] = random.bits() as u8;
                }
                let outline = outline(&damaged);
                let most = 2 + 8 * outline.total("nodes") + 2 * outline.total("instances");
                assert!(outline.entries.len() as u64 <= most);
                for entry in outline.entries {
                    let is_described = describe(&damaged, entry.node).is_ok();
                    assert_eq!(is_described, entry.state != EntryState::Outside);
                }
            }
        }
    }
}
