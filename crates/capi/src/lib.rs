//! siliray for C: `libsiliray`.
//!
//! A driver's unit test writes an acceleration structure and asks whether it is sound, what stands
//! in a node, what an intersection instruction says of it, and what a ray meets. This crate is the
//! thin shell around the facade that lets a C program ask; the header `include/siliray.h` is made
//! from it, and `docs/c.md` is the guide. It has no logic of its own.
//!
//! * **One context** holds everything that was opened, under ids. An id names a slot and its
//!   generation, so that one that was released, twice released or never given is an error code.
//! * **No global state**: every context has its own threads, and ends them.
//! * **No unwinding** into C: a defect of siliray is a status too.
//! * **Threads**: any number of them may use a context. Objects are shared; whoever releases one
//!   takes it from nobody who is at work on it. Texts live as long as the object they came from.
//! * **Bounded**: an image and one object of each kind over it take at most
//!   [`SILIRAY_MOST_GROWTH`] times the bytes that were given, unpacked, and [`SILIRAY_FREE_BYTES`]
//!   for lists whose length is bounded; see `docs/c.md`. A test measures it.
//!
//! | file | concept |
//! |---|---|
//! | [`safety`] | what `unsafe` rests on |
//! | `boundary` | what crosses from C and to C; all `unsafe` is there |
//! | [`status`] | what a call returns |
//! | [`ids`] | generational ids |
//! | [`context`] | the context and its objects |
//! | [`image`] | bytes that are looked at |
//! | [`scene`] | geometry that an image should hold |
//! | [`report`] | what a check found |
//! | [`description`] | a node, field by field |
//! | [`instruction`] | the intersection instructions |
//! | [`statistics`] | figures in the drivers' own words |
//! | [`walk`] | what a machine does for one ray |

#![allow(
    unsafe_code,
    reason = "names that C calls; what is behind its pointers is looked at in `boundary` alone"
)]
#![allow(clippy::missing_safety_doc, reason = "`safety` says what every call asks of its caller")]

mod boundary;
pub mod context;
pub mod description;
pub mod ids;
pub mod image;
pub mod instruction;
pub mod report;
pub mod safety;
pub mod scene;
pub mod statistics;
pub mod status;
pub mod walk;

/// What an image and one object of each kind over it take at most, in bytes for each byte that the
/// context was given for them, unpacked: of images and of the scene that they are compared with.
/// What is made twice is held twice, until it is released.
pub const SILIRAY_MOST_GROWTH: usize = 16;

/// What they take beyond that: lists of bounded length, texts, threads.
pub const SILIRAY_FREE_BYTES: usize = 32 << 20;
