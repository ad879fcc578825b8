//! The functions of Embree, and how the two versions differ: version 3 takes a context before the
//! ray, version 4 takes optional arguments after it.

use super::layout::{
    Arguments4, Context3, RtcBounds, RtcRay, RtcRay16, RtcRayHit, RtcRayHit16, Valid,
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

/// The queries of version 3.
pub(super) struct Queries3 {
    pub(super) intersect1: unsafe extern "C" fn(Handle, *mut Context3, *mut RtcRayHit),
    pub(super) occluded1: unsafe extern "C" fn(Handle, *mut Context3, *mut RtcRay),
    pub(super) intersect16:
        unsafe extern "C" fn(*const Valid, Handle, *mut Context3, *mut RtcRayHit16),
    pub(super) occluded16: unsafe extern "C" fn(*const Valid, Handle, *mut Context3, *mut RtcRay16),
}

/// The queries of version 4.
pub(super) struct Queries4 {
    pub(super) intersect1: unsafe extern "C" fn(Handle, *mut RtcRayHit, *mut Arguments4),
    pub(super) occluded1: unsafe extern "C" fn(Handle, *mut RtcRay, *mut Arguments4),
    pub(super) intersect16:
        unsafe extern "C" fn(*const Valid, Handle, *mut RtcRayHit16, *mut Arguments4),
    pub(super) occluded16:
        unsafe extern "C" fn(*const Valid, Handle, *mut RtcRay16, *mut Arguments4),
}

/// The queries of either version.
pub(super) enum Queries {
    Three(Queries3),
    Four(Queries4),
}

/// Everything that is called.
pub(super) struct Functions {
    pub(super) shared: Shared,
    pub(super) queries: Queries,
    pub(super) version: Version,
}

impl Functions {
    /// Opens a shared library by path or by name.
    pub(super) fn open(version: Version, path: &OsStr) -> Result<Self, libloading::Error> {
        // SAFETY: the initialisers of a library that the user installed under the name of Embree,
        // or names in the environment, are run, as for any program linked to it.
        let library = unsafe { SharedLibrary::new(path) }?;
        let shared = Shared::load(&library)?;
        let queries = match version {
            Version::Three => Queries::Three(Queries3 {
                intersect1: symbol(&library, b"rtcIntersect1\0")?,
                occluded1: symbol(&library, b"rtcOccluded1\0")?,
                intersect16: symbol(&library, b"rtcIntersect16\0")?,
                occluded16: symbol(&library, b"rtcOccluded16\0")?,
            }),
            Version::Four => Queries::Four(Queries4 {
                intersect1: symbol(&library, b"rtcIntersect1\0")?,
                occluded1: symbol(&library, b"rtcOccluded1\0")?,
                intersect16: symbol(&library, b"rtcIntersect16\0")?,
                occluded16: symbol(&library, b"rtcOccluded16\0")?,
            }),
        };
        // The library stays for as long as the process: its worker threads may outlive a device.
        std::mem::forget(library);
        Ok(Self { shared, queries, version })
    }

    /// Whether a device belongs to the version whose functions these are thought to be.
    pub(super) fn is_version_of(&self, device: Handle) -> bool {
        // SAFETY: the device is alive.
        let major = unsafe { (self.shared.device_property)(device, VERSION_MAJOR) };
        major == self.version.number()
    }
}

/// A query by its C name.
fn symbol<T: Copy>(library: &SharedLibrary, name: &[u8]) -> Result<T, libloading::Error> {
    // SAFETY: every caller gives the type that the header of its version declares; the version
    // itself is asked of the device before the first query.
    Ok(*unsafe { library.get::<T>(name) }?)
}
