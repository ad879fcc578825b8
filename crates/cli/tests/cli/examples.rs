//! Every example of the help texts runs: made small, on files that are made for it.

use crate::support::{Folder, Said};
use std::process::{Command, Output};

/// Commands without examples that can be run here: they need programs of their own, or the page,
/// and serve until they are stopped.
const SKIPPED: [&str; 3] = ["run", "disasm", "view"];

/// Numbers that are made small, by the option before them.
const SMALL: [(&str, &str); 7] = [
    ("--triangles", "3000"),
    ("--rays", "64"),
    ("--count", "64"),
    ("--runs", "1"),
    ("--samples", "1"),
    ("--size", "32x24"),
    ("--workgroup", "0"),
];

/// What is added where nothing is said about size, by the command.
const ADDED: [(&str, &str, &str); 4] = [
    ("conformance", "scene=", " --only scene=mixed"),
    ("conformance", "--rays", " --rays 2"),
    ("sim", "--rays", " --rays 64"),
    ("bench trace", "--rays", " --rays 64 --runs 1"),
];

/// Examples that answer no without being wrong: these may end with 1.
const MAY_SAY_NO: [&str; 4] = ["siliray diff", "--find", "siliray conformance", "--against"];

const BUILTIN: [&str; 4] = ["interior", "forest", "hairball", "organic"];

#[test]
fn every_example_runs() {
    let folder = Folder::new();
    make_files(&folder);
    let mut count = 0;
    for command in commands(&folder, &[]) {
        let words: Vec<&str> = command.split(' ').collect();
        if SKIPPED.contains(&words[0]) {
            continue;
        }
        for example in examples(&help(&folder, &words)) {
            let small = made_small(&example);
            let output = shell(&folder, &small);
            let errors = output.errors();
            let may_say_no = MAY_SAY_NO.iter().any(|part| example.contains(part));
            let code = output.status.code();
            let is_fine = code == Some(0) || code == Some(1) && may_say_no;
            assert!(is_fine, "{example}\nran as {small}\n{errors}");
            count += 1;
        }
    }
    assert!(count > 60, "{count}");
}

/// The names of all commands, with those of groups.
fn commands(folder: &Folder, group: &[&str]) -> Vec<String> {
    let help = help(folder, group);
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| !line.is_empty()).filter_map(|line| {
        let is_name = line.starts_with("  ") && !line.starts_with("   ");
        line.split_whitespace().next().filter(|name| is_name && *name != "help")
    });
    let mut all = Vec::new();
    for name in names {
        let path = [group, &[name]].concat();
        all.push(path.join(" "));
        all.extend(commands(folder, &path));
    }
    all
}

fn help(folder: &Folder, command: &[&str]) -> String {
    folder.run(&[command, &["--help"]].concat()).text()
}

/// The examples of a help text, without what is said of them.
fn examples(help: &str) -> Vec<String> {
    let section = help.split("Examples:\n").nth(1).unwrap_or_default();
    let section = section.replace(" \\\n     ", "");
    let lines = section.lines().take_while(|line| !line.is_empty());
    let commands = lines.filter_map(|line| line.strip_prefix("  "));
    commands.map(|line| line.split("   ").next().unwrap_or_default().to_owned()).collect()
}

/// The same with little work.
fn made_small(example: &str) -> String {
    let mut words: Vec<String> = example.split(' ').map(str::to_owned).collect();
    for place in 1..words.len() {
        let small = SMALL.iter().find(|(option, _)| *option == words[place - 1]);
        if let Some((_, number)) = small.filter(|_| words[place].starts_with(char::is_numeric)) {
            words[place] = (*number).to_owned();
        }
    }
    let mut small = words.join(" ");
    for (command, unless, more) in ADDED {
        let is_image = command == "conformance" && small.contains(".rra");
        if small.starts_with(&format!("siliray {command}")) && !small.contains(unless) && !is_image
        {
            for option in more.split(" --").filter(|option| !option.is_empty()) {
                let name = option.split(' ').next().unwrap_or_default();
                if !small.contains(&format!(" --{name}")) {
                    small += &format!(" --{option}");
                }
            }
        }
    }
    // Each command of a pipe has a scene of its own.
    let parts = small.split(" | ").map(|part| {
        let is_builtin = part.split(' ').any(|word| BUILTIN.contains(&word));
        let is_sized = part.contains("--triangles");
        let is_plain =
            ["siliray bench trace --", "siliray demo"].iter().any(|it| part.starts_with(it));
        let needs = (is_builtin || is_plain && !part.contains(".obj")) && !is_sized;
        part.to_owned() + if needs { " --triangles 3000" } else { "" }
    });
    parts.collect::<Vec<_>>().join(" | ")
}

/// Runs a line as a shell does, with the command on its path and the folder as home.
fn shell(folder: &Folder, line: &str) -> Output {
    let own = std::path::Path::new(env!("CARGO_BIN_EXE_siliray")).parent().unwrap().to_owned();
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([own].into_iter().chain(std::env::split_paths(&rest))).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder.path());
    command.env("PATH", path).env("HOME", folder.path()).output().unwrap()
}

