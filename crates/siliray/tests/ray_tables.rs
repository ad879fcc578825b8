//! Tables of rays, Parquet and Arrow: columns are found by name, whatever their order and type, and
//! what is wrong is refused with its place.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests may fail as tests do

use arrow_array::builder::{FixedSizeListBuilder, Float32Builder, Float64Builder, ListBuilder};
use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float32Array, Float64Array, Int8Array,
    Int32Array, Int64Array, RecordBatch, StringArray, UInt8Array, UInt32Array, UInt64Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use siliray::geometry::random::Random;
use siliray::geometry::{Ray, Vec3};
use siliray::machine::{Hit, HitKind};
use siliray::ray_files::writer::{Content, Extras, HitRow, RowWriter};
use siliray::ray_files::{Layout, RayReader};
use std::path::PathBuf;
use std::sync::Arc;

/// Rows of a row group, or of a record batch.
const PART: usize = 50;

fn some_rays(count: usize) -> Vec<Ray> {
    (0..count)
        .map(|number| {
            let mut random = Random::new(11, number);
            let (origin, direction) = (random.vector(-3.0, 7.0), random.vector(-1.0, 2.0));
            Ray::new(origin, direction).between(0.125, 1.0 + number as f32)
        })
        .collect()
}

fn column(rays: &[Ray], number: impl Fn(&Ray) -> f32) -> ArrayRef {
    Arc::new(rays.iter().map(number).collect::<Float32Array>())
}

fn wide(rays: &[Ray], number: impl Fn(&Ray) -> f32) -> ArrayRef {
    Arc::new(rays.iter().map(|ray| f64::from(number(ray))).collect::<Float64Array>())
}

/// All columns of rays, in an order of their own, some of them wide, with another between them.
fn table(rays: &[Ray]) -> RecordBatch {
    let names = rays.iter().map(|ray| ray.tmax.to_string());
    RecordBatch::try_from_iter([
        ("dz", column(rays, |ray| ray.direction.z)),
        ("name", Arc::new(StringArray::from_iter_values(names)) as ArrayRef),
        ("ox", wide(rays, |ray| ray.origin.x)),
        ("oz", column(rays, |ray| ray.origin.z)),
        ("tmax", column(rays, |ray| ray.tmax)),
        ("oy", column(rays, |ray| ray.origin.y)),
        ("dx", column(rays, |ray| ray.direction.x)),
        ("dy", wide(rays, |ray| ray.direction.y)),
        ("tmin", column(rays, |ray| ray.tmin)),
    ])
    .unwrap()
}

/// The table with one column in place of another, or none.
fn with(table: &RecordBatch, name: &str, column: Option<ArrayRef>) -> RecordBatch {
    let schema = table.schema();
    let columns = schema.fields().iter().zip(table.columns());
    let columns = columns.filter_map(|(field, old)| {
        let is_it = field.name() == name;
        Some((field.name().clone(), if is_it { column.clone()? } else { old.clone() }))
    });
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn parquet(table: &RecordBatch, compression: Compression) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(PART))
        .set_compression(compression)
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), table.schema(), Some(properties)).unwrap();
    writer.write(table).unwrap();
    writer.into_inner().unwrap()
}

fn arrow(table: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer =
        FileWriter::try_new_with_options(Vec::new(), &table.schema(), options).unwrap();
    for start in (0..table.num_rows()).step_by(PART) {
        writer.write(&table.slice(start, PART.min(table.num_rows() - start))).unwrap();
    }
    writer.into_inner().unwrap()
}

/// A file that is removed when it is no longer needed.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("siliray-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The rays of a file, read so many at a time; or the error without the name of the file.
fn read(name: &str, bytes: &[u8], at_once: usize) -> Result<Vec<Ray>, String> {
    let file = Temporary::new(name, bytes);
    let path = file.0.display().to_string();
    let bare = |error: siliray::ray_files::RayFileError| {
        error.to_string().strip_prefix(&format!("{path}: ")).unwrap().to_owned()
    };
    let mut reader = RayReader::open(&file.0).map_err(bare)?;
    let (mut all, mut part) = (Vec::new(), Vec::new());
    loop {
        reader.read(&mut part, at_once).map_err(bare)?;
        if part.is_empty() {
            assert_eq!(all.len() as u64, reader.count());
            return Ok(all);
        }
        all.extend_from_slice(&part);
    }
}

