//! Finished rows in a file, one JSON object a line, so that work that was interrupted goes on where
//! it ended.

use crate::failure::Failure;
use serde::Serialize;
use serde::de::DeserializeOwned;
use siliray::resume::{Keyed, Rows};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The file, and what it held.
pub(crate) struct ResumeLog<R> {
    rows: Vec<R>,
    file: Mutex<File>,
    path: PathBuf,
}

impl<R: Serialize + DeserializeOwned + Clone> ResumeLog<R> {
    /// Opens the file, or begins it. A last line that was cut off is dropped: its row is made
    /// again. `what` a row is, for errors.
    pub(crate) fn open(path: &Path, what: &str) -> Result<Self, Failure> {
        let cannot = |error: &dyn std::fmt::Display| {
            Failure::input(format!("cannot use {}: {error}", path.display()))
        };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(cannot(&error)),
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut rows = Vec::new();
        for (number, line) in text[..whole].lines().enumerate() {
            let row = serde_json::from_str(line).map_err(|error| {
                let message = format!("line {} is no {what}: {error}", number + 1);
                cannot(&message)
            })?;
            rows.push(row);
        }
        let options = OpenOptions::new().create(true).append(true).open(path);
        let file = options.map_err(|error| cannot(&error))?;
        if whole < text.len() {
            file.set_len(whole as u64).map_err(|error| cannot(&error))?;
        }
        Ok(Self { rows, file: Mutex::new(file), path: path.to_owned() })
    }
}

impl<R: Keyed + Serialize + Clone + Send + Sync> Rows<R> for ResumeLog<R> {
    fn find(&self, key: &R::Key) -> Option<R> {
        self.rows.iter().find(|row| row.key() == key).cloned()
    }

    /// The line is written at once, so that it is there whole or, if that fails, cut off.
    fn keep(&self, row: &R) -> Result<(), String> {
        let cannot = |error: &dyn std::fmt::Display| {
            format!("cannot write {}: {error}", self.path.display())
        };
        let line = serde_json::to_string(row).map_err(|error| cannot(&error))? + "\n";
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes()).map_err(|error| cannot(&error))
    }
}
