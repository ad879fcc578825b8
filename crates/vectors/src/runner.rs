//! Kinds, their sections, and the walk over a file.

use crate::{Comparison, Json, VectorError, VectorFailure, VectorReport};
use serde_json::Value;
use std::cell::RefCell;
use std::io;
use std::ops::Deref;
use std::rc::Rc;

/// A kind of file: what its sections are and how a case of each is run.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// What the file says under `kind`.
    pub name: &'static str,
    /// What it may hold, in the order in which it is run.
    pub sections: &'static [Section],
}

/// Runs one case and compares what came out with what the file says.
pub type RunCase = fn(&Case<'_>, &mut Comparison) -> Result<(), VectorError>;

/// A member of a file that holds cases.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    name: &'static str,
    shape: Shape,
    run: RunCase,
}

/// How a section holds its cases.
#[derive(Debug, Clone, Copy)]
enum Shape {
    List,
    Members,
    Whole,
}

/// One case, in its file.
#[derive(Debug)]
pub struct Case<'a> {
    json: Json<'a>,
    position: usize,
    key: &'a str,
    file: &'a File<'a>,
}

/// A file and the other files that it names.
struct File<'a> {
    root: Json<'a>,
    attachment: &'a dyn Fn(&str) -> io::Result<Vec<u8>>,
    /// The last one read, by name.
    read: RefCell<Option<(String, Rc<[u8]>)>>,
}

/// Lists of a file that are not cases.
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

/// Runs a parsed file. `attachment` fetches a file that it names, relative to itself.
///
/// # Errors
/// When the file has another schema or a kind that is not in `kinds`, or a case is malformed.
pub fn run(
    file: &Value,
    kinds: &[Kind],
    attachment: &dyn Fn(&str) -> io::Result<Vec<u8>>,
) -> Result<VectorReport, VectorError> {
    let root = Json::vector_file(file)?;
    let kind = root.field("kind")?;
    let name = kind.text()?;
    let Some(known) = kinds.iter().find(|kind| kind.name == name) else {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
        return Err(kind.wrong(&format!("one of {}", names.join(", "))));
    };
    let mut report = VectorReport { kind: name.to_owned(), passed: 0, failures: Vec::new() };
    let file = File { root, attachment, read: RefCell::new(None) };
    for section in known.sections {
        section.run(&file, &mut report)?;
    }
    known.report_sections(&file.root, &mut report)?;
    Ok(report)
}

/// For files that name no others.
///
/// # Errors
/// Always.
pub fn no_attachments(_: &str) -> io::Result<Vec<u8>> {
    Err(io::Error::other("files of this kind name no others"))
}

impl Kind {
    /// A file of which nothing is run must not pass, and neither must a list of an unknown name.
    fn report_sections(
        &self,
        root: &Json<'_>,
        report: &mut VectorReport,
    ) -> Result<(), VectorError> {
        let names: Vec<&str> = self.sections.iter().map(|section| section.name).collect();
        let mut fail = |name: &str, got: &str| {
            let (name, got) = (name.to_owned(), got.to_owned());
            let expected = format!("one of the sections {}", names.join(", "));
            report.failures.push(VectorFailure { name, expected, got });
        };
        let members = root.members()?;
        if !members.iter().any(|(name, _)| names.contains(name)) {
            fail("the file", "no known section");
        }
        for (name, member) in members {
            let is_list = member.value().is_array();
            if is_list && !names.contains(&name) && !METADATA.contains(&name) {
                fail(name, "an unknown section");
            }
        }
        Ok(())
    }
}

impl Section {
    /// A list with a case in each element.
    #[must_use]
    pub const fn list(name: &'static str, run: RunCase) -> Self {
        Self { name, shape: Shape::List, run }
    }

    /// An object with a case in each member; [`Case::key`] is its name.
    #[must_use]
    pub const fn members(name: &'static str, run: RunCase) -> Self {
        Self { name, shape: Shape::Members, run }
    }

    /// A value that is one case.
    #[must_use]
    pub const fn whole(name: &'static str, run: RunCase) -> Self {
        Self { name, shape: Shape::Whole, run }
    }

    fn run(&self, file: &File<'_>, report: &mut VectorReport) -> Result<(), VectorError> {
        let Some(section) = file.root.tested(self.name)? else { return Ok(()) };
        let keyed = |json| (self.name, json);
        let cases = match self.shape {
            Shape::List => section.elements()?.into_iter().map(keyed).collect(),
            Shape::Members => section.members()?,
            Shape::Whole => vec![keyed(section)],
        };
        for (position, (key, json)) in cases.into_iter().enumerate() {
            let case = Case { json, position, key, file };
            let mut comparison = Comparison::default();
            (self.run)(&case, &mut comparison)?;
            comparison.finish(self.label(&case), report);
        }
        Ok(())
    }

