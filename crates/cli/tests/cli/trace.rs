//! `rays`, `trace` and `bench trace`: files, figures, and what happens to bad ones.

use crate::json::{assert_documented, assert_has};
use crate::support::{Folder, Said};

const SCENE: [&str; 3] = ["interior", "--triangles", "3000"];

/// Makes `count` rays into `file`.
fn make_rays(folder: &Folder, file: &str, workload: &str, count: &str) {
    let args = [&["rays"], &SCENE[..], &["--workload", workload, "--rays", count, "-o", file]];
    let json = folder.json(&args.concat());
    assert_has(&json, &["scene", "workload", "rays", "output"]);
    assert_documented(&json);
}

fn trace(folder: &Folder, rays: &str, output: &str, more: &[&str]) -> serde_json::Value {
    let args = [&["trace"], &SCENE[..], &["--rays", rays, "-o", output], more].concat();
    let json = folder.json(&args);
    assert_documented(&json);
    json
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

/// The same rays, raw and as `.npy`, have the same hits, raw and as `.npy`.
#[test]
fn layouts_agree() {
    let folder = Folder::new();
    make_rays(&folder, "rays.npy", "bounce", "1000");
    make_rays(&folder, "rays.bin", "bounce", "1000");
    let (npy, raw) = (folder.read("rays.npy"), folder.read("rays.bin"));
    assert_eq!((raw.len(), npy.len() % 64), (32_000, raw.len() % 64));
    assert!(npy.starts_with(b"\x93NUMPY") && npy.ends_with(&raw));
    let json = trace(&folder, "rays.npy", "hits.bin", &[]);
    trace(&folder, "rays.bin", "hits.npy", &[]);
    let (hits, hits_npy) = (folder.read("hits.bin"), folder.read("hits.npy"));
    assert_eq!(hits.len(), 24_000);
    assert!(hits_npy.ends_with(&hits));
    let distances: Vec<f32> = hits.chunks_exact(24).map(|hit| floats(&hit[..4])[0]).collect();
    let found = distances.iter().filter(|t| t.is_finite()).count();
    assert_eq!(json["hits"], found);
    assert!(found > 500 && json["rays"] == 1000, "{json}");
    for hit in hits.chunks_exact(24).filter(|hit| floats(&hit[..4])[0] == f32::INFINITY) {
        assert_eq!(hit[12..], [0xFF; 12]);
    }
}

/// Tables hold the same rays as arrays, and the same hits of them, whatever asks.
#[test]
fn tables_agree() {
    let folder = Folder::new();
    for rays in ["rays.npy", "rays.parquet", "rays.arrow"] {
        make_rays(&folder, rays, "bounce", "1000");
    }
    for query in ["closest", "any", "all"] {
        for (from, to) in [
            ("rays.npy", "expected.npy"),
            ("rays.npy", "expected.parquet"),
            ("rays.npy", "expected.arrow"),
            ("rays.parquet", "hits.npy"),
            ("rays.parquet", "hits.parquet"),
            ("rays.arrow", "hits.arrow"),
        ] {
            let json = trace(&folder, from, to, &["--query", query]);
            assert!(json["rays"] == 1000 && json["hits"].as_u64().unwrap() > 500, "{json}");
        }
        for ending in ["npy", "parquet", "arrow"] {
            let [expected, hits] = ["expected", "hits"].map(|name| format!("{name}.{ending}"));
            assert!(folder.read(&expected) == folder.read(&hits), "{query}: {ending}");
        }
    }
    // Through pipes, too.
    let args = [&["trace"], &SCENE[..], &["--rays", "-", "-o", "-", "--query", "all"]].concat();
    for ending in ["parquet", "arrow"] {
        let rays = std::fs::File::open(folder.path().join(format!("rays.{ending}"))).unwrap();
        let piped = folder.siliray(&args).stdin(rays).output().unwrap();
        assert!(piped.stdout == folder.read(format!("hits.{ending}")), "{ending}");
    }
}

/// A table that breaks in the middle leaves the old file of hits, and says where it broke.
#[test]
fn broken_tables_leave_no_output() {
    let folder = Folder::new();
    make_rays(&folder, "rays.parquet", "bounce", "5000");
    let mut bytes = folder.read("rays.parquet");
    // Within the first page of the first column: the header of a page has been there.
    bytes[4..24].fill(0xFF);
    std::fs::write(folder.path().join("rays.parquet"), bytes).unwrap();
    std::fs::write(folder.path().join("hits.parquet"), b"old").unwrap();
    let args = [&["trace"], &SCENE[..], &["--rays", "rays.parquet", "-o", "hits.parquet"]];
    let output = folder.run(&args.concat());
    let errors = output.errors();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let expected = "error: rays.parquet: row group 0, column \"ox\": ";
    assert!(errors.starts_with(expected) && !errors.contains("panicked"), "{errors}");
    assert_eq!(folder.files(), ["hits.parquet", "rays.parquet"]);
    assert_eq!(folder.read("hits.parquet"), b"old");
}

/// Any and all hits agree with the closest.
#[test]
fn queries_agree() {
    let folder = Folder::new();
    make_rays(&folder, "rays.bin", "bounce", "777");
    trace(&folder, "rays.bin", "closest.bin", &[]);
    trace(&folder, "rays.bin", "any.bin", &["--query", "any"]);
    let json = trace(&folder, "rays.bin", "all.bin", &["--query", "all", "--rule", "watertight"]);
    trace(&folder, "rays.bin", "all.npy", &["--query", "all"]);
    let (closest, any, all) =
        (folder.read("closest.bin"), folder.read("any.bin"), folder.read("all.bin"));
    assert_eq!((any.len(), all.len() as u64), (777, 32 * json["hits"].as_u64().unwrap()));
    for (ray, hit) in closest.chunks_exact(24).enumerate() {
        let number = (ray as u64).to_le_bytes();
        let first = all.chunks_exact(32).find(|hit| hit[..8] == number).map(|hit| &hit[8..]);
        let is_hit = floats(&hit[..4])[0].is_finite();
        assert_eq!(first, is_hit.then_some(hit));
        assert_eq!(any[ray] == 1, is_hit);
    }
    let npy = folder.read("all.npy");
    assert!(npy.ends_with(&all));
    let header = String::from_utf8_lossy(&npy[..npy.len() - all.len()]).into_owned();
    assert!(header.contains(&format!("'shape': ({},)", json["hits"])), "{header}");
}

/// A bad file of rays costs nothing: no output, and an old one stays.
#[test]
fn bad_rays_leave_no_output() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("rays.bin"), [0; 33]).unwrap();
    std::fs::write(folder.path().join("hits.bin"), b"old").unwrap();
    let args = [&["trace"], &SCENE[..], &["--rays", "rays.bin", "-o", "hits.bin"]].concat();
    let output = folder.run(&args);
    assert_eq!(output.status.code(), Some(1));
    let errors = output.errors();
    assert_eq!(errors, "error: rays.bin: byte 0: 33 bytes of rays, expected a multiple of 32\n");
    assert_eq!(folder.files(), ["hits.bin", "rays.bin"]);
    assert_eq!(folder.read("hits.bin"), b"old");
}

