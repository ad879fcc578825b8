//! The kernel that emits a meshlet: indices to MAP, attributes to ATTR with SKEW, notes to shared
//! memory without.

use super::Mesh;
use super::split::Meshlet;
use crate::kernel::MeshKernel;
use crate::limits::{LANES, LINE_BYTES};
use crate::memory::{Access, Region, Size};
use crate::warp::{LaneFault, LaneMask, Warp, lanes};
use crate::{Area, layout::Layout};

/// One meshlet of a mesh, with the words to leave in shared memory.
pub(super) struct EmitMeshlet<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) meshlet: &'a Meshlet,
    pub(super) notes: &'a [u32],
}

const INDEX: Access = Access { output: true, region: Region::Map, skew: false, size: Size::B8 };
const SKEWED: Access = Access { output: true, region: Region::Attr, skew: true, size: Size::B32 };
const FLAT: Access = Access { output: true, region: Region::Attr, skew: false, size: Size::B32 };

impl MeshKernel for EmitMeshlet<'_> {
    fn run(&self, warp: &mut Warp) -> Result<(), LaneFault> {
        let Meshlet { vertices, triangles, corners } = self.meshlet;
        let Layout { vertices: vertex_area, primitives: primitive_area } =
            warp.output_layout.clone();
        warp.set_primitive_count(triangles.len() as u32)?;
        store(warp, INDEX, 4, 1, corners.as_flattened())?;
        attributes(warp, &vertex_area, vertices, |vertex| self.mesh.vertices.row(vertex))?;
        attributes(warp, &primitive_area, triangles, |t| self.mesh.primitives.row(t))?;
        store(warp, FLAT, warp.output_layout.shared_base(), 4, self.notes)
    }
}

/// Stores the attributes of elements, 32 elements and one attribute at a time.
fn attributes<'m>(
    warp: &mut Warp,
    area: &Area,
    elements: &[u32],
    row: impl Fn(usize) -> &'m [u32],
) -> Result<(), LaneFault> {
    for (group, elements) in elements.chunks(LANES).enumerate() {
        let base = area.element_base((LANES * group) as u32);
        let mask = LaneMask::first(elements.len());
        for column in 0..area.ids().len() {
            let line = base + LINE_BYTES * column as u32;
            let mut values = [0; LANES];
            for (value, element) in values.iter_mut().zip(elements) {
                *value = row(*element as usize)[column];
            }
            warp.isbewr(SKEWED, &lanes(|lane| line + 4 * lane), &values, mask)?;
        }
    }
    Ok(())
}

/// Stores values one behind the other, 32 at a time.
fn store<T: Copy + Into<u32>>(
    warp: &mut Warp,
    access: Access,
    base: u32,
    stride: u32,
    values: &[T],
) -> Result<(), LaneFault> {
    for (number, chunk) in values.chunks(LANES).enumerate() {
        let first = base + stride * (LANES * number) as u32;
        let mut word = [0; LANES];
        word.iter_mut().zip(chunk).for_each(|(word, value)| *word = (*value).into());
        let addresses = lanes(|lane| first + stride * lane);
        warp.isbewr(access, &addresses, &word, LaneMask::first(chunk.len()))?;
    }
    Ok(())
}
