//! Numbers: the seven element formats, five rounding modes, FP32 arithmetic that is rounded
//! operation by operation, and the conversions between elements and FP32.
//!
//! | file | concept |
//! |---|---|
//! | [`format`](mod@format) | element formats and their tables |
//! | [`rounding`] | rounding modes and their three numberings |
//! | [`round`] | a finite number rounded to a floating format |
//! | [`fp32`] | `+ - * /` in any rounding mode, never fused |
//! | [`widen`](mod@widen) | an element read: exactly to FP32 |
//! | [`narrow`](mod@narrow) | a result written: FP32 to an element |

pub mod format;
pub mod fp32;
pub mod narrow;
pub mod round;
pub mod rounding;
pub mod widen;

pub use format::{ElementFormat, FloatLayout};
pub use narrow::{Narrowed, narrow};
pub use rounding::Rounding;
pub use widen::{Widened, widen};
