//! Scenes through ISBE memory, as users run it.

use crate::support::{Folder, Said};
use siliray::isbe::kernel::{MeshKernel, run_workgroup};
use siliray::isbe::warp::{LaneFault, LaneMask, Warp, lanes};
use siliray::isbe::{Access, AttributeSet, Dump, Limits, Region, Size, Topology, UnitState};

/// The picture of a capture is that of its source in every byte, whatever the scene is made of.
#[test]
fn a_captured_scene_renders_the_same_picture() {
    let folder = Folder::new();
    for scene in ["forest", "interior"] {
        folder.json(&["isbe", "capture", scene, "--triangles", "3000", "-o", "scene.isbe"]);
        folder.json(&["isbe", "check", "scene.isbe"]);
        let size = ["--size", "80x60", "--samples", "1"];
        let source =
            [&["render", scene, "--triangles", "3000", "-o", "source.png"], &size[..]].concat();
        let captured = [&["render", "scene.isbe", "-o", "captured.png"], &size[..]].concat();
        folder.json(&source);
        folder.json(&captured);
        assert_eq!(folder.read("source.png"), folder.read("captured.png"), "{scene}");
    }
}

#[test]
fn a_damaged_dump_is_located_and_leaves_no_mesh() {
    let folder = Folder::new();
    folder.json(&["isbe", "capture", "organic", "--triangles", "1000", "-o", "a.isbe"]);
    let refused = |args: &[&str], status: i32, message: &str| {
        let output = folder.run(args);
        let errors = output.errors();
        assert!(output.status.code() == Some(status) && errors.contains(message), "{errors}");
    };
    refused(&["check", "a.isbe", "--scene", "forest"], 2, "the format isbe holds none");
    let refit = ["refit", "a.isbe", "--scene", "forest", "-o", "b.isbe"];
    refused(&refit, 1, "images of the format isbe cannot be updated");
    let mut bytes = folder.read("a.isbe");
    // Workgroups are of one size, and those that carry names have no primitives.
    let info = folder.json(&["isbe", "info", "a.isbe"]);
    let size = |key: &str| info[key].as_u64().unwrap().next_multiple_of(16) as usize;
    let stride = 32 + size("map_bytes") + size("vertex_bytes") + size("shared_bytes");
    let count = (64 + 128 + 32..).step_by(stride).find(|at| bytes[*at] > 0).unwrap();
    let first_index = count + 4;
    bytes[first_index] = 200;
    std::fs::write(folder.path().join("a.isbe"), &bytes).unwrap();
    let output = folder.run(&["isbe", "check", "a.isbe", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let checked: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(checked["sound"], false);
    assert_eq!(checked["findings"][0]["rule"], "index_over_max");
    assert_eq!(checked["findings"][0]["offset"], first_index);
    let output = folder.run(&["isbe", "mesh", "a.isbe", "-o", "a.ply"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.errors().contains("index_over_max"));
    assert_eq!(folder.files(), ["a.isbe"]);
}

#[test]
fn a_cut_dump_is_described_and_fails() {
    let folder = Folder::new();
    folder.json(&["isbe", "capture", "organic", "--triangles", "1000", "-o", "a.isbe"]);
    let shown = folder.json(&["isbe", "inspect", "a.isbe"]);
    let info = folder.json(&["isbe", "info", "a.isbe"]);
    assert_eq!(shown["workgroups"], info["workgroups"]);
    let text = folder.run(&["isbe", "inspect", "a.isbe"]).stdout;
    let follow = format!("{} workgroups follow", info["workgroups"].as_u64().unwrap() - 1);
    assert!(String::from_utf8_lossy(&text).contains(&follow));
    let bytes = folder.read("a.isbe");
    std::fs::write(folder.path().join("cut.isbe"), &bytes[..bytes.len() - 100]).unwrap();
    let output = folder.run(&["isbe", "info", "cut.isbe", "--json"]);
    let info: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), info["errors"].as_u64()), (Some(1), Some(1)));
    assert!(output.errors().contains("truncated"));
}

