//! The box tests, on cases that are likely to go wrong.

use geometry::Beam;
use geometry::beam::construct::Corners;
use geometry::beam::decide::Verdict;
use geometry::beam::explain::explain;
use geometry::beam::generate::{Encounter, Generator};
use geometry::beam::{check_box, naive, oracle};
use geometry::exact::rational;
use geometry::random::Random;
use geometry::slab::widen;

fn encounters(generator: Generator, seed: u64, count: usize) -> impl Iterator<Item = Encounter> {
    let mut random = Random(seed);
    (0..count).map(move |_| generator.encounter(&mut || random.bits()))
}

fn beam(encounter: &Encounter) -> Beam {
    check_box(&encounter.bounds).unwrap();
    Beam::new(&encounter.corners).unwrap()
}

/// The guarantee of B-1 ends at an entry of `2^127`.
fn is_guaranteed(first: &num_rational::BigRational) -> bool {
    *first <= geometry::exact::rational(2f32.powi(127))
}

#[test]
fn no_exact_hit_is_missed_and_three_oracles_agree() {
    for generator in Generator::ALL {
        let (mut hits, mut misses, mut integers) = (0, 0, 0);
        for encounter in encounters(generator, 11, 4000) {
            let Encounter { corners, bounds } = &encounter;
            let beam = beam(&encounter);
            let exact = oracle::by_bounds(corners, bounds);
            let first = oracle::by_events(corners, bounds);
            assert_eq!(exact.as_ref().map(|(first, _)| first.clone()), first, "{encounter:?}");
            if let Some(verdict) = oracle::by_integers(corners, bounds) {
                assert_eq!(verdict, exact.is_some(), "{encounter:?}");
                integers += 1;
            }
            let computed = beam.overlap(bounds);
            match exact {
                Some((first, _)) if is_guaranteed(&first) => {
                    let overlap = computed.expect("a hit is never missed");
                    let lower = geometry::exact::rational(beam.t_lower(&overlap));
                    assert!(lower <= first, "{encounter:?}");
                    assert!(beam.decide(bounds).is_hit(), "{encounter:?}");
                    hits += 1;
                }
                Some(_) => {}
                None => {
                    assert!(!beam.decide(bounds).is_hit(), "{encounter:?}");
                    misses += 1;
                }
            }
        }
        let name = generator.name();
        assert!(hits > 400, "{name}: {hits} hits");
        assert!(misses > 100 || matches!(generator, Generator::G3 | Generator::Rat), "{name}");
        assert!(integers > 3000 || generator == Generator::Gx, "{name}: {integers} on the grid");
    }
}

#[test]
fn variants_equal_the_normative_form() {
    for generator in Generator::ALL {
        for encounter in encounters(generator, 12, 60_000) {
            let (beam, bounds) = (beam(&encounter), &encounter.bounds);
            let normative = beam.bounds(bounds);
            let speculative = beam.bounds_speculatively(bounds);
            assert_eq!(
                [normative.lo.to_bits(), normative.hi.to_bits()],
                [speculative.lo.to_bits(), speculative.hi.to_bits()]
            );
            let compared = beam.overlap_by_comparison(bounds);
            assert_eq!(compared, beam.overlap(bounds), "{encounter:?}");
        }
    }
}

/// Misses and false hits of several forms, in parts of the exact hits and misses.
#[derive(Debug, Default)]
struct Statistics {
    hits: usize,
    misses: usize,
    naive_lost: usize,
    unwidened_lost: usize,
    /// With `C = 1 + 2 eps` and no `TINY`.
    two_eps_lost: usize,
    lost: usize,
    false_positives: usize,
}

fn statistics(generator: Generator, count: usize) -> Statistics {
    let mut sum = Statistics::default();
    for encounter in encounters(generator, 13, count) {
        let (beam, bounds) = (beam(&encounter), &encounter.bounds);
        let computed = beam.bounds(bounds);
        if beam.meets_exactly(bounds) {
            sum.hits += 1;
            sum.naive_lost += usize::from(!naive::meets(&beam, bounds));
            sum.unwidened_lost += usize::from(computed.lo > computed.hi);
            let two_eps = computed.hi * f32::from_bits(0x3f80_0002);
            sum.two_eps_lost += usize::from(computed.lo > two_eps);
            sum.lost += usize::from(computed.lo > widen(computed.hi));
        } else {
            sum.misses += 1;
            let verdict = beam.decide(bounds);
            sum.false_positives += usize::from(verdict == Verdict::FalsePositive);
        }
    }
    sum
}

