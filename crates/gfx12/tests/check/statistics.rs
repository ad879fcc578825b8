//! RADV's figures, by its own formula over the bytes, written down a second time.

use super::worlds::{scene, tree};
use build::Preset;
use gfx12::check::check;
use gfx12::encode::{Options, Policy, encode};
use gfx12::layout::{Bits, RadvHeader};
use gfx12::stats::statistics;
use machine::{Image, Segment};
use scene::builtin::Builtin;
use std::collections::HashMap;

#[derive(Default)]
struct Figures {
    depth: u32,
    boxes: u32,
    primitives: u32,
    instances: u32,
    sah: f32,
    instance_sah: f32,
}

fn word(segment: &Segment, at: usize) -> u32 {
    u32::from_le_bytes(segment.bytes()[at..at + 4].try_into().unwrap())
}

/// The driver's recursion.
fn gather(
    segment: &Segment,
    base: usize,
    id: u32,
    depth: u32,
    area: f32,
    below: &HashMap<u64, f32>,
    figures: &mut Figures,
) {
    figures.depth = figures.depth.max(depth);
    let at = base + ((id & !15) << 3) as usize;
    match id & 15 {
        5 => {
            figures.boxes += 1;
            figures.sah = (f64::from(figures.sah) + 0.5 * f64::from(area)) as f32;
            let exponents = word(segment, at + 24);
            if exponents >> 28 == 15 {
                return;
            }
            let [mut internal, mut leaf] = [word(segment, at), word(segment, at + 4)];
            let extent = |axis: u32| f32::from_bits((exponents >> (8 * axis) & 0xFF) << 23);
            for slot in 0..=(exponents >> 28) as usize {
                let [a, b, c] = [0, 4, 8].map(|k| word(segment, at + 32 + 12 * slot + k));
                let low = [a & 0xFFF, a >> 12 & 0xFFF, b & 0xFFF];
                let high = [b >> 12 & 0xFFF, c & 0xFFF, c >> 12 & 0xFFF];
                let size: Vec<f32> = (0..3)
                    .map(|axis| {
                        let scale = extent(axis as u32);
                        (high[axis] + 1) as f32 / 4096.0 * scale - low[axis] as f32 / 4096.0 * scale
                    })
                    .collect();
                let area = 2.0 * (size[0] * size[1] + size[0] * size[2] + size[1] * size[2]);
                let kind = c >> 24 & 15;
                let class = if kind == 5 { &mut internal } else { &mut leaf };
                let child = *class | kind;
                *class += (c >> 28) << 4;
                gather(segment, base, child, depth + 1, area, below, figures);
            }
        }
        6 => {
            figures.instances += 1;
            figures.sah = (f64::from(figures.sah) + 0.7 * f64::from(area)) as f32;
            let base = u64::from(word(segment, at + 48)) | u64::from(word(segment, at + 52)) << 32;
            let address = (base & ((1 << 54) - 1)) << 3;
            let offset = u64::from(word(segment, at + 128 + 12 * 4 + 8));
            let sah = below.get(&(address - offset));
            figures.instance_sah += sah.map_or(0.0, |sah| sah * area);
        }
        kind => {
            figures.primitives += u32::from(kind == 0);
            figures.sah = (f64::from(figures.sah) + f64::from(area)) as f32;
        }
    }
}

fn area(header: &RadvHeader) -> f32 {
    let [x, y, z] = [0, 1, 2].map(|axis| header.root_max[axis] - header.root_min[axis]);
    2.0 * (x * y + x * z + y * z)
}

/// Lines as the driver writes them, BLASes first.
fn lines(image: &Image) -> Vec<[u64; 8]> {
    let mut below = HashMap::new();
    let mut lines = Vec::new();
    for is_top in [false, true] {
        for segment in &image.segments {
            let header = RadvHeader::decode(&Bits::from_bytes(&segment.bytes()[..136]));
            if (header.instance_count > 0) != is_top {
                continue;
            }
            let (mut figures, area) = (Figures::default(), area(&header));
            let base = header.bvh_offset as usize;
            gather(segment, base, 5, 1, area, &below, &mut figures);
            let cut = |sah: f32| u64::from((sah / area * 1e6) as u32);
            let scene = if is_top { cut(figures.sah + figures.instance_sah) } else { 0 };
            below.insert(segment.address, figures.sah / area);
            lines.push([
                segment.bytes().len() as u64,
                header.compacted_size,
                figures.depth.into(),
                figures.boxes.into(),
                figures.primitives.into(),
                figures.instances.into(),
                cut(figures.sah),
                scene,
            ]);
        }
    }
    lines
}

#[test]
fn figures_are_those_of_the_driver() {
    let scenes =
        [Builtin::Interior.scene(3_000), Builtin::Forest.scene(900), scene("instanced", 9)];
    for (number, scene) in scenes.iter().chain(&[scene("empty", 1)]).enumerate() {
        let tree = tree(scene, Preset::Balanced);
        let image = encode(&tree, &Options::new(Policy::Radv)).unwrap().image;
        let found = statistics(&check(image.clone()).checked.unwrap());
        let found: Vec<Vec<u64>> =
            found.iter().map(|one| one.figures.iter().map(|(_, value)| *value).collect()).collect();
        let expected: Vec<Vec<u64>> = lines(&image).iter().map(|line| line.to_vec()).collect();
        assert_eq!(found, expected, "scene {number}");
        assert!(found.iter().any(|line| line[6] > 1_000_000) || number == 3);
    }
}

/// What the driver leaves out: slots, pairs, overlap, and triangles without opacity flags.
#[test]
fn more_figures() {
    let tree = tree(&Builtin::Organic.scene(2_000), Preset::Balanced);
    let image = encode(&tree, &Options::new(Policy::Radv)).unwrap().image;
    let found = statistics(&check(image).checked.unwrap());
    let more = |name| found[0].more.iter().find(|(known, _)| *known == name).unwrap().1;
    assert!((2.0..=8.0).contains(&more("slots_per_box")));
    assert!((1.0..=8.0).contains(&more("pairs_per_node")));
    assert!(more("primitives_per_node") >= more("pairs_per_node"));
    assert!((0.0..4.0).contains(&more("overlap")));
    assert!(more("missed_culling") > 100.0);
}