/// Rays that ask nothing are misses.
#[test]
fn nonsense_rays_miss() {
    let folder = Folder::new();
    let odd = [f32::NAN, f32::INFINITY, -1.0, 0.0];
    let rays: Vec<u8> = (0..64).flat_map(|i| odd[(i * 7 + i / 8) % 4].to_le_bytes()).collect();
    std::fs::write(folder.path().join("rays.bin"), rays).unwrap();
    let json = trace(&folder, "rays.bin", "hits.bin", &[]);
    assert_eq!((&json["rays"], &json["hits"]), (&8.into(), &0.into()));
}

/// Rays and hits as text, through pipes, with points and normals.
#[test]
fn rays_and_hits_in_every_layout() {
    let folder = Folder::new();
    make_rays(&folder, "rays.csv", "bounce", "200");
    make_rays(&folder, "rays.bin", "bounce", "200");
    trace(&folder, "rays.bin", "hits.bin", &["--positions", "--normals"]);
    trace(&folder, "rays.csv", "hits.csv", &["--normals", "--positions"]);
    trace(&folder, "rays.csv", "hits.txt", &["--layout", "raw", "--positions", "--normals"]);
    assert_eq!(folder.read("hits.txt"), folder.read("hits.bin"));
    let text = String::from_utf8(folder.read("hits.csv")).unwrap();
    let mut lines = text.lines();
    let columns = "t,u,v,instance,geometry,primitive,px,py,pz,nx,ny,nz";
    assert_eq!(lines.next(), Some(columns));
    let rays = floats(&folder.read("rays.bin"));
    let (hits, mut found) = (folder.read("hits.bin"), 0);
    for ((line, hit), ray) in lines.zip(hits.chunks_exact(48)).zip(rays.chunks_exact(8)) {
        let numbers = floats(hit);
        let cells: Vec<&str> = line.split(',').collect();
        let t: f32 = cells[0].parse().unwrap();
        assert_eq!((cells.len(), t), (12, numbers[0]));
        if t.is_infinite() {
            assert!(numbers[6..].iter().all(|number| number.is_nan()), "{line}");
            continue;
        }
        found += 1;
        let (position, normal) = (&numbers[6..9], &numbers[9..12]);
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        for axis in 0..3 {
            let expected = ray[axis] + t * ray[4 + axis];
            assert!((position[axis] - expected).abs() < 1e-4, "{line}");
        }
        assert!((dot(normal, normal) - 1.0).abs() < 1e-5 && dot(normal, &ray[4..7]) <= 0.0);
    }
    assert!(found > 100, "{found}");
}

