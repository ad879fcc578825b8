//! Files that a file names: in its own folder or below, and nowhere else.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Where the file is that is called `relative`, seen from `folder`.
pub(crate) fn find(folder: Option<&Path>, relative: &str) -> Result<PathBuf, String> {
    let folder = folder.ok_or("the document was not read from a folder")?;
    let path = Path::new(relative);
    let is_inside = |c: Component<'_>| matches!(c, Component::Normal(_) | Component::CurDir);
    if relative.contains("://") || !path.components().all(is_inside) {
        return Err("it lies outside the document's folder".to_owned());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let said = |error: std::io::Error| error.to_string();
    // A link may lead out of the folder too.
    let real = folder.join(path).canonicalize().map_err(said)?;
    if !real.starts_with(folder.canonicalize().map_err(said)?) {
        return Err("it lies outside the document's folder".to_owned());
    }
    if !real.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    Ok(real)
}

/// At most `length` bytes of such a file.
pub(crate) fn read(folder: Option<&Path>, relative: &str, length: u64) -> Result<Vec<u8>, String> {
    let said = |error: std::io::Error| error.to_string();
    let mut bytes = Vec::new();
    let file = std::fs::File::open(find(folder, relative)?).map_err(said)?;
    file.take(length).read_to_end(&mut bytes).map_err(said)?;
    Ok(bytes)
}
