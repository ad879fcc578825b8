//! Other libraries.

use super::report::Missing;
use super::target::{BenchTarget, BenchTargets, CHUNK, Work};
use crate::trace_args::PeerArg;
use ::peers::{Answer, Library, Peer, PeerError, Question};
use siliray::geometry::Ray;
use siliray::scene::Scene;
use siliray::workload::Workload;

/// Every library that is here, with the scene built in it; and those that are not.
pub(super) fn build(scene: &Scene, wanted: &[PeerArg]) -> (BenchTargets, Vec<Missing>) {
    let (mut targets, mut missing) = (Vec::new(), Vec::new());
    for library in wanted.iter().filter_map(|peer| Library::from_name(peer.name()?)) {
        match library.build(scene) {
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
