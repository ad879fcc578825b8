//! Which members of a file are sections: a file of which nothing is run must not pass, and neither must a
//! section whose name is not known.

use super::place::Place;
use super::{VectorFailure, VectorReport};
use serde_json::{Value, json};

/// Lists beside the sections.
const METADATA: [&str; 10] = [
    "about",
    "angles_degrees",
    "axes",
    "checks",
    "comments",
    "fields",
    "notes",
    "provenance",
    "reading",
    "sources",
];

/// Notes what is wrong with the members of a file of which `known` are sections.
pub(super) fn check(root: &Place<'_>, known: &[&str], report: &mut VectorReport) {
    let Some(members) = root.value().as_object() else { return };
    if !known.iter().any(|name| members.contains_key(*name)) {
        report.failures.push(VectorFailure {
            name: root.path(),
            expected: json!(format!("one of the sections {}", known.join(", "))),
            got: json!("no known section"),
        });
    }
    for (name, value) in members {
        if !known.contains(&name.as_str()) && !is_metadata(name, value) {
            report.failures.push(VectorFailure {
                name: format!("/{name}"),
                expected: json!(format!("one of the sections {}", known.join(", "))),
                got: json!(format!("an unknown section {name:?}")),
            });
        }
    }
}

/// Cases come in lists; anything else says something about the file, whatever it is called.
fn is_metadata(name: &str, value: &Value) -> bool {
    !value.is_array() || METADATA.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::super::run;
    use serde_json::json;

    #[test]
    fn a_file_without_a_known_section_fails() {
        let failures = |file| {
            let report = run(&file, |_| Ok(Vec::new())).unwrap();
            report.failures.iter().map(|f| (f.name.clone(), f.got.to_string())).collect::<Vec<_>>()
        };
        let (schema, kind) = ("siliray-vectors/1", "gfx12-bvh8");
        let none = failures(json!({"schema": schema, "kind": kind, "note": "nothing here"}));
        assert_eq!(none, [("/".to_owned(), "\"no known section\"".to_owned())]);
        let other = failures(json!({"schema": schema, "kind": kind, "cases": [], "case": [{}]}));
        assert_eq!(other.len(), 1);
        assert_eq!(other[0].0, "/case");
        let notes = json!({"schema": schema, "kind": kind, "cases": [], "notes": ["a", "b"]});
        assert_eq!(failures(notes), []);
    }
}
