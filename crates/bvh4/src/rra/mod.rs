//! What the `.rra` files of all generations share: the container, and what it says of its capture.
//!
//! | file | concept |
//! |---|---|
//! | [`container`] | RDF: header, index, chunks |
//! | [`unpack`] | zstd, bounded |
//! | [`structure`] | a RawAccelStruct chunk, taken apart and put together |
//! | [`header_rules`] | what the viewer asks of a structure's header |
//! | [`info`] | ApiInfo and AsicInfo: which API, which card |
//! | [`fault`] | what is wrong with a file, and where |

pub mod container;
pub mod fault;
pub mod header_rules;
pub mod info;
pub mod structure;
pub mod unpack;

pub use fault::RraError;
pub use info::{ApiInfo, AsicInfo};
pub use structure::{Level, Structure};
