//! Every question to every kernel: masks, flags, filters, intersectors and instances, by both
//! triangle rules, against the reference machine where that can be asked and the scalar kernel
//! where not. The same hits, bit for bit.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use crate::common;

use common::{bits, kernels};
use geometry::{Ray, SurfaceHit, TriangleRule};
use gfx12::Gfx12;
use gfx12::encode::{Options as EncodeOptions, Policy};
use machine::{Checked, Format, HitKind, Machine, Query, RayFlags, Reference, TreeFormat};
use std::sync::Arc;
use testkit::worlds;
use trace::{Batch, BoxCandidate, Hit, Kernel, Mode, Options, Tracer};
use tree::Tree;

/// What is asked beside the rays.
#[derive(Debug, Clone, Copy)]
struct Question {
    mask: u8,
    flags: RayFlags,
    filtered: bool,
    intersected: bool,
}

const PLAIN: Question =
    Question { mask: 0xFF, flags: RayFlags::empty(), filtered: false, intersected: false };

const QUESTIONS: [Question; 8] = [
    PLAIN,
    Question { mask: 0x80, ..PLAIN },
    Question { mask: 0, ..PLAIN },
    Question { flags: RayFlags::CULL_BACK, ..PLAIN },
    Question { mask: 0x0E, flags: RayFlags::CULL_FRONT.union(RayFlags::CULL_OPAQUE), ..PLAIN },
    Question { filtered: true, ..PLAIN },
    Question { flags: RayFlags::FORCE_NON_OPAQUE, filtered: true, intersected: true, ..PLAIN },
    Question { mask: 0x70, intersected: true, ..PLAIN },
];

/// An any-hit shader that knows which ray it is asked about.
fn filter(position: usize, hit: &Hit) -> bool {
    hit.primitive as usize % 3 != position % 3
}

/// What is in the middle of a box, as the ray passes it.
fn intersector(candidate: &BoxCandidate) -> Option<SurfaceHit> {
    let Ray { origin, direction, .. } = candidate.ray;
    let t = (candidate.bounds.center() - origin).dot(direction) / direction.length_squared();
    let is_there = !candidate.primitive.is_multiple_of(4);
    is_there.then_some(SurfaceHit { t, u: 0.25, v: 0.5, front: true })
}

fn batch<'a>(tracer: &'a Tracer, question: &Question) -> Batch<'a> {
    let mut batch = tracer.batch().mask(question.mask).flags(question.flags);
    if question.filtered {
        batch = batch.filter(&filter);
    }
    if question.intersected {
        batch = batch.intersector(&intersector);
    }
    batch
}

/// All answers to a question.
struct Answers {
    closest: Vec<Hit>,
    all: Vec<Vec<Hit>>,
}

impl Answers {
    fn of_reference(tree: &Tree, rule: TriangleRule, question: &Question, rays: &[Ray]) -> Self {
        let reference = Reference::new(tree, rule);
        let Question { mask, flags, .. } = *question;
        let ask = |kind: HitKind, ray: Ray| {
            let query = Query { mask, flags, ..Query::ray(kind, ray) };
            reference.answer(&query).unwrap().hits
        };
        let closest = |&ray: &Ray| ask(HitKind::Closest, ray).pop().unwrap_or(Hit::MISS);
        Self {
            closest: rays.iter().map(closest).collect(),
            all: rays.iter().map(|&ray| ask(HitKind::All, ray)).collect(),
        }
    }

