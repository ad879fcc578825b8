//! Generations: which SM has what (section 6).

/// A streaming multiprocessor's number: 75 is Turing, 86 is GA10x.
pub type Sm = u16;

/// How instructions are encoded on an SM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// 64 bits, Kepler GK110 (SM32 to SM37). Only VILD is modelled.
    Kepler,
    /// 64 bits, Maxwell and Pascal (SM50 to SM62).
    Maxwell,
    /// 128 bits, Volta and later (SM70 on).
    Volta,
}

/// The SMs that exist, ascending.
pub const KNOWN_SMS: [Sm; 24] = [
    20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103,
    120,
];

/// The encoding of an SM, if its instructions are modelled.
#[must_use]
pub const fn encoding(sm: Sm) -> Option<Encoding> {
    match sm {
        32..=37 => Some(Encoding::Kepler),
        50..=62 => Some(Encoding::Maxwell),
        70.. => Some(Encoding::Volta),
        _ => None,
    }
}

/// The name of an SM's generation.
#[must_use]
pub const fn name(sm: Sm) -> &'static str {
    match sm {
        20..=29 => "Fermi",
        30..=37 => "Kepler",
        50..=53 => "Maxwell",
        60..=62 => "Pascal",
        70..=72 => "Volta",
        75 => "Turing",
        80..=88 => "Ampere",
        89 => "Ada",
        90..=99 => "Hopper",
        100.. => "Blackwell",
        _ => "unknown",
    }
}
