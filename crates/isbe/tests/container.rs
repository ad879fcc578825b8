//! Dumps: every finding broken once, and bytes that were never a dump.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use geometry::Vec3;
use isbe::container::check::{check, read};
use isbe::container::explain::{BytePlace, explain, record_offset};
use isbe::container::outline::{Outline, PartKind};
use isbe::mesh::capture::{CaptureOptions, capture_mesh, capture_scene};
use isbe::mesh::import::{ImportError, ImportOptions, import};
use isbe::{
    AttributeId, AttributeSet, AttributeTable, Dump, Limits, MapOrder, Mesh, Reader, Stage,
    Topology, UnitState, Workgroup,
};
use scene::{Geometry, Object, Scene, Shape};

/// A strip of triangles with POSITION, a layer and a viewport mask; every seventh is culled.
fn strip() -> Dump {
    let position: AttributeSet = AttributeId::parse_all("POSITION").unwrap().into_iter().collect();
    let primitive: AttributeSet =
        [AttributeId::RT_ARRAY_INDEX, AttributeId::VIEWPORT_MASK].into_iter().collect();
    let mut vertices = AttributeTable::new(position, 102);
    for i in 0..102 {
        let xyzw = [i as f32, (i % 2) as f32, 0.25 * i as f32, 1.0];
        vertices.row_mut(i).copy_from_slice(&xyzw.map(f32::to_bits));
    }
    let mut primitives = AttributeTable::new(primitive, 100);
    for i in 0..100 {
        primitives.row_mut(i).copy_from_slice(&[i as u32 / 50, u32::from(i % 7 != 0)]);
    }
    let triangles = (0..100).map(|i| [i, i + 1, i + 2]).collect();
    let options =
        CaptureOptions { max_vertices: 40, max_triangles: 30, ..CaptureOptions::default() };
    capture_mesh(&Mesh { vertices, primitives, triangles }, &options).unwrap()
}

/// The rules that a change of bytes breaks, each with its offset.
fn broken(change: impl Fn(&mut Vec<u8>)) -> Vec<(&'static str, u64)> {
    let mut bytes = strip().to_bytes().unwrap();
    change(&mut bytes);
    let findings = check(&bytes, Limits::Driver).findings;
    let others = findings.into_iter().filter(|f| f.rule != "culled_primitives");
    others.map(|finding| (finding.rule, finding.offset)).collect()
}

