//! Programs as text: in a file, on standard input, or on the command line.

use crate::failure::Failure;
use clap::Args;
use siliray::scene::read_file;
use std::io::Read;
use std::path::PathBuf;

/// Where a program comes from.
#[derive(Debug, Args)]
pub(crate) struct ProgramText {
    /// A file, or - for standard input
    #[arg(value_name = "FILE", required_unless_present = "text")]
    pub(crate) file: Option<PathBuf>,

    /// The program itself
    #[arg(long, short = 'e', value_name = "TEXT", conflicts_with = "file")]
    pub(crate) text: Option<String>,
}

impl ProgramText {
    /// What it is called in messages, and its bytes.
    pub(crate) fn read(&self) -> Result<(String, Vec<u8>), Failure> {
        match (&self.text, &self.file) {
            (Some(text), _) => Ok(("the program".to_owned(), text.clone().into_bytes())),
            (None, Some(file)) if file.as_os_str() != "-" => {
                Ok((file.display().to_string(), read_file(file).map_err(Failure::input)?))
            }
            (None, _) => {
                let mut bytes = Vec::new();
                let read = std::io::stdin().lock().read_to_end(&mut bytes);
                read.map_err(|error| Failure::input(format!("standard input: {error}")))?;
                Ok(("standard input".to_owned(), bytes))
            }
        }
    }

    /// The same, as text.
    pub(crate) fn read_text(&self) -> Result<(String, String), Failure> {
        let (name, bytes) = self.read()?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok((name, text)),
            Err(error) => Err(Failure::input(format!("{name}: {error}"))),
        }
    }
}
