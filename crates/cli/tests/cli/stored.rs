//! Images of the user: commands say what they walk, warn in the same words, frame one scene alike,
//! and refuse what has no effect.

use crate::json::assert_documented;
use crate::support::Folder;
use serde_json::Value;

/// A folder with the same scene as two images: one without warnings, one with some.
fn with_images() -> Folder {
    let folder = Folder::new();
    build(&folder, "interior", &["--format", "ttu"], "sound.ttu");
    // Spatial splits cut triangles, which lie outside the boxes of their parts.
    let split = ["--format", "gfx12", "--policy", "gpurt", "--preset", "best"];
    build(&folder, "interior", &split, "lossy.rra");
    folder
}

fn build(folder: &Folder, scene: &str, format: &[&str], file: &str) {
    let args = [&["build", scene, "--triangles", "1500", "-o", file], format].concat();
    assert_documented(&folder.json(&args));
}

/// Commands that walk an image, with options that make them quick.
fn walks(file: &str) -> [Vec<&str>; 6] {
    let beam = ["--from", "0,0,0,1,1,1", "--to", "9,0,0,10,1,1"];
    [
        ["beam", file].into_iter().chain(beam).collect(),
        vec!["sim", file, "--rays", "16"],
        vec!["walk", file, "--pixel", "4,3", "--size", "8x6"],
        vec!["render", file, "-o", "picture.png", "--size", "4x3", "--samples", "1"],
        vec!["trace", file, "--rays", "rays.bin", "-o", "hits.bin"],
        vec!["conformance", file, "--rays", "16"],
    ]
}

fn make_rays(folder: &Folder) {
    folder.json(&["rays", "interior", "--triangles", "1500", "--rays", "16", "-o", "rays.bin"]);
}

#[test]
fn every_text_says_what_was_walked() {
    let folder = with_images();
    make_rays(&folder);
    for (more, word) in [
        (&[][..], "stored"),
        (&["--format", "ttu"], "stored"),
        (&["--rebuild"], "rebuilt"),
        (&["--format", "cwbvh"], "converted"),
    ] {
        for args in walks("sound.ttu").iter().filter(|args| args[0] != "conformance") {
            let (status, text, errors) = folder.said(&[args, more].concat());
            assert_eq!(
                (status, errors.contains("warning")),
                (Some(0), false),
                "{args:?}: {errors}"
            );
            // A walk says it in a sentence.
            let words = match word {
                "rebuilt" if args[0] == "walk" => "a new tree over the image's geometry",
                word => word,
            };
            assert!(text.contains(words), "{args:?} {more:?}: {text}");
        }
    }
    let (_, text, _) = folder.said(&["build", "sound.ttu", "--preset", "fast"]);
    assert!(text.contains(" triangles; rebuilt: a new tree over the image's geometry\n"), "{text}");
}

#[test]
fn every_object_says_what_was_walked() {
    let folder = with_images();
    for (scene, source) in [("sound.ttu", "rebuilt"), ("organic", "built")] {
        assert_eq!(folder.json(&["build", scene, "--preset", "fast"])["source"], source);
    }
    let law = folder.json(&["conformance", "sound.ttu", "--rays", "16"]);
    assert_documented(&law);
    assert_eq!(law["images"][0]["source"], "stored");
    let beam = ["beam", "sound.ttu", "--from", "0,0,0,1,1,1", "--to", "9,0,0,10,1,1"];
    for (more, source) in [(&[][..], "stored"), (&["--exact", "--rebuild"], "rebuilt")] {
        let json = folder.json(&[&beam[..], more].concat());
        assert_documented(&json);
        assert_eq!(json["source"], source);
    }
    let walk = ["walk", "sound.ttu", "--pixel", "4,3", "--size", "8x6", "--json"];
    for (more, source) in [
        (&[][..], "stored"),
        (&["--rebuild"], "rebuilt"),
        (&["--format", "tree"], "converted"),
        (&["--machine", "reference", "--against", "ttu"], "stored"),
    ] {
        let (status, text, errors) = folder.said(&[&walk[..], more].concat());
        assert_eq!(status, Some(0), "{errors}");
        let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_documented(&last);
        assert_eq!(last["source"], source, "{more:?}");
    }
}

