//! The registry: every format and every machine, each named once.
//!
//! A hardware crate offers tables of [`FormatEntry`] and [`MachineEntry`]; commands, conformance,
//! help texts and completions iterate over a [`Registry`] of them and know no format by name.

use crate::fields::FieldTable;
use crate::{
    AnyChecked, AnyReport, Capabilities, DescribeError, Description, Detail, EncodeError, Figures,
    Hit, Image, ImageFile, Machine, NodeRef, Outline, Promise, RayQuery, ReadError, RuleEntry,
    TreeShape,
};
use geometry::TriangleRule;
use std::error::Error;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use tree::Tree;

/// A format, as users meet it.
pub struct FormatEntry {
    /// The name used in options and reports.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// The ending of its files, without the dot.
    pub ending: &'static str,
    /// Whether the bytes of a file have the format.
    pub sniff: fn(&[u8]) -> bool,
    /// The image in a file.
    pub read: fn(&[u8], &ReadOptions) -> Result<ImageFile, ReadError>,
    /// Proves an image.
    pub check: fn(Image) -> AnyReport,
    /// Every structure that can be reached, from the root on. Takes any bytes.
    pub outline: fn(&Image) -> Outline,
    /// One structure as named fields. Takes any bytes.
    pub describe: fn(&Image, NodeRef) -> Result<Description, DescribeError>,
    /// How it holds trees; `None` if it holds none.
    pub trees: Option<TreeEntry>,
    /// Its structures, for documents: those that are tables of fields.
    pub structures: &'static [FieldTable],
    /// What the check looks for, where that is a table.
    pub rules: &'static [RuleEntry],
    /// Whose raw memory it reads, where writers keep different things in the same places.
    pub writers: &'static [&'static str],
}

/// How a format holds trees.
pub struct TreeEntry {
    /// What it can express, encoded with these settings.
    pub capabilities: fn(&Settings) -> Capabilities,
    /// What can be set when a tree is encoded.
    pub settings: &'static [Setting],
    /// The trees that it holds best, encoded with these settings.
    pub shape: fn(&Settings) -> TreeShape,
    /// Encodes a tree.
    pub encode: fn(&Tree, &Settings) -> Result<Encoded, EncodeError>,
    /// The figures of a sound image.
    pub figures: fn(&Image) -> Figures,
    /// The file of an image. Where a format has several kinds, the ending of its name chooses.
    pub write: fn(&Image, Option<&str>) -> Result<Vec<u8>, EncodeError>,
    /// Whether an image has boxes from the tree that was encoded, and not from triangles alone.
    pub keeps_boxes: bool,
    /// Whether it comes in blocks, which a traversal unit runs.
    pub has_blocks: bool,
}

/// How the image in a file is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// The structure that it starts in; the largest one by default.
    pub structure: Option<usize>,
    /// Where the nodes lie, if the file is raw memory.
    pub raw: Option<RawLayout>,
}

/// What is where in raw memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawLayout {
    /// Where the first byte of the file lies in memory. Instances name addresses: memory with a
    /// TLAS must lie where it was.
    pub address: u64,
    /// Where box nodes count from.
    pub base: u64,
    /// Where other nodes count from; the same if there is one base only.
    pub primitive_base: Option<u64>,
    /// The first node's pointer.
    pub root: u64,
    /// Who wrote it, one of [`FormatEntry::writers`]; what memory shows if nobody is named.
    pub writer: Option<&'static str>,
}

/// Something that can be set when a tree is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub key: &'static str,
    /// What it can be; the first is the default.
    pub values: &'static [&'static str],
    /// What it means.
    pub meaning: &'static str,
    /// Whether a comparison of formats shows each value, not only the default.
    pub is_compared: bool,
}

/// What is set, by key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings(Vec<(String, String)>);

/// Why something cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// No such key.
    #[error("{format} has no setting {key:?}, expected {expected}")]
    Key {
        /// The format.
        format: &'static str,
        /// What was asked for.
        key: String,
        /// The keys that there are.
        expected: String,
    },
    /// No such value.
    #[error("{key} = {value:?}, expected {expected}")]
    Value {
        /// The key.
        key: &'static str,
        /// What was asked for.
        value: String,
        /// The values that there are.
        expected: String,
    },
}

impl Settings {
    /// Adds a setting; the last one of a key counts.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.0.push((key.into(), value.into()));
        self
    }

    /// What is set for a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().rev().find(|(set, _)| set == key).map(|(_, value)| value.as_str())
    }

    /// Whether a key is set to `on`.
    #[must_use]
    pub fn is_on(&self, key: &str) -> bool {
        self.get(key) == Some("on")
    }

    /// All that is set, in the order in which it was set.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

/// A tree whose nodes are wider than those of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{found} children of a node: {format} holds {most} at most")]
pub struct WidthError {
    /// The format.
    pub format: &'static str,
    /// What was asked for.
    pub found: usize,
    /// What there is room for.
    pub most: usize,
}

