//! `siliray run` and `siliray disasm` on a program made of a few words.

use crate::support::{Folder, Said};
use std::process::Stdio;

/// `li a0, CODE << 1 | 1; la t0, tohost; sd a0, 0(t0); j .` with the symbols tohost,
/// begin_signature and end_signature, which are all the same word.
fn exits_with(code: u32) -> Vec<u8> {
    let words = [(code << 1 | 1) << 20 | 0x513, 0x0000_0297, 0x03C2_8293, 0x00A2_B023, 0x0000_006F];
    let mut memory: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    memory.resize(0x48, 0);
    let names = b"\0tohost\0begin_signature\0end_signature\0";
    let symbol = |name: u32, value: u64| {
        let mut bytes = name.to_le_bytes().to_vec();
        bytes.extend([0x10, 0, 1, 0]);
        bytes.extend(value.to_le_bytes());
        bytes.extend(8_u64.to_le_bytes());
        bytes
    };
    let mut symbols = vec![0; 24];
    for (name, value) in [(1, 0x8000_0040), (8, 0x8000_0000), (24, 0x8000_0008)] {
        symbols.extend(symbol(name, value));
    }
    let mut file = b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xF3\0\x01\0\0\0".to_vec();
    let (code_at, symbols_at) = (0x78, 0x78 + memory.len() as u64);
    let names_at = symbols_at + symbols.len() as u64;
    let sections_at = names_at + names.len() as u64;
    for value in [0x8000_0000, 64, sections_at] {
        file.extend(u64::to_le_bytes(value));
    }
    file.extend(5_u32.to_le_bytes());
    for value in [64_u16, 56, 1, 64, 3, 2] {
        file.extend(value.to_le_bytes());
    }
    file.extend([1, 0, 0, 0, 7, 0, 0, 0]);
    let size = memory.len() as u64;
    for value in [code_at, 0x8000_0000, 0x8000_0000, size, size, 8] {
        file.extend(value.to_le_bytes());
    }
    file.extend(memory);
    file.extend(&symbols);
    file.extend(names);
    let section = |kind: u32, at: u64, size: u64, link: u32, entry: u64| {
        let mut bytes = [0_u32.to_le_bytes(), kind.to_le_bytes()].concat();
        for value in [0, 0, at, size] {
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend([link.to_le_bytes(), 1_u32.to_le_bytes()].concat());
        bytes.extend([1_u64.to_le_bytes(), entry.to_le_bytes()].concat());
        bytes
    };
    file.extend(section(0, 0, 0, 0, 0));
    file.extend(section(2, symbols_at, symbols.len() as u64, 2, 24));
    file.extend(section(3, names_at, names.len() as u64, 0, 0));
    file
}

#[test]
fn the_exit_code_is_the_programs() {
    let folder = Folder::new();
    for (code, expected) in [(0, 0), (7, 7), (256, 255)] {
        std::fs::write(folder.path().join("prog.elf"), exits_with(code)).unwrap();
        let output = folder.run(&["run", "prog.elf"]);
        let errors = output.errors();
        assert_eq!(output.status.code(), Some(expected), "{errors}");
        assert_eq!(errors, "");
    }
}

#[test]
fn a_run_writes_what_it_was_asked_for() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("prog.elf"), exits_with(0)).unwrap();
    let args = ["run", "prog.elf", "--log", "log", "--trace", "trace", "--signature", "sig"];
    assert!(folder.run(&args).status.success());
    assert_eq!(folder.files(), ["log", "prog.elf", "sig", "trace"]);
    let log = String::from_utf8(folder.read("log")).unwrap();
    assert_eq!(log.lines().count(), 4);
    assert!(log.ends_with("mem 0x0000000080000040 0x0000000000000001\n"), "{log}");
    let trace = String::from_utf8(folder.read("trace")).unwrap();
    assert!(trace.starts_with("{\"schema\":\"siliray-trace/1\""), "{trace}");
    assert_eq!(trace.lines().count(), 5);
    assert_eq!(folder.read("sig"), b"00100513\n00000297\n");
    let json = folder.json(&["run", "prog.elf"]);
    assert_eq!((&json["ended"], &json["instructions"]), (&"exit".into(), &4.into()));
}

