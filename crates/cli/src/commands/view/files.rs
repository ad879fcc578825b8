//! The files of the page: in the binary, or in a folder beside it.

use crate::failure::Failure;
use std::borrow::Cow;
use std::path::PathBuf;

/// Files and their types. The build script knows the same names.
const TYPES: [(&str, &str); 7] = [
    ("index.html", "text/html; charset=utf-8"),
    ("page.js", "text/javascript; charset=utf-8"),
    ("worker.js", "text/javascript; charset=utf-8"),
    ("style.css", "text/css; charset=utf-8"),
    ("siliray.wasm", "application/wasm"),
    ("more.wasm", "application/wasm"),
    ("licences.txt", "text/plain; charset=utf-8"),
];

/// What was there when the binary was built.
static EMBEDDED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// One file.
pub(super) struct PageFile {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) bytes: Cow<'static, [u8]>,
}

/// The page.
pub(super) struct PageFiles(Vec<PageFile>);

impl PageFiles {
    /// Finds all of them.
    pub(super) fn find() -> Result<Self, Failure> {
        let folder = beside_binary();
        let file = |(name, kind): (&'static str, &'static str)| {
            let embedded = EMBEDDED.iter().find(|(known, _)| *known == name);
            let bytes = match (embedded, &folder) {
                (Some((_, bytes)), _) => Cow::Borrowed(*bytes),
                (None, Some(folder)) => Cow::Owned(std::fs::read(folder.join(name)).ok()?),
                (None, None) => return None,
            };
            Some(PageFile { name, kind, bytes })
        };
        let files: Option<Vec<PageFile>> = TYPES.into_iter().map(file).collect();
        files.map(Self).ok_or_else(|| {
            Failure::input("this siliray was built without its page")
                .hint("`scripts/page` in the checkout builds the page; it needs Node.js and npm")
        })
    }

    /// A page of one file, for tests.
    #[cfg(test)]
    pub(super) fn of_text(name: &'static str, text: &'static str) -> Self {
        let bytes = Cow::Borrowed(text.as_bytes());
        Self(vec![PageFile { name, kind: "text/html; charset=utf-8", bytes }])
    }

    /// The file of a name.
    pub(super) fn get(&self, name: &str) -> Option<&PageFile> {
        self.0.iter().find(|file| file.name == name)
    }
}

/// The folder `page` beside that of the binary: `target/page` beside `target/release`.
fn beside_binary() -> Option<PathBuf> {
    let binary = std::env::current_exe().ok()?;
    let folder = binary.parent()?.parent()?.join("page");
    folder.is_dir().then_some(folder)
}
