//! The functions of Embree, and how the two versions differ: version 3 takes a context before the
//! ray, version 4 takes optional arguments after it.

use super::layout::{
    Arguments4, Context3, RtcBounds, RtcRay, RtcRayHit, RtcRayHits, RtcRays, Valid,
};
use crate::Library;
use libloading::Library as SharedLibrary;
use std::ffi::{OsStr, c_char, c_void};

/// A version of Embree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// Embree 3.
    Three,
    /// Embree 4.
    Four,
}

impl Version {
    /// The peer that it is.
    pub(super) const fn library(self) -> Library {
        match self {
            Self::Three => Library::Embree3,
            Self::Four => Library::Embree4,
        }
    }

    /// The environment variable that names its shared library.
    pub(super) const fn variable(self) -> &'static str {
        match self {
            Self::Three => "SILIRAY_EMBREE3",
            Self::Four => "SILIRAY_EMBREE4",
        }
    }

    const fn number(self) -> isize {
        match self {
            Self::Three => 3,
            Self::Four => 4,
        }
    }
}

/// An object of Embree; only ever a pointer.
pub(super) type Handle = *mut c_void;

/// Called when memory is taken or given back.
pub(super) type MemoryMonitor = extern "C" fn(Handle, isize, bool) -> bool;

/// Makes room for a node that a builder has decided on.
pub(super) type CreateNode = extern "C" fn(Handle, u32, Handle) -> Handle;

/// Tells a node its children.
pub(super) type SetChildren = extern "C" fn(Handle, *const Handle, u32, Handle);

/// Tells a node the boxes of its children.
pub(super) type SetBounds = extern "C" fn(Handle, *const *const RtcBounds, u32, Handle);

/// `RTC_DEVICE_PROPERTY_VERSION_MAJOR`.
const VERSION_MAJOR: i32 = 1;

