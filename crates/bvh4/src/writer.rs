//! Who laid an image out.

/// A writer: what stands before the nodes, and how leaves and instances are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Writer {
    /// siliray: the parent table, then nodes from the base on.
    Own,
    /// GPURT: its header is the base.
    Gpurt,
    /// RADV in memory.
    Radv,
    /// RADV's export to a file: GPURT's layout with some fields of its own.
    RadvFile,
    /// HIPRT: boxes and other nodes count from two bases.
    Hiprt,
}

impl Writer {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Own, Self::Gpurt, Self::Radv, Self::RadvFile, Self::Hiprt];

    /// Their names.
    pub const NAMES: [&'static str; 5] = {
        let [a, b, c, d, e] = Self::ALL;
        [a.name(), b.name(), c.name(), d.name(), e.name()]
    };

    /// The name in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Gpurt => "gpurt",
            Self::Radv => "radv",
            Self::RadvFile => "radv-file",
            Self::Hiprt => "hiprt",
        }
    }

    /// The writer of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|writer| writer.name() == name)
    }

    /// How an image names its writer: as the third of its bases.
    #[must_use]
    pub const fn code(self) -> u64 {
        self as u64
    }

    /// The writer of a code.
    #[must_use]
    pub fn of_code(code: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|writer| writer.code() == code)
    }

    /// Whether a GPURT header is the base.
    #[must_use]
    pub const fn is_behind_header(self) -> bool {
        matches!(self, Self::Gpurt | Self::RadvFile)
    }

    /// The unit of the first node, from which the parent table counts.
    #[must_use]
    pub const fn first_unit(self) -> u32 {
        if self.is_behind_header() { 2 } else { 0 }
    }
}
