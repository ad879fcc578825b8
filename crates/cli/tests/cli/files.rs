//! Files are complete or not there, whatever happens and whatever they are called.

use crate::support::{Folder, Said};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const MESH: &str = "v -1 0 0\nv 2 0 0\nv 2 3 0.5\nv -1 3 0\nf 1 2 3 4\n";

fn render_args<'a>(scene: &'a OsStr, picture: &'a OsStr) -> Vec<&'a OsStr> {
    let options = ["--size", "20x15", "--samples", "1"].map(OsStr::new);
    [&[OsStr::new("render"), scene, OsStr::new("-o"), picture], &options[..]].concat()
}

/// Waits until the command has begun its file, so that there is something to leave behind.
fn wait_for_part(folder: &Folder) {
    let start = Instant::now();
    while !folder.files().iter().any(|name| name.ends_with(".part")) {
        assert!(start.elapsed() < Duration::from_secs(20), "no file was begun");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a signal by name. The shell has `kill` built in.
fn signal(child: &Child, name: &str) {
    let command = format!("kill -{name} {}", child.id());
    assert!(std::process::Command::new("sh").args(["-c", &command]).status().unwrap().success());
}

#[test]
fn an_interrupt_leaves_nothing_behind() {
    for name in ["INT", "TERM"] {
        let folder = Folder::new();
        std::fs::write(folder.path().join("picture.png"), "the old picture").unwrap();
        let long = ["render", "hairball", "-o", "picture.png", "--size", "4000x4000"];
        let mut child = folder.siliray(&long).stderr(Stdio::null()).spawn().unwrap();
        wait_for_part(&folder);
        std::thread::sleep(Duration::from_millis(300));
        let asked = Instant::now();
        signal(&child, name);
        let status = child.wait().unwrap();
        assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
        assert_eq!((status.code(), status.signal()), (Some(130), None));
        assert_eq!(folder.files(), ["picture.png"]);
        assert_eq!(folder.read("picture.png"), b"the old picture");
    }
}

#[test]
fn a_failure_leaves_the_old_file() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("picture.png"), "the old picture").unwrap();
    std::fs::write(folder.path().join("broken.obj"), "f 1 2 3\n").unwrap();
    let output = folder.run(&render_args(OsStr::new("broken.obj"), OsStr::new("picture.png")));
    assert_eq!(output.status.code(), Some(1));
    assert!(output.errors().starts_with("error: broken.obj: line 1"));
    assert_eq!(folder.files(), ["broken.obj", "picture.png"]);
    assert_eq!(folder.read("picture.png"), b"the old picture");
}

#[test]
fn names_may_be_anything() {
    let folder = Folder::new();
    let odd = [
        OsStr::new("größe 模型.obj").to_owned(),
        OsStr::new("-dash.obj").to_owned(),
        OsString::from(OsStr::from_bytes(b"not \xff utf8.obj")),
    ];
    for name in odd {
        std::fs::write(folder.path().join(&name), MESH).unwrap();
        let scene = folder.path().join(&name);
        let picture = folder.path().join(&name).with_extension("png");
        let output = folder.run(&render_args(scene.as_os_str(), picture.as_os_str()));
        assert!(output.status.success(), "{name:?}: {}", output.errors());
        assert!(std::fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
    }
}

#[test]
fn a_file_may_have_the_name_of_a_built_in_scene() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("forest"), MESH).unwrap();
    assert_eq!(folder.json(&["info", "./forest"])["triangles"], 2);
    assert_eq!(folder.json(&["info", "forest", "--triangles", "1000"])["objects"], 6);
}

#[test]
fn links_stay_links_and_devices_stay_devices() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("mesh.obj"), MESH).unwrap();
    std::fs::write(folder.path().join("target.png"), "old").unwrap();
    std::os::unix::fs::symlink("target.png", folder.path().join("link.png")).unwrap();
    for name in ["link.png", "/dev/null"] {
        let output = folder.run(&render_args(OsStr::new("mesh.obj"), OsStr::new(name)));
        assert!(output.status.success(), "{}", output.errors());
    }
    assert!(folder.path().join("link.png").is_symlink());
    assert!(folder.read("target.png").starts_with(b"\x89PNG"));
    assert!(!std::path::Path::new("/dev/null").is_file());
    assert_eq!(folder.files(), ["link.png", "mesh.obj", "target.png"]);
}

#[test]
fn a_replaced_file_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    std::fs::write(folder.path().join("mesh.obj"), MESH).unwrap();
    let picture = folder.path().join("p.png");
    std::fs::write(&picture, "old").unwrap();
    std::fs::set_permissions(&picture, PermissionsExt::from_mode(0o640)).unwrap();
    let output = folder.run(&render_args(OsStr::new("mesh.obj"), OsStr::new("p.png")));
    assert!(output.status.success());
    assert_eq!(picture.metadata().unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_link_to_nothing_stays_and_its_target_is_made() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("mesh.obj"), MESH).unwrap();
    std::fs::create_dir(folder.path().join("pictures")).unwrap();
    let link = folder.path().join("link.png");
    std::os::unix::fs::symlink("pictures/second.png", &link).unwrap();
    std::os::unix::fs::symlink("target.png", folder.path().join("pictures/second.png")).unwrap();
    let output = folder.run(&render_args(OsStr::new("mesh.obj"), OsStr::new("link.png")));
    assert!(output.status.success(), "{}", output.errors());
    assert!(link.is_symlink() && folder.path().join("pictures/second.png").is_symlink());
    assert!(folder.read("pictures/target.png").starts_with(b"\x89PNG"));
}

