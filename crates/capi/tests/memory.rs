//! How much memory a context takes: no more than the header says.
#![allow(unsafe_code, reason = "an allocator that counts, and functions that C calls")]

use siliray::build::Preset;
use siliray::input::format_options;
use siliray::machine::Settings;
use siliray::registry::registry;
use siliray::scene::builtin::Builtin;
use siliray_capi::context::{ContextOptions, siliray_context_free, siliray_context_new};
use siliray_capi::description::siliray_describe;
use siliray_capi::image::siliray_image_read;
use siliray_capi::report::siliray_check;
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

#[test]
fn a_context_is_bounded() {
    const TRIANGLES: usize = 60_000;
    for format in registry().formats().iter().filter(|format| format.holds_trees()) {
        let settings = Settings::default();
        let scene = Builtin::Organic.scene(TRIANGLES);
        let options = format_options(format, &settings, Preset::Fast);
        let tree = options.build(&scene).unwrap();
        let trees = format.trees.as_ref().unwrap();
        let image = (trees.encode)(&tree, &settings).unwrap().image;
        let sound = (trees.write)(&image, None).unwrap();
        drop(image);
        let own = registry().readers(format).filter(|machine| OWN.contains(&machine.name));
        let machines: Vec<CString> =
            own.map(|machine| CString::new(machine.name).unwrap()).collect();
        // Something is wrong in every second node: as many findings as there can be.
        let mut noisy = sound.clone();
        noisy.chunks_mut(256).skip(8).for_each(|chunk| chunk[0] ^= 0x10);
        for (name, bytes, free) in [("sound", sound, 0), ("noisy", noisy, SILIRAY_FREE_BYTES)] {
            let taken = peak(|| use_everything(&bytes, &machines));
            let (format, size) = (format.name, bytes.len());
            let times = taken as f64 / size as f64;
            println!("{format} {name}: {size} bytes, peak {taken}, {times:.1} times");
            let most = SILIRAY_MOST_GROWTH * size + free;
            assert!(taken < most, "{format} {name}: {times:.1} times");
        }
    }
}

/// One of each kind of object over some bytes, and a walk of each machine, held at a time.
fn use_everything(bytes: &[u8], machines: &[CString]) {
    let options = ContextOptions { threads: 2, ..ContextOptions::default() };
    let ray = CRay {
        origin: [0.1, 0.2, 50.0],
        direction: [0.0, 0.0, -1.0],
        tmin: 0.0,
        tmax: f32::INFINITY,
        mask: 0xFF,
        flags: 0,
        kind: 2,
    };
    let (mut context, mut image, mut id) = (null_mut(), 0, 0);
    let id = &raw mut id;
    // SAFETY: LIVE, READABLE, WRITABLE: all of it is above.
    unsafe {
        let made = siliray_context_new(&raw const options, &raw mut context, null_mut());
        assert_eq!(made, SilirayStatus::Ok);
        let (start, size) = (bytes.as_ptr().cast(), bytes.len());
        let read = siliray_image_read(context, start, size, null(), &raw mut image, null_mut());
        assert_eq!(read, SilirayStatus::Ok);
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
