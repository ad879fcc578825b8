//! Files of rays: what NumPy writes is read, what is written can be read by it, and anything else
//! is refused with the byte where it is wrong.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests may fail as tests do

use siliray::geometry::{Ray, Vec3};
use siliray::machine::Hit;
use siliray::ray_files::writer::{Content, push_hit, push_numbered_hit, push_ray};
use siliray::ray_files::{Layout, RayReader};
use std::path::{Path, PathBuf};

/// What NumPy 2 writes for an array of two rays.
const NUMPY_ARRAY: &[u8] =
    b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 8), }\
    \x20                                                         \n";

/// What NumPy 2 writes for one record with a field that is not a ray's.
const NUMPY_RECORD: &[u8] =
    b"\x93NUMPY\x01\x00\xb6\x00{'descr': [('id', '<u2'), ('origin', '<f4', (3,)), \
    ('direction', '<f4', (3,)), ('tmin', '<f4'), ('tmax', '<f4')], 'fortran_order': False, \
    'shape': (1,), }                           \n";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("siliray-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, bytes: &[u8]) -> PathBuf {
        let path = self.0.join("rays");
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn read(path: &Path, at_once: usize) -> Result<Vec<Ray>, String> {
    let mut reader = RayReader::open(path).map_err(|error| error.to_string())?;
    let (mut all, mut part) = (Vec::new(), Vec::new());
    loop {
        reader.read(&mut part, at_once).map_err(|error| error.to_string())?;
        if part.is_empty() {
            assert_eq!(all.len() as u64, reader.count());
            return Ok(all);
        }
        all.extend_from_slice(&part);
    }
}

/// The error for some bytes, without the name of the file.
fn refusal(folder: &Folder, bytes: &[u8]) -> String {
    let error = read(&folder.file(bytes), 10).unwrap_err();
    error.split_once("rays: ").unwrap().1.to_owned()
}

fn floats(numbers: impl IntoIterator<Item = f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes).collect()
}

fn some_rays(count: usize) -> Vec<Ray> {
    (0..count)
        .map(|i| {
            let x = i as f32;
            Ray::new(Vec3::new(x, 2.5 - x, 0.1), Vec3::new(-1.0, x * 0.5, 3.0))
                .between(x * 0.25, 9.0 + x)
        })
        .collect()
}

#[test]
fn arrays_of_numpy() {
    let folder = Folder::new("array");
    let bytes = [NUMPY_ARRAY, &floats((0..16u8).map(f32::from))].concat();
    let rays = read(&folder.file(&bytes), 1).unwrap();
    assert_eq!(rays.len(), 2);
    let expected =
        Ray::new(Vec3::new(8.0, 9.0, 10.0), Vec3::new(12.0, 13.0, 14.0)).between(11.0, 15.0);
    assert_eq!(rays[1], expected);
}

#[test]
fn records_of_numpy() {
    let folder = Folder::new("record");
    let bytes = [NUMPY_RECORD, &[7, 0], &floats([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.5, 8.0])].concat();
    let rays = read(&folder.file(&bytes), 100).unwrap();
    let expected = Ray::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)).between(0.5, 8.0);
    assert_eq!(rays, [expected]);
}

#[test]
fn what_is_written_is_read() {
    let folder = Folder::new("round-trip");
    for layout in [Layout::Npy, Layout::Raw] {
        for count in [0, 1, 5, 1000] {
            let rays = some_rays(count);
            let mut bytes = Content::Rays.header(layout, count as u64);
            rays.iter().for_each(|ray| push_ray(&mut bytes, ray));
            assert_eq!(read(&folder.file(&bytes), 7).unwrap(), rays);
        }
    }
}

#[test]
fn hits_have_the_stated_bytes() {
    let hit = Hit { t: 1.5, u: 0.25, v: 0.5, instance: 3, geometry: 2, primitive: 0x0102_0304 };
    let mut bytes = Vec::new();
    push_numbered_hit(&mut bytes, 9, &hit);
    push_hit(&mut bytes, &Hit::MISS);
    let expected = [
        [9, 0, 0, 0, 0, 0, 0, 0].to_vec(),
        floats([1.5, 0.25, 0.5]),
        [3, 0, 0, 0, 2, 0, 0, 0, 4, 3, 2, 1].to_vec(),
        floats([f32::INFINITY, 0.0, 0.0]),
        [0xFF; 12].to_vec(),
    ];
    assert_eq!(bytes, expected.concat());
    for content in [Content::Rays, Content::Closest, Content::Any, Content::All] {
        let lengths = [0, 7, u64::MAX / 2].map(|count| content.header(Layout::Npy, count).len());
        assert!(lengths.iter().all(|&length| length == lengths[0] && length % 64 == 0));
    }
}

