//! How a page reaches the module: it writes a request where [`reserve`] says, calls [`answer`],
//! and reads the response where that says.
//!
//! The module imports nothing, so any host can run it. A WebAssembly module without threads has one
//! caller at a time; the locks are never waited for.

use crate::{Page, Response};
use serde_json::json;
use std::sync::Mutex;

static REQUEST: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static RESPONSE: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static PAGE: Mutex<Option<Page>> = Mutex::new(None);

/// Makes room for a request of so many bytes, and says where.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn reserve(length: usize) -> *const u8 {
    let Ok(mut request) = REQUEST.lock() else { return std::ptr::null() };
    request.clear();
    request.resize(length, 0);
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
    // The memory of the last response is free before the next one needs as much.
    *response = Vec::new();
    let bytes = std::mem::take(&mut *request);
    let answered = page.get_or_insert_default().answer(&bytes);
    *response = Response::write(answered.map_err(|error| json!({"text": error.to_string()})));
    response.as_ptr()
}
