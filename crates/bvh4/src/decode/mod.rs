//! From a survey to a tree: what decoders of all formats share.
//!
//! | file | concept |
//! |---|---|
//! | [`hierarchy`] | a survey as a [`tree::Bvh`] |
//! | [`instance`](mod@instance) | instances and their flags |
//! | [`inverse`] | whether a transform undoes another |
//! | [`bounds`] | boxes without NaN |

pub mod bounds;
pub mod hierarchy;
pub mod instance;
pub mod inverse;

pub use inverse::is_inverse;
