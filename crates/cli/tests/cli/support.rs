//! Running the command in a folder of its own.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// What a command said.
pub(crate) trait Said {
    /// Standard output.
    fn text(&self) -> String;

    /// Standard error.
    fn errors(&self) -> String;
}

impl Said for Output {
    fn text(&self) -> String {
        String::from_utf8(self.stdout.clone()).unwrap()
    }

    fn errors(&self) -> String {
        String::from_utf8(self.stderr.clone()).unwrap()
    }
}

/// A folder that is removed afterwards.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The command with some arguments, to be run here.
    pub(crate) fn siliray(&self, args: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_siliray"));
        command.args(args).current_dir(self.path());
        command
    }

    /// Runs to the end.
    pub(crate) fn run(&self, args: &[impl AsRef<OsStr>]) -> Output {
        self.siliray(args).output().unwrap()
    }

    /// Runs to the end: exit status, standard output and standard error.
    pub(crate) fn said(&self, args: &[&str]) -> (Option<i32>, String, String) {
        let output = self.run(args);
        (output.status.code(), output.text(), output.errors())
    }

    /// Runs, succeeds, and gives the JSON object.
    pub(crate) fn json(&self, args: &[&str]) -> serde_json::Value {
        let output = self.run(&[args, &["--json"]].concat());
        let errors = output.errors();
        assert!(output.status.success(), "{args:?}: {errors}");
        assert_eq!(errors, "", "nothing on standard error without a terminal");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Names of the files here, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub(crate) fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        std::fs::read(self.path().join(name)).unwrap()
    }
}
