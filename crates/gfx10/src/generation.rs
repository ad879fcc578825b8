//! The two generations.

/// Which hardware (R-1: GFX11.5 is GFX11).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Generation {
    /// RDNA2: no pointer flags, children by distance only.
    Gfx10,
    /// RDNA3 and RDNA3.5.
    Gfx11,
}

impl Generation {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Gfx10, Self::Gfx11];

    /// The name in documents and vector files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gfx10 => "gfx10.3",
            Self::Gfx11 => "gfx11",
        }
    }

    /// The generation of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|generation| generation.name() == name)
    }
}
