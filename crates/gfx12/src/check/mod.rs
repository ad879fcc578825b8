//! Proving an untrusted image (G-37).
//!
//! The rules are in `rule`, and what breaks them is collected in bounded space (`findings`). A
//! [`Survey`] finds every node that can be reached and every pointer that cannot be followed; the
//! other files add the rules of each kind of node. An image without errors is *sound*: following
//! its pointers reads only its own bytes and comes to an end. Warnings say what is lossy or odd;
//! those that concern hits also clear a fact of the checked image.
//!
//! | file | concept |
//! |---|---|
//! | `image` | segments and bases |
//! | `extent` | what a header says is there: nothing less, nothing beyond |
//! | `header` | headers, and the tables behind the nodes of GPURT's |
//! | `contents` | what lies below each child |
//! | `shared` | triangles that several ranges lead to |
//! | `boxes`, `oriented` | box nodes; boxes that contain what is below, rotated ones too |
//! | `fit` | how far something reaches outside a box, or a box beyond it |
//! | `primitives`, `ids` | primitive nodes; ids that tell primitives apart |
//! | `missed` | slots that could say more than they do |
//! | `instances`, `below` | instance nodes and their sideband; what they can name |
//!
//! An instance inside the structure of an instance is an error: a tree has two levels, and no
//! driver writes three.
//!
//! Everything is linear in the image but for a sort of the ids, runs in parallel, and gives the
//! same report on any number of threads.

mod below;
mod boxes;
pub(crate) mod contents;
mod extent;
pub(crate) mod fit;
mod header;
mod ids;
mod image;
mod instances;
mod missed;
mod oriented;
mod primitives;
mod shared;

pub use crate::findings::Findings;
pub use crate::rule::Rule;

use crate::findings::Place;

use crate::Gfx12;
use crate::decode::Pairs;
use crate::format::Proof;
use crate::survey::{Memory, Survey, Surveyed};
use below::Below;
pub(crate) use boxes::text as box_text;
pub(crate) use ids::held as held_ids;
use machine::{CheckReport, Checked, Image, ProvedFacts, Severity};
pub(crate) use missed::missed_culling;
use shared::Shared;

/// Proves an image, or says what is wrong with it. Offsets count over the segments, one after the
/// other in their order.
#[must_use]
pub fn check(image: Image) -> CheckReport<Gfx12> {
    let (findings, facts, nodes, survey) = examine(&image, &Memory::new(&image));
    let findings = findings.into_sorted();
    let is_sound = findings.iter().all(|finding| finding.severity != Severity::Error);
    let checked = is_sound.then(|| {
        let proof = Proof::new(&image, survey);
        Checked::new(image, facts, proof)
    });
    CheckReport { checked, findings, nodes }
}

fn examine(image: &Image, memory: &Memory<'_>) -> (Findings, ProvedFacts, usize, Survey) {
    let mut findings = Findings::default();
    image::check(image, memory, &mut findings);
    let survey = crate::survey::collect(image, memory, &mut findings);
    let mut nodes = 0;
    let mut below = Vec::new();
    for surveyed in &survey.structures[1..] {
        below.push(structure(memory, &survey, surveyed, &[], &mut findings, &mut nodes));
    }
    let tlas = &survey.structures[0];
    structure(memory, &survey, tlas, &below, &mut findings, &mut nodes);
    if !tlas.instances.is_empty() {
        instances::check(memory, &survey, &below, &mut findings);
    }
    mixed_level(memory, tlas, &mut findings);
    let mut facts = facts(&findings);
    // HIPRT keeps numbers of parents, which no loop that walks back reads.
    facts.parents &= !survey.structures.iter().any(|found| found.structure.is_hiprt());
    (findings, facts, nodes, survey)
}

/// Checks one structure and sums up what it holds.
fn structure(
    memory: &Memory<'_>,
    survey: &Survey,
    surveyed: &Surveyed,
    below: &[Below],
    findings: &mut Findings,
    nodes: &mut usize,
) -> Below {
    let pairs = Pairs::new(memory, surveyed);
    header::check(memory, surveyed, findings);
    primitives::check(memory, survey, surveyed, &pairs, findings);
    ids::check(memory, surveyed, &pairs, findings);
    extent::check(memory, surveyed, &pairs, findings);
    let leaves = contents::leaf_contents(memory, surveyed, &pairs);
    let of_instance = |number| instances::contents(memory, surveyed, number, below);
    let contents = contents::contents(surveyed, &leaves, of_instance);
    let shared = Shared::new(memory, surveyed, &pairs);
    let needed = shared.needed().map(|leaves| contents::contents(surveyed, &leaves, of_instance));
    boxes::check(memory, surveyed, &contents, needed.as_ref().unwrap_or(&contents), findings);
    oriented::check(memory, surveyed, &pairs, &contents, &shared, findings);
    let primitive_nodes = pairs.keys().chunk_by(|a, b| a / 8 == b / 8).count();
    *nodes += surveyed.boxes.len() + surveyed.instances.len() + primitive_nodes;
    let below = Below::new(surveyed, &contents, &leaves);
    header::check_driver(memory, surveyed, &below.all, findings);
    below
}

/// A TLAS holds instances only.
fn mixed_level(memory: &Memory<'_>, tlas: &Surveyed, findings: &mut Findings) {
    let (Some(leaf), Some(_)) = (tlas.leaves.first(), tlas.instances.first()) else { return };
    let name = || format!("leaf {}", leaf.pointer);
    let address = tlas.structure.address_of(leaf.pointer);
    findings.add(Rule::MixedLevel, &Place { memory, address, name: &name }, 0..1024, || {
        let (leaves, instances) = (tlas.leaves.len(), tlas.instances.len());
        (format!("{leaves} ranges beside {instances} instances"), "one kind only".into())
    });
}

/// What was proved, told by the rules that hold.
fn facts(findings: &Findings) -> ProvedFacts {
    let all_hold = |rules: &[Rule]| rules.iter().all(|&rule| findings.holds(rule));
    let finite = all_hold(&[Rule::PlaneFinite, Rule::VertexFinite, Rule::ProceduralBox]);
    let hiding = [
        Rule::Contained,
        Rule::ContainedUlp,
        Rule::SharedPair,
        Rule::InstanceBox,
        Rule::InstancePart,
        Rule::CullFlags,
        Rule::Mask,
        Rule::InstanceFlags,
    ];
    ProvedFacts {
        lossless: finite && all_hold(&hiding),
        parents: all_hold(&[Rule::Parent]),
        finite,
    }
}
