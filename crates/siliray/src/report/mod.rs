//! What HTML pages share: each is one file that needs nothing else.

mod text;

pub use text::grouped;
pub(crate) use text::{data_url, duration, escaped, filled, millions};

/// The style of the pages.
pub(crate) const STYLE: &str = include_str!("style.css");
