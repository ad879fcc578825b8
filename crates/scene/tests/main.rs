//! Readers and writers of scenes, tried with files.

mod colours;
mod common;
mod description;
mod errors;
mod formats;
mod gltf;
mod gltf_compressed;
mod hostile;
mod outside;
mod round_trip;
mod tolerance;
