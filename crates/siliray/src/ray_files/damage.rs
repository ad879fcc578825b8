//! Damaged tables. The decoders of Parquet and Arrow return errors for most of them, and panic for
//! some; here a panic becomes an error, too.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether this thread is decoding, and its panics are nobody's business.
    static IS_DECODING: Cell<bool> = const { Cell::new(false) };
}

static QUIET: Once = Once::new();

/// What `decode` gives, or what it panicked with. It must not be asked again after a panic.
pub(super) fn decoded<T>(decode: impl FnOnce() -> T) -> Result<T, String> {
    QUIET.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_DECODING.get() {
                usual(panic);
            }
        }));
    });
    IS_DECODING.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(decode));
    IS_DECODING.set(false);
    outcome.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        format!("the table is damaged: {}", text.unwrap_or("it cannot be decoded"))
    })
}