    /// The section, and what the case calls itself or its number.
    fn label(&self, case: &Case<'_>) -> String {
        let section = self.name;
        let text = |keys: &[&str]| keys.iter().find_map(|key| case.value().get(key)?.as_str());
        match self.shape {
            Shape::Whole => section.to_owned(),
            Shape::Members => format!("{section} {}", case.key),
            Shape::List => match (text(&["id", "name", "asm"]), text(&["note", "why"])) {
                (Some(name), _) => format!("{section} {name}"),
                (None, Some(note)) => format!("{section} {}: {note}", case.position),
                (None, None) => format!("{section} {}", case.position),
            },
        }
    }
}

impl<'a> Case<'a> {
    /// Its number in its section.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// The name of the member that it is, or of its section.
    #[must_use]
    pub fn key(&self) -> &'a str {
        self.key
    }

    /// The whole file.
    #[must_use]
    pub fn root(&self) -> &Json<'a> {
        &self.file.root
    }

    /// The file that the whole file names under `file`.
    ///
    /// # Errors
    /// When it names none, or that one cannot be read.
    pub fn attachment(&self) -> Result<Rc<[u8]>, VectorError> {
        let field = self.root().field("file")?;
        let name = field.text()?;
        if let Some((_, bytes)) = self.file.read.borrow().as_ref().filter(|read| read.0 == name) {
            return Ok(Rc::clone(bytes));
        }
        let bytes: Rc<[u8]> = match (self.file.attachment)(name) {
            Ok(bytes) => bytes.into(),
            Err(error) => {
                let (place, found) = (field.place().to_owned(), format!("{name:?}: {error}"));
                let expected = "a file beside the vector file".to_owned();
                return Err(VectorError { place, found, expected });
            }
        };
        *self.file.read.borrow_mut() = Some((name.to_owned(), Rc::clone(&bytes)));
        Ok(bytes)
    }
}

impl<'a> Deref for Case<'a> {
    type Target = Json<'a>;

    fn deref(&self) -> &Json<'a> {
        &self.json
    }
}

impl std::fmt::Debug for File<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("File").field("root", &self.root).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SCHEMA;
    use serde_json::json;

    /// Cases compare `a` with `b`, where there is a `b`.
    const KIND: Kind = Kind {
        name: "same",
        sections: &[
            Section::list("pairs", same),
            Section::members("named", same),
            Section::whole("sum", |case, comparison| {
                comparison.check("bytes", &case.integer()?, &case.attachment()?.len());
                Ok(())
            }),
        ],
    };

    fn same(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
        if let Some(b) = case.tested("b")? {
            let expected = b.integer::<u32>()?;
            let got = case.field("a")?.integer()?;
            comparison.within("inner", |inner| inner.check("b", &expected, &got));
        }
        Ok(())
    }

    fn run_members(members: Value) -> Result<VectorReport, VectorError> {
        let mut file = members;
        (file["schema"], file["kind"]) = (json!(SCHEMA), json!("same"));
        run(&file, &[KIND], &|name| match name {
            "three.bin" => Ok(vec![1, 2, 3]),
            _ => no_attachments(name),
        })
    }

    fn failures(members: Value) -> Vec<(String, String)> {
        let failures = run_members(members).unwrap().failures.into_iter();
        failures.map(|failure| (failure.name, failure.got)).collect()
    }

    fn pair(name: &str, got: &str) -> (String, String) {
        (name.to_owned(), got.to_owned())
    }

    #[test]
    fn every_shape_of_section_is_walked_and_named() {
        let file = json!({
            "file": "three.bin",
            "sum": 4,
            "named": {"x": {"a": 1, "b": 2}, "y": {"a": 1, "b": 1}},
            "pairs": [{"a": 255, "b": 16}, {"a": 1, "b": 2, "why": "it differs"},
                {"a": 1, "b": 1}, {"a": 1}, {"a": 1, "b": null}],
        });
        let expected = [
            pair("pairs 0", "inner, b ff"),
            pair("pairs 1: it differs", "inner, b 1"),
            pair("named x", "inner, b 1"),
            pair("sum", "bytes 3"),
        ];
        assert_eq!(failures(file.clone()), expected);
        assert_eq!(run_members(file).unwrap().passed, 2, "what compares nothing is not counted");
    }

    #[test]
    fn a_file_without_a_known_section_fails() {
        assert_eq!(failures(json!({"note": 1})), [pair("the file", "no known section")]);
        let other = json!({"pairs": [], "pear": [{}], "notes": ["a"]});
        assert_eq!(failures(other), [pair("pear", "an unknown section")]);
    }

    #[test]
    fn broken_files_are_located() {
        let error = |members| run_members(members).unwrap_err().to_string();
        let kind = run(&json!({"schema": SCHEMA, "kind": "x"}), &[KIND], &no_attachments);
        assert_eq!(kind.unwrap_err().to_string(), "kind: found \"x\", expected one of same");
        assert_eq!(error(json!({"pairs": 7})), "pairs: found 7, expected an array");
        let missing = error(json!({"sum": 3, "file": "none.bin"}));
        assert!(missing.starts_with("file: found \"none.bin\": "), "{missing}");
        assert!(error(json!({"named": {"x": {"a": -1, "b": 1}}})).starts_with("named.x.a: found"));
    }
}
