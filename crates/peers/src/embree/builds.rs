//! How long Embree's builders take, with a number of threads.

use super::device::Device;
use super::library::Functions;
use super::world::World;
use super::{EmbreePeer, Mode, Quality, Version, find};
use crate::{Peer, PeerError};
use scene::Scene;
use std::sync::Arc;

/// Embree, to be asked for scenes.
pub struct Builds {
    functions: Arc<Functions>,
    settings: String,
}

impl Builds {
    /// Embree with so many threads.
    ///
    /// # Errors
    /// When it is not here.
    pub fn new(version: Version, threads: usize) -> Result<Self, PeerError> {
        let settings = format!("threads={threads}");
        Ok(Self { functions: Arc::new(find::library(version)?), settings })
    }

    /// A scene with the fast kernels, asked by single rays; it says how long it took.
    ///
    /// # Errors
    /// When Embree refuses the scene.
    pub fn commit(&self, scene: &Scene, quality: Quality) -> Result<Box<dyn Peer>, PeerError> {
        let world = Arc::new(self.world(scene, quality)?);
        Ok(Box::new(EmbreePeer {
            library: self.functions.version.library(),
            mode: Mode::Single,
            world,
        }))
    }

    /// A scene without instances, to be refitted.
    ///
    /// # Errors
    /// As [`Builds::commit`].
    pub fn refit(&self, scene: &Scene) -> Result<Refit, PeerError> {
        self.world(scene, Quality::Low).map(Refit)
    }

    fn world(&self, scene: &Scene, quality: Quality) -> Result<World, PeerError> {
        let device = Device::new(Arc::clone(&self.functions), &self.settings)?;
        World::new(device, scene, false, quality)
    }
}

/// A scene that can be refitted.
pub struct Refit(World);

impl Refit {
    /// Follows vertices that have moved; returns the seconds that this takes once they are where
    /// Embree reads them.
    ///
    /// # Errors
    /// When Embree fails.
    pub fn follow(&mut self, moved: &Scene) -> Result<f64, PeerError> {
        self.0.refit(moved)
    }
}
