//! Puts the page of `siliray view` into the binary, if `scripts/page` has built it: the folder
//! `page` in the target folder.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The files of the page.
const FILES: [&str; 7] = [
    "index.html",
    "page.js",
    "worker.js",
    "style.css",
    "siliray.wasm",
    "more.wasm",
    "licences.txt",
];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let page = out.ancestors().map(|above| above.join("page"));
    let page = page.into_iter().find(|folder| FILES.iter().all(|file| folder.join(file).is_file()));
    let files = page.as_deref().map(listed).unwrap_or_default();
    fs::write(out.join("page.rs"), format!("&[{files}]\n"))
}

/// Names and bytes, as Rust.
fn listed(folder: &Path) -> String {
    let file = |name: &str| {
        let path = folder.join(name);
        println!("cargo::rerun-if-changed={}", path.display());
        format!("({name:?}, include_bytes!({path:?}) as &[u8]),")
    };
    FILES.into_iter().map(file).collect()
}
