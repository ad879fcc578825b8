//! How a page reaches the module: it writes a request where [`reserve`] says, calls [`answer`],
//! and reads the response where that says.
//!
//! The module imports one function, `siliray.tell`, which hears how far long work is and says
//! whether it is still wanted; the page splits the module in two, and then gives the first part the
//! second. A WebAssembly module without threads has one caller at a time; the locks are never
//! waited for. Where memory runs out the module stops, and [`shortage`] says so; where only a
//! request finds no room, it goes on.

use crate::{Page, Response};
use serde_json::json;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

static REQUEST: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static RESPONSE: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static PAGE: Mutex<Option<Page>> = Mutex::new(None);

/// The bytes that could not be had.
static SHORTAGE: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, which notes what it cannot give.
struct Noting;

#[global_allocator]
static ALLOCATOR: Noting = Noting;

impl Noting {
    fn noted(place: *mut u8, bytes: usize) -> *mut u8 {
        if place.is_null() {
            SHORTAGE.store(bytes, Ordering::Relaxed);
        }
        place
    }
}

// SAFETY: every call is the system's, with the same arguments.
unsafe impl GlobalAlloc for Noting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        Self::noted(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        Self::noted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        Self::noted(unsafe { System.realloc(place, layout, bytes) }, bytes)
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }
}

mod host {
    #[link(wasm_import_module = "siliray")]
    unsafe extern "C" {
        /// Hears how much of the work is done; not 0 if it is not wanted any more.
        pub(super) safe fn tell(share: f32) -> u32;
    }
}

/// Tells how much of the work is done, and says whether it is not wanted any more.
pub(crate) fn told(share: f32) -> bool {
    host::tell(share) != 0
}

/// How many bytes could not be had, after the module has stopped or [`reserve`] found no room; 0 if
/// it stopped for another reason.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn shortage() -> usize {
    SHORTAGE.load(Ordering::Relaxed)
}

/// Makes room for a request of so many bytes, and says where; null if there is none.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn reserve(length: usize) -> *const u8 {
    let Ok(mut request) = REQUEST.lock() else { return std::ptr::null() };
    let mut bytes = Vec::new();
    if bytes.try_reserve_exact(length).is_err() {
        SHORTAGE.store(length, Ordering::Relaxed);
        return std::ptr::null();
    }
    bytes.resize(length, 0);
    *request = bytes;
    request.as_ptr()
}

/// Answers the request, and says where the response is.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn answer() -> *const u8 {
    let (Ok(mut request), Ok(mut response), Ok(mut page)) =
        (REQUEST.lock(), RESPONSE.lock(), PAGE.lock())
    else {
        return std::ptr::null();
    };
    SHORTAGE.store(0, Ordering::Relaxed);
    // The memory of the last response is free before the next one needs as much.
    *response = Vec::new();
    let bytes = std::mem::take(&mut *request);
    let answered = page.get_or_insert_default().answer(bytes);
    *response = Response::write(answered.map_err(|error| json!({"text": error.to_string()})));
    response.as_ptr()
}