#[test]
fn every_walk_of_a_lossy_image_warns_alike() {
    let folder = with_images();
    make_rays(&folder);
    let count = folder.json(&["check", "lossy.rra"])["warnings"].as_u64().unwrap();
    assert!(count > 1, "{count}");
    let warning = format!(
        "warning: lossy.rra: {count} warnings, so hits may be lost; see `siliray check lossy.rra`\n"
    );
    for args in walks("lossy.rra") {
        let (status, _, errors) = folder.said(&args);
        assert_eq!(errors.matches(&warning).count(), 1, "{args:?}: {errors}");
        assert!(status == Some(0) || args[0] == "conformance", "{args:?}: {errors}");
    }
    for args in walks("lossy.rra").iter().filter(|args| args[0] != "conformance") {
        let (status, _, errors) = folder.said(&[args, &["--rebuild"][..]].concat());
        assert_eq!((status, errors.contains("hits may be lost")), (Some(0), false), "{args:?}");
    }
}

/// Where boxes are made anew nothing is lost, and that they are is said.
#[test]
fn what_is_built_anew_loses_nothing() {
    let folder = with_images();
    make_rays(&folder);
    let trace = ["trace", "lossy.rra", "--rays", "rays.bin", "-o", "hits.bin"];
    for more in [&["--mode", "prepared"][..], &["--format", "xphmg-fp32"]] {
        let (status, _, errors) = folder.said(&[&trace[..], more].concat());
        assert_eq!((status, errors.as_str()), (Some(0), ""), "{more:?}");
    }
    let said = "warning: sound.ttu: rebuilt: a new tree over the image's geometry is walked\n";
    for args in [
        &["compare", "sound.ttu", "--formats", "ttu", "--presets", "fast", "--rays", "16"][..],
        &["clearance", "sound.ttu", "--mesh", "sound.ttu", "--along", "0,0,1"],
    ] {
        let (status, _, errors) = folder.said(args);
        assert!(status == Some(0) && errors.contains(said), "{args:?}: {errors}");
    }
}

/// A row is that of the bytes that were run, whatever their file is called.
#[test]
fn a_changed_image_is_run_again() {
    let folder = with_images();
    let sim = ["sim", "lossy.rra", "--rays", "16", "--resume", "kept.jsonl"];
    let rows = || String::from_utf8(folder.read("kept.jsonl")).unwrap().lines().count();
    for (policy, expected) in [("hiprt", 1), ("hiprt", 1), ("gpurt", 2), ("hiprt", 2)] {
        build(&folder, "interior", &["--format", "gfx12", "--policy", policy], "lossy.rra");
        assert_eq!(folder.said(&sim).0, Some(0));
        assert_eq!(rows(), expected, "{policy}");
    }
}

#[test]
fn options_of_builders_need_something_to_build() {
    let folder = with_images();
    make_rays(&folder);
    let refused = |option: &str| {
        format!(
            "error: sound.ttu: an image has its own tree, so {option} has no effect\n  hint: add \
             --rebuild to build a new tree over its geometry\n"
        )
    };
    for args in walks("sound.ttu").iter().filter(|args| args[0] != "conformance") {
        let (status, _, errors) = folder.said(&[args, &["--preset", "fast"][..]].concat());
        assert_eq!((status, errors), (Some(2), refused("--preset")), "{args:?}");
        let (status, ..) = folder.said(&[args, &["--preset", "fast", "--rebuild"][..]].concat());
        assert_eq!(status, Some(0), "{args:?}");
    }
    let render = &walks("sound.ttu")[3];
    for option in ["--width", "--max-leaf"] {
        let (status, _, errors) = folder.said(&[render, &[option, "4"][..]].concat());
        assert_eq!((status, errors), (Some(2), refused(option)));
    }
}

