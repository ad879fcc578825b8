//! Instructions allocate nothing, called from C or as functions of the library.
#![allow(unsafe_code, reason = "an allocator that counts, and functions that C calls")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use siliray::geometry::random::Random;
use siliray::gfx10::Generation;
use siliray::gfx10::instruction::{
    Memory, Operands, image_bvh_intersect_ray, image_bvh64_intersect_ray,
};
use siliray::gfx10::layout::Resource;
use siliray_capi::instruction::{
    Bvh8Operands, Bvh64Operands, DualOperands, RayOperands, Registers,
    siliray_image_bvh_dual_intersect_ray, siliray_image_bvh8_intersect_ray,
    siliray_image_bvh64_intersect_ray,
};
use siliray_capi::status::SilirayStatus;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

/// The system's allocator, which counts how often this thread asks it.
struct Counting;

thread_local! {
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Threads that end have no count any more.
        let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
        // SAFETY: as promised to this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as promised to this function.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often some work allocates.
fn allocations(work: impl FnOnce()) -> usize {
    let before = ASKED.get();
    work();
    ASKED.get() - before
}

/// Memory from address 0 on.
struct Guest<'a>(&'a [u8]);

impl Memory for Guest<'_> {
    fn get(&self, address: u64, len: usize) -> Option<&[u8]> {
        self.0.get(usize::try_from(address).ok()?..)?.get(..len)
    }
}

#[test]
fn instructions_allocate_nothing() {
    assert!(allocations(|| drop(Box::new(7))) > 0, "the allocator counts");
    let mut random = Random::new(5, 0);
    let mut hits = 0;
    for _ in 0..4000 {
        // Boxes and triangles of numbers near the ray, with a node of each type among them.
        let node = random.bits() & 0x3F;
        let memory: Vec<u8> =
            (0..512).flat_map(|_| random.range(-2.0, 2.0).to_le_bytes()).collect();
        let word = |random: &mut Random| random.bits() as u32;
        // All of the memory, from address 0 on; anything else is at random.
        let resource = [0, word(&mut random) & !0xFF, u32::MAX, 0x8100_03FF | word(&mut random)];
        let origin = random.vector(-1.0, 1.0).to_array();
        let direction = random.vector(-1.0, 1.0).to_array();
        let inverse = direction.map(|along| 1.0 / along);
        let (base, mask, extent) = (0, 0xFF, f32::INFINITY);
        let of_library = Operands { node, extent, origin, direction, inverse };
        let ray = RayOperands { extent, origin, direction };
        let bvh64 = Bvh64Operands { node, ray, inverse };
        let bvh8 = Bvh8Operands { base, node: node as u32, mask, ray };
        let nodes = [node as u32, 0x15];
        let dual = DualOperands { base, nodes, mask, ray };
        let (start, size) = (memory.as_ptr().cast(), memory.len());
        let descriptor = Resource::from_words(resource);
        let asked = allocations(|| {
            for (number, generation) in [(10, Generation::Gfx10), (11, Generation::Gfx11)] {
                let guest = Guest(&memory);
                let short = image_bvh_intersect_ray(&guest, generation, &descriptor, &of_library);
                let long = image_bvh64_intersect_ray(&guest, generation, &descriptor, &of_library);
                let mut vdst = [0u32; 4];
                // SAFETY: READABLE, WRITABLE: all of it is above.
                let status = unsafe {
                    let (operands, vdst) = (&raw const bvh64, vdst.as_mut_ptr());
                    let resource = resource.as_ptr();
                    siliray_image_bvh64_intersect_ray(
                        number,
                        start,
                        size,
                        0,
                        resource,
                        operands,
                        vdst,
                        null_mut(),
                    )
                };
                assert_eq!((status, vdst), (SilirayStatus::Ok, long));
                hits += usize::from(short[0] != u32::MAX);
            }
            let mut registers = std::mem::MaybeUninit::<Registers>::uninit();
            let (place, resource) = (registers.as_mut_ptr(), resource.as_ptr());
            // SAFETY: READABLE, WRITABLE: all of it is above.
            let statuses = unsafe {
                [
                    siliray_image_bvh8_intersect_ray(
                        start,
                        size,
                        0,
                        resource,
                        &raw const bvh8,
                        place,
                        null_mut(),
                    ),
                    siliray_image_bvh_dual_intersect_ray(
                        start,
                        size,
                        0,
                        resource,
                        &raw const dual,
                        place,
                        null_mut(),
                    ),
                ]
            };
            assert_eq!(statuses, [SilirayStatus::Ok; 2]);
        });
        assert_eq!(asked, 0, "node {node:#x}");
    }
    assert!(hits > 1000, "{hits}");
}