/// Declares the table of functions and fills it from a library by their C names.
macro_rules! functions {
    ($($field:ident = $symbol:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions that both versions share.
        pub(super) struct Shared {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Shared {
            fn load(library: &SharedLibrary) -> Result<Self, libloading::Error> {
                Ok(Self {
                    $($field: {
                        // SAFETY: both versions of the header declare the symbol with this type.
                        *unsafe { library.get(concat!($symbol, "\0").as_bytes()) }?
                    },)*
                })
            }
        }
    };
}

functions! {
    new_device = "rtcNewDevice": fn(*const c_char) -> Handle;
    release_device = "rtcReleaseDevice": fn(Handle);
    device_property = "rtcGetDeviceProperty": fn(Handle, i32) -> isize;
    device_error = "rtcGetDeviceError": fn(Handle) -> i32;
    set_memory_monitor = "rtcSetDeviceMemoryMonitorFunction":
        fn(Handle, Option<MemoryMonitor>, Handle);
    new_scene = "rtcNewScene": fn(Handle) -> Handle;
    release_scene = "rtcReleaseScene": fn(Handle);
    set_scene_flags = "rtcSetSceneFlags": fn(Handle, i32);
    set_scene_quality = "rtcSetSceneBuildQuality": fn(Handle, i32);
    commit_scene = "rtcCommitScene": fn(Handle);
    attach_by_id = "rtcAttachGeometryByID": fn(Handle, Handle, u32);
    new_geometry = "rtcNewGeometry": fn(Handle, i32) -> Handle;
    release_geometry = "rtcReleaseGeometry": fn(Handle);
    set_geometry_quality = "rtcSetGeometryBuildQuality": fn(Handle, i32);
    get_geometry = "rtcGetGeometry": fn(Handle, u32) -> Handle;
    update_buffer = "rtcUpdateGeometryBuffer": fn(Handle, i32, u32);
    commit_geometry = "rtcCommitGeometry": fn(Handle);
    set_shared_buffer = "rtcSetSharedGeometryBuffer":
        fn(Handle, i32, u32, i32, *const c_void, usize, usize, usize);
    set_instanced_scene = "rtcSetGeometryInstancedScene": fn(Handle, Handle);
    set_transform = "rtcSetGeometryTransform": fn(Handle, u32, i32, *const c_void);
    new_bvh = "rtcNewBVH": fn(Handle) -> Handle;
    release_bvh = "rtcReleaseBVH": fn(Handle);
    build_bvh = "rtcBuildBVH": fn(*const c_void) -> Handle;
    thread_local_alloc = "rtcThreadLocalAlloc": fn(Handle, usize, usize) -> Handle;
}

/// The queries of version 3 for single rays.
pub(super) struct Queries3 {
    pub(super) intersect: unsafe extern "C" fn(Handle, *mut Context3, *mut RtcRayHit),
    pub(super) occluded: unsafe extern "C" fn(Handle, *mut Context3, *mut RtcRay),
}

/// The queries of version 4 for single rays.
pub(super) struct Queries4 {
    pub(super) intersect: unsafe extern "C" fn(Handle, *mut RtcRayHit, *mut Arguments4),
    pub(super) occluded: unsafe extern "C" fn(Handle, *mut RtcRay, *mut Arguments4),
}

/// The queries of version 3 for packets of so many rays.
pub(super) struct PacketQueries3<const N: usize> {
    pub(super) intersect:
        unsafe extern "C" fn(*const Valid<N>, Handle, *mut Context3, *mut RtcRayHits<N>),
    pub(super) occluded:
        unsafe extern "C" fn(*const Valid<N>, Handle, *mut Context3, *mut RtcRays<N>),
}

/// The queries of version 4 for packets of so many rays.
pub(super) struct PacketQueries4<const N: usize> {
    pub(super) intersect:
        unsafe extern "C" fn(*const Valid<N>, Handle, *mut RtcRayHits<N>, *mut Arguments4),
    pub(super) occluded:
        unsafe extern "C" fn(*const Valid<N>, Handle, *mut RtcRays<N>, *mut Arguments4),
}

/// What either version has.
pub(super) enum Either<T, F> {
    Three(T),
    Four(F),
}

/// The queries of either version for packets of so many rays.
pub(super) type PacketQueries<const N: usize> = Either<PacketQueries3<N>, PacketQueries4<N>>;

/// Everything that is called.
pub(super) struct Functions {
    pub(super) shared: Shared,
    pub(super) queries: Either<Queries3, Queries4>,
    pub(super) packets8: PacketQueries<8>,
    pub(super) packets16: PacketQueries<16>,
    pub(super) version: Version,
}

impl Functions {
    /// Opens a shared library by path or by name.
    pub(super) fn open(version: Version, path: &OsStr) -> Result<Self, libloading::Error> {
        // SAFETY: the initialisers of a library that the user installed under the name of Embree,
        // or names in the environment, are run, as for any program linked to it.
        let library = unsafe { SharedLibrary::new(path) }?;
        let shared = Shared::load(&library)?;
        let (intersect, occluded) = ("rtcIntersect1", "rtcOccluded1");
        let queries = match version {
            Version::Three => Either::Three(Queries3 {
                intersect: symbol(&library, intersect)?,
                occluded: symbol(&library, occluded)?,
            }),
            Version::Four => Either::Four(Queries4 {
                intersect: symbol(&library, intersect)?,
                occluded: symbol(&library, occluded)?,
            }),
        };
        let (packets8, packets16) = (packets(&library, version)?, packets(&library, version)?);
        // The library stays for as long as the process: its worker threads may outlive a device.
        std::mem::forget(library);
        Ok(Self { shared, queries, packets8, packets16, version })
    }

    /// Whether a device belongs to the version whose functions these are thought to be.
    pub(super) fn is_version_of(&self, device: Handle) -> bool {
        // SAFETY: the device is alive.
        let major = unsafe { (self.shared.device_property)(device, VERSION_MAJOR) };
        major == self.version.number()
    }
}

/// The queries for packets of so many rays.
fn packets<const N: usize>(
    library: &SharedLibrary,
    version: Version,
) -> Result<PacketQueries<N>, libloading::Error> {
    let (intersect, occluded) = (format!("rtcIntersect{N}"), format!("rtcOccluded{N}"));
    Ok(match version {
        Version::Three => Either::Three(PacketQueries3 {
            intersect: symbol(library, &intersect)?,
            occluded: symbol(library, &occluded)?,
        }),
        Version::Four => Either::Four(PacketQueries4 {
            intersect: symbol(library, &intersect)?,
            occluded: symbol(library, &occluded)?,
        }),
    })
}

/// A query by its C name.
fn symbol<T: Copy>(library: &SharedLibrary, name: &str) -> Result<T, libloading::Error> {
    // SAFETY: every caller gives the type that the header of its version declares; the version
    // itself is asked of the device before the first query.
    Ok(*unsafe { library.get::<T>(name) }?)
}