#[test]
fn machines_that_do_not_fit_are_wrong_usage() {
    let folder = with_images();
    build(&folder, "interior", &["--format", "xphmg-fp32"], "tiles.xphmg");
    let reads = "it reads xphmg-fp32, xphmg-fp16, xphmg-bf16, xphmg-int16q";
    let format = "error: sound.ttu: the machine offload does not read the format ttu\n  hint: ";
    let beams =
        "error: tiles.xphmg: the machine offload takes no beams\n  hint: machines that do are ";
    let walk = ["--pixel", "4,3", "--size", "8x6"];
    let beam = ["--from", "0,0,0,1,1,1", "--to", "9,0,0,10,1,1"];
    let boxes = ["--beam", "0,0,0,1,1,1", "9,0,0,10,1,1"];
    for (command, file, rest, option, message) in [
        ("walk", "sound.ttu", &walk[..], "--machine", format),
        ("walk", "sound.ttu", &walk, "--against", format),
        ("beam", "tiles.xphmg", &beam, "--machine", beams),
        ("walk", "tiles.xphmg", &boxes, "--machine", beams),
        ("walk", "tiles.xphmg", &boxes, "--against", beams),
    ] {
        let args = [&[command, file, option, "offload"], rest].concat();
        let (status, _, errors) = folder.said(&args);
        assert_eq!(status, Some(2), "{args:?}: {errors}");
        assert!(errors.starts_with(message), "{args:?}: {errors}");
        assert!(errors.contains(reads) || message == beams, "{args:?}: {errors}");
    }
}

#[test]
fn what_has_no_effect_or_no_answer_is_refused() {
    let folder = with_images();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("one.ttu", b"x");
    write("empty.bin", b"");
    write("mesh.ply", b"ply\nformat ascii 1.0\nend_header\n");
    let walk = ["walk", "sound.ttu", "--pixel", "4,3", "--size", "8x6"];
    for (args, status, message) in [
        (&["check", "lossy.rra", "--rule", "containd"][..], 2, "hint: did you mean contained?"),
        (&["check", "sound.ttu", "--rule", "zzzzzzzz"], 2, "hint: rules are header, "),
        (&["check", "sound.ttu", "--structure", "3"], 2, "the format ttu has no structures"),
        (&["inspect", "sound.ttu", "--structure", "3"], 2, "the format ttu has no structures"),
        (&["inspect", "sound.ttu", "--tree", "--depth", "0"], 2, "expected a number of levels"),
        (&[&walk[..], &["--steps", "5..2"]].concat(), 2, "5..2 holds no step"),
        (&["inspect", "one.ttu"], 1, "one.ttu: there is nothing that can be shown"),
        (&["walk", "interior", "--pixel", "1,1", "--rebuild"], 2, "so --rebuild has no effect"),
        (&["walk", "interior", "--pixel", "1,1", "--aspect", "2"], 2, "'--aspect <TIMES>'"),
        (&["walk", "interior", "--sphere", "0,0,0,1", "--aspect", "2"], 2, "'--aspect <TIMES>'"),
        (
            &["walk", "interior", "--sphere", "0,0,0,1", "--camera", "0,0,0,1,1,1,40"],
            2,
            "--camera has no effect here",
        ),
        (&["walk", "interior", "--sphere", "0,0,0,1", "--size", "2x2"], 2, "'--size <WxH>'"),
        (
            &[&walk[..], &["--machine", "ttu", "--against", "ttu"]].concat(),
            2,
            "--against names ttu itself",
        ),
        (
            &["beam", "interior", "--sphere", "0,0,0,1", "--dilate", "0,0,0,1,1,1"],
            2,
            "'--dilate <BOX>'",
        ),
        (
            &["sim", "sound.ttu", "--set", "slots=8", "--sweep", "slots=16,32"],
            2,
            "slots is given twice",
        ),
        (&["sim", "sound.ttu", "--sweep", "slots=8,8"], 2, "slots=8 is given twice"),
        (&[&walk[..], &["--why", "-1"]].concat(), 2, "invalid value '-1'"),
        (&["asm", "-e", "ret", "--base", "-1"], 2, "invalid value '-1'"),
        (&["run", "a.elf", "--mem", "-5"], 2, "invalid value '-5'"),
        (
            &["refit", "sound.ttu", "--scene", "interior", "-o", "q.ttu"],
            1,
            "images of the format ttu cannot be updated",
        ),
        (&["check", "empty.bin"], 1, "hint: the file is empty; `siliray build SCENE"),
        (&["check", "mesh.ply"], 1, "hint: it is a scene; `siliray build mesh.ply --format"),
        (&["inspect", "mesh.ply"], 1, "hint: it is a scene; `siliray build mesh.ply --format"),
        (
            &["run", "a.elf", "--load", "f@0xffffffffffffffff"],
            2,
            "0xffffffffffffffff is out of range: an address has 48 bits",
        ),
    ] {
        let (code, _, errors) = folder.said(args);
        assert_eq!(code, Some(status), "{args:?}: {errors}");
        assert!(errors.contains(message), "{args:?}: {errors}");
    }
    let known = folder.said(&["check", "lossy.rra", "--rule", "parent"]);
    assert_eq!(known.0, Some(0), "a rule that nothing breaks");
}