/// Addresses are numbers or symbols, whatever option takes them.
#[test]
fn a_run_stops_at_a_symbol() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("prog.elf"), exits_with(0)).unwrap();
    for place in ["end_signature", "0x80000008"] {
        let json = folder.json(&["run", "prog.elf", "--until-pc", place]);
        let ended = (&json["ended"], &json["instructions"], &json["pc"]);
        assert_eq!(ended, (&"until-pc".into(), &2.into(), &"0x80000008".into()), "{place}");
    }
    let output = folder.run(&["run", "prog.elf", "--until-pc", "nowhere"]);
    assert_eq!(output.status.code(), Some(125));
    let errors = output.errors();
    assert!(errors.starts_with("error: the program has no symbol nowhere"), "{errors}");
}

/// Four instructions, which all stand behind the symbol before them.
#[test]
fn a_profile_counts_instructions_and_functions() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("prog.elf"), exits_with(0)).unwrap();
    let json = folder.json(&["run", "prog.elf", "--profile"]);
    let spent = |key: &str| -> Vec<String> {
        let rows = json["profile"][key].as_array().unwrap().iter();
        rows.map(|row| format!("{} {} {}", row["name"], row["count"], row["share"])).collect()
    };
    assert_eq!(spent("functions"), ["\"begin_signature\" 2 0.5", "\"end_signature\" 2 0.5"]);
    assert_eq!(spent("instructions"), ["\"addi\" 2 0.5", "\"auipc\" 1 0.25", "\"sd\" 1 0.25"]);
    let output = folder.run(&["run", "prog.elf", "--profile"]);
    let errors = output.errors();
    assert!(errors.contains("\nend_signature        2  50.0 %\n"), "{errors}");
    assert_eq!(folder.json(&["run", "prog.elf"])["profile"], serde_json::Value::Null);
}

/// As `--log >(gzip > log.gz)` does in a shell, too.
#[test]
fn a_log_may_go_into_a_pipe() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("prog.elf"), exits_with(0)).unwrap();
    assert!(folder.run(&["run", "prog.elf", "--log", "log"]).status.success());
    let piped = folder.run(&["run", "prog.elf", "--log", "/dev/stdout"]);
    assert_eq!(piped.errors(), "");
    assert_eq!(piped.stdout, folder.read("log"));
}

#[test]
fn what_a_program_prints_is_not_lost_in_silence() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../riscv/programs/offload.elf");
    let folder = Folder::new();
    let mut command = folder.siliray(&["run", program, "--extension", "xphmg"]);
    let output = command.stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(125));
    let errors = output.errors();
    assert!(errors.starts_with("error: cannot write to standard output"), "{errors}");
}

#[test]
fn a_program_that_never_ends_meets_its_limit() {
    let folder = Folder::new();
    let mut file = exits_with(0);
    // `j .` where the store would be.
    file[0x78 + 12..0x78 + 16].copy_from_slice(&0x6F_u32.to_le_bytes());
    std::fs::write(folder.path().join("prog.elf"), file).unwrap();
    let output = folder.run(&["run", "prog.elf", "--max-instructions", "1000"]);
    let errors = output.errors();
    assert_eq!(output.status.code(), Some(124), "{errors}");
    assert!(errors.contains("after 1000 instructions; pc is 0x8000000c"), "{errors}");
    assert_eq!(errors.matches("jal zero,0x8000000c").count(), 10, "{errors}");
}