#[test]
fn a_mesh_has_the_format_that_its_ending_names() {
    let folder = Folder::new();
    folder.json(&["isbe", "capture", "organic", "--triangles", "1000", "-o", "a.isbe"]);
    let triangles = folder.json(&["info", "a.isbe"])["triangles"].clone();
    for (file, start) in [("a.obj", &b"v "[..]), ("a.ply", b"ply\n"), ("a.STL", b"binary mesh")] {
        let mesh = folder.json(&["isbe", "mesh", "a.isbe", "-o", file]);
        assert_eq!(mesh["triangles"], triangles);
        assert!(folder.read(file).starts_with(start), "{file}");
        assert_eq!(folder.json(&["info", file])["triangles"], triangles, "{file}");
    }
    let before = folder.files();
    for file in ["a.glb", "a"] {
        let refused = folder.run(&["isbe", "mesh", "a.isbe", "-o", file]);
        assert_eq!(refused.status.code(), Some(2));
        let text = refused.errors();
        assert!(text.contains(file) && text.contains(".obj, .ply or .stl"), "{text}");
    }
    assert_eq!(folder.files(), before);
}

#[test]
fn attributes_are_listed_by_name() {
    let folder = Folder::new();
    let listed = folder.json(&["isbe", "attributes"]);
    let attributes = listed["attributes"].as_array().unwrap();
    assert_eq!(attributes.len(), 240);
    assert_eq!(attributes[0x70 / 4]["name"], "POSITION_X");
    let text = folder.run(&["isbe", "attributes"]).stdout;
    let text = String::from_utf8_lossy(&text);
    let point_size = text.lines().find(|line| line.starts_with("0x06c  POINT_SIZE ")).unwrap();
    assert!(point_size.contains(" f32   diameter of a point, in pixels "), "{point_size}");
    assert!(point_size.ends_with("     187       427"), "{point_size}");
}

/// Every lane writes a point of its own.
struct Points;

impl MeshKernel for Points {
    fn run(&self, warp: &mut Warp) -> Result<(), LaneFault> {
        let skewed = Access { output: true, region: Region::Attr, skew: true, size: Size::B32 };
        let map = Access { output: true, region: Region::Map, skew: false, size: Size::B8 };
        for line in [0, 0x80, 0x100] {
            let values = lanes(|lane| (lane as f32 + line as f32 / 256.0).to_bits());
            warp.isbewr(skewed, &lanes(|lane| line + 4 * lane), &values, LaneMask::first(20))?;
        }
        warp.isbewr(map, &lanes(|lane| 4 + lane), &lanes(|lane| lane), LaneMask::first(20))?;
        warp.set_primitive_count(20)
    }
}

#[test]
fn points_become_boxes_where_that_is_asked_for() {
    let folder = Folder::new();
    let xyz = ["POSITION_X", "POSITION_Y", "POSITION_Z"].map(|id| id.parse().unwrap());
    let vertices = (xyz.into_iter().collect(), 20);
    let state = UnitState::new(75, Topology::Points, vertices, (AttributeSet::default(), 20), 0);
    let mut dump = Dump::new(state);
    dump.skew_logical = false;
    dump.push(run_workgroup(&state, Limits::Driver, 0, &Points).unwrap());
    std::fs::write(folder.path().join("points.isbe"), dump.to_bytes().unwrap()).unwrap();
    let plain = folder.run(&["isbe", "mesh", "points.isbe", "-o", "none.ply"]);
    assert_eq!((plain.status.code(), folder.files().len()), (Some(1), 1));
    let boxes = folder.json(&["isbe", "mesh", "points.isbe", "--boxes", "-o", "boxes.ply"]);
    assert_eq!((&boxes["triangles"], &boxes["points_and_lines"]), (&240.into(), &20.into()));
    assert!(folder.read("boxes.ply").starts_with(b"ply"));
}

