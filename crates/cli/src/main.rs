//! The siliray command.
fn main() {}
