//! What changed between two sets of structures, as commit messages of drivers have it.
//!
//! Only structures in which some figure changed count. Figures that did not change are left out;
//! where some structures went up and others down, both parts are given, each relative to the old
//! total.

use super::Line;
use std::collections::HashMap;

/// The order of figures in such texts; others follow.
const ORDER: [&str; 5] = ["allocated_size", "compacted_size", "max_depth", "sah", "scene_sah"];

/// What changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Totals {
    /// Structures that both sets have.
    pub compared: usize,
    /// Those in which some figure changed.
    pub affected: usize,
    /// Structures of the old and of the new set that the other lacks.
    pub unmatched: [usize; 2],
    /// The figures that changed.
    pub figures: Vec<Figure>,
}

/// A figure over all affected structures.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its name.
    pub name: String,
    /// Sum of the old set.
    pub old: u64,
    /// Sum of the new set.
    pub new: u64,
    /// By how much it fell where it fell, and rose where it rose.
    pub parts: [u64; 2],
}

/// Compares two sets. Structures are matched by name and level, those of one name in their order;
/// by application too where either set has several.
#[must_use]
pub fn totals(old: &[Line], new: &[Line]) -> Totals {
    let by_app = [old, new].iter().any(|lines| lines.iter().any(|line| line.app != lines[0].app));
    let (old_keys, new_keys) = (keys(old, by_app), keys(new, by_app));
    let by_key: HashMap<_, _> = new_keys.iter().zip(new).collect();
    let mut pairs = Vec::new();
    for (key, line) in old_keys.iter().zip(old) {
        if let Some(other) = by_key.get(key) {
            pairs.push((line, *other));
        }
    }
    let compared = pairs.len();
    pairs.retain(|(old, new)| old.figures != new.figures);
    let figures = names(&pairs).into_iter().filter_map(|name| figure(name, &pairs));
    Totals {
        compared,
        affected: pairs.len(),
        unmatched: [old.len() - compared, new.len() - compared],
        figures: figures.collect(),
    }
}

/// What a structure is known by: application, name, level, and which of those it is.
type Key<'a> = (&'a str, &'a str, &'a str, usize);

fn keys(lines: &[Line], by_app: bool) -> Vec<Key<'_>> {
    let mut seen: HashMap<(&str, &str, &str), usize> = HashMap::new();
    let keys = lines.iter().map(|line| {
        let app = if by_app { line.app.as_str() } else { "" };
        let count = seen.entry((app, &line.name, &line.level)).or_default();
        *count += 1;
        (app, line.name.as_str(), line.level.as_str(), *count)
    });
    keys.collect()
}

/// The names of all figures, in the order of such texts.
fn names<'a>(pairs: &[(&'a Line, &'a Line)]) -> Vec<&'a str> {
    let mut names: Vec<&str> = ORDER.to_vec();
    for line in pairs.iter().flat_map(|(old, new)| [old, new]) {
        for (name, _) in &line.figures {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
    }
    names
}

fn figure(name: &str, pairs: &[(&Line, &Line)]) -> Option<Figure> {
    let mut sum = Figure { name: name.to_owned(), old: 0, new: 0, parts: [0; 2] };
    for (old, new) in pairs {
        let [old, new] = [old, new].map(|line| line.figure(name).unwrap_or(0));
        sum.old += old;
        sum.new += new;
        sum.parts[usize::from(new > old)] += old.abs_diff(new);
    }
    (sum.parts != [0; 2]).then_some(sum)
}

impl Totals {
    /// The text.
    #[must_use]
    pub fn text(&self) -> String {
        let share = 100.0 * self.affected as f64 / self.compared.max(1) as f64;
        let (affected, compared) = (self.affected, self.compared);
        let mut text =
            format!("Totals from {affected} ({share:.2}% of {compared}) affected BVHs:\n");
        for figure in &self.figures {
            let Figure { name, old, new, parts: [down, up] } = figure;
            let change = percent(*new as f64 - *old as f64, *old);
            text += &format!("{name}: {old} -> {new} ({change})");
            if *down > 0 && *up > 0 {
                let [down, up] = [-(*down as f64), *up as f64].map(|part| percent(part, *old));
                text += &format!("; split: {down}, {up}");
            }
            text.push('\n');
        }
        text
    }
}

/// A change relative to the old total.
fn percent(change: f64, old: u64) -> String {
    if old == 0 {
        return "+inf%".to_owned();
    }
    format!("{:+.2}%", 100.0 * change / old as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, figures: &[(&str, u64)]) -> Line {
        Line {
            app: "game".into(),
            name: name.into(),
            level: "blas".into(),
            figures: figures.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
            more: Vec::new(),
        }
    }

    /// The form of the texts in the drivers' commit messages.
    #[test]
    fn the_text_is_that_of_commit_messages() {
        let figures = |size, nodes, sah| {
            [("compacted_size", size), ("primitive_node_count", nodes), ("sah", sah)]
        };
        let old = [
            line("", &figures(1000, 40, 500)),
            line("", &figures(2000, 60, 500)),
            line("wall", &figures(7, 7, 7)),
            line("gone", &figures(1, 1, 1)),
        ];
        let new = [
            line("", &figures(900, 42, 500)),
            line("", &figures(2300, 60, 500)),
            line("wall", &figures(7, 7, 7)),
        ];
        let totals = totals(&old, &new);
        assert_eq!(totals.unmatched, [1, 0]);
        assert_eq!(
            totals.text(),
            "Totals from 2 (66.67% of 3) affected BVHs:\n\
             compacted_size: 3000 -> 3200 (+6.67%); split: -3.33%, +10.00%\n\
             primitive_node_count: 100 -> 102 (+2.00%)\n"
        );
        let none = super::totals(&old, &old);
        assert_eq!(none.text(), "Totals from 0 (0.00% of 4) affected BVHs:\n");
    }

    #[test]
    fn from_nothing_is_infinitely_more() {
        let old = [line("a", &[("box16_node_count", 0)])];
        let new = [line("a", &[("box16_node_count", 5)])];
        assert!(totals(&old, &new).text().ends_with("box16_node_count: 0 -> 5 (+inf%)\n"));
        assert_eq!(totals(&[], &new).unmatched, [0, 1]);
    }
}