/// An image, and what only its encoder knows of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// The image.
    pub image: Image,
    /// What goes behind the details of its [figures](TreeEntry::figures).
    pub details: Vec<(&'static str, Detail)>,
}

impl From<Image> for Encoded {
    fn from(image: Image) -> Self {
        Self { image, details: Vec::new() }
    }
}

/// A machine, as users meet it.
pub struct MachineEntry {
    /// The name used in options and reports.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// Whether it reads a format.
    pub reads: fn(&FormatEntry) -> bool,
    /// The format that a scene is encoded in for it.
    pub format: &'static str,
    /// How it is encoded then.
    pub settings: &'static [(&'static str, &'static str)],
    /// Whether it also stands on a tree that has never been bytes.
    pub takes_trees: bool,
    /// Whether it answers beams as well as rays.
    pub takes_beams: bool,
    /// How its steps name nodes.
    pub nodes: NodeNames,
    /// How many entries its traversal stack may have; nothing if it has none that can be chosen.
    pub stack_sizes: StackSizes,
    /// Whether its capability register can be set.
    pub has_capabilities: bool,
    /// The machine over what it reads.
    pub make: fn(&MachineInput, &MachineOptions) -> MadeMachine,
    /// What its answers to rays are compared with: the oracle on the decoded geometry, or, for
    /// hardware with a triangle arithmetic of its own, every triangle by that arithmetic.
    pub oracle: Option<fn(&MachineInput) -> MadeMachine>,
    /// Whether it is known to miss this hit of this ray: a loss, which is reported, not a mismatch.
    pub may_lose: fn(&MachineInput, &RayQuery, &Hit) -> bool,
}

/// The sizes of a traversal stack that a machine can be made with, as ranges.
pub type StackSizes = &'static [RangeInclusive<u8>];

/// A stack of a size that a machine does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the machine {machine} has no stack of {found} entries, but of {}", in_words(.expected))]
pub struct StackSizeError {
    /// The machine.
    pub machine: &'static str,
    /// What was asked for.
    pub found: u8,
    /// What there is.
    pub expected: StackSizes,
}

/// Sizes in words: "8, 16, 32 or 64", "1 to 31".
fn in_words(sizes: &[RangeInclusive<u8>]) -> String {
    let word = |size: &RangeInclusive<u8>| match size.start() == size.end() {
        true => size.start().to_string(),
        false => format!("{} to {}", size.start(), size.end()),
    };
    let words: Vec<String> = sizes.iter().map(word).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "none".to_owned(),
    }
}

/// How the steps of a machine name nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeNames {
    /// By number, as [`tree::Bvh::nodes`] does.
    Tree,
    /// By pointer and address, as the outline of the image does.
    Image,
    /// By block, node of a block and references, as [`BlockImage`](crate::BlockImage) numbers them.
    Blocks,
    /// In a way of its own.
    Own,
}

/// For machines that lose nothing.
#[must_use]
pub fn loses_nothing(_: &MachineInput, _: &RayQuery, _: &Hit) -> bool {
    false
}

/// For machines with the hardware's own box test: the margin of an image covers rays that start
/// within its reach.
#[must_use]
pub fn loses_beyond_margin(input: &MachineInput, query: &RayQuery, _: &Hit) -> bool {
    !Promise::new(&input.tree().bounds()).holds_for(&query.shape)
}

/// Why a machine cannot be made over an input: that machine's own error.
pub type MakeError = Box<dyn Error + Send + Sync>;

/// A machine over an input, or why there is none.
pub type MadeMachine = Result<Box<dyn Machine>, MakeError>;

/// What a machine stands on.
#[derive(Debug, Clone)]
pub enum MachineInput {
    /// A tree that has never been bytes.
    Tree(Arc<Tree>),
    /// A checked image.
    Image(Arc<dyn AnyChecked>),
}

impl MachineInput {
    /// The tree, or what the image decodes to.
    #[must_use]
    pub fn tree(&self) -> &Arc<Tree> {
        match self {
            Self::Tree(tree) => tree,
            Self::Image(image) => image.tree(),
        }
    }

    /// A hit by the ids of the scene that was encoded.
    #[must_use]
    pub fn scene_hit(&self, hit: Hit) -> Hit {
        match self {
            Self::Tree(_) => hit,
            Self::Image(image) => image.scene_hit(hit),
        }
    }

    /// The name of the format.
    #[must_use]
    pub fn format(&self) -> &'static str {
        match self {
            Self::Tree(_) => crate::tree_format::NAME,
            Self::Image(image) => image.image().format,
        }
    }
}

/// What a machine is told when it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachineOptions {
    /// The arithmetic that decides whether a ray meets a triangle, for machines that have a choice.
    pub rule: TriangleRule,
    /// Entries of the traversal stack, for machines that have one; each has its own default.
    pub stack_size: Option<u8>,
    /// The bits of the capability register, for machines that have one; all by default.
    pub capabilities: Option<u8>,
}

