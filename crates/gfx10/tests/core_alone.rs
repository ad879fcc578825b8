//! Emulators take the instruction along: its own modules name nothing of `std` or `alloc`.

use std::path::Path;

/// What only an allocator or an operating system makes possible.
const FOREIGN: [&str; 10] =
    ["std::", "alloc::", "Vec<", "Vec::", "vec!", "String", "format!", "Box<", "Box::", "HashMap"];

/// The code of a file, without comments and tests.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().take_while(|(_, line)| *line != "#[cfg(test)]");
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

#[test]
fn the_instruction_needs_core_alone() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = 0;
    for folder in ["src/instruction", "../bvh4/src/unit"] {
        for entry in std::fs::read_dir(here.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            // It brings siliray's images to the instruction; an emulator brings its own memory.
            if path.ends_with("images.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for (number, line) in code(&text) {
                let foreign = FOREIGN.iter().find(|name| line.contains(**name));
                assert_eq!(foreign, None, "{}:{}: {line}", path.display(), number + 1);
            }
            files += 1;
        }
    }
    assert_eq!(files, 11);
}