/// A kernel fills the input of a tessellation warp, the next copies it to the output and to PATCH,
/// and each step is a dump that can be checked and inspected.
#[test]
fn kernels_run_one_after_another_on_dumps() {
    let folder = Folder::new();
    let program = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    program("fill.sass", "ISBEWR.ATTR.SKEW.32 [R2], R3;\nISBEWR [R0], R0; // handles\n");
    let stage = ["--stage", "tess-control", "--inputs", "GENERIC0_X", "--attributes", "POSITION_X"];
    let fill = [
        &["isbe", "run", "fill.sass", "--lanes", "12", "--set", "R0=lane"][..],
        &[
            "--set",
            "R2=4*lane",
            "--set",
            "R3=1.5*lane",
            "--input-primitives",
            "4",
            "--input-corners",
            "3",
        ],
        &["--patch", "64", "--prim", "8", "-o", "filled.isbe"],
        &stage,
    ];
    let filled = folder.json(&fill.concat());
    assert_eq!((&filled["stage"], &filled["hazards"]), (&"tess-control".into(), &json_array()));
    assert!(filled["memory"]["input MAP"].as_str().unwrap().starts_with("000102030405"));
    program(
        "copy.sass",
        "ISBERD R1, [R0];\nALD R4, a[0x80], R1;\nAST a[0x70], R4, R0;\nAST.P a[R2+0x0], R4, RZ;\n\
         @P0 ALD R5, a[0x80], R1;\n",
    );
    let copy = ["isbe", "run", "copy.sass", "--lanes", "12", "--input", "filled.isbe", "-o"];
    let registers = ["after.isbe", "--set", "R0=lane", "--set", "R2=4*lane", "--set", "P0=0x1"];
    let after = folder.json(&[&copy[..], &registers].concat());
    assert_eq!(after["registers"]["R4"][3], 4.5f32.to_bits());
    let hazard = &after["hazards"][0];
    assert_eq!((&hazard["line"], &hazard["store_line"]), (&5.into(), &3.into()));
    assert_eq!(after["space_sharing"], false);
    let patch = after["memory"]["PATCH"].as_str().unwrap();
    assert_eq!(patch[8..16], *"0000c03f");
    let check = folder.json(&["isbe", "check", "after.isbe"]);
    assert_eq!((&check["sound"], &check["findings"]), (&true.into(), &json_array()));
    let info = folder.json(&["isbe", "info", "after.isbe"]);
    assert_eq!((&info["stage"], &info["topology"]), (&"tess-control".into(), &().into()));
    let shown = folder.json(&["isbe", "inspect", "after.isbe"]);
    assert_eq!(shown["vertices"][3]["attributes"]["POSITION_X"], "4.5");
    assert_eq!(shown["input_vertices"][5]["attributes"]["GENERIC0_X"], "7.5");
    assert_eq!(shown["input_primitives"][2].as_array().unwrap().len(), 3);
    assert_eq!(shown["opaque"]["PATCH"][1], "3fc00000");
    let tree = folder.json(&["inspect", "after.isbe", "--tree"]);
    let kinds = tree["tree"].as_array().unwrap().iter().map(|part| part["kind"].as_str().unwrap());
    assert_eq!(kinds.filter(|kind| *kind == "PATCH or PRIM").count(), 4);
    let scene = folder.run(&["info", "after.isbe"]);
    let text = scene.errors();
    assert_eq!(scene.status.code(), Some(1));
    assert!(text.contains("found a dump of the stage tess-control, expected mesh"), "{text}");
    let fault = [&copy[..], &["never.isbe", "--set", "R0=64"]].concat();
    let fault = folder.run(&fault);
    assert_eq!(fault.status.code(), Some(1));
    let text = fault.errors();
    assert!(text.contains("copy.sass: line 1: lane 0: out_of_range"), "{text}");
    assert!(!folder.files().contains(&"never.isbe".into()));
}

fn json_array() -> serde_json::Value {
    serde_json::Value::Array(Vec::new())
}

/// With shared storage a load behind a store reads what was stored, without it the input.
#[test]
fn shared_storage_shows_its_hazard() {
    let folder = Folder::new();
    let program = "AST a[0x70], R1, R0; ALD R2, a[0x70], R0;";
    let run = |more: &[&str]| {
        let set = ["--set", "R0=lane", "--set", "R1=7", "--stage", "vertex"];
        let attributes = ["--inputs", "ATTR_POSITION", "--attributes", "ATTR_POSITION"];
        folder.json(&[&["isbe", "run", "-e", program][..], &set, &attributes, more].concat())
    };
    for (options, loaded) in [(&[][..], 0), (&["--share"], 7)] {
        let ran = run(options);
        assert_eq!(ran["space_sharing"], !options.is_empty());
        assert_eq!(
            (&ran["registers"]["R2"][31], ran["hazards"].as_array().unwrap().len()),
            (&loaded.into(), 1)
        );
    }
}
