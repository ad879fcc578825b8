//! Complete meshes, and containers good and broken.

use super::attribute_set;
use crate::container::{Dump, Workgroup, check::check};
use crate::unit_state::UnitState;
use crate::{AttributeId, Limits, Reader, Space, Topology, WorkgroupView};
use machine::Severity;
use std::collections::BTreeSet;
use vectors::{Case, Comparison, Json, VectorError};

pub(super) fn mesh(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let topology = case.field("topology")?;
    let topology = Topology::from_name(topology.text()?)
        .ok_or_else(|| topology.wrong("points, lines or triangles"))?;
    let vertex = (attribute_set(&case.field("V")?)?, case.field("max_vertices")?.number()?);
    let primitive = (attribute_set(&case.field("P")?)?, case.field("max_primitives")?.number()?);
    let mut dump = Dump::new(UnitState::new(75, topology, vertex, primitive, 0));
    let (map, attr) = (case.field("map")?.bytes()?, case.field("attr")?.bytes()?);
    let output = Space { map, attr, ..Space::default() };
    dump.push(Workgroup { output, ..Workgroup::default() });
    expected_mesh(&case.field("expect")?, &dump, comparison)
}

pub(super) fn container(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let report = check(&case.field("hex")?.bytes()?, Limits::Driver);
    let expected: Result<BTreeSet<&str>, _> =
        case.field("findings")?.elements()?.iter().map(Json::text).collect();
    // Warnings are siliray's own; the file names what makes a dump wrong.
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    comparison.check("findings", &expected?, &errors.map(|finding| finding.rule).collect());
    let Some(name) = case.optional("mesh")? else { return Ok(()) };
    let Some(meshes) = case.root().optional("meshes")? else { return Ok(()) };
    for mesh in meshes.elements()? {
        if mesh.field("id")?.text()? == name.text()? {
            match &report.dump {
                Some(dump) => expected_mesh(&mesh.field("expect")?, dump, comparison)?,
                None => comparison.check("dump", &"one", &"none"),
            }
        }
    }
    Ok(())
}

/// Compares the first workgroup of a dump with what a case expects of it.
fn expected_mesh(
    expect: &Json<'_>,
    dump: &Dump,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let reader = match Reader::new(dump, Limits::Driver) {
        Ok(reader) => reader,
        Err(error) => {
            comparison.check("state", &"none", &error.id());
            return Ok(());
        }
    };
    let Some(workgroup) = dump.workgroups.first() else {
        comparison.check("workgroups", &"one", &"none");
        return Ok(());
    };
    let view = WorkgroupView::new(&reader, workgroup);
    let primitives = 0..view.primitive_count();
    let (culled, kept): (Vec<u32>, Vec<u32>) = primitives.partition(|p| view.is_culled(*p));
    if let Some(count) = expect.optional("primitive_count")? {
        comparison.check("primitive_count", &Some(count.number()?), &view.stored_count());
    }
    if let Some(count) = expect.optional("vertex_count")? {
        comparison.check("vertex_count", &count.number()?, &view.vertex_count());
    }
    for name in ["triangles", "lines", "points", "primitives"] {
        if let Some(expected) = expect.optional(name)? {
            let got: Vec<Vec<u8>> = kept.iter().map(|p| view.primitive(*p).collect()).collect();
            comparison.check(name, &numbers(&expected)?, &got);
        }
    }
    if let Some(expected) = expect.optional("culled")? {
        let expected: Result<Vec<u32>, _> = expected.elements()?.iter().map(Json::number).collect();
        comparison.check("culled", &expected?, &culled);
    }
    if let Some(expected) = expect.optional("positions")? {
        let got: Vec<Vec<u32>> = (0..view.vertex_count()).map(|v| position(&view, v)).collect();
        let expected: Result<Vec<Vec<u32>>, VectorError> = expected
            .elements()?
            .iter()
            .map(|position| position.elements()?.iter().map(Json::hex).collect())
            .collect();
        comparison.check("positions", &expected?, &got);
    }
    Ok(())
}

/// The components of POSITION that are active.
fn position(view: &WorkgroupView<'_>, vertex: u32) -> Vec<u32> {
    let first = AttributeId::POSITION_X.value();
    let ids = (0..4).filter_map(|component| AttributeId::new(first + 4 * component));
    ids.filter_map(|id| view.vertex(id, vertex)).collect()
}

fn numbers(lists: &Json<'_>) -> Result<Vec<Vec<u8>>, VectorError> {
    let list = |list: &Json<'_>| list.elements()?.iter().map(Json::number).collect();
    lists.elements()?.iter().map(list).collect()
}
