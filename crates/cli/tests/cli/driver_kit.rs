//! What a driver's developer leans on: exit codes that count, options that are not ignored, files
//! that stay what they are.

use crate::support::Folder;
use siliray::machine::ReadOptions;
use siliray::registry::registry;

fn build(folder: &Folder, scene: &str, format: &str, file: &str, more: &[&str]) {
    let args = ["build", scene, "--triangles", "700", "--format", format, "-o", file];
    folder.json(&[&args, more].concat());
}

/// Asserts wrong usage, with a message that says all of this.
fn assert_usage(folder: &Folder, args: &[&str], expected: &[&str]) {
    let (status, text, errors) = folder.said(args);
    assert_eq!((status, text.as_str()), (Some(2), ""), "{args:?}: {errors}");
    for part in expected {
        assert!(errors.contains(part), "{args:?}: {errors}");
    }
}

#[test]
fn stacks_have_the_sizes_of_their_machine() {
    let folder = Folder::new();
    for (format, file) in [("gfx10-bvh4", "a.gfx10"), ("gfx11-bvh4", "a.gfx11"), ("gfx12", "a.rra")]
    {
        build(&folder, "organic", format, file, &[]);
    }
    let walk = |file, machine, size| {
        ["walk", file, "--machine", machine, "--stack-size", size, "--pixel", "4,3"]
    };
    for (file, machine, sizes) in [
        ("a.gfx10", "gfx10-gpurt", &["1", "12", "64", "255"][..]),
        ("a.gfx11", "gfx11-gpurt", &["8", "16", "32", "64"]),
        ("a.rra", "gfx12-gpurt", &["1", "31"]),
        ("a.rra", "gfx12-hiprt", &["64", "255"]),
    ] {
        for size in sizes {
            let (status, _, errors) = folder.said(&walk(file, machine, size));
            // HIPRT's loop does not walk what others lay out, whatever its stack.
            let is_fine = status == Some(0) || machine == "gfx12-hiprt" && status == Some(1);
            assert!(is_fine && !errors.contains("entries"), "{machine} {size}: {errors}");
        }
    }
    let eight = "gfx11-gpurt has no stack of 31 entries, but of 8, 16, 32 or 64";
    assert_usage(&folder, &walk("a.gfx11", "gfx11-gpurt", "31"), &[eight]);
    assert_usage(&folder, &walk("a.rra", "gfx12-gpurt", "32"), &["but of 1 to 31"]);
    assert_usage(&folder, &walk("a.gfx10", "gfx10-gpurt", "256"), &["1 to 255"]);
    let law = ["conformance", "--only", "format=gfx11-bvh4", "--stack-size", "12"];
    assert_usage(&folder, &law, &["of 8, 16, 32 or 64", "--only"]);
    let image = ["conformance", "a.gfx11", "--rays", "10", "--stack-size", "12"];
    assert_usage(&folder, &image, &["of 8, 16, 32 or 64"]);
}

