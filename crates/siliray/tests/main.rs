//! The toolkit as a whole, and the rules that its own files keep.

mod beam_vectors;
mod compare;
mod conformance;
mod decisions;
mod dependencies;
mod flips;
mod hart_pictures;
mod physics_engine;
mod project_files;
mod prose;
mod ray_files;
mod ray_tables;
mod render;
mod sim;
mod sweep;
mod updates;
mod walk_stack;
mod walks;