#[test]
fn pipes_take_rays_and_give_hits() {
    let folder = Folder::new();
    make_rays(&folder, "rays.npy", "primary", "100");
    trace(&folder, "rays.npy", "hits.npy", &[]);
    let rays = folder.run(&[&["rays"], &SCENE[..], &["--rays", "100", "-o", "-"]].concat());
    assert_eq!(rays.stdout.len(), 3200);
    assert!(rays.errors().contains("100 primary rays"));
    let through = |input: &str, more: &[&str]| {
        let args = [&["trace"], &SCENE[..], &["--rays", "-", "-o", "-"], more].concat();
        let file = std::fs::File::open(folder.path().join(input)).unwrap();
        folder.siliray(&args).stdin(file).output().unwrap()
    };
    let hits = through("rays.npy", &[]);
    assert_eq!(hits.stdout, folder.read("hits.npy"));
    let text = through("rays.npy", &["--layout", "csv", "--query", "any"]);
    assert_eq!(text.text().lines().count(), 101);
    for (more, expected) in [
        (&["--json"][..], "both write to standard output"),
        (&["--query", "any", "--normals"], "not where"),
        (&["--layout", "pickle"], "layouts are npy, csv, raw, parquet, arrow"),
        (&["--query", "all"], "known only at the end"),
    ] {
        let refused = through("rays.npy", more);
        assert_eq!(refused.status.code(), Some(2), "{more:?}");
        assert!(refused.errors().contains(expected), "{more:?}");
    }
}