/// A shell's limit on the size of files makes the write fail; it does not end the process.
#[test]
fn a_file_that_may_not_grow_leaves_nothing_behind() {
    let folder = Folder::new();
    let render = "ulimit -f 1; exec \"$0\" render organic --triangles 1000 -o p.png --size 400x300";
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", render, env!("CARGO_BIN_EXE_siliray")]).current_dir(folder.path());
    let output = shell.output().unwrap();
    let errors = output.errors();
    assert_eq!((output.status.code(), output.status.signal()), (Some(1), None), "{errors}");
    assert!(errors.starts_with("error: cannot write p.png: File too large"), "{errors}");
    assert_eq!(folder.files(), [""; 0]);
}

/// The folders that the demo made are gone if nothing came of it; one that was there stays.
#[test]
fn a_demo_that_fails_leaves_no_folder() {
    let folder = Folder::new();
    let args = ["demo", "missing.obj", "-o", "a/b"];
    assert_eq!(folder.run(&args).status.code(), Some(1));
    assert_eq!(folder.files(), [""; 0]);
    std::fs::create_dir(folder.path().join("a")).unwrap();
    assert_eq!(folder.run(&args).status.code(), Some(1));
    assert_eq!(folder.files(), ["a"]);

    let long = ["demo", "hairball", "--triangles", "2e6", "-o", "b/c"];
    let mut child = folder.siliray(&long).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while !folder.path().join("b/c").exists() {
        assert!(start.elapsed() < Duration::from_secs(20), "no folder was made");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.files(), ["a"]);
}

/// `siliray ... | head` is no error.
#[test]
fn a_closed_pipe_is_no_failure() {
    let folder = Folder::new();
    for args in [
        &["info", "organic", "--triangles", "1000"][..],
        &["build", "organic", "--triangles", "1000", "--json"],
        &["completions", "bash"],
        &["--help"],
    ] {
        let mut child =
            folder.siliray(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(output.errors(), "", "{args:?}");
    }
}

/// A pipe behind a link that leads to no path, as a shell's `>(command)` makes it.
#[test]
fn a_file_may_be_a_pipe() {
    let folder = Folder::new();
    let made = ["rays", "organic", "--triangles", "1000", "--rays", "3", "-o", "/dev/stderr"];
    let output = folder.run(&made);
    assert!(output.status.success(), "{}", output.errors());
    assert_eq!(output.stderr.len(), 3 * 32);
}

#[test]
fn a_full_disk_is_a_failure() {
    let folder = Folder::new();
    for args in [&["info", "organic", "--triangles", "1000"][..], &["--help"], &["--version"]] {
        let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
        let output = folder.siliray(args).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let errors = output.errors();
        assert!(errors.starts_with("error: cannot write to standard output"), "{errors}");
    }
}

#[test]
fn every_shell_and_the_manual_are_served() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = folder.run(&["completions", shell]);
        assert!(output.status.success());
        assert!(output.text().contains("heatmap"), "{shell}");
    }
    let page = folder.run(&["man", "render"]).text();
    assert!(page.contains(".TH siliray-render") && page.contains("heatmap"), "{page}");
}

/// Whatever leads to the same file: another spelling, a link, the output of another option.
#[test]
fn no_command_writes_over_what_it_reads() {
    let folder = Folder::new();
    let place = |name: &str| folder.path().join(name);
    std::fs::write(place("mesh.obj"), MESH).unwrap();
    std::fs::write(place("rays.bin"), [0; 64]).unwrap();
    std::fs::write(place("prog.elf"), "no program").unwrap();
    std::fs::create_dir(place("below")).unwrap();
    std::os::unix::fs::symlink("../mesh.obj", place("below/link.ply")).unwrap();
    let refused: [(&[&str], &str); 9] = [
        (&["trace", "mesh.obj", "--rays", "rays.bin", "-o", "rays.bin"], "-o rays.bin: the"),
        (&["trace", "mesh.obj", "--rays", "rays.bin", "-o", "below/../mesh.obj"], "would replace"),
        (&["build", "mesh.obj", "--format", "gfx12", "-o", "below/link.ply"], "would replace"),
        (&["rays", "./mesh.obj", "-o", "mesh.obj"], "would replace"),
        (&["run", "prog.elf", "--log", "prog.elf"], "--log prog.elf: the command reads"),
        (&["run", "prog.elf", "--dump", "prog.elf@0x80000000:16"], "--dump prog.elf: the"),
        (
            &["run", "prog.elf", "--log", "new", "--trace", "./new"],
            "--log and --trace name the same",
        ),
        (&["isbe", "capture", "mesh.obj", "-o", "mesh.obj"], "would replace"),
        (&["sim", "mesh.obj", "--report", "mesh.obj"], "--report mesh.obj"),
    ];
    for (args, expected) in refused {
        let output = folder.run(args);
        let errors = output.errors();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {errors}");
        assert!(errors.contains(expected), "{args:?}: {errors}");
    }
    assert_eq!(folder.read("mesh.obj"), MESH.as_bytes());
    assert_eq!(folder.files(), ["below", "mesh.obj", "prog.elf", "rays.bin"]);
}