/// An image whose parent table lies, so that no loop can find back what it lost.
#[test]
fn a_run_in_which_every_loop_refuses_fails() {
    let folder = Folder::new();
    build(&folder, "organic", "gfx11-bvh4", "a.gfx11", &[]);
    let format = registry().format("gfx11-bvh4").unwrap();
    let mut file = (format.read)(&folder.read("a.gfx11"), &ReadOptions::default()).unwrap();
    let base = file.image.bases[0];
    let segment = &mut file.image.segments[0];
    // The parent of the second box: 4 bytes for each unit of 64, from the base down.
    let slot = (base - segment.address) as usize - 12;
    segment.bytes_mut()[slot..slot + 4].copy_from_slice(&0x1234_5675u32.to_le_bytes());
    let bytes = (format.trees.as_ref().unwrap().write)(&file.image, None).unwrap();
    std::fs::write(folder.path().join("b.gfx11"), bytes).unwrap();
    let (status, text, errors) = folder.said(&["conformance", "b.gfx11", "--rays", "50"]);
    assert_eq!(status, Some(1), "{text}{errors}");
    assert!(errors.contains("every machine of its format refuses it"), "{errors}");
    let row = text.lines().find(|line| line.starts_with("gfx11-gpurt ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells, ["gfx11-gpurt", "-", "-", "-", "-", "refuses", "the", "image"], "{text}");
    assert!(text.contains("gfx11-gpurt: parents disagree"), "{text}");
    let (_, json, _) = folder.said(&["conformance", "b.gfx11", "--rays", "50", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    for machine in json["images"][0]["machines"].as_array().unwrap() {
        let is_refused = !machine["refused"].is_null();
        for key in ["hits", "losses", "known_losses", "mismatches", "lost_primitives", "lost"] {
            assert_eq!(machine[key].is_null(), is_refused, "{key}: {machine}");
        }
    }
    let (status, text, _) = folder.said(&["conformance", "a.gfx11", "--rays", "50"]);
    assert_eq!(status, Some(0), "some refuse, some do not: {text}");
}

#[test]
fn a_scene_that_differs_is_an_error() {
    let folder = Folder::new();
    for (format, file) in [("gfx10-bvh4", "a.gfx10"), ("gfx12", "a.rra")] {
        build(&folder, "organic", format, file, &[]);
        let check = |scene, triangles| {
            folder.said(&["check", file, "--scene", scene, "--triangles", triangles])
        };
        assert_eq!(check("organic", "700").0, Some(0));
        let (status, text, errors) = check("organic", "800");
        assert_eq!(status, Some(1), "{text}{errors}");
        assert!(text.contains("[source]") && errors.contains("unsound"), "{text}{errors}");
        assert_eq!(check("interior", "700").0, Some(1));
    }
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let folder = Folder::new();
    let build = |more: &[&'static str]| -> Vec<&'static str> {
        ["build", "organic", "--triangles", "500", "--format"].iter().chain(more).copied().collect()
    };
    for (more, expected) in [
        (&["gfx12", "--policy", "radv", "--set", "policy=gpurt"][..], "policy is set twice"),
        (&["gfx12", "--set", "margin=on", "--set", "margin=off"], "margin is set twice"),
        (&["gfx12", "--obb", "--set", "obb=off"], "obb is set twice"),
        (&["gfx12-bvh4x2", "--precision", "high", "--set", "precision=fp32"], "set twice"),
        (&["gfx10-bvh4", "--width", "8"], "8 children of a node: gfx10-bvh4 holds 4 at most"),
        (&["gfx12-bvh4x2", "--width", "5"], "gfx12-bvh4x2 holds 4 at most"),
        (&["xphmg-fp32", "--width", "8", "--set", "node_width=4"], "xphmg-fp32 holds 4 at most"),
    ] {
        assert_usage(&folder, &build(more), &[expected]);
    }
    folder.json(&build(&["xphmg-fp32", "--width", "8"]));
    folder.json(&["rays", "organic", "--triangles", "500", "--rays", "8", "-o", "rays.bin"]);
    let trace = ["trace", "organic", "--rays", "rays.bin", "-o", "hits.bin", "--machine"];
    for (more, option) in [
        (["reference", "--mode", "prepared"], "--mode"),
        (["gfx12-radv", "--mode", "in-place"], "--mode"),
        (["gfx12-radv", "--kernel", "plain"], "--kernel"),
    ] {
        let expected = format!("the machine {} has no {option}", more[0]);
        assert_usage(&folder, &[&trace[..], &more].concat(), &[&expected]);
    }
    let render = ["render", "organic", "-o", "a.png", "--machine", "gfx10-gpurt", "--width", "8"];
    assert_usage(&folder, &render, &["gfx10-bvh4 holds 4 at most"]);
    assert_usage(&folder, &["stats", "a", "b", "--more"], &["--more has no effect"]);
    assert_usage(&folder, &["stats", "a", "--csv", "--json"], &["--csv and --json"]);
}

/// Each structure of each file of a folder is a row of one table, by the numbers of the file.
#[test]
fn figures_of_a_folder_are_those_of_its_files() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path().join("dumps/more")).unwrap();
    build(&folder, "forest", "gfx12", "dumps/forest.rra", &[]);
    build(&folder, "organic", "gfx10-bvh4", "dumps/more/old.gfx10", &["--policy", "radv"]);
    build(&folder, "organic", "gfx12", "dumps/more/new.rra", &[]);
    build(&folder, "organic", "ttu", "dumps/no-driver-counts.ttu", &[]);
    std::fs::write(folder.path().join("dumps/notes.txt"), "beside").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("more/new.rra", folder.path().join("dumps/linked.rra")).unwrap();
    let (status, csv, errors) = folder.said(&["stats", "dumps", "--csv"]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert_eq!(csv.matches("app,name,type").count(), 1, "{csv}");
    let cells = |line: &str| line.split(',').count();
    let columns = cells(csv.lines().next().unwrap());
    assert!(csv.lines().all(|line| cells(line) == columns), "{csv}");
    let mut expected = Vec::new();
    let files = ["dumps/forest.rra", "dumps/linked.rra", "dumps/more/new.rra"];
    for file in files.into_iter().filter(|file| cfg!(unix) || !file.contains("linked")) {
        let image = folder.json(&["inspect", file]);
        for (number, structure) in image["structures"].as_array().unwrap().iter().enumerate() {
            let level = structure["level"].as_str().unwrap().to_lowercase();
            expected.push(format!("\"{file}\",structure {number},{level}"));
        }
    }
    expected.push("\"dumps/more/old.gfx10\",structure 0,blas".to_owned());
    let labels = |line: &str| line.split(',').take(3).collect::<Vec<_>>().join(",");
    let mut found: Vec<String> = csv.lines().skip(1).map(labels).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    std::fs::write(folder.path().join("all.csv"), &csv).unwrap();
    let (status, again, _) = folder.said(&["stats", "all.csv", "--csv"]);
    assert_eq!((status, again), (Some(0), csv), "what was written is read");
    let whole = folder.read("dumps/forest.rra");
    std::fs::write(folder.path().join("dumps/cut.rra"), &whole[..whole.len() / 2]).unwrap();
    let (status, csv, errors) = folder.said(&["stats", "dumps", "--csv"]);
    assert_eq!(status, Some(1), "{errors}");
    assert!(csv.contains("forest.rra") && errors.contains("1 broken file left out"), "{errors}");
}

#[test]
fn spheres_and_frustums_are_asked_of_the_unit() {
    let folder = Folder::new();
    let rows = "ox,oy,oz,dx,dy,dz,tmin,tmax,radius,rx,ry,rz,ux,uy,uz,query\n\
                0,0,0,nan,nan,nan,0,inf,3,nan,nan,nan,nan,nan,nan,all\n\
                0,0,4,0,0,-1,0.5,9,nan,1,0,0,0,1,0,all\n\
                0,0,4,0,0,-1,0,inf,nan,nan,nan,nan,nan,nan,nan,closest\n";
    std::fs::write(folder.path().join("queries.csv"), rows).unwrap();
    let sim = |file: &'static str| ["sim", "organic", "--triangles", "700", "--queries", file];
    let json = folder.json(&sim("queries.csv"));
    assert_eq!(json["runs"][0]["rays"], 3, "{json}");
    let both = rows.replacen(",3,nan,nan,nan", ",3,1,0,0", 1);
    std::fs::write(folder.path().join("both.csv"), both).unwrap();
    let (status, _, errors) = folder.said(&sim("both.csv"));
    assert_eq!(status, Some(1), "{errors}");
    assert!(errors.contains("query 0: 3 of the 6 numbers rx ry rz ux uy uz"), "{errors}");
}

/// A refit of raw memory leaves raw memory, unless the ending asks for another kind of file.
#[test]
fn raw_memory_stays_raw() {
    let folder = Folder::new();
    build(&folder, "organic", "gfx12", "one.bin", &["--policy", "radv", "--set", "updatable=on"]);
    let before = folder.read("one.bin");
    // RADV's header begins with where its nodes begin.
    let base = u32::from_le_bytes(before[..4].try_into().unwrap()).to_string();
    let raw = ["--raw", "--base", &base, "--root", "0x5"];
    let refit = |out: &'static str| {
        let args = ["refit", "one.bin", "--scene", "organic", "--triangles", "700", "-o", out];
        folder.json(&[&args[..], &raw].concat());
        folder.read(out)
    };
    assert_eq!(refit("after.bin"), before, "nothing moved");
    assert!(refit("after.rra").starts_with(b"AMD_RDF "));
}

/// A sheet of quads, all corners somewhere else for each `phase`.
fn sheet(folder: &Folder, file: &str, phase: f64) {
    let mut text = String::new();
    for n in 0..64 {
        let (x, y) = (f64::from(n % 8), f64::from(n / 8));
        let z = (x * 1.7 + y * 0.9 + phase).sin();
        text += &format!("v {} {y} {z}\n", x + phase * y * 0.3);
    }
    for n in (1..56).filter(|n| n % 8 != 0) {
        text += &format!("f {n} {} {}\nf {} {} {}\n", n + 1, n + 8, n + 1, n + 9, n + 8);
    }
    std::fs::write(folder.path().join(file), text).unwrap();
}

/// The cost of an update is told beside that of a new tree in the layout of the image, and leaves
/// without room name the option that gives it.
#[test]
fn updates_are_compared_with_new_trees() {
    let folder = Folder::new();
    sheet(&folder, "old.obj", 0.0);
    sheet(&folder, "new.obj", 1.1);
    let build = |scene, file, more: &[&str]| {
        folder.json(&[&["build", scene, "--format", "gfx12", "-o", file], more].concat());
    };
    let rebuilt = |scene| {
        let json = folder.json(&["refit", "a.rra", "--scene", scene, "-o", "b.rra"]);
        let [after, rebuilt] = ["sah_after", "sah_rebuilt"].map(|key| json[key].as_f64().unwrap());
        assert!((json["after_over_rebuilt"].as_f64().unwrap() - after / rebuilt).abs() < 1e-12);
        rebuilt
    };
    for policy in ["dense", "radv", "gpurt"] {
        let layout = ["--policy", policy, "--set", "updatable=on", "--set", "margin=off"];
        build("old.obj", "a.rra", &layout);
        build("new.obj", "c.rra", &layout);
        let stats = folder.json(&["stats", "c.rra"]);
        let sah = stats["structures"][0]["sah"].as_f64().unwrap() / 1e6;
        assert_eq!(rebuilt("new.obj"), sah, "{policy}");
    }
    let less = ["refit", "a.rra", "--scene", "new.obj", "-o", "b.rra", "--no-rebuild"];
    assert!(folder.json(&less)["after_over_rebuilt"].is_null());
    build("old.obj", "a.rra", &[]);
    let (status, _, errors) = folder.said(&["refit", "a.rra", "--scene", "new.obj", "-o", "d.rra"]);
    assert_eq!(status, Some(1));
    assert!(errors.contains("no longer fits"), "{errors}");
    assert!(errors.contains("`siliray build --format gfx12 --set updatable=on`"), "{errors}");
    build("old.obj", "a.rra", &["--set", "updatable=on"]);
    folder.json(&["refit", "a.rra", "--scene", "new.obj", "-o", "d.rra"]);
    let check = ["check", "d.rra", "--update", "a.rra", "--scene", "new.obj"];
    let findings = &folder.json(&check)["findings"];
    let costs = findings.as_array().unwrap().iter().filter(|it| it["rule"] == "update_cost");
    let costs: Vec<&str> = costs.map(|it| it["found"].as_str().unwrap()).collect();
    let has = |what: &str| costs.iter().filter(|found| found.ends_with(what)).count();
    assert_eq!((costs.len(), has("that of before"), has("that of a new tree")), (2, 1, 1));
    // An image after the update that cannot be taken apart is a finding, as without --update.
    std::fs::write(folder.path().join("d.rra"), &folder.read("d.rra")[..300]).unwrap();
    let one = folder.said(&["check", "d.rra"]);
    assert_eq!(folder.said(&["check", "d.rra", "--update", "a.rra"]), one);
    assert!(one.0 == Some(1) && one.1.contains("unsound: 0 nodes, 1 error"), "{one:?}");
}

/// Files and folders in one command: a verdict for each, and the worst exit status.
#[test]
fn several_files_are_checked_at_once() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path().join("dumps/more")).unwrap();
    build(&folder, "organic", "gfx12", "dumps/new.rra", &[]);
    build(&folder, "organic", "gfx10-bvh4", "dumps/more/old.gfx10", &["--policy", "radv"]);
    build(&folder, "interior", "gfx12", "beside.bin", &["--policy", "radv"]);
    std::fs::write(folder.path().join("dumps/notes.txt"), "beside").unwrap();
    let (status, text, errors) = folder.said(&["check", "dumps", "beside.bin"]);
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    for (line, file) in lines.iter().zip(["dumps/more/old.gfx10", "dumps/new.rra", "beside.bin"]) {
        assert!(line.starts_with(&format!("{file}: sound: ")), "{line}");
    }
    assert_eq!(lines[3], "3 files, 0 failed; 1 other file left out, no images");
    let json = folder.json(&["check", "dumps", "beside.bin"]);
    assert_eq!((&json["failed"], &json["left_out"]), (&0.into(), &1.into()));
    for one in json["files"].as_array().unwrap() {
        assert_eq!(*one, folder.json(&["check", one["file"].as_str().unwrap()]), "as if alone");
    }
    let whole = folder.read("dumps/new.rra");
    std::fs::write(folder.path().join("dumps/cut.rra"), &whole[..whole.len() / 2]).unwrap();
    std::fs::write(folder.path().join("dumps/empty.rra"), "").unwrap();
    let (status, text, errors) = folder.said(&["check", "dumps", "none.rra", "dumps/notes.txt"]);
    assert_eq!(status, Some(1), "{text}{errors}");
    assert!(errors.contains("error: 4 of 6 files failed"), "{errors}");
    for file in ["dumps/cut.rra: unsound", "dumps/empty.rra: unsound", "dumps/notes.txt: unsound"] {
        assert_eq!(text.lines().filter(|line| line.starts_with(file)).count(), 1, "{text}");
    }
    assert!(text.contains("none.rra: "), "{text}");
    let strict = folder.said(&["check", "beside.bin", "dumps/new.rra", "--fail-on", "note"]);
    assert_eq!(strict.0, Some(1), "{strict:?}");
    assert!(strict.1.contains("note: ") && !strict.1.contains("dumps/new.rra: unsound"));
    assert_eq!(folder.said(&["check", "dumps", "--structure", "7"]).0, Some(2), "the worst");
    assert_usage(&folder, &["check", "dumps", "--update", "beside.bin"], &["expected one FILE"]);
    let unknown = ["check", "dumps", "beside.bin", "--rule", "containd"];
    assert_usage(&folder, &unknown, &["did you mean contained?"]);
    std::fs::create_dir(folder.path().join("nothing")).unwrap();
    let (status, _, errors) = folder.said(&["check", "nothing"]);
    assert!(status == Some(1) && errors.contains("nothing: no image in it"), "{errors}");
}

/// A dump tells what was allocated and how a structure is called, and has the figures of the memory
/// that it was made of; so does a file for a viewer.
#[test]
fn figures_of_dumps_are_those_of_memory() {
    let folder = Folder::new();
    for file in ["a.bin", "a.gamma", "a.rra"] {
        build(&folder, "organic", "gfx12", file, &["--policy", "radv"]);
    }
    let stats = |file| folder.json(&["stats", file])["structures"][0].clone();
    let memory = stats("a.bin");
    assert_eq!(stats("a.rra")["sah"], memory["sah"]);
    assert_eq!(stats("a.gamma")["sah"], memory["sah"]);
    // Behind the header of the file, the chunk of the trace and the header of the next one.
    let (chunk, name) = (56, b"Room, 3\n");
    let mut dump = folder.read("a.gamma");
    let geometries = u32::from_le_bytes(dump[chunk + 32..chunk + 36].try_into().unwrap());
    let size = u64::from_le_bytes(dump[chunk - 8..chunk].try_into().unwrap()) + 8;
    dump[chunk - 8..chunk].copy_from_slice(&size.to_le_bytes());
    dump[chunk + 8..chunk + 16].copy_from_slice(&0x1234_5678_9ABC_u64.to_le_bytes());
    dump[chunk + 36..chunk + 40].copy_from_slice(&8u32.to_le_bytes());
    let nodes = chunk + 40 + 4 * geometries as usize;
    dump.splice(nodes..nodes, *name);
    std::fs::write(folder.path().join("b.gamma"), &dump).unwrap();
    let named = stats("b.gamma");
    assert_eq!((&named["name"], &named["type"]), (&"Room, 3?".into(), &"blas".into()));
    assert_eq!(named["allocated_size"], 0x1234_5678_9ABC_u64);
    for figure in ["compacted_size", "max_depth", "primitive_node_count", "sah"] {
        assert_eq!(named[figure], memory[figure], "{figure}");
    }
    let (_, csv, _) = folder.said(&["stats", "b.gamma", "--csv"]);
    std::fs::write(folder.path().join("b.csv"), &csv).unwrap();
    assert_eq!(folder.said(&["stats", "b.csv", "--csv"]).1, csv);
}

/// Nodes of four have the figures of nodes of eight, slots that could say more among them.
#[test]
fn more_figures_of_every_width() {
    let folder = Folder::new();
    let figures = |format: &str| {
        build(&folder, "organic", format, "a.rra", &[]);
        folder.json(&["stats", "a.rra", "--more"])["structures"][0].clone()
    };
    for format in ["gfx10-bvh4", "gfx11-bvh4", "gfx12-bvh4x2"] {
        let figures = figures(format);
        assert_eq!(
            (&figures["pairs_per_node"], &figures["missed_culling"]),
            (&1.0.into(), &0.0.into())
        );
        assert!(figures["primitives_per_node"].as_f64().unwrap() > 1.2, "{figures}");
    }
    assert!(figures("gfx12")["pairs_per_node"].as_f64().unwrap() > 1.0);
    build(&folder, "organic", "gfx11-bvh4", "a.gfx11", &[]);
    let format = registry().format("gfx11-bvh4").unwrap();
    let mut file = (format.read)(&folder.read("a.gfx11"), &ReadOptions::default()).unwrap();
    let (base, segment) = (file.image.bases[0], &mut file.image.segments[0]);
    let root = (base - segment.address) as usize;
    let bytes = &mut segment.bytes_mut()[root..root + 128];
    let used = bytes[..16].chunks_exact(4).filter(|child| **child != [0xFF; 4]).count();
    bytes[112..116].fill(0);
    let bytes = (format.trees.as_ref().unwrap().write)(&file.image, None).unwrap();
    std::fs::write(folder.path().join("a.gfx11"), bytes).unwrap();
    let more = folder.json(&["stats", "a.gfx11", "--more"]);
    assert_eq!(more["structures"][0]["missed_culling"], used as f64);
}
