//! `.rra` files: what siliray writes, what others write, and what is wrong with a broken one.

#![allow(clippy::unwrap_used)]

mod cornell;
mod damage;
mod drivers;
mod errors;
mod files;
