//! How often each form of the box test errs: the table of `docs/beam.md`.
//!
//! ```text
//! cargo run --release -p siliray-geometry --example beam_table -- 20000000
//! ```

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program")]

use geometry::beam::generate::{Encounter, Generator};
use geometry::beam::{Axis, Overlap, naive};
use geometry::random::Random;
use geometry::rounding::{narrow_down, narrow_up, sub_down, sub_up};
use geometry::slab::widen;
use geometry::{Aabb, Beam};

/// The rows: a name, and whether the form reports a hit.
type Form = (&'static str, fn(&Beam, &Aabb, &Overlap) -> bool);

const FORMS: [Form; 8] = [
    ("naive, 4 divisions", |beam, bounds, _| naive::meets(beam, bounds)),
    ("two multiplies, C = 1", |_, _, o| hits_with(o, 0)),
    ("C = 1 + 1 eps", |_, _, o| hits_with(o, 1)),
    ("C = 1 + 2 eps", |_, _, o| hits_with(o, 2)),
    ("C = 1 + 3 eps", |_, _, o| hits_with(o, 3)),
    ("C = 1 + 4 eps", |_, _, o| hits_with(o, 4)),
    ("C = 1 + 4 eps and TINY", |_, _, o| o.lo <= widen(o.hi) && o.lo < f32::INFINITY),
    ("directed rounding", |beam, bounds, _| directed(beam, bounds)),
];

/// False negatives and false positives of each form, among hits and misses.
#[derive(Default, Clone, Copy)]
struct Counts {
    hits: u64,
    misses: u64,
    errors: [[u64; 2]; FORMS.len()],
}

fn main() {
    let cases: u64 = std::env::args().nth(1).map_or(1_000_000, |text| text.parse().unwrap());
    let generators = Generator::ALL;
    println!("{cases} cases each; FN = exact hit reported as miss, FP = the reverse\n");
    let counts = generators.map(|generator| count(generator, cases));
    print!("{:<24}", "");
    generators
        .iter()
        .for_each(|generator| print!("{:>22}", format!("{} FN / FP", generator.name())));
    print!("\n{:<24}", "(hits / misses)");
    counts.iter().for_each(|c| print!("{:>22}", format!("{} / {}", c.hits, c.misses)));
    println!();
    for (row, (name, _)) in FORMS.iter().enumerate() {
        print!("{name:<24}");
        for count in &counts {
            let [lost, extra] = count.errors[row];
            print!("{:>22}", format!("{lost} / {extra}"));
        }
        println!();
    }
}

/// Shares the cases among all cores.
fn count(generator: Generator, cases: u64) -> Counts {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let parts: Vec<Counts> = std::thread::scope(|scope| {
        let part = |thread: u64| {
            let share = cases / threads + u64::from(thread < cases % threads);
            scope.spawn(move || count_part(generator, thread, share))
        };
        let handles: Vec<_> = (0..threads).map(part).collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    parts.into_iter().fold(Counts::default(), |mut sum, part| {
        (sum.hits, sum.misses) = (sum.hits + part.hits, sum.misses + part.misses);
        for (sum, part) in sum.errors.iter_mut().flatten().zip(part.errors.iter().flatten()) {
            *sum += part;
        }
        sum
    })
}

fn count_part(generator: Generator, thread: u64, cases: u64) -> Counts {
    let mut random = Random(thread << 48);
    let mut counts = Counts::default();
    for _ in 0..cases {
        let Encounter { corners, bounds } = generator.encounter(&mut || random.bits());
        let beam = Beam::new(&corners).unwrap();
        let overlap = beam.bounds(&bounds);
        // Entries beyond f32 are outside the guarantee (B-1).
        if overlap.lo == f32::INFINITY {
            continue;
        }
        let exact = beam.meets_exactly(&bounds);
        (counts.hits, counts.misses) =
            (counts.hits + u64::from(exact), counts.misses + u64::from(!exact));
        for (errors, (_, form)) in counts.errors.iter_mut().zip(FORMS) {
            let reported = form(&beam, &bounds, &overlap);
            errors[0] += u64::from(exact && !reported);
            errors[1] += u64::from(!exact && reported);
        }
    }
    counts
}

fn hits_with(overlap: &Overlap, eps: u32) -> bool {
    let c = f32::from_bits(1.0f32.to_bits() + eps);
    overlap.lo <= overlap.hi * c && overlap.lo < f32::INFINITY
}

/// Every step of a lower bound rounded down and of an upper bound up, with a bracketed reciprocal.
fn directed(beam: &Beam, bounds: &Aabb) -> bool {
    let (mut lo, mut hi) = (beam.tmin(), beam.tmax());
    for (k, axis) in beam.axes().iter().enumerate() {
        let Axis { upper_origin, lower_origin, upper_direction, lower_direction, .. } = *axis;
        let faces = [
            (bounds.min[k], upper_origin, upper_direction, upper_origin < bounds.min[k]),
            (bounds.max[k], lower_origin, lower_direction, lower_origin > bounds.max[k]),
        ];
        for (side, (plane, origin, direction, is_apart)) in faces.into_iter().enumerate() {
            if direction == 0.0 {
                hi = if is_apart { f32::NEG_INFINITY } else { hi };
                continue;
            }
            let reciprocal = 1.0 / f64::from(direction);
            let numerators = [sub_down(plane, origin), sub_up(plane, origin)].map(f64::from);
            let reciprocals = [narrow_down(reciprocal), narrow_up(reciprocal)].map(f64::from);
            let products = numerators.into_iter().flat_map(|n| reciprocals.map(|r| n * r));
            let products: Vec<f64> = products.filter(|product| !product.is_nan()).collect();
            let is_lower = (direction > 0.0) == (side == 0);
            if is_lower {
                let least = products.iter().copied().fold(f64::INFINITY, f64::min);
                lo = lo.max(narrow_down(least));
            } else {
                let most = products.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                hi = hi.min(narrow_up(most));
            }
        }
    }
    lo <= hi && lo < f32::INFINITY
}
