//! The command was built without other libraries.

use super::report::Missing;
use super::target::BenchTargets;
use crate::failure::Failure;
use crate::trace_args::PeerArg;
use siliray::scene::Scene;
use siliray::trace::Kernel;

/// What brings them.
const REBUILD: &str = "cargo run --release --features peers -- bench trace";

/// Nobody, and how to get everybody.
pub(super) fn build(_: &Scene, wanted: &[PeerArg], _: Kernel) -> (BenchTargets, Vec<Missing>) {
    let missing = |tracer| Missing { tracer, install: REBUILD.to_owned() };
    (Vec::new(), wanted.iter().filter_map(|peer| peer.name()).map(missing).collect())
}

/// Embree's builders, which are not here.
pub(super) enum Builds {}

impl Builds {
    pub(super) fn new(_: &Scene, _: usize) -> Option<Self> {
        None
    }

    pub(super) fn commit(&self, _: &Scene, _: bool) -> Result<f64, Failure> {
        match *self {}
    }

    pub(super) fn refit(&mut self, _: &Scene) -> Result<f64, Failure> {
        match *self {}
    }
}
