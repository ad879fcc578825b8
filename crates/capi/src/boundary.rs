//! What crosses from C and to C. Nothing else in this crate looks behind a pointer.
//!
//! Functions here are safe to call from the functions that C calls, and from nowhere else: those
//! pass on what their caller vouches for ([`crate::safety`]).

use crate::context::{Context, ContextOptions};
use crate::image::Reading;
use crate::instruction::{Bvh8Operands, Bvh64Operands, DualOperands, ImageOperands};
use crate::report::Update;
use crate::status::{Failure, SilirayStatus, failed};
use crate::walk::CRay;
use std::ffi::{CStr, CString, c_char, c_void};

/// A record that comes from C.
pub(crate) trait FromC: Copy {}

impl FromC for u32 {}
impl FromC for f32 {}
impl FromC for ContextOptions {}
impl FromC for Reading {}
impl FromC for Update {}
impl FromC for CRay {}
impl FromC for Bvh64Operands {}
impl FromC for Bvh8Operands {}
impl FromC for DualOperands {}
impl FromC for ImageOperands {}

/// A place for an answer.
#[derive(Debug)]
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// The place that a caller named.
    pub(crate) fn new(place: *mut T, name: &str) -> Result<Self, Failure> {
        check(place, name)?;
        Ok(Self(place))
    }

    /// The same, if there is one.
    pub(crate) fn optional(place: *mut T) -> Result<Option<Self>, Failure> {
        if place.is_null() { Ok(None) } else { Self::new(place, "error").map(Some) }
    }

    /// Puts the answer there.
    pub(crate) fn put(self, answer: T) {
        // SAFETY: WRITABLE; null and misaligned pointers were refused when it was made.
        unsafe { self.0.write(answer) }
    }
}

fn check<T>(pointer: *const T, name: &str) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(Failure::new(SilirayStatus::NullPointer, format!("{name} is null")));
    }
    if !pointer.is_aligned() {
        let multiple = align_of::<T>();
        let text = format!("{name} is {pointer:p}, expected a multiple of {multiple}");
        return Err(Failure::new(SilirayStatus::Misaligned, text));
    }
    Ok(())
}

/// A record.
pub(crate) fn get<T: FromC>(pointer: *const T, name: &str) -> Result<T, Failure> {
    check(pointer, name)?;
    // SAFETY: READABLE, ANY-BITS.
    Ok(unsafe { pointer.read() })
}

/// A record, or what stands for it where there is none.
pub(crate) fn get_or<T: FromC>(pointer: *const T, usual: T, name: &str) -> Result<T, Failure> {
    if pointer.is_null() { Ok(usual) } else { get(pointer, name) }
}

/// Numbers in a row; none if the count is 0.
pub(crate) fn numbers<'a, T: FromC>(
    pointer: *const T,
    count: usize,
    name: &str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check(pointer, name)?;
    if count > isize::MAX as usize / size_of::<T>() {
        let text = format!("{name} has {count} numbers: no memory is that large");
        return Err(Failure::new(SilirayStatus::Size, text));
    }
    // SAFETY: READABLE, ANY-BITS; the size was just looked at.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Bytes, one at least and no more than `most`.
pub(crate) fn bytes<'a>(
    pointer: *const c_void,
    size: usize,
    most: u64,
    name: &str,
) -> Result<&'a [u8], Failure> {
    check(pointer.cast::<u8>(), name)?;
    if size == 0 || size as u64 > most.min(isize::MAX as u64) {
        let text = format!("{name} has {size} bytes, expected 1 to {most}");
        return Err(Failure::new(SilirayStatus::Size, text));
    }
    // SAFETY: READABLE, ANY-BITS; the size was just looked at.
    Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), size) })
}

/// A text, if there is one.
pub(crate) fn text<'a>(pointer: *const c_char, name: &str) -> Result<Option<&'a str>, Failure> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: TERMINATED.
    let text = unsafe { CStr::from_ptr(pointer) };
    let text = text.to_str().map_err(failed(SilirayStatus::Text));
    text.map(Some)
        .map_err(|failure| Failure { text: format!("{name}: {}", failure.text), ..failure })
}

/// A context.
pub(crate) fn context<'a>(pointer: *const Context) -> Result<&'a Context, Failure> {
    check(pointer, "context")?;
    // SAFETY: LIVE.
    Ok(unsafe { &*pointer })
}

/// Hands a context to C.
pub(crate) fn give(context: Context, place: Out<*mut Context>) {
    place.put(Box::into_raw(Box::new(context)));
}

/// Takes a context back, and leaves null where it was named.
pub(crate) fn take_back(place: *mut *mut Context) -> Result<Box<Context>, Failure> {
    check(place, "context")?;
    // SAFETY: READABLE; any bits are a pointer.
    let pointer = unsafe { place.read() };
    check(pointer, "*context")?;
    Out(place).put(std::ptr::null_mut());
    // SAFETY: LIVE; it came from a box in `give`, and its last name was just erased.
    Ok(unsafe { Box::from_raw(pointer) })
}

/// A text for C: zeros in it, which would end it, become blanks.
pub(crate) fn c_text(text: impl Into<Vec<u8>>) -> CString {
    let mut bytes = text.into();
    bytes.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = b' ');
    // There is no zero any more.
    CString::new(bytes).unwrap_or_default()
}
