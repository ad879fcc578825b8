//! What `unsafe` rests on. Every `SAFETY` comment of this crate names the invariants that make its
//! block sound; here each is stated once, with who establishes it and where debug builds assert it.
//!
//! * **FEATURES-DETECTED**: the processor has the features of the kernel that runs. *By*: a tracer
//!   is made only with a kernel whose [`is_available`](crate::Kernel::is_available) is true, and
//!   all vectors are used within `Simd::run`. *Asserted*: where batches are answered.
//! * **POINTER-PROVED**: a pointer to a node or leaf leads to one: of the world's memory, or of the
//!   image's, in the level that the ray is in. *By*: `world::prepare`, which writes all pointers of
//!   a copy, and `in_place::proof`, which follows all of an image. *Asserted*: where one is
//!   read.
//! * **LEAF-ROOM**: behind the rows of a leaf 32 bytes may be read, whatever they are. *By*:
//!   `world::arena`, which has room behind the last leaf. *Asserted*: with POINTER-PROVED.
//! * **LANE-PRESENT**: a leaf has a triangle in the lane that is asked for. *By*: masks of
//!   candidates, which have bits of such lanes alone. *Asserted*: where a triangle is looked at.
//! * **STACK-ROOM**: a stack has room for all that a walk puts onto it, and sixteen entries more.
//!   *By*: `world::prepare` and `in_place::proof`, which count the entries of the deepest
//!   walk, and `vector::stack`, which adds the margin. *Asserted*: where entries are added or
//!   dropped.
//! * **STACK-BOTTOM**: a ray that goes on has an entry to take. *By*: the lowest entry of a stack,
//!   which ends the walk (`Pointer::DONE`); bundles count. *Asserted*: where an entry is taken.
//! * **LANES-INITIALIZED**: no lane is loaded that nobody has written. *By*: stacks that vectors
//!   are loaded from, which are made of zeros or of what stacks were before; the walk of one ray
//!   reads entries that it has written.
//! * **SLOT-UNIQUE**: a slot has one task at most in all lists together, and rays that are set up
//!   together have different slots. *By*: tasks move from list to list; padding lanes have slots of
//!   their own. *Asserted*: once a round, and where rays are set up.
//! * **TASK-ROOM**: a list has room for a task of every slot, and sixteen more where vectors are
//!   stored. *By*: the length of lists, and SLOT-UNIQUE. *Asserted*: where tasks are read or added.
//! * **VECTOR-SIZED**: what is loaded or stored as a vector is as large as one, and aligned like
//!   one where that counts. *By*: the types of fields and arrays. *Asserted*: below, by the
//!   compiler.
//! * **REGISTERS-ONLY**: assembly reads registers and what it is said to read, and writes registers
//!   alone. *By*: the instructions that are there.
//! * **ANY-ADDRESS**: a hint about memory may name any address. *By*: the processor and the system.

mod sizes {
    use crate::vector::active_ray::{ActiveRay, BoxTestRay, TriangleTestRay};
    use crate::world::Node;
    use geometry::Ray;

    // A ray is eight floats; what boxes and triangles are tested with, three vectors of four.
    const _: () = assert!(size_of::<Ray>() == 32);
    const _: () = assert!(size_of::<BoxTestRay>() == 48 && size_of::<TriangleTestRay>() == 48);
    const _: () = assert!(size_of::<ActiveRay>() <= 128 && align_of::<ActiveRay>() == 64);
    const _: () = assert!(size_of::<Node>() == 256 && align_of::<Node>() == 64);
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// Every `SAFETY` comment below a folder, with the file that it is in.
    fn comments(folder: &Path, found: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                comments(&path, found);
            } else if path.file_name().is_some_and(|name| name != "safety.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let lines = text.lines().filter_map(|line| line.trim().strip_prefix("// SAFETY: "));
                found.extend(lines.map(|line| (path.display().to_string(), line.to_owned())));
            }
        }
    }

    #[test]
    fn every_unsafe_block_names_its_invariant() {
        let names = include_str!("safety.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("//! * **")?.split("**").next());
        let names: Vec<&str> = names.collect();
        assert!(names.len() > 10, "{names:?}");
        let mut found = Vec::new();
        comments(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
        assert!(found.len() > 100);
        for (file, comment) in &found {
            let named = names.iter().any(|name| comment.starts_with(name));
            assert!(named, "{file}: {comment}");
        }
        for name in &names {
            assert!(found.iter().any(|(_, comment)| comment.contains(name)), "{name} is not used");
        }
        let page = include_str!("../../../ARCHITECTURE.md");
        let list = page.split("where debug builds assert it: ").nth(1).unwrap();
        let list = list.split('.').next().unwrap().replace('\n', " ");
        assert_eq!(list.split(", ").collect::<Vec<_>>(), names, "the list in ARCHITECTURE.md");
    }
}
