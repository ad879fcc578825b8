//! Random damage: what passes the check can be decoded and walked, and nothing panics.

use super::support::{checked, tree};
use geometry::{Ray, Vec3};
use machine::{EntryState, Format, HitKind, Machine, RayQuery};
use proptest::prelude::*;
use scene::builtin::Builtin;
use std::sync::Arc;
use xphmg::machines::{Offload, TilesImage};
use xphmg::tiles::describe::describe;
use xphmg::tiles::outline::outline;
use xphmg::{Precision, Tiles};

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
            let machine = Offload::new(TilesImage::new(Arc::new(checked)));
            let ray = Ray::new(Vec3::new(-9.0, 0.25, 0.5), Vec3::new(1.0, 0.02, 0.01));
            for kind in HitKind::ALL {
                machine.answer(&RayQuery::new(kind, ray).into()).unwrap();
            }
        }
    }
}
