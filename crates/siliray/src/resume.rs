//! Rows of earlier runs, and a place for new ones: interrupted work goes on where it ended.

/// A finished row.
pub trait Keyed {
    /// What a row is about.
    type Key: PartialEq;

    /// What this one is about.
    fn key(&self) -> &Self::Key;
}

/// Where rows are kept.
pub trait Rows<R: Keyed>: Sync {
    /// The row of this key, if there is one.
    fn find(&self, key: &R::Key) -> Option<R>;

    /// Keeps a row.
    ///
    /// # Errors
    /// When it cannot be written.
    fn keep(&self, row: &R) -> Result<(), String>;
}