#[test]
fn columns_are_found_by_name() {
    let rays = some_rays(123);
    let table = table(&rays);
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let files = [
        ("plain.parquet", parquet(&table, Compression::UNCOMPRESSED)),
        ("snappy.parquet", parquet(&table, Compression::SNAPPY)),
        ("zstd.parquet", parquet(&table, zstd)),
        ("lz4.parquet", parquet(&table, Compression::LZ4_RAW)),
        ("gzip.parquet", parquet(&table, Compression::GZIP(Default::default()))),
        ("plain.arrow", arrow(&table, None)),
        ("lz4.feather", arrow(&table, Some(CompressionType::LZ4_FRAME))),
        ("zstd.arrow", arrow(&table, Some(CompressionType::ZSTD))),
    ];
    for (name, bytes) in files {
        for at_once in [7, 1000] {
            assert_eq!(read(name, &bytes, at_once).unwrap(), rays, "{name}");
        }
    }
}

#[test]
fn rays_without_bounds_are_whole() {
    let rays = some_rays(3);
    let short = with(&with(&table(&rays), "tmin", None), "tmax", None);
    let some_null: ArrayRef = Arc::new(Float32Array::from(vec![Some(4.0), None, Some(6.0)]));
    let nulls = with(&table(&rays), "tmax", Some(some_null));
    let whole: Vec<Ray> = rays.iter().map(|ray| Ray::new(ray.origin, ray.direction)).collect();
    let bounds: Vec<f32> = vec![4.0, f32::INFINITY, 6.0];
    for (name, bytes) in [
        ("short.parquet", parquet(&short, Compression::SNAPPY)),
        ("short.arrow", arrow(&short, None)),
    ] {
        assert_eq!(read(name, &bytes, 10).unwrap(), whole);
    }
    for (name, bytes) in [
        ("nulls.parquet", parquet(&nulls, Compression::SNAPPY)),
        ("nulls.arrow", arrow(&nulls, None)),
    ] {
        let found: Vec<f32> = read(name, &bytes, 10).unwrap().iter().map(|ray| ray.tmax).collect();
        assert_eq!(found, bounds);
    }
}

/// Whole numbers of any width, and dictionaries: of these, some nulls, and some values twice.
#[test]
fn numbers_have_any_width() {
    let rays = some_rays(120);
    let keys = Int8Array::from_iter((0..120).map(|row| (row % 3 != 0).then_some(row % 3 - 1)));
    let bounds = Float64Array::from(vec![Some(77.0), None]);
    let bounds = DictionaryArray::<Int8Type>::try_new(keys, Arc::new(bounds)).unwrap();
    let keys = Int8Array::from(vec![0; 120]);
    let depths = DictionaryArray::<Int8Type>::try_new(keys, Arc::new(Int32Array::from(vec![9])));
    let table = with(&table(&rays), "tmax", Some(Arc::new(bounds)));
    let table = with(&table, "oz", Some(Arc::new(depths.unwrap())));
    let table = with(&table, "dz", Some(Arc::new(UInt8Array::from(vec![200; 120]))));
    let steps = Arc::new((0..120).map(|row| -row).collect::<Int64Array>());
    let table = with(&table, "dx", Some(steps));
    for (name, bytes) in [
        ("widths.parquet", parquet(&table, Compression::SNAPPY)),
        ("widths.arrow", arrow(&table, None)),
        ("widths.feather", arrow(&table, Some(CompressionType::LZ4_FRAME))),
    ] {
        for (row, ray) in read(name, &bytes, 33).unwrap().iter().enumerate() {
            let tmax = if row % 3 == 1 { 77.0 } else { f32::INFINITY };
            assert_eq!((ray.tmax, ray.origin.z, ray.direction.z), (tmax, 9.0, 200.0), "{name}");
            assert_eq!((ray.direction.x, ray.origin.x), (-(row as f32), rays[row].origin.x));
        }
    }
}

