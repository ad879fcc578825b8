//! How much memory a context takes: no more than the header says.
#![allow(unsafe_code, reason = "an allocator that counts, and functions that C calls")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

use siliray::build::Preset;
use siliray::input::format_options;
use siliray::machine::{FormatEntry, Settings};
use siliray::registry::registry;
use siliray::scene::builtin::Builtin;
use siliray::scene::{Scene, Shape};
use siliray_capi::context::{Context, ContextOptions, siliray_context_free, siliray_context_new};
use siliray_capi::description::siliray_describe;
use siliray_capi::image::siliray_image_read;
use siliray_capi::report::{Update, siliray_check, siliray_check_update};
use siliray_capi::scene::siliray_scene_triangles;
use siliray_capi::statistics::siliray_stats;
use siliray_capi::status::SilirayStatus;
use siliray_capi::walk::{CRay, siliray_walk};
use siliray_capi::{SILIRAY_FREE_BYTES, SILIRAY_MOST_GROWTH};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::CString;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator, with the most bytes that were taken at a time.
struct Counting;

static TAKEN: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let taken = TAKEN.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(taken, Ordering::Relaxed);
        // SAFETY: as promised to this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as promised to this function.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that some work takes beyond what was taken before.
fn peak(work: impl FnOnce()) -> usize {
    let before = TAKEN.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    work();
    PEAK.load(Ordering::Relaxed) - before
}

/// Machines that are no hardware's, which bring memory of their own.
const OWN: [&str; 2] = [siliray::trace::NAME, siliray::machine::reference::NAME];

/// The files of a scene: in each format as it writes them, and AMD's as dumps and for a viewer.
fn files(scene: &Scene) -> Vec<(String, &'static FormatEntry, Vec<u8>)> {
    let mut files = Vec::new();
    for format in registry().formats().iter().filter(|format| format.holds_trees()) {
        let trees = format.trees.as_ref().unwrap();
        let is_amds = trees.settings.iter().any(|it| it.values.contains(&"radv"));
        let dumps: &[_] = if is_amds { &[Some("rra"), Some("gamma")] } else { &[] };
        for ending in [None].iter().chain(dumps) {
            let usual = Settings::default();
            let settings = if ending.is_some() { usual.with("policy", "radv") } else { usual };
            let options = format_options(format, &settings, Preset::Fast);
            let tree = options.build(scene).unwrap();
            let image = (trees.encode)(&tree, &settings).unwrap().image;
            let name = format!("{} {}", format.name, ending.unwrap_or(format.ending));
            files.push((name, *format, (trees.write)(&image, *ending).unwrap()));
        }
    }
    files
}

/// Asserts that some work on so many bytes takes no more than is promised.
fn assert_bounded(name: &str, size: usize, free: usize, work: impl FnOnce()) {
    let taken = peak(work);
    let times = taken as f64 / size as f64;
    assert!(taken < SILIRAY_MOST_GROWTH * size + free, "{name}: {times:.1} times");
}

/// One test, so that nothing else allocates beside it.
#[test]
fn a_context_is_bounded() {
    const TRIANGLES: usize = 60_000;
    let scene = Builtin::Organic.scene(TRIANGLES);
    let Shape::Triangles { positions, indices } = &scene.objects[0].geometries[0].shape else {
        panic!("the scene is a mesh");
    };
    let positions: Vec<[f32; 3]> = positions.iter().map(|corner| corner.to_array()).collect();
    let mesh = (positions.as_slice(), indices.as_slice());
    for (name, format, sound) in files(&scene) {
        let own = registry().readers(format).filter(|machine| OWN.contains(&machine.name));
        let machines: Vec<CString> =
            own.map(|machine| CString::new(machine.name).unwrap()).collect();
        // Something is wrong in every second node: as many findings as there can be.
        let mut noisy = sound.clone();
        noisy.chunks_mut(256).skip(8).for_each(|chunk| chunk[0] ^= 0x10);
        for (kind, bytes, free) in [("sound", &sound, 0), ("noisy", &noisy, SILIRAY_FREE_BYTES)] {
            let name = format!("{name}, {kind}");
            assert_bounded(&name, bytes.len(), free, || use_everything(bytes, &machines));
            let given = 2 * bytes.len() + size_of_val(mesh.0) + size_of_val(mesh.1);
            let name = format!("{name}, with a scene and as an update");
            assert_bounded(&name, given, free, || compare(bytes, mesh));
        }
    }
}

