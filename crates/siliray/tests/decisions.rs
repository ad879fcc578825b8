//! Decision numbers lead somewhere: every number that code or a document names is defined on one
//! page of `docs/spec`, once, and listed in the table of `docs/spec/README.md`; and every number
//! that is defined is named by code, or its definition says why not.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::project_files;

use project_files::{text, with_extension};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A decision: its letter and its number.
type Decision = (char, u32);

#[test]
fn every_number_that_is_named_is_defined() {
    let defined = definitions();
    let mut lost = Vec::new();
    for file in with_extension("rs").into_iter().chain(with_extension("md")) {
        for (line, content) in text(&file).lines().enumerate() {
            for decision in named_in(content) {
                if !defined.contains_key(&decision) {
                    lost.push(format!("{}:{}: {}", file.display(), line + 1, name(decision)));
                }
            }
        }
    }
    assert!(lost.is_empty(), "no page of docs/spec defines\n{}", lost.join("\n"));
}

/// A definition that no code cites says so: `*No code: …*`.
#[test]
fn every_number_is_named_by_code() {
    let code = with_extension("rs").into_iter().filter(|file| !file.ends_with("decisions.rs"));
    let named: BTreeSet<Decision> = code.flat_map(|file| named_in(&text(&file))).collect();
    let mut wrong = Vec::new();
    for (decision, pages) in definitions() {
        let anchor = format!("<a id=\"{}\">", name(decision).to_lowercase());
        let page = text(&pages[0]);
        let rest = page.split(&anchor).nth(1).unwrap_or_default();
        let definition = rest.split("<a id=\"").next().unwrap_or_default();
        match (named.contains(&decision), definition.contains("*No code: ")) {
            (false, false) => wrong.push(format!("no code names {}", name(decision))),
            (true, true) => wrong.push(format!("code names {}", name(decision))),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_number_is_defined_once() {
    for (decision, pages) in definitions() {
        assert_eq!(pages.len(), 1, "{} is defined by {pages:?}", name(decision));
    }
}

#[test]
fn the_table_lists_every_definition_in_order() {
    let expected: Vec<String> = definitions()
        .iter()
        .map(|(&decision, pages)| {
            let (number, page) = (name(decision), pages[0].file_name().unwrap().to_string_lossy());
            format!("| [{number}]({page}#{}) |", number.to_lowercase())
        })
        .collect();
    let table = text(Path::new("docs/spec/README.md"));
    let listed: Vec<String> = table
        .lines()
        .filter(|line| line.starts_with("| ["))
        .map(|line| line.split_inclusive('|').take(2).collect())
        .collect();
    for (listed, expected) in listed.iter().zip(&expected) {
        assert_eq!(listed, expected);
    }
    assert_eq!(listed.len(), expected.len());
}

/// Every decision about XPHMG_RT has a test that is named after it, as in `x02_…` or `x10_x11_…`.
#[test]
fn every_decision_about_xphmg_has_a_test_of_its_name() {
    let mut tested = BTreeSet::new();
    let in_tests = |file: &PathBuf| {
        ["crates/xphmg/tests", "crates/riscv/tests"].iter().any(|it| file.starts_with(it))
    };
    for file in with_extension("rs").into_iter().filter(in_tests) {
        for line in text(&file).lines().filter_map(|line| line.trim().strip_prefix("fn ")) {
            let numbers = line.split('_').filter_map(|word| word.strip_prefix('x')?.parse().ok());
            tested.extend(numbers.map(|number: u32| ('X', number)));
        }
    }
    let about = definitions().into_keys().filter(|(letter, _)| *letter == 'X');
    let lost: Vec<String> = about.filter(|it| !tested.contains(it)).map(name).collect();
    assert!(lost.is_empty(), "no test is named after {}", lost.join(", "));
}

/// Where each decision is defined: beside an anchor such as `<a id="g-1"></a>`.
fn definitions() -> BTreeMap<Decision, Vec<PathBuf>> {
    let mut found: BTreeMap<Decision, Vec<PathBuf>> = BTreeMap::new();
    for page in with_extension("md").into_iter().filter(|file| file.starts_with("docs/spec")) {
        for anchor in text(&page).split("<a id=\"").skip(1) {
            let id = anchor.split('"').next().unwrap_or_default().to_uppercase();
            if let [decision] = named_in(&id)[..] {
                found.entry(decision).or_default().push(page.clone());
            }
        }
    }
    found
}

fn name((letter, number): Decision) -> String {
    format!("{letter}-{number}")
}

/// Every decision that a text names: a capital letter, a hyphen and digits, as a word.
fn named_in(text: &str) -> Vec<Decision> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.split(|c: char| !is_word(c))
        .filter_map(|word| {
            let (letter, number) = word.split_once('-')?;
            let mut letters = letter.chars();
            let letter = letters.next().filter(char::is_ascii_uppercase)?;
            let number = number.strip_suffix('-').unwrap_or(number);
            (letters.next().is_none() && number.bytes().all(|byte| byte.is_ascii_digit()))
                .then(|| number.parse().ok().map(|number| (letter, number)))?
        })
        .collect()
}

#[test]
fn numbers_are_found_as_words() {
    assert_eq!(named_in("(G-1, X-23's): I-2…B-3."), [('G', 1), ('X', 23), ('I', 2), ('B', 3)]);
    assert_eq!(named_in("UTF-8 AVX-512 g-1 G-n T-x SM-3 A- G-1a _G-1 B-2-3"), []);
}
