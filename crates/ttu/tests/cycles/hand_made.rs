//! Blocks made by hand, whose cycles can be counted on paper.

use geometry::{Aabb, Ray, Triangle, TriangleRule, Vec3};
use machine::blocks::{
    Block, BlockImage, BlockLead, BlockLevel, BlockNode, CellBox, Frame, MemoryRange,
};
use machine::{HitKind, Query, TreeFormat};
use std::ops::ControlFlow;
use std::sync::Arc;
use tree::{Blas, Bvh, Node, NodeLink, PrimitiveFlags, PrimitiveId, Primitives, Tree};
use ttu::run::Options;
use ttu::{Config, Run, World, simulate};

/// A leaf of one item that takes no memory.
const LEAF: BlockLead =
    BlockLead::Items { first: 0, count: 1, memory: MemoryRange { address: 0, bytes: 0 } };

/// The box of child `j`: the ray through `y = 4 j + 1` meets it and no other.
fn child_box(j: usize) -> CellBox {
    let y = 4.0 * j as f32;
    CellBox { min: [2.0, y, 0.0], max: [5.0, y + 2.0, 2.0] }
}

/// The ray that meets child `j` only.
pub(crate) fn ray_at(j: usize) -> Query {
    let ray = Ray::new(Vec3::new(0.0, 4.0 * j as f32 + 1.0, 1.0), Vec3::new(1.0, 0.0, 0.0));
    Query::ray(HitKind::All, ray)
}

fn block(number: usize, first_node: usize, nodes: usize, root_children: usize) -> Block {
    Block {
        address: 128 * number as u64,
        bytes: 128,
        frame: Frame::GLOBAL,
        root: Some(CellBox { min: [2.0, 0.0, 0.0], max: [5.0, 40.0, 2.0] }),
        first_node: first_node as u32,
        node_count: nodes as u8,
        root_children: root_children as u8,
    }
}

/// `length` blocks of `k` children; each child leads to the next block, or, in the last, to a leaf.
pub(crate) fn chain(length: usize, k: usize) -> World {
    let mut image = BlockImage::default();
    for number in 0..length {
        image.blocks.push(block(number, image.nodes.len(), k, k));
        for j in 0..k {
            let lead = if number + 1 < length { BlockLead::Block(number as u32 + 1) } else { LEAF };
            image.nodes.push(BlockNode { cells: child_box(j), mask: 0xFF, lead });
        }
    }
    world(image)
}

/// A block whose child `j` leads to a chain of `length` blocks of its own, all met by `ray_at(j)`.
pub(crate) fn chains(length: usize) -> World {
    let mut image = BlockImage::default();
    let first_of = |j: usize| 1 + j * length;
    image.blocks.push(block(0, 0, 8, 8));
    let mut leads: Vec<BlockLead> = (0..8).map(|j| BlockLead::Block(first_of(j) as u32)).collect();
    for number in 1..first_of(8) {
        image.blocks.push(block(number, 8 * number, 8, 8));
        let lead = match number % length {
            0 => LEAF,
            _ => BlockLead::Block(number as u32 + 1),
        };
        leads.extend([lead; 8]);
    }
    let node = |(n, lead)| BlockNode { cells: child_box(n % 8), mask: 0xFF, lead };
    image.nodes = leads.into_iter().enumerate().map(node).collect();
    world(image)
}

/// One block with a chain of `depth` nodes inside, each the only child of the one above.
pub(crate) fn nested(depth: usize) -> World {
    let mut image = BlockImage::default();
    image.blocks.push(block(0, 0, depth, 1));
    for n in 0..depth {
        let lead =
            if n + 1 < depth { BlockLead::Inside { first: n as u8 + 1, count: 1 } } else { LEAF };
        image.nodes.push(BlockNode { cells: child_box(0), mask: 0xFF, lead });
    }
    world(image)
}

/// One block whose `k` children are leaves in the same place: a ray meets all or none.
pub(crate) fn crowd(k: usize, met: usize) -> World {
    let mut image = BlockImage::default();
    image.blocks.push(block(0, 0, k, k));
    for j in 0..k {
        let cells = child_box(if j < met { 0 } else { 5 });
        let lead = LEAF;
        image.nodes.push(BlockNode { cells, mask: 0xFF, lead });
    }
    world(image)
}

