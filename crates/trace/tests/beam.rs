//! The box kernels for beams give the bits of the scalar form.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use geometry::Beam;
use geometry::beam::construct::Corners;
use geometry::beam::generate::{Encounter, Generator};
use geometry::random::Random;
use trace::Kernel;
use trace::beam::{Boxes, GROUP};

#[test]
fn kernels_equal_the_scalar_form() {
    let mut random = Random(51);
    let (mut hits, mut misses) = (0, 0);
    for generator in Generator::ALL {
        for round in 0..400 {
            let mut draw = || generator.encounter(&mut || random.bits());
            let mut encounters: Vec<Encounter> = (0..40 + round % 9).map(|_| draw()).collect();
            if round % 4 == 0 {
                close(&mut encounters[0].corners);
            }
            let boxes: Vec<_> = encounters.iter().map(|encounter| encounter.bounds).collect();
            let laid_out = Boxes::new(&boxes);
            assert_eq!((laid_out.len(), laid_out.get(39)), (boxes.len(), boxes[39]));
            // The beams of a few of them against the boxes of all.
            for Encounter { corners, .. } in &encounters[..4] {
                let beam = Beam::new_shrinking(corners).unwrap();
                let met = compare(&beam, &laid_out);
                hits += met;
                misses += boxes.len() - met;
            }
        }
    }
    assert!(hits > 20_000 && misses > 20_000, "{hits} {misses}");
}

/// Turns an axis of a beam into one that closes, so that the fourth case is seen.
fn close(corners: &mut Corners) {
    corners.upper_direction.y = -0.25 * (corners.upper_origin.y - corners.lower_origin.y).abs();
    corners.lower_direction.y = 0.0;
    corners.tmax = corners.tmin.max(1.0);
    if corners.tmax > 4.0 {
        corners.upper_direction.y = 0.0;
    }
}

/// Compares every kernel with the scalar form on every box; returns how many are met.
fn compare(beam: &Beam, boxes: &Boxes) -> usize {
    let expected: Vec<_> = (0..boxes.len()).map(|index| beam.bounds(&boxes.get(index))).collect();
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
        let mut met = vec![0; boxes.groups()];
        kernel.meets(beam, boxes, &mut met);
        for (group, met) in met.iter().enumerate() {
            let computed = kernel.bounds(beam, boxes, group);
            for (lane, got) in computed.iter().enumerate() {
                let is_met = met >> lane & 1 == 1;
                match expected.get(group * GROUP + lane) {
                    Some(scalar) => {
                        let bits = |o: &geometry::beam::Overlap| [o.lo, o.hi].map(f32::to_bits);
                        assert_eq!(bits(got), bits(scalar), "{kernel} {beam:?}");
                        assert_eq!(is_met, scalar.is_hit(), "{kernel} {beam:?}");
                    }
                    None => assert!(!is_met, "padding is never met"),
                }
            }
        }
    }
    expected.iter().filter(|overlap| overlap.is_hit()).count()
}

#[test]
fn some_kernel_is_the_fastest() {
    assert!(Kernel::fastest().is_available());
    assert_eq!(Kernel::ALL.map(Kernel::name), ["plain", "simd128", "neon", "avx2", "avx512"]);
}
