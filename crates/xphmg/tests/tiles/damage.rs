//! Random damage: what passes the check can be decoded and walked, and nothing panics.

use super::support::{checked, tree};
use geometry::{Ray, Vec3};
use machine::{Checked, EntryState, Format, HitKind, Machine, RayQuery, TreeFormat};
use proptest::prelude::*;
use scene::builtin::Builtin;
use std::sync::Arc;
use xphmg::machines::{Offload, TilesImage};
use xphmg::tiles::describe::describe;
use xphmg::tiles::outline::outline;
use xphmg::{Precision, Tiles};

/// A flip in the header can make another node the first one; what nothing leads to then is not
/// proved, and no business of blocks.
#[test]
fn blocks_hold_what_the_first_node_leads_to() {
    let mut sound = 0;
    let formats = Precision::ALL.map(|precision| (Builtin::Organic, precision));
    for (builtin, precision) in formats.into_iter().chain([(Builtin::Forest, Precision::Fp32)]) {
        let tree = tree(&builtin.scene(30));
        let image = checked(&tree, &Tiles::new(precision)).image().clone();
        // The header and the first node.
        for bit in 0..8 * 128 {
            let mut image = image.clone();
            image.segments[0].bytes_mut()[bit / 8] ^= 1 << (bit % 8);
            if let Some(checked) = Tiles::check(image).checked {
                assert_blocks_are_the_tree(&checked);
                sound += 1;
            }
        }
    }
    assert!(sound > 1000, "{sound} of the images are sound");
}

fn assert_blocks_are_the_tree(checked: &Checked<Tiles>) {
    let blocks = Tiles::blocks(checked).unwrap();
    let tree = Tiles::decode(checked);
    let levels = tree.blases.iter().map(|blas| &blas.bvh).chain(tree.tlas.iter().map(|t| &t.bvh));
    let (mut nodes, mut items) = (0, Vec::new());
    for (bvh, level) in levels.zip(&blocks.levels) {
        assert_eq!(level.bounds, bvh.root().bounds);
        nodes += bvh.nodes().len() - 1;
        items.extend_from_slice(bvh.indices());
    }
    let mut found = blocks.items;
    found.sort_unstable();
    items.sort_unstable();
    assert_eq!((blocks.nodes.len(), found), (nodes, items));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn flipped_bits_do_no_harm(
        precision in prop::sample::select(&Precision::ALL[..]),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0u32..8), 1..6),
        in_header in any::<bool>(),
        is_instanced in any::<bool>(),
    ) {
        let format = Tiles::new(precision);
        let builtin = if is_instanced { Builtin::Forest } else { Builtin::Organic };
        let mut image = checked(&tree(&builtin.scene(60)), &format).image().clone();
        let bytes = image.segments[0].bytes_mut();
        let length = if in_header { 64 } else { bytes.len() };
        for (place, bit) in flips {
            bytes[place.index(length)] ^= 1 << bit;
        }
        let outline = outline(&image);
        let most = 2 + 8 * outline.total("nodes") + 2 * outline.total("instances");
        prop_assert!(outline.entries.len() as u64 <= most);
        for entry in &outline.entries {
            let described = describe(&image, entry.node);
            prop_assert_eq!(described.is_ok(), entry.state != EntryState::Outside);
        }
        if let Some(checked) = Tiles::check(image).checked {
            assert_blocks_are_the_tree(&checked);
            let machine = Offload::new(TilesImage::new(Arc::new(checked)));
            let ray = Ray::new(Vec3::new(-9.0, 0.25, 0.5), Vec3::new(1.0, 0.02, 0.01));
            for kind in HitKind::ALL {
                machine.answer(&RayQuery::new(kind, ray).into()).unwrap();
            }
        }
    }
}