#[test]
fn every_rule_is_broken_alone() {
    let dump = strip();
    let record = record_offset(&dump, 1);
    let length = dump.to_bytes().unwrap().len();
    let put = |at: usize, value: u32| {
        move |bytes: &mut Vec<u8>| {
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
    };
    let method = dump.state.shader_a.word().unwrap();
    let at = |offset: usize| offset as u64;
    assert_eq!(broken(|_| ()), []);
    assert_eq!(broken(|bytes| bytes[3] ^= 1), [("bad_magic", 0)]);
    assert_eq!(broken(|bytes| bytes[8] = 2), [("bad_version", 8)]);
    let bytes = dump.to_bytes().unwrap();
    let notes = bytes[record..].windows(8).position(|window| window == b"SILNOTES").unwrap();
    let notes = record + notes;
    assert_eq!(broken(put(notes + 8, 99)), [("notes", at(notes + 8))]);
    assert_eq!(broken(put(notes + 128, 1 << 20)), [("notes", at(notes))]);
    assert_eq!(broken(|bytes| bytes[10] = 2), [("newer_minor", 10)]);
    assert_eq!(broken(|bytes| bytes[14] = 5), [("bad_version", 14)]);
    assert_eq!(broken(|bytes| bytes[40] = 5), [("reserved_bytes", 40)]);
    assert_eq!(broken(|bytes| bytes[36] = 9), [("bad_stage", 36)]);
    assert_eq!(broken(|bytes| bytes[64] ^= 3), [("bad_header", 64)]);
    assert_eq!(broken(|bytes| bytes[192] = 0x61), [("bad_header", 192)]);
    assert_eq!(broken(put(24, method & !15 | 5)), [("topology_unsupported", 24)]);
    assert_eq!(broken(put(24, method & !0x1ff0)), [("bad_maximum", 24)]);
    assert_eq!(broken(put(24, method | 0x1ff0)), [("bad_maximum", 24)]);
    assert_eq!(broken(put(24, method & !0x7f_e000)), [("bad_maximum", 24)]);
    assert_eq!(
        broken(put(28, dump.state.shader_b.word().unwrap() | 63 << 20)),
        [("limit", 24)],
        "threads"
    );
    assert_eq!(broken(|bytes| bytes[64 + 60..64 + 79].fill(0xff))[0], ("output_limit", 24));
    assert_eq!(broken(|bytes| bytes.truncate(length - 1)), [("truncated", at(length - 1))]);
    assert_eq!(broken(|bytes| bytes.truncate(63)), [("truncated", 63)]);
    assert_eq!(broken(|bytes| bytes.truncate(100)), [("truncated", 100)]);
    assert_eq!(broken(Vec::clear), [("truncated", 0)]);
    assert_eq!(broken(|bytes| bytes.push(7)), [("trailing_bytes", at(length))]);
    assert_eq!(broken(put(20, u32::MAX)), [("truncated", at(length))]);
    assert_eq!(broken(put(record + 8, 4 + 3 * 30 - 1)), [("size_mismatch", at(record + 8))]);
    let attr = dump.workgroups[1].output.attr.len() as u32;
    assert_eq!(broken(put(record + 12, attr - 4)), [("size_mismatch", at(record + 12))]);
    assert_eq!(broken(put(record + 12, u32::MAX)), [("truncated", at(length))]);
    assert_eq!(broken(put(record + 24, 1)), [("reserved_bytes", at(record + 24))]);
    assert_eq!(broken(put(record + 32, 31)), [("count_over_max", at(record + 32))]);
    assert_eq!(broken(|bytes| bytes[record + 40] = 40), [("index_over_max", at(record + 40))]);
    assert_eq!(broken(|bytes| bytes[record + 36..record + 40].fill(200)).len(), 1);
    let culled = check(&dump.to_bytes().unwrap(), Limits::Driver).findings;
    assert!(culled.iter().all(|finding| finding.rule == "culled_primitives"));
    assert!(culled.len() > 2);
}

#[test]
fn input_attributes_need_their_flag() {
    let mut dump = strip();
    dump.workgroups[0].input.attr = vec![1; 20];
    dump.workgroups[0].task = Some(3);
    let mut bytes = dump.to_bytes().unwrap();
    assert_eq!(bytes[16], 1 | 4 | 8 | 16);
    assert_eq!(read(&bytes, Limits::Driver).unwrap(), dump);
    bytes[16] &= !8;
    let report = check(&bytes, Limits::Driver);
    assert!(report.findings.iter().any(|finding| finding.rule == "input_flag"));
    assert_eq!(report.dump.unwrap(), dump);
}

#[test]
fn raw_limits_allow_more_primitives() {
    let mut dump = strip();
    dump.state.shader_a.max_primitive = 500;
    dump.workgroups.clear();
    let bytes = dump.to_bytes().unwrap();
    assert_eq!(read(&bytes, Limits::Driver).unwrap_err().first.rule, "bad_maximum");
    assert_eq!(read(&bytes, Limits::Raw), Ok(dump));
}

#[test]
fn a_reversed_count_is_read_reversed() {
    let mut dump = strip();
    dump.map_order = MapOrder::Reversed;
    dump.workgroups.iter_mut().for_each(|workgroup| workgroup.output.map[..4].reverse());
    let read = read(&dump.to_bytes().unwrap(), Limits::Driver).unwrap();
    let expected = import(&strip(), &ImportOptions::default()).unwrap();
    assert_eq!(import(&read, &ImportOptions::default()).unwrap().scene, expected.scene);
}

#[test]
fn plain_dumps_group_by_layer_and_leave_out_what_is_culled() {
    let mut dump = strip();
    let base = dump.state.layout(Limits::Driver).unwrap().shared_base() as usize;
    dump.workgroups.iter_mut().for_each(|workgroup| workgroup.output.attr.truncate(base));
    let imported = import(&dump, &ImportOptions::default()).unwrap();
    let geometries = &imported.scene.objects[0].geometries;
    assert_eq!(geometries.iter().map(Geometry::triangle_count).collect::<Vec<_>>(), [42, 43]);
    assert_eq!((imported.report.culled, imported.report.triangles), (15, 85));
    assert_eq!(geometries[1].name, "layer 1, viewport 0");
}

#[test]
fn points_and_lines_are_skipped_or_boxed() {
    for (topology, corners) in [(Topology::Points, 1), (Topology::Lines, 2)] {
        let mut dump = strip();
        let base = dump.state.layout(Limits::Driver).unwrap().shared_base() as usize;
        dump.state.shader_a.topology = topology.code();
        for workgroup in &mut dump.workgroups {
            workgroup.output.map.truncate(4 + corners * 30);
            workgroup.output.attr.truncate(base);
        }
        let dump = read(&dump.to_bytes().unwrap(), Limits::Driver).unwrap();
        let skipped = import(&dump, &ImportOptions::default()).unwrap();
        assert_eq!((skipped.report.triangles, skipped.report.points_and_lines), (0, 85));
        let boxed =
            import(&dump, &ImportOptions { boxes: true, ..ImportOptions::default() }).unwrap();
        let boxes = boxed.scene.objects[0].geometries.iter().map(|g| match &g.shape {
            Shape::Boxes(boxes) => boxes.len(),
            Shape::Triangles { .. } => 0,
        });
        assert_eq!(boxes.sum::<usize>(), 85);
    }
}

/// Every byte of a file has a place, and the places of ATTR agree with the layout.
#[test]
fn every_byte_is_explained() {
    let dump = strip();
    let reader = Reader::new(&dump, Limits::Driver).unwrap();
    let length = dump.to_bytes().unwrap().len();
    let text = |offset| explain(&dump, &reader, offset).to_string();
    let record = record_offset(&dump, 2);
    assert_eq!(text(0), "header, magic");
    assert_eq!(text(25), "header, SET_MESH_SHADER_A");
    assert!(text(64 + 52).starts_with("mesh header, bits 416..424: omap"), "{}", text(64 + 52));
    assert_eq!(text(record + 5), "workgroup 2, task index");
    assert_eq!(text(record + 33), "workgroup 2, MAP, primitive count, byte 1, address 0x0001");
    assert_eq!(
        text(record + 32 + 4 + 8),
        "workgroup 2, MAP, index of primitive 2, corner 2, address 0x000c"
    );
    let attr = record + 32 + dump.workgroups[2].output.map.len().next_multiple_of(16);
    assert_eq!(
        text(attr + 0x20e),
        "workgroup 2, ATTR, POSITION_X of vertex 35, group 1, lane 3, byte 2, address 0x020e"
    );
    assert!(text(attr + 0x27c).contains("of vertex 63 (padding), group 1, lane 31"));
    assert!(text(attr + 0x480).contains("VIEWPORT_MASK of primitive 0, group 0, lane 0"));
    assert!(text(attr + 0x500).contains("shared memory, byte 0x0"));
    for offset in 0..length {
        assert_ne!(explain(&dump, &reader, offset), BytePlace::Behind);
    }
    assert_eq!(explain(&dump, &reader, length), BytePlace::Behind);
}

/// 64k changed bytes: never a panic, and what passes the check becomes a scene or a located error.
#[test]
fn flipped_bytes_never_panic() {
    let shape = Shape::Triangles {
        positions: (0..60u8).map(|i| Vec3::new(i.into(), f32::from(i % 5), -1.0)).collect(),
        indices: (0..58).map(|i| [i, i + 1, i + 2]).collect(),
    };
    let geometry = Geometry::new("", true, shape);
    let scene = Scene {
        objects: vec![Object { name: String::new(), geometries: vec![geometry] }],
        instances: vec![scene::Instance::new(0, geometry::Transform::IDENTITY)],
        ..Scene::default()
    };
    let options =
        CaptureOptions { max_vertices: 32, max_triangles: 32, ..CaptureOptions::default() };
    let captured = capture_scene(&scene, &options).unwrap().to_bytes().unwrap();
    let plain = strip().to_bytes().unwrap();
    let mut state = 7u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut sound = 0;
    for round in 0..65_536 {
        let mut bytes = if round % 2 == 0 { captured.clone() } else { plain.clone() };
        // Most of the structure is at the front and in the records.
        let range = if random() % 3 == 0 { 600 } else { bytes.len() };
        for _ in 0..1 + random() % 3 {
            let at = random() % range.min(bytes.len());
            bytes[at] ^= 1 << (random() % 8);
        }
        if random() % 16 == 0 {
            bytes.truncate(random() % bytes.len());
        }
        let report = check(&bytes, Limits::Driver);
        if let Some(dump) = &report.dump {
            if let Ok(reader) = Reader::new(dump, Limits::Driver) {
                let _ = explain(dump, &reader, random() % bytes.len().max(1)).to_string();
            }
            if report.is_sound() {
                sound += 1;
                let _ = import(dump, &ImportOptions::default());
            }
        }
    }
    assert!(sound > 10_000, "{sound}");
}

/// Each finding is one sentence: one thing found, one thing expected.
#[test]
fn findings_do_not_nest() {
    let dump = strip();
    let bytes = dump.to_bytes().unwrap();
    let shared = |workgroup: usize| {
        let map = dump.workgroups[workgroup].output.map.len().next_multiple_of(16);
        let base = dump.state.layout(Limits::Driver).unwrap().shared_base() as usize;
        record_offset(&dump, workgroup) + 32 + map + base
    };
    let mut sentences = 0;
    for (at, value) in [
        (64, 2),
        (64, 0x61),
        (shared(1), 7),
        (shared(1) + 8, 99),
        (shared(1) + 24, u32::MAX),
        (shared(1) + 28, 5),
        (shared(1) + 32, 0),
        (shared(1) + 128, 147_318),
        (shared(2) + 16, 1),
        (shared(3) + 128 + 4 * 32, 0),
    ] {
        let mut bytes = bytes.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        let findings = check(&bytes, Limits::Driver).findings;
        for finding in findings.iter().filter(|f| f.severity == machine::Severity::Error) {
            let text = finding.to_string();
            let count = |word: &str| text.matches(word).count();
            assert_eq!((count("found"), count("expected")), (1, 1), "{text}");
            sentences += 1;
        }
    }
    assert!(sentences >= 8, "{sentences}");
}

/// What is sound memory but no scene is told as a warning.
#[test]
fn dumps_that_show_nothing_are_sound_with_a_warning() {
    let warnings = |dump: &Dump| {
        let report = check(&dump.to_bytes().unwrap(), Limits::Driver);
        assert!(report.is_sound(), "{:?}", report.findings);
        let rules = report.findings.iter().map(|finding| (finding.rule, finding.bits.clone()));
        rules.filter(|(rule, _)| *rule != "culled_primitives").collect::<Vec<_>>()
    };
    let mut points = strip();
    let base = points.state.layout(Limits::Driver).unwrap().shared_base() as usize;
    points.state.shader_a.topology = Topology::Points.code();
    for workgroup in &mut points.workgroups {
        workgroup.output.map.truncate(4 + 30);
        workgroup.output.attr.truncate(base);
    }
    assert_eq!(warnings(&points), [("no_triangles", 0..256)]);
    let mut elsewhere = points;
    let generic = AttributeId::parse_all("GENERIC3").unwrap().into_iter().collect();
    elsewhere.state.header.set_outputs(&generic);
    assert_eq!(warnings(&elsewhere), [("no_position", 428..429)]);
}

/// The parts of a file lie one behind the other with nothing but padding between them, and their
/// fields say what the bytes say.
#[test]
fn an_outline_covers_the_file() {
    let mut dump = strip();
    dump.workgroups[2].input.attr = vec![1; 20];
    let bytes = dump.to_bytes().unwrap();
    let outline = Outline::new(&bytes, Limits::Driver);
    let mut end = 0;
    for part in &outline.parts {
        let gap = &bytes[end..part.offset as usize];
        assert!(gap.len() < 16 && gap.iter().all(|byte| *byte == 0), "{}", part.name);
        end = (part.offset + part.bytes) as usize;
        assert_eq!(outline.part_at(part.offset), Some(part));
        assert_eq!(outline.part_at(part.offset + part.bytes - 1), Some(part));
        for field in outline.fields(&bytes, part) {
            let first = field.offset + u64::from(field.bits.start) / 8;
            let last = field.offset + u64::from(field.bits.end - 1) / 8;
            assert!(part.offset <= first && last < end as u64, "{} {}", part.name, field.name);
            let bits = field.bits.clone().rev().fold(0, |raw, bit| {
                let byte = bytes[(field.offset + u64::from(bit) / 8) as usize];
                raw << 1 | u64::from(byte >> (bit % 8) & 1)
            });
            assert_eq!(bits, field.raw, "{} {}", part.name, field.name);
        }
    }
    assert!(bytes.len() - end < 16);
    assert_eq!(outline.part_at(bytes.len() as u64), None);
    let part = |kind, workgroup| {
        let mut parts = outline.parts.iter();
        parts.find(|part| part.kind == kind && part.workgroup == workgroup).unwrap()
    };
    let text = |kind, workgroup, name: &str| {
        let fields = outline.fields(&bytes, part(kind, workgroup));
        fields.into_iter().find(|field| field.name == name).unwrap_or_else(|| panic!("{name}")).text
    };
    assert_eq!(text(PartKind::Header, None, "magic"), "SILISBE1");
    assert_eq!(text(PartKind::Header, None, "SET_MESH_SHADER_A.OUTPUT_TOPOLOGY"), "triangles");
    assert_eq!(text(PartKind::ProgramHeader, None, "omap.POSITION_W"), "active");
    assert_eq!(text(PartKind::Record, Some(1), "task index"), "no task");
    assert_eq!(text(PartKind::Map, Some(0), "primitive count"), "30");
    assert_eq!(text(PartKind::Vertices, Some(0), "POSITION_W[3]"), "1");
    assert_eq!(text(PartKind::Primitives, Some(0), "VIEWPORT_MASK[7]"), "0");
    assert_eq!(text(PartKind::Notes, Some(0), "kind"), "meshlet");
    assert_eq!(part(PartKind::InputAttr, Some(2)).bytes, 20);
}

/// Bytes that are no dump, or end early, have an outline too.
#[test]
fn broken_bytes_have_an_outline() {
    let bytes = strip().to_bytes().unwrap();
    for length in (0..bytes.len()).step_by(97) {
        let cut = &bytes[..length];
        let outline = Outline::new(cut, Limits::Driver);
        let last = outline.parts.last().map_or(0, |part| part.offset + part.bytes);
        assert!(length as u64 - last < 16);
        outline.parts.iter().for_each(|part| drop(outline.fields(cut, part)));
    }
    let outline = Outline::new(&[7; 100], Limits::Driver);
    assert_eq!((outline.parts.len(), outline.parts[0].kind), (1, PartKind::Unread));
    assert_eq!(outline.fields(&[7; 100], &outline.parts[0]).len(), 25);
    let mut no_layout = bytes;
    no_layout[24] = 0xff;
    let outline = Outline::new(&no_layout, Limits::Driver);
    assert!(outline.parts.iter().any(|part| part.kind == PartKind::Attr));
    outline.parts.iter().for_each(|part| drop(outline.fields(&no_layout, part)));
}

/// A warp of each earlier stage with all eight regions.
fn warp(stage: Stage) -> Dump {
    let set = |text| AttributeId::parse_all(text).unwrap().into_iter().collect::<AttributeSet>();
    let mut state = UnitState::warp(86, stage, (set("GENERIC1"), 40), (set("POSITION"), 33));
    state.unit.input_primitives = 5;
    state.unit.input_corners = 4;
    let mut dump = Dump::new(state);
    for index in [3, 7] {
        let [input, output] = state.memory(Limits::Driver, index).unwrap().into_spaces();
        let mut unit = Workgroup { index, task: None, input, output };
        unit.input.patch = vec![1, 2, 3];
        unit.input.prim = vec![4; 20];
        unit.output.patch = vec![5; 16];
        unit.output.prim = vec![6; 8];
        unit.input.map.iter_mut().zip(0..).for_each(|(handle, at)| *handle = at);
        unit.input.attr[0x290..0x294].copy_from_slice(&2.5f32.to_le_bytes());
        dump.push(unit);
    }
    dump
}

/// Every stage and every region comes back from a file, and the check proves it sound.
#[test]
fn warps_of_every_stage_round_trip() {
    for stage in &Stage::ALL[1..] {
        let dump = warp(*stage);
        let bytes = dump.to_bytes().unwrap();
        assert_eq!((bytes[10], bytes[16], bytes[36] & 15), (1, 1 | 8 | 32, stage.code()));
        let report = check(&bytes, Limits::Driver);
        assert_eq!((&report.findings[..], report.dump.as_ref()), (&[][..], Some(&dump)), "{stage}");
        let refused = import(&dump, &ImportOptions::default()).unwrap_err();
        assert_eq!(refused, ImportError::Stage(*stage));
    }
    let mesh = strip().to_bytes().unwrap();
    assert_eq!((mesh[10], mesh[36]), (0, 0), "a dump of mesh workgroups is of version 1.0");
}

/// Each rule about other stages, broken alone.
#[test]
fn what_is_wrong_with_a_warp_is_located() {
    let dump = warp(Stage::Geometry);
    let record = record_offset(&dump, 1);
    let broken = |at: usize, value: u32| {
        let mut bytes = dump.to_bytes().unwrap();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        let findings = check(&bytes, Limits::Driver).findings;
        findings.into_iter().map(|finding| (finding.rule, finding.offset)).collect::<Vec<_>>()
    };
    let word = dump.state.unit.word().unwrap();
    let at = |offset: usize| offset as u64;
    assert_eq!(broken(36, word & !0x1ff0), [("bad_maximum", 36)]);
    assert_eq!(broken(36, word & !15 | 2), [("bad_stage", 64)]);
    assert_eq!(broken(36, word & !15 | 9), [("bad_stage", 36)]);
    let mut short = dump.clone();
    short.workgroups[1].input.map.pop();
    let report = check(&short.to_bytes().unwrap(), Limits::Driver);
    assert_eq!(report.findings[0].rule, "size_mismatch");
    assert_eq!(report.findings[0].offset, at(record + 8 + 4 * 3));
    assert_eq!(report.findings[0].place, "workgroup 1, length of input MAP");
    assert_eq!(broken(record + 60, 7), [("reserved_bytes", at(record + 60))]);
    let unit = &dump.workgroups[1];
    let before = unit.output.attr.len() + unit.input.attr.len();
    let handle = record + 64 + before + 8;
    assert_eq!(broken(handle, 0x0b28_0908), [("index_over_max", at(handle + 2))]);
}

/// Every byte of a warp's file is explained, input regions with their attributes and handles.
#[test]
fn every_byte_of_a_warp_is_explained() {
    let dump = warp(Stage::TessellationControl);
    let bytes = dump.to_bytes().unwrap();
    let reader = Reader::new(&dump, Limits::Driver).unwrap();
    let text = |offset| explain(&dump, &reader, offset).to_string();
    let record = record_offset(&dump, 1);
    assert_eq!(text(36), "header, UNIT");
    assert!(text(64).starts_with("tess-control header, bits 0..8: SPH_TYPE"), "{}", text(64));
    assert_eq!(text(record + 25), "workgroup 1, input PATCH length");
    assert_eq!(text(record + 42), "workgroup 1, zero");
    let attr = record + 64;
    assert!(text(attr + 0x208).contains("1, ATTR, POSITION_X of vertex 34 (padding), group 1"));
    let input = attr + dump.workgroups[1].output.attr.len();
    let place = "workgroup 1, input ATTR, GENERIC1_Y of vertex 36, group 1, lane 4, byte 1";
    assert_eq!(text(input + 0x291), format!("{place}, address 0x0291"));
    let map = input + dump.workgroups[1].input.attr.len();
    let place = "workgroup 1, input MAP, handle of primitive 2, corner 1, address 0x0009";
    assert_eq!(text(map + 9), place);
    assert_eq!(text(map + 20), "padding to 16 bytes");
    assert!(text(map + 32).ends_with("input PATCH, of a layout that is not known, address 0x0000"));
    for offset in 0..bytes.len() {
        assert_ne!(explain(&dump, &reader, offset), BytePlace::Behind);
    }
    let outline = Outline::new(&bytes, Limits::Driver);
    let kinds = |kind| outline.parts.iter().filter(|part| part.kind == kind).count();
    assert_eq!((kinds(PartKind::InputMap), kinds(PartKind::Opaque)), (2, 8));
    let parts = outline.parts.iter().filter(|part| part.kind == PartKind::InputAttr);
    for part in parts {
        let fields = outline.fields(&bytes, part);
        let field = fields.iter().find(|field| field.name == "GENERIC1_Y[36]").unwrap();
        assert_eq!(field.text, "2.5");
    }
}
