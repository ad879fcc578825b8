//! What HTML pages share: each is one file that needs nothing else.

mod text;

pub(crate) use text::{data_url, duration, filled, millions};
pub use text::{escaped, grouped};

/// The style of the pages.
pub(crate) const STYLE: &str = include_str!("style.css");