/// Files that are no rays, or whose name says something else, are refused before any work.
#[test]
fn what_is_no_ray_is_refused() {
    let folder = Folder::new();
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    };
    write("rays.csv", b"t,u,v\n1,2,3\n");
    write("text.bin", b"these are 32 letters, no numbers");
    write("rays.jpg", &[0; 64]);
    write("rays.bin", &[0; 64]);
    for (rays, hits, code, expected) in [
        ("rays.csv", "h.bin", 1, "rays.csv: line 1: no column \"ox\""),
        ("text.bin", "h.bin", 1, "text.bin: the file is text, but its name says raw"),
        ("rays.jpg", "h.bin", 1, "rays.jpg: files of rays end in .npy"),
        ("rays.bin", "h.json", 2, "does not follow from its ending"),
    ] {
        let args = [&["trace"], &SCENE[..], &["--rays", rays, "-o", hits]].concat();
        let output = folder.run(&args);
        let errors = output.errors();
        assert_eq!(output.status.code(), Some(code), "{errors}");
        assert!(errors.contains(expected), "{errors}");
    }
    assert_eq!(folder.files(), ["rays.bin", "rays.csv", "rays.jpg", "text.bin"]);
}

/// An image is traced as it is.
#[test]
fn images_are_traced() {
    let folder = Folder::new();
    make_rays(&folder, "rays.bin", "primary", "500");
    folder.json(&[&["build"], &SCENE[..], &["--format", "gfx12", "-o", "i.rra"]].concat());
    trace(&folder, "rays.bin", "scene.bin", &[]);
    let json = folder.json(&["trace", "i.rra", "--rays", "rays.bin", "-o", "image.bin"]);
    assert_eq!(json["scene"], "i.rra");
    let (scene, image) = (folder.read("scene.bin"), folder.read("image.bin"));
    for (scene, image) in scene.chunks_exact(24).zip(image.chunks_exact(24)) {
        assert_eq!(floats(&scene[..4])[0], floats(&image[..4])[0]);
    }
}

#[test]
fn figures_of_the_bench() {
    let folder = Folder::new();
    let args =
        ["bench", "trace", "interior", "--triangles", "2000", "--rays", "256", "--runs", "1"];
    let json = folder.json(&args);
    assert_has(&json, &["machine", "rows", "ratios", "missing"]);
    assert_has(&json["machine"], &["cpu", "cores"]);
    assert_documented(&json);
    let rows = json["rows"].as_array().unwrap();
    for workload in ["primary", "occlusion", "bounce"] {
        let rows: Vec<_> = rows.iter().filter(|row| row["workload"] == workload).collect();
        let hits = &rows[0]["hits"];
        assert!(rows.len() >= 2 && rows.iter().all(|row| &row["hits"] == hits), "{rows:?}");
        let positive = |key: &str| rows.iter().all(|row| row[key].as_f64().unwrap() > 0.0);
        assert!(
            ["mrays_per_second", "build_seconds", "bytes_per_triangle"].into_iter().all(positive)
        );
    }
    let modes = ["prepared", "in_place", "calls16", "single"];
    assert!(modes.iter().all(|mode| rows.iter().any(|row| row["mode"] == *mode)));
    let missing = json["missing"].as_array().unwrap();
    if cfg!(not(feature = "peers")) {
        assert_eq!(missing.len(), 4);
        assert!(
            missing
                .iter()
                .all(|peer| peer["install"].as_str().unwrap().contains("--features peers"))
        );
    }
}

#[test]
fn figures_of_builds() {
    let folder = Folder::new();
    let args = ["bench", "build", "organic", "--triangles", "20000", "--runs", "1", "--presets"];
    let json = folder.json(&[&args[..], &["fast,balanced"]].concat());
    assert_documented(&json);
    let rows = json["rows"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| row["what"].as_str().unwrap()).collect();
    let builds = ["build, fast", "build, balanced", "build, balanced, in place"];
    assert_eq!(names, [&builds[..], &["refit", "load, warm file"]].concat());
    for row in &rows[..builds.len()] {
        assert!(row["mrays_per_second"].as_f64().unwrap() > 0.0, "{row}");
        // What is built stays, so it is part of the most that there was.
        let peak = row["peak_over_result"].as_f64();
        assert!(!cfg!(target_os = "linux") || peak.unwrap() >= 1.0, "{row}");
    }
}
