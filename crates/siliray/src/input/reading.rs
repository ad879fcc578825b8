//! What is said of an image beside its file: its format, and where its nodes lie.

use super::{format_of, read_as};
use crate::registry::registry;
use machine::{FormatEntry, ImageFile, ReadError, ReadOptions};
use std::path::Path;

/// How the image of a file is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading {
    /// The format, whatever the bytes look like.
    pub format: Option<&'static FormatEntry>,
    /// Where the image lies in the file.
    pub options: ReadOptions,
}

impl Reading {
    /// The format of a file: as said, or that of raw memory, or as its bytes or its ending show.
    #[must_use]
    pub fn format_of(&self, path: &Path, bytes: &[u8]) -> Option<&'static FormatEntry> {
        let raw = self.options.raw.and_then(|_| registry().format(gfx12::NAME));
        self.format.or(raw).or_else(|| format_of(path, bytes))
    }

    /// The format of a file's bytes, and its image unless that is broken. Bytes that say nothing
    /// are read as if they were those of GFX12.
    ///
    /// # Errors
    /// Of the image: when it cannot be taken apart.
    pub fn image_file(
        &self,
        path: &Path,
        bytes: &[u8],
    ) -> (&'static FormatEntry, Result<ImageFile, ReadError>) {
        let usual = || registry().format(gfx12::NAME).unwrap_or(registry().formats()[0]);
        read_as(self.format_of(path, bytes).unwrap_or_else(usual), bytes, &self.options)
    }
}