/// The shape of the table in `docs/beam.md`, on fewer cases.
#[test]
fn rounding_errs_as_often_as_the_table_says() {
    let share = |part: usize, whole: usize| part as f64 / whole as f64;
    let g0 = statistics(Generator::G0, 200_000);
    assert!(g0.lost == 0 && g0.unwidened_lost <= 1 && g0.false_positives <= 1, "{g0:?}");
    assert!((0.3..0.7).contains(&share(g0.hits, 200_000)), "{g0:?}");
    let g1 = statistics(Generator::G1, 200_000);
    assert_eq!((g1.lost, g1.two_eps_lost), (0, 0), "{g1:?}");
    assert!((0.01..0.05).contains(&share(g1.naive_lost, g1.hits)), "{g1:?}");
    assert!((0.03..0.09).contains(&share(g1.unwidened_lost, g1.hits)), "{g1:?}");
    let g2 = statistics(Generator::G2, 200_000);
    assert!(g2.lost == 0 && g2.naive_lost == 0, "{g2:?}");
    let g3 = statistics(Generator::G3, 200_000);
    assert_eq!((g3.lost, g3.naive_lost, g3.misses), (0, 0, 0), "{g3:?}");
    assert!((0.10..0.25).contains(&share(g3.unwidened_lost, g3.hits)), "{g3:?}");
    let rat = statistics(Generator::Rat, 50_000);
    assert!(rat.lost == 0 && share(rat.unwidened_lost, rat.hits) > 0.9, "{rat:?}");
}

/// A box inside another is never met when the other is missed, and is not entered before it.
#[test]
fn overlaps_are_monotone() {
    let mut nested = 0;
    for generator in Generator::ALL {
        let mut random = Random(14);
        for encounter in encounters(generator, 15, 30_000) {
            let (beam, inner) = (beam(&encounter), encounter.bounds);
            let mut outer = inner;
            let axis = random.below(3);
            outer.min[axis] -= random.range(0.0, 1.0) * inner.min[axis].abs().min(1e30);
            outer.max[axis] += random.range(0.0, 1.0) * inner.max[axis].abs().min(1e30);
            if let Some(small) = beam.contact(&inner) {
                let large = beam.contact(&outer).expect("the outer box is met too");
                assert!(large.first <= small.first && small.last <= large.last);
                nested += 1;
            }
        }
    }
    assert!(nested > 50_000, "{nested}");
}

#[test]
fn an_explanation_shows_what_is_computed_and_what_is_exact() {
    for generator in Generator::ALL {
        for encounter in encounters(generator, 17, 2000) {
            let (beam, Encounter { corners, bounds }) = (beam(&encounter), &encounter);
            let explanation = explain(corners, &beam, bounds);
            let computed = [
                beam.bounds(bounds),
                beam.bounds_speculatively(bounds),
                naive::overlap(&beam, bounds),
            ];
            assert_eq!(explanation.forms, computed, "{encounter:?}");
            let last = &explanation.axes[2];
            assert_eq!(last.forms.map(|step| step.left), computed, "{encounter:?}");
            assert_eq!(explanation.exact, oracle::by_bounds(corners, bounds), "{encounter:?}");
            for (k, steps) in explanation.axes.iter().enumerate() {
                let quotient = |plane: f32, origin: f32, direction: f32| {
                    let has_bound = plane.is_finite() && direction != 0.0;
                    has_bound.then(|| (rational(plane) - rational(origin)) / rational(direction))
                };
                let Corners { upper_origin, upper_direction, .. } = corners;
                let a_min = quotient(bounds.min[k], upper_origin[k], upper_direction[k]);
                assert_eq!(steps.exact.a_min, a_min, "{encounter:?}");
                let Corners { lower_origin, lower_direction, .. } = corners;
                let b_max = quotient(bounds.max[k], lower_origin[k], lower_direction[k]);
                assert_eq!(steps.exact.b_max, b_max, "{encounter:?}");
            }
        }
    }
}
