//! Every link that a walk can take leads to a node of the image, and every instance node has a
//! number.
//!
//! A check has proved that already. It is proved here once more, because what follows from it in
//! this crate is not an error but a wrong answer: all links are followed once, each node only the
//! first time.

use super::source::used_children;
use super::{Instances, Root};
use crate::TraceError;
use gfx12::layout::{BoxNode, NODE_BYTES, NodeBits, NodeKind, NodePointer, PrimitiveNode};
use machine::Image;
use std::collections::HashSet;

/// Follows all links of the structures.
///
/// # Errors
/// The first link that leads nowhere.
pub(super) fn prove(
    image: &Image,
    structures: &[Root],
    instances: Option<&Instances>,
) -> Result<(), TraceError> {
    let walked = structures.iter().filter(|root| !root.bounds.is_empty());
    walked.into_iter().try_for_each(|root| prove_structure(image, root, instances))
}

fn prove_structure(
    image: &Image,
    root: &Root,
    instances: Option<&Instances>,
) -> Result<(), TraceError> {
    let (mut seen, mut open) = (HashSet::new(), vec![root.structure.root]);
    while let Some(pointer) = open.pop() {
        if !seen.insert(pointer.0) {
            continue;
        }
        let address = root.structure.address_of(pointer);
        let dangling = TraceError::Dangling { pointer: pointer.0, address };
        match pointer.kind() {
            NodeKind::Box => {
                let node = BoxNode::decode(&bits(image, address).ok_or(dangling)?);
                open.extend(used_children(&node).map(|(_, link)| link));
            }
            NodeKind::Primitive { .. } => {
                let node = PrimitiveNode::decode(&bits(image, address).ok_or(dangling)?);
                if !stops(&node, pointer) {
                    open.push(pointer.advance(true));
                }
            }
            NodeKind::Instance => {
                let instances = instances.filter(|found| {
                    let number = found.number(pointer);
                    number.is_some_and(|number| number < found.tlas.instances.len())
                });
                instances.ok_or(dangling)?;
            }
            NodeKind::Unused => (),
        }
    }
    Ok(())
}

/// Whether a range ends in this node.
fn stops(node: &PrimitiveNode, pointer: NodePointer) -> bool {
    let mut pairs = usize::from(pointer.pair())..node.pair_count();
    pairs.any(|pair| node.pair(pair).prim_range_stop)
}

fn bits(image: &Image, address: u64) -> Option<NodeBits> {
    image.get(address, NODE_BYTES as usize).map(NodeBits::from_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Level, Pointer, Tlas};
    use geometry::Aabb;
    use gfx12::Gfx12;
    use gfx12::decode::{Survey, instance_numbers};
    use gfx12::encode::{Options, Policy};
    use machine::instance_dilation::InstanceDilation;
    use machine::{Format, Segment, TreeFormat};
    use scene::builtin::Builtin;
    use tree::Tree;

    fn encoded(builtin: Builtin) -> (Image, Tree) {
        let keep_going = |_| std::ops::ControlFlow::Continue(());
        let built = build::build(&builtin.scene(500), &build::Options::default(), &keep_going);
        let tree = built.unwrap().tree;
        let format = Gfx12 { options: Options::new(Policy::Dense) };
        (format.encode(&tree).unwrap(), tree)
    }

    fn roots(image: &Image, bounds: Aabb) -> Vec<Root> {
        let structures = Survey::new(image).structures;
        let root = |structure| Root { structure, segment: 0, bounds };
        structures.iter().map(|found| root(found.structure)).collect()
    }

    #[test]
    fn an_image_that_was_cut_off_is_refused() {
        let (mut image, tree) = encoded(Builtin::Organic);
        let roots = roots(&image, tree.bounds());
        assert!(prove(&image, &roots, None).is_ok());
        let Segment { address, .. } = image.segments[0];
        let bytes = image.segments[0].bytes();
        image.segments[0] = Segment::new(address, &bytes[..bytes.len() / 256 * 128]);
        let end = image.segments[0].bytes().len() as u64 + address;
        let refused = prove(&image, &roots, None);
        assert!(
            matches!(refused, Err(TraceError::Dangling { address, .. }) if address + 128 > end)
        );
    }

    #[test]
    fn an_instance_without_a_number_is_refused() {
        let (image, tree) = encoded(Builtin::Forest);
        let roots = roots(&image, tree.bounds());
        let tlas = tree.tlas.unwrap();
        let mut numbers = instance_numbers(&Gfx12::check(image.clone()).checked.unwrap());
        numbers.sort_unstable();
        let instances = |numbers| {
            let level = Level { root: Pointer::DONE, bounds: tree_bounds(&tlas) };
            let (instances, dilation) = (tlas.instances.clone(), InstanceDilation::new(&tlas));
            Instances { tlas: Tlas { level, instances, dilation }, numbers }
        };
        assert!(prove(&image, &roots, Some(&instances(numbers.clone()))).is_ok());
        assert!(prove(&image, &roots, None).is_err(), "nobody has numbers");
        let lost = numbers.remove(numbers.len() / 2).0;
        let refused = prove(&image, &roots, Some(&instances(numbers.clone())));
        assert!(matches!(refused, Err(TraceError::Dangling { pointer, .. }) if pointer == lost.0));
        numbers.push((lost, tlas.instances.len() as u32));
        numbers.sort_unstable();
        assert!(prove(&image, &roots, Some(&instances(numbers))).is_err(), "a number too large");
    }

    fn tree_bounds(tlas: &tree::Tlas) -> Aabb {
        tlas.bvh.root().bounds
    }
}
