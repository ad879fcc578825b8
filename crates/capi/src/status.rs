//! What a call returns.

use crate::boundary::Out;
use std::ffi::{c_char, c_int};
use std::fmt::Display;

/// How a call ended.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SilirayStatus {
    /// As asked.
    Ok = 0,
    /// A pointer that must lead somewhere is null.
    NullPointer = 1,
    /// A pointer to a record is not aligned like one.
    Misaligned = 2,
    /// A size is zero, or more than the context takes.
    Size = 3,
    /// A text is not UTF-8.
    Text = 4,
    /// The id was released, or never given.
    StaleId = 5,
    /// The id names something else: a report where an image is asked for.
    WrongKind = 6,
    /// The list is not that long.
    Index = 7,
    /// There is no format or machine of that name.
    UnknownName = 8,
    /// What was asked makes no sense together.
    Option = 9,
    /// The bytes cannot be taken apart; a check of them says where.
    Broken = 10,
    /// The image is not safe to walk; a check of it says why.
    Unsound = 11,
    /// The format has no such thing.
    Unsupported = 12,
    /// There is no structure at that place.
    NoStructure = 13,
    /// The machine has no answer.
    NoAnswer = 14,
    /// The scene cannot be read.
    Scene = 15,
    /// There is not enough memory, or there are no more threads or ids.
    Exhausted = 16,
    /// A defect of siliray. The context can still be used.
    Defect = 17,
}

/// Bytes of the text of an error, the zero at its end among them.
pub const SILIRAY_ERROR_TEXT: usize = 508;

/// The reason in words.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CError {
    /// How the call ended: a siliray_status.
    pub status: i32,
    /// Why, in UTF-8, cut where it is too long; empty if all is well.
    pub text: [c_char; SILIRAY_ERROR_TEXT],
}

/// A call that did not end as asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The status.
    pub status: SilirayStatus,
    /// Why.
    pub text: String,
}

impl Failure {
    /// A failure, and why.
    pub fn new(status: SilirayStatus, text: impl Display) -> Self {
        Self { status, text: text.to_string() }
    }
}

/// The same, for errors that are one status.
pub(crate) fn failed<E: Display>(status: SilirayStatus) -> impl Fn(E) -> Failure {
    move |error| Failure::new(status, error)
}

impl CError {
    /// The record of how a call ended.
    #[must_use]
    pub fn new(status: SilirayStatus, text: &str) -> Self {
        let mut error = Self { status: status as i32, text: [0; SILIRAY_ERROR_TEXT] };
        let room = SILIRAY_ERROR_TEXT - 1;
        let end = (0..=room.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
        let kept = text.as_bytes()[..end.unwrap_or(0)].iter();
        for (place, &byte) in error.text.iter_mut().zip(kept) {
            // A zero would end the text.
            *place = if byte == 0 { b' ' } else { byte } as c_char;
        }
        error
    }
}

impl SilirayStatus {
    /// All of them, by number.
    const ALL: [(Self, &'static std::ffi::CStr); 18] = [
        (Self::Ok, c"ok"),
        (Self::NullPointer, c"null pointer"),
        (Self::Misaligned, c"misaligned pointer"),
        (Self::Size, c"wrong size"),
        (Self::Text, c"no UTF-8"),
        (Self::StaleId, c"stale id"),
        (Self::WrongKind, c"id of another kind"),
        (Self::Index, c"index out of range"),
        (Self::UnknownName, c"unknown name"),
        (Self::Option, c"wrong option"),
        (Self::Broken, c"broken bytes"),
        (Self::Unsound, c"unsound image"),
        (Self::Unsupported, c"unsupported"),
        (Self::NoStructure, c"no structure"),
        (Self::NoAnswer, c"no answer"),
        (Self::Scene, c"no scene"),
        (Self::Exhausted, c"exhausted"),
        (Self::Defect, c"defect of siliray"),
    ];
}

/// A status in words; never null, whatever the number.
#[unsafe(no_mangle)]
pub extern "C" fn siliray_status_text(status: c_int) -> *const c_char {
    let known = SilirayStatus::ALL.iter().find(|(known, _)| *known as c_int == status);
    known.map_or(c"unknown status", |(_, text)| *text).as_ptr()
}

/// The version of the library, as in "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn siliray_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Runs a call: a failure and a panic become a status, and the reason goes to `error`, which may be
/// null.
pub(crate) fn guarded(
    error: *mut CError,
    call: impl FnOnce() -> Result<(), Failure>,
) -> SilirayStatus {
    let place = match Out::optional(error) {
        Ok(place) => place,
        Err(failure) => return failure.status,
    };
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
    let failure = match outcome {
        Ok(Ok(())) => Failure { status: SilirayStatus::Ok, text: String::new() },
        Ok(Err(failure)) => failure,
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
            Failure::new(SilirayStatus::Defect, text.unwrap_or("a panic without words"))
        }
    };
    if let Some(place) = place {
        place.put(CError::new(failure.status, &failure.text));
    }
    failure.status
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn a_text_is_cut_between_characters() {
        let error = CError::new(SilirayStatus::Text, &"é".repeat(400));
        let bytes: Vec<u8> = error.text.iter().map(|&c| c as u8).collect();
        let text = CStr::from_bytes_until_nul(&bytes).unwrap().to_str().unwrap();
        assert_eq!(text, "é".repeat(253));
    }

    #[test]
    fn statuses_are_numbered_without_gaps() {
        for (number, (status, _)) in SilirayStatus::ALL.iter().enumerate() {
            assert_eq!(*status as usize, number);
        }
    }

    #[test]
    fn a_panic_is_a_status() {
        let call = || -> Result<(), Failure> { panic!("as it happens") };
        assert_eq!(guarded(std::ptr::null_mut(), call), SilirayStatus::Defect);
    }
}