#[test]
fn instructions_are_shown() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("prog.elf"), exits_with(3)).unwrap();
    let output = folder.run(&["disasm", "prog.elf"]);
    let text = output.text();
    assert!(
        text.contains("<begin_signature>:\n    80000000:\t00700513  \taddi\ta0,zero,7\n"),
        "{text}"
    );
    assert!(text.contains("\tsd\ta0,0(t0)\n"), "{text}");
    // Nothing runs, so nothing about a run can be asked for.
    for option in ["--mem=1G", "--fill=1", "--boot-rom", "--lint", "--rtcap=1"] {
        assert_eq!(folder.run(&["disasm", "prog.elf", option]).status.code(), Some(2), "{option}");
    }
}

/// The way that the documentation shows: a scene as an image, the image in memory, a picture on the
/// console.
#[test]
fn programs_print_pictures() {
    let folder = Folder::new();
    let programs = concat!(env!("CARGO_MANIFEST_DIR"), "/../riscv/programs");
    let build = ["build", "organic", "--triangles", "800", "--format", "xphmg-fp32", "-o", "image"];
    let output = folder.run(&build);
    assert!(output.status.success(), "{}", output.errors());
    let checked = folder.json(&["check", "image"]);
    assert_eq!((&checked["sound"], &checked["findings"]), (&true.into(), &serde_json::json!([])));
    let mut pictures = Vec::new();
    for name in ["wavefront", "offload"] {
        let program = format!("{programs}/{name}.elf");
        let dump = "header@0x81000000:64";
        let output = folder.run(&[
            "run",
            &program,
            "--extension",
            "xphmg",
            "--load",
            "image@0x81000000",
            "--dump",
            dump,
        ]);
        let errors = output.errors();
        assert_eq!((output.status.code(), &*errors), (Some(0), ""), "{name}");
        assert!(output.stdout.starts_with(b"P6 160 120 255\n"), "{name}");
        assert_eq!(output.stdout.len(), 15 + 160 * 120 * 3, "{name}");
        assert!(output.stdout[15..].iter().any(|byte| *byte != 0), "{name}: all is black");
        assert_eq!(folder.read("header"), folder.read("image")[..64]);
        pictures.push(output.stdout);
    }
    assert!(pictures[0] == pictures[1]);
    let without = folder.run(&["run", &format!("{programs}/offload.elf"), "--extension", "xphmg"]);
    assert_eq!(without.status.code(), Some(6));
    assert!(without.text().contains("no image at 0x81000000"));
    let load = ["--load", "image@0x81000000"];
    let bare = folder.run(&[&["run", &format!("{programs}/offload.elf")], &load[..]].concat());
    assert_eq!(bare.status.code(), Some(125));
    let errors = bare.errors();
    assert!(errors.contains("hint: instructions and registers of extensions"), "{errors}");
}

/// What jobs did and how their memory fared is reported at the end, by class and domain.
#[test]
fn the_memory_of_jobs_is_reported() {
    let folder = Folder::new();
    let program = siliray::riscv::machine::OFFLOAD;
    std::fs::write(folder.path().join("offload.elf"), program).unwrap();
    let scene = ["build", "organic", "--triangles", "500", "--format", "xphmg-fp32"];
    folder.json(&[&scene[..], &["-o", "scene.xphmg"]].concat());
    let args = ["run", "offload.elf", "--extension", "xphmg", "--load", "scene.xphmg@0x81000000"];
    let run = folder.json(&args);
    let jobs = run["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 1);
    let number = |key: &str| jobs[0][key].as_u64().unwrap();
    assert_eq!((number("class"), number("domain"), number("rays")), (0, 0, 160 * 120));
    assert_eq!(number("hits") + number("misses"), number("rays"));
    assert!(number("line_hits") > number("line_misses") && number("prefetches") == 0);
    let shown = folder.run(&[&args[..], &["--jobs"]].concat());
    let text = shown.errors();
    assert!(text.starts_with("class  domain  jobs"), "{text}");
    assert!(text.contains("19,200"), "{text}");
    std::fs::write(folder.path().join("prog.elf"), exits_with(0)).unwrap();
    let none = folder.run(&["run", "prog.elf", "--jobs"]);
    assert_eq!(none.errors(), "no offload job has run\n");
}
