//! The name that was meant.

/// The name that differs from `wanted` in the fewest letters, if most letters are the same; else
/// the first that contains it.
#[must_use]
pub fn nearest_name(
    wanted: &str,
    names: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    let names: Vec<&'static str> = names.collect();
    let nearest = names.iter().map(|name| (edit_distance(name, wanted), *name)).min()?;
    let is_near = 2 * nearest.0 < wanted.len().max(nearest.1.len());
    let contains = |name: &&&'static str| wanted.len() > 1 && name.contains(wanted);
    if is_near { Some(nearest.1) } else { names.iter().find(contains).copied() }
}

fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
