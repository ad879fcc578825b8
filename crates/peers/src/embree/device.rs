//! The owner of scenes: tells errors, and counts memory.

use super::library::{Functions, Handle};
use crate::PeerError;
use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A device of Embree.
pub(super) struct Device {
    pub(super) functions: Arc<Functions>,
    pub(super) handle: Handle,
    /// Bytes that Embree holds; its address is known to Embree, so it must not move.
    bytes: Box<AtomicI64>,
}

// SAFETY: Embree's documentation allows calls on a device from any thread.
unsafe impl Send for Device {}

// SAFETY: as above; nothing here changes a device through a shared reference but the error code,
// which Embree keeps for each thread.
unsafe impl Sync for Device {}

impl Device {
    /// A device with settings in Embree's own words; without any it takes the widest instructions,
    /// and a thread for each core to build.
    pub(super) fn new(functions: Arc<Functions>, settings: &str) -> Result<Self, PeerError> {
        let bytes = Box::new(AtomicI64::new(0));
        let library = functions.version.library();
        let settings = CString::new(settings).map_err(|error| library.failed(error))?;
        // SAFETY: the text ends with a zero, and is read before the call returns.
        let handle = unsafe { (functions.shared.new_device)(settings.as_ptr()) };
        if handle.is_null() {
            return Err(library.failed("no device could be made on this processor"));
        }
        let device = Self { functions, handle, bytes };
        if !device.functions.is_version_of(handle) {
            return Err(library.failed("the library found is another version of Embree"));
        }
        let counter = std::ptr::from_ref::<AtomicI64>(&device.bytes).cast_mut().cast();
        // SAFETY: the counter lives in a box that the device owns; `Drop` unsets the monitor first.
        unsafe { (device.functions.shared.set_memory_monitor)(handle, Some(count), counter) };
        Ok(device)
    }

    /// Bytes that Embree holds.
    pub(super) fn bytes(&self) -> u64 {
        u64::try_from(self.bytes.load(Ordering::Relaxed)).unwrap_or(0)
    }

    /// Fails if a call since the last check has failed.
    pub(super) fn check(&self, step: &str) -> Result<(), PeerError> {
        // SAFETY: the device is alive.
        match unsafe { (self.functions.shared.device_error)(self.handle) } {
            0 => Ok(()),
            code => {
                let message = format!("{step} failed with error {code} of Embree");
                Err(self.functions.version.library().failed(message))
            }
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        let shared = &self.functions.shared;
        // SAFETY: the device is alive; without a monitor the counter may go.
        unsafe { (shared.set_memory_monitor)(self.handle, None, std::ptr::null_mut()) };
        // SAFETY: whoever made scenes with the device has released them.
        unsafe { (shared.release_device)(self.handle) };
    }
}

/// Embree's report of memory taken or given back; `true` lets it go on.
extern "C" fn count(counter: Handle, bytes: isize, _after: bool) -> bool {
    // SAFETY: the pointer is the one given with the monitor, to a counter that outlives it.
    let counter = unsafe { &*counter.cast_const().cast::<AtomicI64>() };
    counter.fetch_add(bytes as i64, Ordering::Relaxed);
    true
}
