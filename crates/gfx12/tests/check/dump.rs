//! The HIPRT image and its published decode.

use machine::{Image, Segment};
use serde_json::Value;

/// Where the HIPRT file is put in memory.
pub(crate) const HIPRT_ADDRESS: u64 = 0x4_0000;

/// The HIPRT dump as an image: two bases, root 0x5.
pub(crate) fn hiprt_image() -> Image {
    let bytes = include_bytes!("../vectors/hiprt-cornell-bvh8.bin");
    Image {
        format: gfx12::NAME,
        segments: vec![Segment::new(HIPRT_ADDRESS, bytes)],
        bases: vec![HIPRT_ADDRESS + 0x40, HIPRT_ADDRESS + 0x4C0],
        root: 0x5,
    }
}

/// The published decode of it.
pub(crate) fn hiprt_json() -> Value {
    serde_json::from_str(include_str!("../vectors/hiprt-cornell-bvh8.json")).unwrap()
}

/// Three numbers written as hexadecimal strings.
pub(crate) fn patterns(value: &Value) -> [u32; 3] {
    std::array::from_fn(|k| {
        let text = value[k].as_str().unwrap();
        u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
    })
}
