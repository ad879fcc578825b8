//! Files of rays: what NumPy writes is read, what is written can be read by it, and anything else
//! is refused with the byte where it is wrong.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests may fail as tests do

use siliray::geometry::{Ray, Vec3};
use siliray::machine::Hit;
use siliray::ray_files::writer::{Content, Extras, HitRow, RowWriter};
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
        self.named("rays", bytes)
    }

    fn named(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
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

/// The header of an array with another type, order and shape.
fn header(descr: &str, order: &str, shape: &str) -> Vec<u8> {
    let header = String::from_utf8_lossy(NUMPY_ARRAY.split_at(10).1)
        .replace("'<f4'", descr)
        .replace("False", order)
        .replace("(2, 8)", shape);
    let length = (header.len() as u16).to_le_bytes();
    [&b"\x93NUMPY\x01\x00"[..], &length, header.as_bytes()].concat()
}

#[test]
fn arrays_of_other_types_shapes_and_orders() {
    let folder = Folder::new("shapes");
    let rays: Vec<Ray> = some_rays(3000);
    let row = |ray: &Ray| {
        let ([ox, oy, oz], [dx, dy, dz]) = (ray.origin.to_array(), ray.direction.to_array());
        [ox, oy, oz, ray.tmin, dx, dy, dz, ray.tmax]
    };
    let rows: Vec<[f32; 8]> = rays.iter().map(row).collect();
    let by_columns = |columns: &[usize]| -> Vec<f32> {
        columns.iter().flat_map(|&column| rows.iter().map(move |row| row[column])).collect()
    };
    let doubles = |numbers: &[f32]| -> Vec<u8> {
        numbers.iter().flat_map(|&number| f64::from(number).to_le_bytes()).collect()
    };
    let all: Vec<f32> = rows.iter().flatten().copied().collect();
    let six = [0, 1, 2, 4, 5, 6];
    let endless: Vec<Ray> = rays.iter().map(|ray| ray.between(0.0, f32::INFINITY)).collect();
    for (descr, order, shape, numbers, expected) in [
        ("'<f8'", "False", "(3000, 8)", doubles(&all), &rays),
        ("'<f4'", "True", "(3000, 8)", floats(by_columns(&[0, 1, 2, 3, 4, 5, 6, 7])), &rays),
        ("'<f8'", "True", "(3000, 6)", doubles(&by_columns(&six)), &endless),
        (
            "[('direction', '<f8', (3,)), ('origin', '<f4', (3,))]",
            "False",
            "(3000,)",
            rows.iter()
                .flat_map(|row| [doubles(&row[4..7]), floats(row[..3].to_vec())])
                .flatten()
                .collect(),
            &endless,
        ),
    ] {
        let file = folder.file(&[header(descr, order, shape), numbers].concat());
        for at_once in [1000, 700, 5000] {
            assert_eq!(&read(&file, at_once).unwrap(), expected, "{descr} {order} {shape}");
        }
    }
}

/// Text is never taken for numbers, nor numbers for text.
#[test]
fn names_and_bytes_agree() {
    let folder = Folder::new("names");
    let text = b"0,0,0,1,0,0\n0,0,1,1,0,0\n0,0,0,1,0\n";
    let error = |name: &str, bytes: &[u8]| {
        let error = read(&folder.named(name, bytes), 10).unwrap_err();
        error.split_once(&format!("{name}: ")).unwrap().1.to_owned()
    };
    let two = &text[..24];
    for name in ["rays.csv", "rays", "rays.txt"] {
        assert_eq!(read(&folder.named(name, two), 10).unwrap().len(), 2, "{name}");
    }
    assert_eq!(error("rays.csv", text), "line 3: found 5 numbers, expected 6");
    let text = [two, &[b' '; 8]].concat();
    assert_eq!(text.len(), 32);
    assert_eq!(error("rays.bin", &text), "the file is text, but its name says raw");
    assert_eq!(
        error("rays.npy", &[0; 32]),
        "the file is binary, without the header of a NumPy array or a table, but its name says npy"
    );
    assert!(error("rays.png", &[0; 32]).starts_with("files of rays end in .npy, .csv, .txt, .bin"));
}

#[test]
fn what_is_written_is_read() {
    let folder = Folder::new("round-trip");
    for layout in Layout::ALL {
        for count in [0, 1, 5, 1000] {
            let rays = some_rays(count);
            let mut writer = RowWriter::new(Content::Rays, layout).unwrap();
            let mut bytes = writer.header(count as u64);
            for part in rays.chunks(300) {
                part.iter().for_each(|ray| writer.ray(&mut bytes, ray));
                writer.end_part(&mut bytes).unwrap();
            }
            writer.finish(&mut bytes).unwrap();
            assert_eq!(read(&folder.file(&bytes), 7).unwrap(), rays);
        }
    }
}

#[test]
fn hits_have_the_stated_bytes() {
    let hit = Hit { t: 1.5, u: 0.25, v: 0.5, instance: 3, geometry: 2, primitive: 0x0102_0304 };
    let mut bytes = Vec::new();
    let extras = Extras { positions: true, normals: false };
    let writer = |content, layout| RowWriter::new(content, layout).unwrap();
    let (all, closest) = (Content::All(extras), Content::Closest(Extras::default()));
    let row = HitRow { hit, vectors: [Some(Vec3::new(7.0, 8.0, 9.0)), None] };
    writer(all, Layout::Raw).hit(&mut bytes, 9, &row);
    let miss = HitRow { hit: Hit::MISS, vectors: [None; 2] };
    writer(closest, Layout::Raw).hit(&mut bytes, 0, &miss);
    let expected = [
        [9, 0, 0, 0, 0, 0, 0, 0].to_vec(),
        floats([1.5, 0.25, 0.5]),
        [3, 0, 0, 0, 2, 0, 0, 0, 4, 3, 2, 1].to_vec(),
        floats([7.0, 8.0, 9.0]),
        floats([f32::INFINITY, 0.0, 0.0]),
        [0xFF; 12].to_vec(),
    ];
    assert_eq!(bytes, expected.concat());
    for content in [Content::Rays, closest, Content::Any, all] {
        let header = |count| writer(content, Layout::Npy).header(count);
        let lengths = [0, 7, u64::MAX / 2].map(|count| header(count).len());
        assert!(lengths.iter().all(|&length| length == lengths[0] && length % 64 == 0));
    }
    let mut csv = writer(all, Layout::Csv);
    let mut text = csv.header(1);
    csv.hit(&mut text, 9, &row);
    let expected = "ray,t,u,v,instance,geometry,primitive,px,py,pz\n\
                    9,1.5,0.25,0.5,3,2,16909060,7,8,9\n";
    assert_eq!(String::from_utf8(text).unwrap(), expected);
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
        ("'<f4'", "'<i4'", r#"byte 20: numbers of type "<i4", expected '<f4' or '<f8'"#),
        ("'<f4'", "4", "byte 20: the type is neither a name nor a list of fields"),
        ("False", "None ", "byte 44: fortran_order is neither True nor False"),
        ("(2, 8)", "(2, 7)", "byte 20: an array of shape [2, 7], expected (N, 8) or (N, 6)"),
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
            "[('tmin', '<i8')], 'fortran_order': False, 'shape': (2,)",
            r#"byte 21: field "tmin" has type "<i8", expected '<f4' or '<f8'"#,
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