#[test]
fn vectors_are_lists_of_three() {
    let rays = some_rays(120);
    let mut origins = FixedSizeListBuilder::new(Float32Builder::new(), 3);
    let mut directions = ListBuilder::new(Float64Builder::new());
    for ray in &rays {
        origins.values().append_slice(&ray.origin.to_array());
        origins.append(true);
        directions.values().append_slice(&ray.direction.to_array().map(f64::from));
        directions.append(true);
    }
    let table = RecordBatch::try_from_iter([
        ("origin", Arc::new(origins.finish()) as ArrayRef),
        ("tmin", column(&rays, |ray| ray.tmin)),
        ("tmax", column(&rays, |ray| ray.tmax)),
        ("direction", Arc::new(directions.finish_cloned())),
    ]);
    let table = table.unwrap();
    for (name, bytes) in [
        ("lists.parquet", parquet(&table, Compression::SNAPPY)),
        ("lists.arrow", arrow(&table, None)),
    ] {
        assert_eq!(read(name, &bytes, 33).unwrap(), rays);
    }
    directions.values().append_slice(&[1.0, 2.0]);
    directions.append(true);
    let short = with(&table, "direction", Some(Arc::new(directions.finish().slice(1, 120))));
    for (name, bytes, expected) in [
        ("two.parquet", parquet(&short, Compression::SNAPPY), "row group 2"),
        ("two.arrow", arrow(&short, None), "record batch 2"),
    ] {
        let message = "column \"direction\": row 19: a list of 2, expected three numbers";
        assert_eq!(read(name, &bytes, 33).unwrap_err(), format!("{expected}, {message}"));
    }
}

#[test]
fn queries_have_kinds_and_priorities() {
    let rays = some_rays(2);
    let table = table(&rays);
    let schema = table.schema();
    let columns = schema.fields().iter().map(|field| field.name().as_str()).zip(table.columns());
    let more: [(&str, ArrayRef); 2] = [
        ("query", Arc::new(UInt8Array::from(vec![1, 2]))),
        ("priority", Arc::new(Int32Array::from(vec![None, Some(77)]))),
    ];
    let columns = columns.map(|(name, column)| (name, column.clone())).chain(more);
    let table = RecordBatch::try_from_iter_with_nullable(
        columns.map(|(name, column)| (name, column, true)),
    );
    for (name, bytes) in [
        ("queries.parquet", parquet(table.as_ref().unwrap(), Compression::SNAPPY)),
        ("queries.arrow", arrow(table.as_ref().unwrap(), None)),
    ] {
        let file = Temporary::new(name, &bytes);
        let queries = RayReader::open(&file.0).unwrap().read_queries(10).unwrap();
        assert_eq!(
            queries.iter().map(|query| query.query.kind).collect::<Vec<_>>(),
            [HitKind::Any, HitKind::All]
        );
        assert_eq!([queries[0].priority, queries[1].priority], [None, Some(77)]);
    }
}

/// Hits have the columns that the page says, and the same in both kinds of table.
#[test]
fn hits_are_tables() {
    let extras = Extras { positions: true, normals: false };
    let hit = Hit { t: 1.5, u: 0.25, v: 0.5, instance: 3, geometry: 2, primitive: 7 };
    let rows = [
        HitRow { hit, vectors: [Some(Vec3::new(7.0, 8.0, 9.0)), None] },
        HitRow { hit: Hit::MISS, vectors: [Some(Vec3::NAN), None] },
    ];
    let write = |layout| {
        let mut writer = RowWriter::new(Content::All(extras), layout).unwrap();
        let mut bytes = writer.header(2);
        for (ray, row) in rows.iter().enumerate() {
            writer.hit(&mut bytes, 5 + ray as u64, row);
            writer.end_part(&mut bytes).unwrap();
        }
        writer.finish(&mut bytes).unwrap();
        bytes
    };
    let parquet = bytes::Bytes::from(write(Layout::Parquet));
    let arrow = std::io::Cursor::new(write(Layout::Arrow));
    let from_parquet = ParquetRecordBatchReader::try_new(parquet, 10).unwrap().next().unwrap();
    let from_parquet = from_parquet.unwrap();
    let batches = arrow_ipc::reader::FileReader::try_new(arrow, None).unwrap();
    let batches: Vec<RecordBatch> = batches.map(Result::unwrap).collect();
    assert_eq!(from_parquet.schema().fields(), batches[0].schema().fields());
    for (number, batch) in batches.iter().enumerate() {
        // A NaN is not itself: compared as text.
        let expected = format!("{:?}", from_parquet.slice(number, 1).columns());
        assert_eq!(format!("{:?}", batch.columns()), expected);
    }
    let schema = from_parquet.schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let expected = ["ray", "t", "u", "v", "instance", "geometry", "primitive", "px", "py", "pz"];
    assert_eq!(names, expected);
    let rays = UInt64Array::from(vec![5, 6]);
    assert_eq!(from_parquet.column(0).as_any().downcast_ref(), Some(&rays));
    let primitives = UInt32Array::from(vec![7, u32::MAX]);
    assert_eq!(from_parquet.column(6).as_any().downcast_ref(), Some(&primitives));
}