/// One block whose `k` children are leaves of `bytes` each in memory; a ray meets all.
pub(crate) fn leaves_in_memory(k: usize, bytes: u32) -> World {
    let mut image = BlockImage::default();
    image.blocks.push(block(0, 0, k, k));
    for j in 0..k {
        let address = 4096 + u64::from(bytes) * j as u64;
        let memory = MemoryRange { address, bytes };
        let lead = BlockLead::Items { first: 0, count: 1, memory };
        image.nodes.push(BlockNode { cells: child_box(0), mask: 0xFF, lead });
    }
    world(image)
}

/// One block with one leaf: three references in memory, and the items that they name elsewhere.
pub(crate) fn leaf_of_references() -> World {
    let mut image = BlockImage::default();
    image.blocks.push(block(0, 0, 1, 1));
    let memory = MemoryRange { address: 4096, bytes: 12 };
    let lead = BlockLead::Items { first: 0, count: 3, memory };
    image.nodes.push(BlockNode { cells: child_box(0), mask: 0xFF, lead });
    let item = |address| MemoryRange { address, bytes: 12 };
    image.item_memory = vec![item(8192), item(8204), item(8192 + 128 + 28)];
    world(image)
}

/// Blocks of `k` children, all of which a ray meets; each leads to the one block below, `depth`
/// levels deep.
pub(crate) fn bush(depth: usize, k: usize) -> World {
    let mut image = BlockImage::default();
    for number in 0..depth {
        image.blocks.push(block(number, image.nodes.len(), k, k));
        for _ in 0..k {
            let lead = match number + 1 {
                next if next < depth => BlockLead::Block(next as u32),
                _ => LEAF,
            };
            image.nodes.push(BlockNode { cells: child_box(0), mask: 0xFF, lead });
        }
    }
    world(image)
}

/// One block with two children: a leaf whose triangle `ray_at(0)` meets at `t = 3`, and a chain of
/// nodes inside the block that ends in a leaf entered at `t = 4`.
pub(crate) fn near_and_far() -> World {
    let mut image = BlockImage::default();
    image.blocks.push(block(0, 0, 5, 2));
    let leaf = LEAF;
    let far = CellBox { min: [4.0, 0.0, 0.0], ..child_box(0) };
    let chain = (2..5).map(|first| (far, BlockLead::Inside { first, count: 1 }));
    let all = [(child_box(0), leaf)].into_iter().chain(chain).chain([(far, leaf)]);
    image.nodes = all.map(|(cells, lead)| BlockNode { cells, mask: 0xFF, lead }).collect();
    world_around(image, Vec3::new(3.0, 0.5, 0.5))
}

fn world(image: BlockImage) -> World {
    world_around(image, Vec3::new(3.0, 90.0, 1.0))
}

/// A world whose only triangle has this corner.
fn world_around(mut image: BlockImage, corner: Vec3) -> World {
    image.items = vec![0; image.item_memory.len().max(1)];
    let bounds = Aabb::new(Vec3::new(2.0, 0.0, 0.0), Vec3::new(5.0, 40.0, 2.0));
    image.levels = vec![BlockLevel { root: Some(0), bounds }];
    let triangle = Triangle::new(corner, corner + 2.0 * Vec3::Y, corner + 2.0 * Vec3::Z);
    let id = PrimitiveId { geometry: 0, primitive: 0, flags: PrimitiveFlags::OPAQUE };
    let primitives = Primitives { triangles: vec![triangle], boxes: Vec::new(), ids: vec![id] };
    let root = Node { bounds, link: NodeLink::leaf(0, 1) };
    let bvh = Bvh::new(vec![root], vec![0], 1).unwrap();
    let tree = Tree { blases: vec![Blas { primitives, bvh }], tlas: None };
    World::of_blocks(&image, Arc::new(tree), TriangleRule::Watertight).unwrap()
}

/// A tree in a format, checked and decoded.
pub(crate) fn laid_out<F: TreeFormat>(format: &F, tree: &Tree, rule: TriangleRule) -> World {
    let image = F::check(format.encode(tree).unwrap()).checked.unwrap();
    World::new(&image, rule).unwrap()
}

/// A run, or the panic of a test.
pub(crate) fn run(world: &World, settings: &[&str], queries: &[Query]) -> Run {
    let config = Config::default().with_all(settings).unwrap();
    simulate(world, &config, queries, Options::default(), &|_| ControlFlow::Continue(())).unwrap()
}

/// Cycles of a lone query from its first beat until it leaves the state "launched" for good.
pub(crate) fn latency(world: &World, settings: &[&str], query: Query) -> u64 {
    run(world, settings, &[query]).traversal_latencies.max()
}