/// A new context, with two threads.
fn context() -> *mut Context {
    let options = ContextOptions { threads: 2, ..ContextOptions::default() };
    let mut context = null_mut();
    // SAFETY: READABLE, WRITABLE: all of it is above.
    let made = unsafe { siliray_context_new(&raw const options, &raw mut context, null_mut()) };
    assert_eq!(made, SilirayStatus::Ok);
    context
}

fn image(context: *const Context, bytes: &[u8]) -> u64 {
    let (start, mut image) = (bytes.as_ptr().cast(), 0);
    // SAFETY: LIVE, READABLE, WRITABLE: all of it is above.
    let read = unsafe {
        siliray_image_read(context, start, bytes.len(), null(), &raw mut image, null_mut())
    };
    assert_eq!(read, SilirayStatus::Ok);
    image
}

/// A check against a scene that it was made of, and one of an update into itself, all held.
fn compare(bytes: &[u8], (positions, indices): (&[[f32; 3]], &[[u32; 3]])) {
    let mut context = context();
    let (before, after) = (image(context, bytes), image(context, bytes));
    let (mut scene, mut id) = (0, 0);
    // SAFETY: LIVE, READABLE, WRITABLE: all of it is above.
    unsafe {
        let (corners, triangles) = (positions.as_ptr().cast(), indices.as_ptr().cast());
        let (vertices, count) = (positions.len(), indices.len());
        let place = &raw mut scene;
        let made = siliray_scene_triangles(
            context,
            corners,
            vertices,
            triangles,
            count,
            place,
            null_mut(),
        );
        assert_eq!(made, SilirayStatus::Ok);
        let checked = siliray_check(context, before, scene, &raw mut id, null_mut());
        assert_eq!(checked, SilirayStatus::Ok);
        let known = Update { scene, old: before, twice: after };
        // Formats that nobody updates, and images that are broken, have none.
        let known = &raw const known;
        let _ = siliray_check_update(context, before, after, known, &raw mut id, null_mut());
        let freed = siliray_context_free(&raw mut context, null_mut());
        assert_eq!(freed, SilirayStatus::Ok);
    }
}

/// One of each kind of object over some bytes, and a walk of each machine, held at a time.
fn use_everything(bytes: &[u8], machines: &[CString]) {
    let ray = CRay {
        origin: [0.1, 0.2, 50.0],
        direction: [0.0, 0.0, -1.0],
        tmin: 0.0,
        tmax: f32::INFINITY,
        mask: 0xFF,
        flags: 0,
        kind: 2,
    };
    let mut context = context();
    let (image, mut id) = (image(context, bytes), 0);
    let id = &raw mut id;
    // SAFETY: LIVE, READABLE, WRITABLE: all of it is above.
    unsafe {
        assert_eq!(siliray_check(context, image, 0, id, null_mut()), SilirayStatus::Ok);
        let _ = siliray_describe(context, image, 0x15, id, null_mut());
        let _ = siliray_stats(context, image, id, null_mut());
        for machine in machines {
            let (name, ray) = (machine.as_ptr(), &raw const ray);
            let _ = siliray_walk(context, image, name, ray, 1000, id, null_mut());
        }
        let freed = siliray_context_free(&raw mut context, null_mut());
        assert_eq!(freed, SilirayStatus::Ok);
    }
}
