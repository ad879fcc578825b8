//! Other libraries.

use super::report::Missing;
use super::target::{BenchTarget, BenchTargets, CHUNK, Work};
use crate::failure::Failure;
use crate::trace_args::PeerArg;
use ::peers::embree::{self, Quality, Refit, Version};
use ::peers::{Answer, Instructions, Library, Peer, PeerError, Question};
use siliray::geometry::Ray;
use siliray::scene::Scene;
use siliray::trace::Kernel;
use siliray::workload::Workload;

/// Every library that is here, with the scene built in it; and those that are not. They may use
/// what siliray's kernel uses.
pub(super) fn build(
    scene: &Scene,
    wanted: &[PeerArg],
    kernel: Kernel,
) -> (BenchTargets, Vec<Missing>) {
    let instructions = if kernel == Kernel::Avx2 { Instructions::Avx2 } else { Instructions::All };
    let (mut targets, mut missing) = (Vec::new(), Vec::new());
    for library in wanted.iter().filter_map(|peer| Library::from_name(peer.name()?)) {
        match library.build(scene, instructions) {
            Ok(peers) => {
                targets.extend(
                    peers.into_iter().map(|peer| Box::new(Other(peer)) as Box<dyn BenchTarget>),
                );
            }
            Err(PeerError::Missing(error)) => {
                missing.push(Missing { tracer: library.name(), install: error.install.to_owned() });
            }
            Err(PeerError::Failed { library, message }) => {
                missing.push(Missing { tracer: library, install: format!("it fails: {message}") });
            }
        }
    }
    (targets, missing)
}

/// Embree 4's builders.
pub(super) struct Builds {
    builds: embree::Builds,
    /// The scene, to be refitted.
    refit: Refit,
}

impl Builds {
    /// With so many threads; nothing if it is not here.
    pub(super) fn new(scene: &Scene, threads: usize) -> Option<Self> {
        let builds = embree::Builds::new(Version::Four, threads).ok()?;
        let refit = builds.refit(scene).ok()?;
        Some(Self { builds, refit })
    }

    /// Seconds of a commit at high or medium quality.
    pub(super) fn commit(&self, scene: &Scene, high: bool) -> Result<f64, Failure> {
        let quality = if high { Quality::High } else { Quality::Medium };
        let peer = self.builds.commit(scene, quality).map_err(Failure::input)?;
        Ok(peer.build_seconds())
    }

    /// Seconds of a refit to where the vertices of a scene are.
    pub(super) fn refit(&mut self, moved: &Scene) -> Result<f64, Failure> {
        self.refit.follow(moved).map_err(Failure::input)
    }
}

/// A library as a target.
struct Other(Box<dyn Peer>);

impl BenchTarget for Other {
    fn tracer(&self) -> &'static str {
        self.0.library().name()
    }

    fn mode(&self) -> &'static str {
        self.0.mode()
    }

    fn build_seconds(&self) -> f64 {
        self.0.build_seconds()
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    fn load<'a>(&'a self, workload: Workload, rays: &'a [Ray]) -> Vec<Box<dyn Work + 'a>> {
        let question = match workload {
            Workload::Primary => Question::Closest { coherent: true },
            Workload::Occlusion => Question::Any,
            Workload::Bounce => Question::Closest { coherent: false },
        };
        let part = |rays| Box::new(Part(self.0.load(question, rays))) as Box<dyn Work + 'a>;
        rays.chunks(CHUNK).map(part).collect()
    }
}

struct Part<'a>(Box<dyn ::peers::Work + 'a>);

impl Work for Part<'_> {
    fn reset(&mut self) {
        self.0.reset();
    }

    fn run(&mut self) {
        self.0.run();
    }

    fn distances(&self) -> Vec<f32> {
        let distance = |answer: &Answer| match answer {
            Answer::Miss => f32::INFINITY,
            Answer::Occluded => 0.0,
            Answer::Closest(hit) => hit.t,
        };
        self.0.answers().iter().map(distance).collect()
    }
}