#[test]
fn mistakes_name_their_place() {
    let rays = some_rays(120);
    let table = table(&rays);
    let truths: ArrayRef = Arc::new(BooleanArray::from(vec![true; 120]));
    let mut origins = FixedSizeListBuilder::new(Float32Builder::new(), 3);
    rays.iter().for_each(|ray| {
        origins.values().append_slice(&ray.origin.to_array());
        origins.append(true);
    });
    let origins: ArrayRef = Arc::new(origins.finish());
    let schema = table.schema();
    let columns = schema.fields().iter().zip(table.columns());
    let columns = columns.map(|(field, old)| match field.name().as_str() {
        "name" => ("origin", origins.clone()),
        name => (name, old.clone()),
    });
    let twice = RecordBatch::try_from_iter(columns).unwrap();
    let null = |number: usize| (number != 71).then_some(1.0);
    let null: ArrayRef = Arc::new((0..120).map(null).collect::<Float32Array>());
    for (table, expected) in [
        (with(&table, "oy", None), "column \"oy\": there is none; expected ox, oy, oz, tmin, dx"),
        (
            with(&table, "dx", Some(truths)),
            "column \"dx\": type Boolean, expected floats or whole numbers",
        ),
        (twice, "column \"ox\": there is also \"origin\", which says the same"),
        (with(&table, "dz", Some(null)), ", column \"dz\": row 21: null, expected a number"),
    ] {
        let place =
            if expected.starts_with(',') { ["row group 1", "record batch 1"] } else { [""; 2] };
        let files = [
            ("mistake.parquet", parquet(&table, Compression::SNAPPY)),
            ("mistake.arrow", arrow(&table, None)),
        ];
        for ((name, bytes), place) in files.into_iter().zip(place) {
            let error = read(name, &bytes, 1000).unwrap_err();
            assert!(error.starts_with(&format!("{place}{expected}")), "{name}: {error}");
        }
    }
    assert_eq!(read("empty.parquet", b"", 1).unwrap_err(), "the file is empty");
    let parquet = parquet(&table, Compression::SNAPPY);
    let arrow = arrow(&table, None);
    let bytes = [&parquet[..], &arrow[..]];
    for (name, bytes) in ["cut.parquet", "cut.arrow"].into_iter().zip(bytes) {
        for length in (8..bytes.len()).step_by(61) {
            assert!(read(name, &bytes[..length], 1000).is_err(), "{name}: {length}");
        }
    }
}

/// Whatever bytes are changed, there are rays or an error, and never a panic.
#[test]
fn damaged_tables() {
    let table = table(&some_rays(120));
    for (name, bytes) in [
        ("damaged.parquet", parquet(&table, Compression::SNAPPY)),
        ("damaged-plain.parquet", parquet(&table, Compression::UNCOMPRESSED)),
        ("damaged.arrow", arrow(&table, None)),
        ("damaged.feather", arrow(&table, Some(CompressionType::LZ4_FRAME))),
    ] {
        let mut refused = 0;
        for number in 0..1500 {
            let mut random = Random::new(5, number);
            let mut damaged = bytes.clone();
            // The beginning of the file says what it is.
            damaged[8 + random.below(bytes.len() - 8)] ^= 1 << random.below(8);
            refused += usize::from(read(name, &damaged, 1000).is_err());
        }
        assert!(refused > 20, "{name}: {refused}");
    }
}