/// The files that examples name.
fn make_files(folder: &Folder) {
    let place = |name: &str| folder.path().join(name);
    for home in [".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"] {
        std::fs::create_dir_all(place(home)).unwrap();
    }
    let make = |line: &str| {
        let output = shell(folder, line);
        let errors = output.errors();
        assert!(output.status.success(), "{line}: {errors}");
    };
    make("siliray isbe capture organic --triangles 3000 -o mesh.isbe");
    for mesh in
        ["bunny.ply", "bathroom.ply", "model.obj", "table.obj", "housing.stl", "battery.stl"]
    {
        make(&format!("siliray isbe mesh mesh.isbe -o {mesh}"));
    }
    std::fs::create_dir(place("scenes")).unwrap();
    std::fs::copy(place("bunny.ply"), place("scenes/bunny.ply")).unwrap();
    std::fs::write(place("model.glb"), one_triangle()).unwrap();
    std::fs::write(place("room.glb"), one_triangle()).unwrap();
    for (name, options) in [
        ("capture.rra", "build forest --triangles 3000 --format gfx12 --policy radv"),
        ("before.rra", "build bunny.ply --format gfx12"),
        ("after.rra", "build bunny.ply --format gfx12 --policy gpurt"),
        ("before.bin", "build bunny.ply --format gfx12 --policy radv --set updatable=on"),
        ("after.bin", "refit before.bin --scene bunny.ply"),
        ("bunny.rra", "build bunny.ply --format gfx12 --policy radv --preset best"),
        ("bunny.bvh4x2", "build bunny.ply --format gfx12-bvh4x2"),
        ("bunny.isbe", "isbe capture bunny.ply"),
        ("dump.isbe", "isbe capture bunny.ply --position GENERIC3"),
        ("before.isbe", "isbe capture bunny.ply"),
        ("after.isbe", "isbe capture bunny.ply --vertices 64"),
        ("rays.npy", "rays bunny.ply --rays 64"),
        ("rays.parquet", "rays bunny.ply --rays 64"),
        ("shadow.bin", "rays model.obj --rays 64"),
        ("program.bin", "isbe asm -e 'ISBERD.O.ATTR.SKEW.32 R1, [R2+0x42];' --sm 86"),
    ] {
        make(&format!("siliray {options} -o {name}"));
    }
    std::fs::create_dir(place("dumps")).unwrap();
    std::fs::copy(place("before.bin"), place("dumps/before.bin")).unwrap();
    let vectors = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../gfx12/tests/vectors");
    std::fs::create_dir(place("vectors")).unwrap();
    for (from, to) in [
        ("hiprt-cornell-bvh8.bin", "dump.bin"),
        ("hiprt-cornell-bvh8.bin", "a.bin"),
        ("hiprt-cornell-bvh8.bin", "b.bin"),
        ("gfx12-bvh8.json", "gfx12-bvh8.json"),
        ("gfx12-bvh8.json", "vectors/gfx12-bvh8.json"),
    ] {
        std::fs::copy(vectors.join(from), place(to)).unwrap();
    }
    std::fs::write(place("nodes.bin"), [0; 1024]).unwrap();
    std::fs::write(place("guest.bin"), [0; 1024]).unwrap();
    std::fs::write(place("loop.s"), "addi a0, a0, 1\n").unwrap();
    std::fs::write(place("kernel.sass"), "ISBERD.ATTR.SKEW.32 R1, [RZ];\n").unwrap();
    std::fs::write(place("program.txt"), "ISBERD.O.ATTR.SKEW.32 R1, [R2+0x42];\n").unwrap();
    std::fs::write(
        place("queries.csv"),
        "ox oy oz dx dy dz lox loy loz ldx ldy ldz query priority\n\
         0 0 9 0 0 -1 nan nan nan nan nan nan any 9\n\
         0.1 0.1 9 0 0 -1 0 0 9 0 0 -1 all 0\n",
    )
    .unwrap();
    let identity = "[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]";
    std::fs::write(place("camera.json"), identity).unwrap();
}

/// The smallest binary glTF: a triangle.
fn one_triangle() -> Vec<u8> {
    let mut json = br#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"scene":0,
        "nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "buffers":[{"byteLength":36}],"bufferViews":[{"buffer":0,"byteLength":36}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3",
        "min":[0,0,0],"max":[1,1,0.5]}]}"#
        .to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let corners = [0f32, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 1.0, 0.0];
    let binary: Vec<u8> = corners.into_iter().flat_map(f32::to_le_bytes).collect();
    let length = (12 + 8 + json.len() + 8 + binary.len()) as u32;
    let mut file = [b"glTF".to_vec(), 2u32.to_le_bytes().to_vec()].concat();
    file.extend(length.to_le_bytes());
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", binary)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}
