//! `siliray sim --queries` and what it shows of priorities, tasks and trees.

use crate::json::assert_documented;
use crate::support::{Folder, Said};

/// Rays down onto a scene, every eighth urgent, and a beam.
fn queries() -> String {
    let mut text = "ox,oy,oz,dx,dy,dz,tmax,lox,loy,loz,ldx,ldy,ldz,query,priority\n".to_owned();
    for n in 0..400 {
        let (x, z) = (n as f32 * 0.013 - 2.6, n as f32 * -0.011 + 2.0);
        let priority = if n % 8 == 0 { 9 } else { 1 };
        text += &format!("{x},9,{z},0,-1,0,inf,nan,nan,nan,nan,nan,nan,closest,{priority}\n");
    }
    text + "0.1,9,0.1,0,-1,0,20,-0.1,9,-0.1,0,-1,0,nan,nan\n"
}

#[test]
fn the_queries_of_a_file_and_their_priorities() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("queries.csv"), queries()).unwrap();
    let base = ["sim", "interior", "--triangles", "3000", "--queries", "queries.csv", "--set"];
    let run = |more: &[&str]| folder.json(&[&base[..], more].concat())["runs"].clone();
    let fair = run(&["slots=64"]);
    let urgent = run(&["policy=priority", "--set", "slots=64"]);
    assert_documented(&urgent[0]["priorities"]);
    assert_eq!([&fair[0]["rays"], &urgent[0]["rays"]], [401, 401]);
    let priorities = |runs: &serde_json::Value| -> Vec<(u64, u64)> {
        let all = runs[0]["priorities"].as_array().unwrap();
        let pair = |one: &serde_json::Value| {
            (one["priority"].as_u64().unwrap(), one["queries"].as_u64().unwrap())
        };
        all.iter().map(pair).collect()
    };
    assert_eq!(priorities(&urgent), [(9, 50), (1, 350), (0, 1)]);
    let overtakes = |runs: &serde_json::Value| runs[0]["counters"]["overtakes"].as_u64().unwrap();
    assert!(overtakes(&fair) == 0 && overtakes(&urgent) > 0);
    let first = folder.json(&[&base[..], &["slots=64", "--rays", "10"]].concat());
    assert_eq!(first["runs"][0]["rays"], 10);
}

#[test]
fn the_report_shows_priorities_and_tasks_that_gave_way() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("queries.csv"), queries()).unwrap();
    let args = "sim interior --triangles 3000 --queries queries.csv --report r.html --set \
                policy=priority --set evict=true --set active_slots=1 --set t_l2=600";
    let output = folder.run(&args.split(' ').collect::<Vec<_>>());
    assert!(output.status.success(), "{}", output.errors());
    let text = output.text();
    assert!(text.contains("tasks_evicted") && text.contains("\npriority  queries"), "{text}");
    let html = String::from_utf8(folder.read("r.html")).unwrap();
    assert!(html.contains("Latency by priority") && html.contains("Tasks that gave way"));
}

#[test]
fn narrow_trees_take_more_blocks() {
    let folder = Folder::new();
    let blocks = ["2", "4", "8"].map(|width| {
        let args = ["sim", "interior", "--triangles", "3000", "--rays", "200", "--width", width];
        let run = folder.json(&[&args[..], &["--format", "tree"]].concat());
        run["runs"][0]["blocks_per_ray"].as_f64().unwrap()
    });
    assert!(blocks[0] > 1.5 * blocks[1] && blocks[1] > 1.2 * blocks[2], "{blocks:?}");
}

#[test]
fn a_stored_image_has_its_width() {
    let folder = Folder::new();
    let build = "build interior --triangles 1000 --format ttu -o image.ttu";
    assert!(folder.run(&build.split(' ').collect::<Vec<_>>()).status.success());
    let output = folder.run(&["sim", "image.ttu", "--width", "2"]);
    let error = output.errors();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("--rebuild"), "{error}");
    let rebuilt = folder.run(&["sim", "image.ttu", "--width", "2", "--rebuild", "--rays", "64"]);
    assert!(rebuilt.status.success(), "{}", rebuilt.errors());
}

#[test]
fn wrong_queries_are_located() {
    let folder = Folder::new();
    let names = "ox oy oz dx dy dz lox loy loz ldx ldy ldz priority";
    for (row, expected) in [
        ("0 0 0 1 0 0 0 0 0 2 0 0 1", "q.csv: query 0: direction_inverted: dA.x is 1e0"),
        ("0 0 0 1 0 0 nan nan nan nan nan nan 999", "q.csv: query 0: priority is 999"),
        ("0 0 0 1 0 0 1 nan nan nan nan nan 1", "q.csv: query 0: 1 of the 6 numbers"),
        ("0 0 0 1 0 0 1", "q.csv: line 2: found 7 numbers, expected 13"),
        ("", "q.csv: no queries"),
    ] {
        std::fs::write(folder.path().join("q.csv"), format!("{names}\n{row}\n")).unwrap();
        let output = folder.run(&["sim", "interior", "--triangles", "1000", "--queries", "q.csv"]);
        let error = output.errors();
        assert!(error.starts_with(&format!("error: {expected}")), "{error}");
        assert_eq!(output.status.code(), Some(1), "{error}");
    }
}