/// The same pixel is the same ray in every format that stores the geometry as it is.
#[test]
fn one_scene_is_framed_alike_in_every_format() {
    let formats: [&[&str]; 7] = [
        &["--format", "tree"],
        &["--format", "gfx12"],
        &["--format", "gfx12", "--policy", "radv"],
        &["--format", "gfx12-bvh4x2"],
        &["--format", "ttu"],
        &["--format", "cwbvh"],
        &["--format", "xphmg-fp32"],
    ];
    for scene in ["hairball", "forest"] {
        let folder = Folder::new();
        let cameras = formats.map(|format| {
            build(&folder, scene, format, "image");
            let args = ["render", "image", "-o", "p.png", "--size", "2x2", "--json"];
            let (_, json, errors) = folder.said(&args);
            let json: Value = serde_json::from_str(&json).unwrap_or_else(|_| panic!("{errors}"));
            json["camera"].clone()
        });
        assert!(cameras.iter().all(|camera| *camera == cameras[0]), "{scene}: {cameras:#?}");
    }
}

/// Structures are equal, changed or in one file only; what lies beside them is told apart.
#[test]
fn the_sums_of_a_difference_are_all_structures() {
    let folder = with_images();
    build(&folder, "interior", &["--format", "gfx12", "--policy", "gpurt"], "other.rra");
    let mut bytes = folder.read("lossy.rra");
    bytes[0x110] ^= 1; // the box in the header
    std::fs::write(folder.path().join("header.rra"), bytes).unwrap();
    for other in ["other.rra", "header.rra", "lossy.rra"] {
        let (_, json, errors) = folder.said(&["diff", "lossy.rra", other, "--json"]);
        assert_eq!(errors, "");
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_documented(&json);
        let count = |key: &str| json["summary"][key].as_u64().unwrap();
        let both = count("equal") + count("changed");
        let sums = [both + count("only_in_a"), both + count("only_in_b")];
        assert_eq!(json["nodes"], serde_json::json!(sums), "{other}");
        let beside = json["summary"]["beside"].as_array().unwrap();
        let beside: u64 = beside.iter().map(|kind| kind["changed"].as_u64().unwrap()).sum();
        let all = count("changed") + count("only_in_a") + count("only_in_b") + beside;
        assert_eq!(json["differences"].as_array().unwrap().len() as u64, all, "{other}");
        assert_eq!(beside > 0, other != "lossy.rra", "{other}: {}", json["summary"]);
    }
}