    /// Compares every way to ask.
    fn check(&self, tracer: &Tracer, question: &Question, rays: &[Ray], place: &str) {
        let batch = batch(tracer, question);
        let (counted, counters) = batch.closest_counted(rays);
        assert_eq!(counters.queries, rays.len() as u64, "{place}");
        let (closest, any, all) = (batch.closest(rays), batch.any(rays), batch.all(rays));
        let (any_counted, _) = batch.any_counted(rays);
        let counts = batch.count(rays);
        for (n, ray) in rays.iter().enumerate() {
            let place = format!("{place} ray {n}: {ray:?}");
            assert_eq!(bits(&closest[n]), bits(&self.closest[n]), "{place}");
            assert_eq!(bits(&counted[n]), bits(&self.closest[n]), "{place}");
            assert_eq!(any[n], !self.closest[n].is_miss(), "{place}");
            assert_eq!(any_counted[n], any[n], "{place}");
            let [found, wanted] =
                [&all[n], &self.all[n]].map(|hits| hits.iter().map(bits).collect::<Vec<_>>());
            assert_eq!(found, wanted, "{place}");
            assert_eq!(counts[n] as usize, wanted.len(), "{place}");
            if question.filtered || question.intersected {
                continue; // they know the position in the batch, or a machine does not have them
            }
            let one = std::slice::from_ref(ray);
            assert_eq!(bits(&batch.closest(one)[0]), bits(&self.closest[n]), "{place}");
            assert_eq!(batch.any(one)[0], any[n], "{place}");
            assert_eq!(batch.all(one)[0].len(), wanted.len(), "{place}");
            // The first hit that a machine finds is any of them.
            let Question { mask, flags, .. } = *question;
            let query = Query { mask, flags, ..Query::ray(HitKind::Any, *ray) };
            let first = Machine::answer(tracer, &query).unwrap().hits;
            assert_eq!(first.is_empty(), !any[n], "{place}");
            assert!(first.iter().all(|hit| wanted.contains(&bits(hit))), "{place}");
        }
    }
}

fn image_of(tree: &Tree) -> (Arc<Checked<Gfx12>>, Tree) {
    let format = Gfx12 { options: EncodeOptions::new(Policy::Dense) };
    let image = Arc::new(Gfx12::check(format.encode(tree).unwrap()).checked.unwrap());
    let tree = image.tree().as_ref().clone();
    (image, tree)
}

#[test]
fn every_kernel_answers_every_question() {
    for (name, tree) in [("mixed", worlds::mixed()), ("instanced", worlds::instanced())] {
        let (image, tree) = image_of(&tree);
        let queries = worlds::rays(&tree.bounds(), 11, 500);
        let rays: Vec<Ray> = queries.iter().map(|query| query.shape).collect();
        for rule in TriangleRule::ALL {
            let tracer = |mode: Mode, kernel: Kernel| {
                let options = Options { mode, rule, kernel: Some(kernel), ..Options::default() };
                Tracer::from_image(image.clone(), options).unwrap()
            };
            let scalar = tracer(Mode::Prepared, Kernel::Plain);
            let tracers: Vec<Tracer> = Mode::ALL
                .iter()
                .flat_map(|&mode| kernels().into_iter().map(move |kernel| (mode, kernel)))
                .map(|(mode, kernel)| tracer(mode, kernel))
                .collect();
            for question in QUESTIONS {
                let answers = if question.filtered || question.intersected {
                    let batch = batch(&scalar, &question);
                    Answers { closest: batch.closest(&rays), all: batch.all(&rays) }
                } else {
                    Answers::of_reference(&tree, rule, &question, &rays)
                };
                let hits = answers.closest.iter().filter(|hit| !hit.is_miss()).count();
                assert!(hits > 50 || question.mask == 0, "{name} {rule} {question:?}: {hits}");
                for tracer in &tracers {
                    let (mode, kernel) = (tracer.options().mode.name(), tracer.kernel());
                    let place = format!("{name} {rule} {mode} {kernel} {question:?}");
                    answers.check(tracer, &question, &rays, &place);
                }
            }
        }
    }
}

/// Few rays are answered by the thread that asks, whatever it asks.
#[test]
fn small_calls_wake_nobody() {
    let tracer = Tracer::new(&scene::builtin::Builtin::Organic.scene(500)).unwrap();
    let rays = vec![Ray::new(geometry::Vec3::new(0.1, 0.2, 50.0), geometry::Vec3::NEG_Z); 16];
    let asker = std::thread::current().id();
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let filter = |_: usize, _: &Hit| {
        assert_eq!(std::thread::current().id(), asker);
        asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        true
    };
    let batch = tracer.batch().flags(RayFlags::FORCE_NON_OPAQUE).filter(&filter);
    let asks: [&dyn Fn(); 6] = [
        &|| assert!(!batch.closest(&rays)[15].is_miss()),
        &|| assert!(batch.any(&rays)[15]),
        &|| assert!(!batch.all(&rays)[15].is_empty()),
        &|| assert!(batch.count(&rays)[15] > 0),
        &|| assert!(!batch.closest_counted(&rays).0[15].is_miss()),
        &|| assert!(batch.any_counted(&rays).0[15]),
    ];
    for ask in asks {
        let before = asked.load(std::sync::atomic::Ordering::Relaxed);
        ask();
        assert!(asked.load(std::sync::atomic::Ordering::Relaxed) >= before + rays.len());
    }
}
