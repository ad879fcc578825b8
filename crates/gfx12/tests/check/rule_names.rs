//! The names of the rules of both formats.

use gfx12::{bvh4x2, check};

#[test]
fn names_are_snake_case_and_unique() {
    for rules in [check::Rule::ENTRIES, bvh4x2::Rule::ENTRIES] {
        let mut names: Vec<_> = rules.iter().map(|rule| rule.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), rules.len());
        assert!(names.iter().all(|n| n.chars().all(|c| c.is_ascii_lowercase() || c == '_')));
    }
}
