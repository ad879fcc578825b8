//! Embree 3 and 4, through the C interface of a shared library that is looked for at run time.
//!
//! Three ways to use it: single rays with the fast kernels, single rays with the scene flag
//! `ROBUST` (watertight, and without spatial splits), and packets of 16, or of 8 where Embree is
//! limited to AVX2. Scenes are built at high quality; their vertices and indices are shared, not
//! copied, so the bytes counted are those of the hierarchy with its triangles. Instances stay
//! instances.
//!
//! | file | concept |
//! |---|---|
//! | `find` | where the library may lie |
//! | `layout` | the structures of the C interface |
//! | `library` | its functions, and how the two versions differ |
//! | `device` | the owner of scenes; errors and memory |
//! | `world` | a scene of siliray as a scene of Embree |
//! | `single`, `packet` | rays one by one, and many at a time |
//! | [`builds`](Builds) | how long its builders and refits take |
//! | [`binary`] | Embree's own builder, asked for a binary hierarchy |

pub mod binary;
mod builds;
mod device;
mod find;
mod layout;
mod library;
mod packet;
mod single;
mod world;

pub use library::Version;

use crate::{Instructions, Library, Peer, PeerError, Question, Work};
use device::Device;
use geometry::Ray;
use packet::Packets;
use scene::Scene;
use std::sync::Arc;
use world::World;

pub use builds::{Builds, Refit};
pub use world::Quality;

/// How Embree is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Single,
    Robust,
    Packet8,
    Packet16,
}

/// A scene, and how it is asked.
struct EmbreePeer {
    library: Library,
    mode: Mode,
    world: Arc<World>,
}

/// Builds the scene twice, with and without the robust flag.
pub(crate) fn peers(
    version: Version,
    scene: &Scene,
    instructions: Instructions,
) -> Result<Vec<Box<dyn Peer>>, PeerError> {
    let functions = Arc::new(find::library(version)?);
    let (settings, packets) = match instructions {
        Instructions::All => ("", Mode::Packet16),
        Instructions::Avx2 => ("max_isa=avx2", Mode::Packet8),
    };
    let build = |robust| {
        let device = Device::new(Arc::clone(&functions), settings)?;
        World::new(device, scene, robust, Quality::High).map(Arc::new)
    };
    let (fast, robust) = (build(false)?, build(true)?);
    let library = version.library();
    let peer = |mode, world: &Arc<World>| {
        Box::new(EmbreePeer { library, mode, world: Arc::clone(world) }) as Box<dyn Peer>
    };
    Ok(vec![peer(Mode::Single, &fast), peer(Mode::Robust, &robust), peer(packets, &fast)])
}

impl Peer for EmbreePeer {
    fn library(&self) -> Library {
        self.library
    }

    fn mode(&self) -> &'static str {
        match self.mode {
            Mode::Single => "single",
            Mode::Robust => "robust",
            Mode::Packet8 => "packet8",
            Mode::Packet16 => "packet16",
        }
    }

    fn build_seconds(&self) -> f64 {
        self.world.build_seconds
    }

    fn bytes(&self) -> u64 {
        self.world.bytes
    }

    fn load<'a>(&'a self, question: Question, rays: &[Ray]) -> Box<dyn Work + 'a> {
        let functions = &self.world.device.functions;
        match self.mode {
            Mode::Single | Mode::Robust => {
                Box::new(single::Singles::new(&self.world, question, rays))
            }
            Mode::Packet8 => {
                Box::new(Packets::new(&self.world, &functions.packets8, question, rays))
            }
            Mode::Packet16 => {
                Box::new(Packets::new(&self.world, &functions.packets16, question, rays))
            }
        }
    }
}