impl Default for MachineOptions {
    fn default() -> Self {
        Self { rule: TriangleRule::Watertight, stack_size: None, capabilities: None }
    }
}

/// The machine was given an image of a format that it does not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the machine {machine} does not read the format {format}")]
pub struct WrongFormat {
    /// The machine.
    pub machine: &'static str,
    /// The format.
    pub format: &'static str,
}

/// Formats and machines.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    formats: Vec<&'static FormatEntry>,
    machines: Vec<&'static MachineEntry>,
    /// Names that machines had before, and what they are called now.
    aliases: Vec<(&'static str, &'static str)>,
}

impl Registry {
    /// Adds what a crate offers.
    #[must_use]
    pub fn with(
        mut self,
        formats: &'static [FormatEntry],
        machines: &'static [MachineEntry],
    ) -> Self {
        self.formats.extend(formats);
        self.machines.extend(machines);
        self
    }

    /// All formats.
    #[must_use]
    pub fn formats(&self) -> &[&'static FormatEntry] {
        &self.formats
    }

    /// All machines.
    #[must_use]
    pub fn machines(&self) -> &[&'static MachineEntry] {
        &self.machines
    }

    /// The format of that name.
    #[must_use]
    pub fn format(&self, name: &str) -> Option<&'static FormatEntry> {
        self.formats.iter().copied().find(|format| format.name == name)
    }

    /// The machine of that name.
    #[must_use]
    pub fn machine(&self, name: &str) -> Option<&'static MachineEntry> {
        let now = self.aliases.iter().find(|(before, _)| *before == name).map(|(_, now)| *now);
        let name = now.unwrap_or(name);
        self.machines.iter().copied().find(|machine| machine.name == name)
    }

    /// Keeps a name that a machine had before.
    #[must_use]
    pub fn with_alias(mut self, before: &'static str, now: &'static str) -> Self {
        self.aliases.push((before, now));
        self
    }

    /// The names that a machine had before.
    pub fn aliases(&self, machine: &MachineEntry) -> impl Iterator<Item = &'static str> {
        let own = self.aliases.iter().filter(move |(_, now)| *now == machine.name);
        own.map(|(before, _)| *before)
    }

    /// The format of a file's bytes.
    #[must_use]
    pub fn sniff(&self, bytes: &[u8]) -> Option<&'static FormatEntry> {
        self.formats.iter().copied().find(|format| (format.sniff)(bytes))
    }

    /// The machines that read a format.
    pub fn readers(&self, format: &FormatEntry) -> impl Iterator<Item = &'static MachineEntry> {
        self.machines.iter().copied().filter(|machine| (machine.reads)(format))
    }
}

impl FormatEntry {
    /// Whether it can hold trees.
    #[must_use]
    pub const fn holds_trees(&self) -> bool {
        self.trees.is_some()
    }

    /// Refuses a tree that is wider than the nodes that these settings make.
    ///
    /// # Errors
    /// What there is room for.
    pub fn accepts_width(&self, settings: &Settings, found: usize) -> Result<(), WidthError> {
        let most = self.trees.as_ref().map_or(found, |trees| (trees.shape)(settings).width);
        if found <= most { Ok(()) } else { Err(WidthError { format: self.name, found, most }) }
    }

    /// Refuses keys and values that the format does not have.
    ///
    /// # Errors
    /// The first one.
    pub fn accepts(&self, settings: &Settings) -> Result<(), SettingError> {
        let known = self.trees.as_ref().map_or(&[][..], |trees| trees.settings);
        for (key, value) in settings.iter() {
            let Some(setting) = known.iter().find(|setting| setting.key == key) else {
                let expected = listed(known.iter().map(|setting| setting.key));
                return Err(SettingError::Key { format: self.name, key: key.to_owned(), expected });
            };
            if !setting.values.contains(&value) {
                let expected = listed(setting.values.iter().copied());
                let (key, value) = (setting.key, value.to_owned());
                return Err(SettingError::Value { key, value, expected });
            }
        }
        Ok(())
    }
}

/// Words as a list, for error texts.
fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}

impl MachineEntry {
    /// Refuses a stack of a size that the machine does not have.
    ///
    /// # Errors
    /// The sizes that there are. A machine without a choice takes any, and does not look at it.
    pub fn accepts_stack(&self, size: u8) -> Result<(), StackSizeError> {
        let expected = self.stack_sizes;
        if expected.is_empty() || expected.iter().any(|sizes| sizes.contains(&size)) {
            return Ok(());
        }
        Err(StackSizeError { machine: self.name, found: size, expected })
    }
}

impl fmt::Debug for FormatEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FormatEntry({})", self.name)
    }
}

impl fmt::Debug for MachineEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MachineEntry({})", self.name)
    }
}