/// However a file is cut short, that is found out, with the place.
#[test]
fn truncated_files() {
    let folder = Folder::new("truncated");
    let whole = [NUMPY_ARRAY, &floats((0..16u8).map(f32::from))].concat();
    for length in 6..whole.len() {
        let message = refusal(&folder, &whole[..length]);
        assert!(message.starts_with("byte "), "{length}: {message}");
    }
    // Less than the magic number is raw, and only nothing is a whole number of rays.
    for length in 1..6 {
        let expected = format!("byte 0: {length} bytes of rays, expected a multiple of 32");
        assert_eq!(refusal(&folder, &whole[..length]), expected);
    }
    assert_eq!(read(&folder.file(&[]), 5), Ok(Vec::new()));
    assert!(
        refusal(&folder, &[whole, vec![0]].concat())
            .starts_with("byte 128: 65 bytes of rays, expected 2 rays")
    );
}

#[test]
fn odd_headers() {
    let folder = Folder::new("odd");
    let data = floats((0..16u8).map(f32::from));
    let with = |from: &str, to: &str| {
        let header = String::from_utf8_lossy(&NUMPY_ARRAY[10..]).replace(from, to);
        let length = (header.len() as u16).to_le_bytes();
        refusal(&folder, &[b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &data].concat())
    };
    for (from, to, expected) in [
        ("'<f4'", "'>f4'", r#"byte 20: numbers of type ">f4", expected '<f4'"#),
        ("'<f4'", "'<f8'", r#"byte 20: numbers of type "<f8", expected '<f4'"#),
        ("'<f4'", "4", "byte 20: the type is neither a name nor a list of fields"),
        ("False", "True ", "byte 44: fortran_order is not False"),
        ("(2, 8)", "(2, 6)", "byte 20: an array of shape [2, 6], expected (N, 8)"),
        ("(2, 8)", "(16,) ", "byte 20: an array of shape [16], expected (N, 8)"),
        ("(2, 8)", "(1, 8)", "byte 128: 64 bytes of rays, expected 1 rays"),
        ("(2, 8)", "(-2, 8)", "byte 61: found '-', expected a Python literal"),
        ("(2, 8)", "(18446744073709551615, 8)", "byte 147: 64 bytes of rays, expected 1844674407"),
        ("(2, 8)", "(184467440737095516150, 8)", "byte 61: the number does not fit in 64 bits"),
        ("'shape'", "'shade'", r#"byte 10: no "shape" in the header"#),
        ("}", ")", "byte 68: found ')', expected a Python literal"),
        ("{", "", "byte 17: found ':', expected the end of the header"),
        ("'<f4'", "[('ox', '<f4')]", "byte 20: records of shape [2, 8], expected (N,)"),
        (
            "'<f4', 'fortran_order': False, 'shape': (2, 8)",
            "[('ox', '<f4')], 'fortran_order': False, 'shape': (2,)",
            r#"byte 20: no field "oy""#,
        ),
        (
            "'<f4', 'fortran_order': False, 'shape': (2, 8)",
            "[('tmin', '<f8')], 'fortran_order': False, 'shape': (2,)",
            r#"byte 21: field "tmin" has type "<f8", expected '<f4'"#,
        ),
        (
            "'<f4', 'fortran_order': False, 'shape': (2, 8)",
            "[('x', '|V999999')], 'fortran_order': False, 'shape': (2,)",
            "byte 21: records of more than 4096 bytes",
        ),
    ] {
        let message = with(from, to);
        assert!(message.starts_with(expected), "{to}: {message}");
    }
    let versions = [
        (&b"\x93NUMPY\x04\x00"[..], "byte 6: version 4.0, expected 1.0, 2.0 or 3.0"),
        (
            b"\x93NUMPY\x02\x00\xff\xff\xff\xff",
            "byte 8: a header of 4294967295 bytes, expected at most 100000",
        ),
        (
            b"\x93NUMPY\x02\x00\x10\x00\x00\x00{",
            "byte 13: the file ends within its header of 16 bytes",
        ),
    ];
    for (bytes, expected) in versions {
        assert_eq!(refusal(&folder, bytes), expected);
    }
}

#[test]
fn no_files() {
    let error = |path: &str| RayReader::open(Path::new(path)).unwrap_err().to_string();
    assert_eq!(error("/"), "/: this is a directory, not a file");
    assert!(error("/no/such/file").starts_with("/no/such/file: "));
    assert_eq!(error(""), ": the name of the file is empty");
}
