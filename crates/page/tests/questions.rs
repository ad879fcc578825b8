//! Questions about files, and their answers.

use page::{Page, PageError, Request, Response};
use serde_json::{Value, json};

/// Asks a page.
fn ask(page: &mut Page, question: Value) -> Result<Response, PageError> {
    page.answer(Request::write(&question, &[]))
}

fn floats(response: &Response, name: &str) -> Vec<f32> {
    let (_, bytes) = response.array(name).unwrap();
    bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

fn words(response: &Response, name: &str) -> Vec<u32> {
    let (_, bytes) = response.array(name).unwrap();
    bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

fn opened(format: &str) -> (Page, Value) {
    let mut page = Page::default();
    let question = json!({"do": "builtin", "name": "forest", "triangles": 3000, "format": format});
    let summary = ask(&mut page, question).unwrap().answer;
    (page, summary)
}

/// Every format that holds trees opens, is sound, and answers about each of its structures.
#[test]
fn every_format_has_an_outline_and_fields() {
    for entry in siliray::registry::registry().formats().iter().filter(|f| f.holds_trees()) {
        let (mut page, summary) = opened(entry.name);
        assert_eq!(summary["sound"], true, "{}: {summary}", entry.name);
        assert_eq!(summary["format"], entry.name);
        let outline = ask(&mut page, json!({"do": "outline"})).unwrap();
        let count = outline.answer["entries"].as_u64().unwrap() as usize;
        let (parents, sizes) = (words(&outline, "parent"), words(&outline, "size"));
        // A file of several levels has several roots.
        let roots = parents.iter().zip(&sizes).filter(|(parent, _)| **parent == u32::MAX);
        let below: u32 = roots.map(|(_, size)| size).sum();
        assert_eq!((parents[0], below as usize), (u32::MAX, count), "{}", entry.name);
        let bounds = ask(&mut page, json!({"do": "bounds"})).unwrap();
        let bounds = floats(&bounds, "bounds");
        assert_eq!(bounds.len(), 6 * count);
        let known = bounds.iter().filter(|plane| plane.is_finite()).count() / 6;
        assert!(2 * known > count, "{}: {known} of {count}", entry.name);
        for number in [0, count / 2, count - 1] {
            let node = ask(&mut page, json!({"do": "node", "entry": number})).unwrap();
            assert!(!node.answer["fields"].as_array().unwrap().is_empty());
            let (_, bytes) = node.array("data").unwrap();
            assert_eq!(node.answer["bytes"], bytes.len());
            let owner = json!({"do": "owner", "offset": node.answer["offset"]});
            let owner = ask(&mut page, owner).unwrap().answer;
            assert_eq!(owner["node"]["address"], node.answer["address"], "{}", entry.name);
        }
    }
}

/// Pieces of an outline are those of the whole list.
#[test]
fn an_outline_comes_in_pieces() {
    let (mut page, _) = opened("gfx12");
    let piece_of = |page: &mut Page, what: &str, first: usize| {
        ask(page, json!({"do": what, "first": first})).unwrap()
    };
    let piece = |page: &mut Page, first: usize| piece_of(page, "outline", first);
    let whole = piece(&mut page, 0);
    let count = whole.answer["entries"].as_u64().unwrap() as usize;
    assert_eq!((&whole.answer["first"], &whole.answer["count"]), (&json!(0), &json!(count)));
    let rest = piece(&mut page, 100);
    assert_eq!(
        (&rest.answer["entries"], &rest.answer["count"]),
        (&json!(count), &json!(count - 100))
    );
    assert_eq!(words(&rest, "size"), words(&whole, "size")[100..]);
    let bits = |response: &Response, name: &str| -> Vec<u32> {
        floats(response, name).into_iter().map(f32::to_bits).collect()
    };
    let [all, some] = [0, 100].map(|first| piece_of(&mut page, "bounds", first));
    assert_eq!(bits(&all, "bounds").len(), 6 * count);
    assert_eq!(bits(&some, "bounds"), bits(&all, "bounds")[600..]);
    for name in ["cost", "overlap", "fill"] {
        assert_eq!(bits(&rest, name), bits(&whole, name)[100..], "{name}");
    }
    let beyond = piece(&mut page, usize::MAX);
    assert_eq!((&beyond.answer["count"], words(&beyond, "size").len()), (&json!(0), 0));
    // A subtree ends where its sizes say.
    let (parents, sizes) = (words(&whole, "parent"), words(&whole, "size"));
    for (entry, &parent) in parents.iter().enumerate().skip(1).filter(|(_, p)| **p != u32::MAX) {
        let end = parent + sizes[parent as usize];
        assert!(parent < entry as u32 && entry as u32 + sizes[entry] <= end, "{entry}");
    }
}

/// A large file closes the one before it, and says so if it cannot be opened.
#[test]
fn a_large_file_makes_room() {
    let (mut page, _) = opened("gfx12");
    let open = json!({"do": "open", "name": "x.rra"});
    let small = page.answer(Request::write(&open, &[0; 64])).unwrap_err();
    assert!(!small.to_string().contains("closed"), "{small}");
    assert!(ask(&mut page, json!({"do": "hash"})).is_ok());
    let large = page.answer(Request::write(&open, &vec![0; 130 << 20])).unwrap_err();
    assert!(large.to_string().ends_with("closed to make room"), "{large}");
    assert!(matches!(ask(&mut page, json!({"do": "hash"})), Err(PageError::Nothing)));
}

/// Oriented boxes hold what the boxes along the axes hold, in fewer places.
#[test]
fn oriented_boxes_have_frames() {
    let (mut page, _) = opened("gfx12");
    assert_eq!(ask(&mut page, json!({"do": "frames"})).unwrap().answer["entries"], 0);
    let oriented = ask(&mut page, json!({"do": "example", "name": "oriented-box"})).unwrap();
    let parent = oriented.answer["start"]["entry"].as_u64().unwrap() as usize;
    let node = ask(&mut page, json!({"do": "node", "entry": parent})).unwrap().answer;
    let outline = ask(&mut page, json!({"do": "outline"})).unwrap();
    let frames = ask(&mut page, json!({"do": "frames"})).unwrap();
    let (entries, numbers) = (words(&frames, "entry"), words(&frames, "frame"));
    let (bounds, maps) = (floats(&frames, "bounds"), floats(&frames, "frames"));
    assert_eq!((bounds.len(), numbers.len()), (6 * entries.len(), entries.len()));
    let children = node["children"].as_array().unwrap();
    assert!(!children.is_empty());
    for child in children {
        let entry = child["entry"].as_u64().unwrap() as u32;
        assert_eq!(words(&outline, "parent")[entry as usize], parent as u32);
        let place = entries.iter().position(|&other| other == entry).unwrap();
        let own: Vec<f64> = bounds[6 * place..][..6].iter().map(|&x| x.into()).collect();
        let stored = [&child["min"], &child["max"]].map(|corner| corner.as_array().unwrap());
        let stored: Vec<f64> =
            stored.iter().flat_map(|c| c.iter().map(|x| x.as_f64().unwrap())).collect();
        assert_eq!(own, stored);
        let map: Vec<f64> =
            maps[12 * numbers[place] as usize..][..12].iter().map(|&x| x.into()).collect();
        let shown = node["frame"].as_array().unwrap().iter();
        let shown: Vec<f64> =
            shown.flat_map(|row| row.as_array().unwrap()).map(|x| x.as_f64().unwrap()).collect();
        assert_eq!(map, shown);
    }
}

/// Triangles, ids and leaves belong together, and instances are where their structures are.
#[test]
fn geometry_knows_its_leaves() {
    let (mut page, summary) = opened("gfx12");
    let geometry = ask(&mut page, json!({"do": "geometry"})).unwrap();
    let (ids, leaves) = (words(&geometry, "ids"), words(&geometry, "leaf"));
    assert_eq!(floats(&geometry, "positions").len() / 9, leaves.len());
    assert_eq!(ids.len(), 2 * leaves.len());
    assert!(leaves.iter().all(|&leaf| leaf != u32::MAX));
    let find = json!({"do": "find", "geometry": ids[0], "primitive": ids[1]});
    let ways = ask(&mut page, find).unwrap().answer;
    let ends: Vec<&Value> = ways["ways"]
        .as_array()
        .unwrap()
        .iter()
        .map(|way| way.as_array().unwrap().last().unwrap())
        .collect();
    assert!(ends.contains(&&json!(leaves[0])), "{ends:?} {}", leaves[0]);
    let instances = geometry.answer["instances"].as_array().unwrap();
    assert_eq!(json!(instances.len()), summary["instances"]);
    assert!(instances.iter().all(|instance| instance["entry"].is_u64()));
    let rest = ask(&mut page, json!({"do": "geometry", "first": 100})).unwrap();
    assert_eq!(rest.answer["count"], json!(leaves.len() - 100));
    assert_eq!(words(&rest, "leaf"), leaves[100..]);
    assert_eq!(words(&rest, "ids"), ids[200..]);
    let all = floats(&geometry, "positions");
    assert!(all.ends_with(&floats(&rest, "positions")) && all.len() > 900);
    // Of a large file some are shown.
    let some = ask(&mut page, json!({"do": "geometry", "most": 100})).unwrap();
    assert!((50..200).contains(&words(&some, "leaf").len()), "{}", words(&some, "leaf").len());
}

/// Each step of a walk has words, a stack and, where it reads one, a structure.
#[test]
fn walks_name_the_structures_they_read() {
    let (mut page, summary) = opened("gfx12");
    for machine in summary["machines"].as_array().unwrap() {
        let query = json!({"kind": "closest", "pixel": [40, 30], "size": [80, 60]});
        let question = json!({"do": "walk", "machine": machine, "query": query});
        // Some loops refuse images that they would walk wrongly, and say why.
        let walk = match ask(&mut page, question) {
            Err(PageError::Route(_)) if machine.as_str().unwrap().contains("radv") => continue,
            walk => walk.unwrap().answer,
        };
        let steps = walk["steps"].as_array().unwrap();
        assert!(steps.len() > 3, "{machine}");
        for list in ["texts", "stacks", "entries"] {
            assert_eq!(walk[list].as_array().unwrap().len(), steps.len(), "{machine} {list}");
        }
        assert_eq!(walk["answer"]["event"], "answer", "{machine}");
    }
    let query = json!({"pixel": [40, 30], "size": [80, 60]});
    let question =
        json!({"do": "against", "machine": "reference", "other": "gfx12-gpurt", "query": query});
    let both = ask(&mut page, question).unwrap().answer;
    let hits = |walk: usize| both["walks"][walk]["answer"]["hits"].clone();
    assert_eq!(hits(0), hits(1));
}

/// Spheres and frusta are walked as the beams around them, which the answer names.
#[test]
fn volumes_are_walked_as_beams() {
    let (mut page, summary) = opened("gfx12");
    let walk = |page: &mut Page, query: Value| {
        ask(page, json!({"do": "walk", "machine": "reference", "query": query})).unwrap().answer
    };
    let bounds = &summary["bounds"];
    let middle: Vec<f64> = (0..3)
        .map(|k| (bounds["min"][k].as_f64().unwrap() + bounds["max"][k].as_f64().unwrap()) / 2.0)
        .collect();
    let sphere = json!({"sphere": {"centre": middle, "radius": 1.5}, "exact": true});
    let walked = walk(&mut page, sphere);
    assert_eq!((&walked["beam"]["leaf"], &walked["ray"]), (&json!("exact"), &Value::Null));
    let near = |a: &Value, b: f64| (a.as_f64().unwrap() - b).abs() < 1e-4;
    assert!(near(&walked["beam"]["to"][1][0], middle[0] + 1.5), "{}", walked["beam"]);
    assert_eq!(walked["volume"]["sphere"]["radius"], 1.5);
    let camera = &summary["cameras"][0];
    let mut frustum = camera.clone();
    (frustum["near"], frustum["far"]) = (json!(0.5), json!(4.0));
    let walked = walk(&mut page, json!({"frustum": frustum, "kind": "all"}));
    let shown = &walked["volume"]["frustum"];
    assert_eq!((&shown["eye"], &shown["far"]), (&camera["eye"], &json!(4.0)));
    let from = json!([[0, 0, 0], [1, 1, 1]]);
    let walked = walk(&mut page, json!({"beam": {"from": from, "to": [[2, 0, 0], [3, 1, 1]]}}));
    assert_eq!(walked["beam"]["from"], json!([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]));
    assert_eq!(walked["beam"]["to"], json!([[2.0, 0.0, 0.0], [3.0, 1.0, 1.0]]));
    assert_eq!(walked["volume"], Value::Null);
}

/// The pixels are those that the toolkit renders, whole or in stripes.
#[test]
fn heat_maps_come_in_stripes() {
    let (mut page, _) = opened("gfx12");
    let map = |page: &mut Page, rows: Value| {
        let question = json!({
            "do": "render", "machine": "reference", "size": [48, 32], "what": "boxes", "rows": rows,
        });
        words(&ask(page, question).unwrap(), "counts")
    };
    let whole = map(&mut page, Value::Null);
    let stripes = [map(&mut page, json!([0, 10])), map(&mut page, json!([10, 32]))].concat();
    assert_eq!(whole, stripes);
    assert!(whole.iter().any(|&count| count > 0));
    let losses = json!({"do": "render", "size": [32, 24], "what": "losses"});
    assert_eq!(ask(&mut page, losses).unwrap().answer["figures"]["lost"], 0);
}

/// Every heat map that a machine offers counts something.
#[test]
fn heat_maps_count() {
    let about = ask(&mut Page::default(), json!({"do": "about"})).unwrap().answer;
    let mut walked = 0;
    for machine in about["machines"].as_array().unwrap() {
        let (mut page, _) = opened(machine["formats"][0].as_str().unwrap());
        for what in machine["measures"].as_array().unwrap() {
            let name = &machine["name"];
            let question = json!({"do": "render", "machine": name, "size": [24, 16], "what": what});
            // Some loops want other nodes than the usual ones.
            let Ok(response) = ask(&mut page, question) else { continue };
            assert!(words(&response, "counts").iter().any(|&count| count > 0), "{name}: {what}");
            walked += 1;
        }
    }
    assert!(walked > 40, "{walked}");
}

/// Bits can be changed and changed back; the hash tells whether they are.
#[test]
fn an_edit_can_be_undone() {
    let (mut page, _) = opened("gfx12");
    let hash = |page: &mut Page| ask(page, json!({"do": "hash"})).unwrap().answer;
    let whole = hash(&mut page);
    let node = ask(&mut page, json!({"do": "node", "entry": 0})).unwrap().answer;
    let bits = json!({"do": "edit", "offset": node["offset"], "bit": 3, "length": 13});
    let edit = |value: &Value| {
        let mut edit = bits.clone();
        edit["value"] = value.clone();
        edit
    };
    let edited = ask(&mut page, edit(&json!("0x1fff"))).unwrap().answer;
    assert_ne!(hash(&mut page), whole);
    let back = ask(&mut page, edit(&edited["before"])).unwrap().answer;
    assert_eq!(back["before"], "0x1fff");
    assert_eq!(hash(&mut page), whole);
    for wrong in [
        json!({"do": "edit", "offset": 1u64 << 40, "length": 1, "value": "1"}),
        json!({"do": "edit", "offset": u64::MAX, "length": 1, "value": "1"}),
        json!({"do": "edit", "offset": 0, "length": 0, "value": "0"}),
        json!({"do": "edit", "offset": 0, "length": 65, "value": "0"}),
        json!({"do": "edit", "offset": 0, "length": 3, "value": "8"}),
        json!({"do": "edit", "offset": 0, "length": 3, "value": "x"}),
    ] {
        assert!(ask(&mut page, wrong.clone()).is_err(), "{wrong}");
    }
}

/// The examples show what they promise.
#[test]
fn examples_teach() {
    let mut page = Page::default();
    let lost = ask(&mut page, json!({"do": "example", "name": "lost-hit"})).unwrap().answer;
    assert_eq!((&lost["sound"], lost["warnings"].as_u64() > Some(0)), (&json!(true), true));
    let losses = json!({"do": "render", "size": [64, 48], "what": "losses"});
    let figures = ask(&mut page, losses).unwrap().answer["figures"].clone();
    assert!(figures["lost"].as_u64() > Some(0), "{figures}");
    let broken = json!({"do": "example", "name": "broken-pointer"});
    let broken = ask(&mut page, broken).unwrap().answer;
    assert_eq!((&broken["sound"], &broken["machines"]), (&json!(false), &json!([])));
    let check = ask(&mut page, json!({"do": "check"})).unwrap().answer;
    assert_eq!(check["sound"], false);
    let oriented = ask(&mut page, json!({"do": "example", "name": "oriented-box"})).unwrap();
    let node = json!({"do": "node", "entry": oriented.answer["start"]["entry"]});
    assert!(ask(&mut page, node).unwrap().answer["frame"].is_array());
}

/// Runs of the traversal unit come with their figures over time.
#[test]
fn the_traversal_unit_runs() {
    let (mut page, _) = opened("ttu");
    let question = json!({
        "do": "simulate", "rays": 64, "timeline": 100, "against": "deep", "workload": "bounce",
    });
    let runs = ask(&mut page, question).unwrap();
    let rows = runs.answer["runs"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row["cycles"].as_u64() > Some(0)));
    assert!(runs.array("event_start").is_some() && runs.array("other_event_start").is_some());
    // Each of several units has events of its own.
    let events = |page: &mut Page, ttu: usize| {
        let question = json!({
            "do": "simulate", "config": "cluster", "rays": 512, "timeline": 1000, "ttu": ttu,
        });
        ask(page, question)
    };
    let first = events(&mut page, 0).unwrap();
    assert_eq!(first.answer["series"][0]["ttus"], 8);
    let last = events(&mut page, 7).unwrap();
    for name in ["event_job", "held_block"] {
        assert_ne!(words(&first, name), words(&last, name), "{name}");
    }
    assert!(events(&mut page, 8).is_err());
}

/// What makes no sense is refused, and the page goes on.
#[test]
fn nonsense_is_refused() {
    let mut page = Page::default();
    assert!(page.answer(Vec::new()).is_err());
    assert!(page.answer(vec![255, 255, 255, 255, 0]).is_err());
    for question in [
        json!({"do": "nothing"}),
        json!(7),
        json!({"do": "outline"}),
        json!({"do": "builtin", "name": "no such scene"}),
        json!({"do": "builtin", "name": "forest", "format": "isbe"}),
        json!({"do": "builtin", "name": "forest", "settings": {"policy": "none"}}),
        json!({"do": "example", "name": "none"}),
        json!({"do": "open", "name": "x.rra"}),
        json!({"do": "open", "name": "x.ply"}),
    ] {
        assert!(ask(&mut page, question.clone()).is_err(), "{question}");
    }
    let (mut page, _) = opened("ttu");
    for question in [
        json!({"do": "node", "entry": 1u64 << 40}),
        json!({"do": "node", "pointer": "0xffffffffffffffff"}),
        json!({"do": "bytes", "offset": u64::MAX, "length": 1}),
        json!({"do": "walk", "machine": "gfx12-radv", "query": {"pixel": [0, 0], "size": [1, 1]}}),
        json!({"do": "walk", "query": {"beam": {"from": [[0, 0, 0], [-1, 0, 0]],
            "to": [[0, 0, 0], [0, 0, 0]]}}}),
        json!({"do": "render", "size": [0, 4], "what": "boxes"}),
        json!({"do": "render", "size": [4, 4], "what": "boxes", "rows": [3, 9]}),
        json!({"do": "render", "size": [4, 4], "what": "dreams"}),
        json!({"do": "simulate", "config": "none"}),
        json!({"do": "simulate", "rays": 8, "timeline": 8, "ttu": 99}),
        json!({"do": "walk", "query": {"sphere": {"centre": [0, 0, 0], "radius": -1}}}),
    ] {
        assert!(ask(&mut page, question.clone()).is_err(), "{question}");
    }
    assert!(ask(&mut page, json!({"do": "outline"})).is_ok());
}

/// A program runs forwards and backwards, and shows its registers and its memory.
#[test]
fn programs_step_both_ways() {
    let mut page = Page::default();
    let text = "addi a0, x0, 5\naddi a1, a0, 37\nsd a1, 64(sp)\nadd a2, a0, a1\n";
    let load = json!({"do": "program", "name": "four.s"});
    let listing = page.answer(Request::write(&load, text.as_bytes())).unwrap().answer;
    assert_eq!(listing["lines"][1]["mnemonic"], "addi");
    let run = |page: &mut Page, to: u64| ask(page, json!({"do": "run", "to": to})).unwrap().answer;
    let register = |state: &Value, name: &str| {
        let all = state["registers"].as_array().unwrap();
        all.iter().find(|pair| pair[0] == name).unwrap()[1].clone()
    };
    let two = run(&mut page, 2);
    assert_eq!((register(&two, "x10"), register(&two, "x11")), (json!("0x5"), json!("0x2a")));
    let one = run(&mut page, 1);
    assert_eq!((register(&one, "x11"), &one["pc"]), (json!("0x0"), &json!("0x80000004")));
    assert_eq!(run(&mut page, 2), two);
    assert_eq!(ask(&mut page, json!({"do": "run"})).unwrap().answer, two);
    let stop = json!({"do": "run", "to": 100, "stop": "0x80000008"});
    assert_eq!(ask(&mut page, json!({"do": "run", "to": 0})).unwrap().answer["done"], 0);
    assert_eq!(ask(&mut page, stop).unwrap().answer["done"], 2);
    let memory = json!({"do": "memory", "address": "0x80000000", "length": 4});
    assert_eq!(ask(&mut page, memory).unwrap().array("data").unwrap().1.len(), 4);
    let nowhere = json!({"do": "memory", "address": "0xffffffffffffffff", "length": 4});
    assert!(ask(&mut page, nowhere).is_err());
    let text = "# nothing\nstart: addi a0, x0, 5\n\nagain:\n  addi a0, a0, -1 # a: b\n";
    let listing = page.answer(Request::write(&load, text.as_bytes())).unwrap().answer;
    let shown = |line: usize| {
        (listing["lines"][line]["line"].clone(), listing["lines"][line]["label"].clone())
    };
    assert_eq!(shown(0), (json!(2), json!("start")));
    assert_eq!(shown(1), (json!(5), json!("again")));
    let broken = page.answer(Request::write(&load, b"nosuch x1"));
    assert!(broken.unwrap_err().to_string().contains("line 1"));
}

/// Every field of every format says where it comes from, and lengths what they count.
#[test]
fn fields_name_their_source_and_unit() {
    for entry in siliray::registry::registry().formats().iter().filter(|f| f.holds_trees()) {
        let (mut page, _) = opened(entry.name);
        let outline = ask(&mut page, json!({"do": "outline"})).unwrap().answer;
        let count = outline["entries"].as_u64().unwrap();
        for number in [0, 1, count / 2, count - 1] {
            let node = ask(&mut page, json!({"do": "node", "entry": number})).unwrap().answer;
            let fields = node["fields"].as_array().unwrap();
            for field in fields {
                assert_ne!(field["source"], "", "{}: {}", entry.name, field["name"]);
                let name = field["name"].as_str().unwrap();
                if name.ends_with("_offset") || name.starts_with("vertices[") {
                    assert_ne!(field["unit"], "", "{}: {name}", entry.name);
                }
            }
        }
    }
}
