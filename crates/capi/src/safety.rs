//! What `unsafe` rests on. Every `SAFETY` comment of this crate names the invariants that make its
//! block sound; here each is stated once, with who establishes it.
//!
//! * **READABLE**: from a pointer that a caller passes with a size, so many bytes may be read for
//!   as long as the call runs. *By*: the caller. Null, a misaligned pointer and a size that no
//!   memory has are refused before.
//! * **WRITABLE**: a pointer that a caller passes for an answer may be written to, and nobody else
//!   reads or writes there meanwhile. *By*: the caller. Null and a misaligned pointer are refused
//!   before.
//! * **TERMINATED**: a text that a caller passes ends with a zero. *By*: the caller.
//! * **LIVE**: a context that a caller passes was made by `siliray_context_new`, and
//!   `siliray_context_free` has not taken it back. *By*: the caller; freeing sets the caller's
//!   variable to null, and null is refused.
//! * **ANY-BITS**: every bit pattern is a value of the type. *By*: records that come from C are
//!   made of numbers and pointers; what is chosen from a list comes as a number.

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn every_unsafe_block_names_its_invariant() {
        let names = include_str!("safety.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("//! * **")?.split("**").next());
        let names: Vec<&str> = names.collect();
        assert_eq!(names.len(), 5, "{names:?}");
        let mut comments = 0;
        for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().is_some_and(|name| name == "safety.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let is_boundary = path.file_name().is_some_and(|name| name == "boundary.rs");
            let blocks = text.lines().filter(|line| line.contains("unsafe {")).count();
            let named = text.lines().filter_map(|line| line.trim().strip_prefix("// SAFETY: "));
            let named: Vec<&str> = named.collect();
            assert_eq!(blocks, named.len(), "{}", path.display());
            assert!(is_boundary || blocks == 0, "{}: unsafe outside boundary.rs", path.display());
            for comment in &named {
                let is_known = names.iter().any(|name| comment.starts_with(name));
                assert!(is_known, "{}: {comment}", path.display());
            }
            comments += named.len();
        }
        assert!(comments >= 8, "{comments}");
    }
}
