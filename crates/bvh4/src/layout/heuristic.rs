//! Which distance sorts children: two bits of the T#.

/// Which distance sorts the children of a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum SortHeuristic {
    /// Smallest entry.
    Closest,
    /// Longest interval inside the box.
    Largest,
    /// Smallest middle of the unclamped interval.
    Midpoint,
    /// The fourth code; acts like [`SortHeuristic::Closest`].
    Reserved,
}

machine::field_number!(
    SortHeuristic,
    u32,
    |raw| match raw {
        0 => Self::Closest,
        1 => Self::Largest,
        2 => Self::Midpoint,
        _ => Self::Reserved,
    },
    |&heuristic| heuristic as u32,
    |raw| raw.to_string()
);
