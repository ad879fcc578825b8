//! The page and a file as one HTML file, to attach to a report.

use super::files::PageFiles;
use crate::failure::Failure;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use siliray::report::escaped;

/// The whole page, with everything in it.
pub(super) fn one_page(page: &PageFiles, name: &str, bytes: &[u8]) -> Result<String, Failure> {
    let source = |name: &str| {
        let file = page.get(name).and_then(|file| std::str::from_utf8(&file.bytes).ok());
        file.ok_or_else(|| Failure::input(format!("the page's {name} is no text")))
    };
    let module = |name: &str| STANDARD.encode(page.get(name).map_or(&[][..], |file| &file.bytes));
    // What ends an element must not stand in it.
    let script = source("page.js")?.replace("</script", "<\\/script");
    let worker = source("worker.js")?.replace("</script", "<\\/script");
    let style = source("style.css")?.replace("</style", "<\\/style");
    let policy = format!(
        "default-src 'none'; script-src '{}' blob: 'wasm-unsafe-eval'; worker-src blob:; style-src \
         '{}'; img-src blob: data:; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(&style),
    );
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
         http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1, viewport-fit=cover\">\n<meta \
         name=\"color-scheme\" content=\"light dark\">\n<title>{title} · siliray</title>\n<link \
         rel=\"icon\" href=\"data:,\">\n<style>{style}</style>\n</head>\n<body>\n<script \
         type=\"text/plain\" id=\"worker\">{worker}</script>\n<script type=\"text/plain\" \
         id=\"module\">{module}</script>\n<script type=\"text/plain\" \
         id=\"more\">{more}</script>\n<script type=\"text/plain\" id=\"file\" \
         data-name=\"{title}\">{file}</script>\n<script>{script}</script>\n</body>\n</html>\n",
        title = escaped(name),
        module = module("siliray.wasm"),
        more = module("more.wasm"),
        file = STANDARD.encode(bytes),
    ))
}

/// How a policy names a script or a style that it allows.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}
