//! A mesh kernel that makes a torus, run through the model and dumped.
//!
//! Each workgroup makes one tile of the surface: 8 by 8 vertices and 98 triangles, as a mesh shader
//! would, 32 lanes at a time. The kernel reads its number with ISBERD, and stores indices and
//! positions with ISBEWR. Neighbouring tiles compute the same positions along their common edge, so
//! the torus is closed.
//!
//! ```text
//! cargo run -p siliray-isbe --example torus -- torus.isbe
//! siliray render torus.isbe -o torus.png
//! ```

use isbe::kernel::{MeshKernel, run_workgroup};
use isbe::warp::{LaneFault, LaneMask, Warp, lanes};
use isbe::{Access, AttributeId, AttributeSet, Dump, Limits, Region, Size, Topology, UnitState};
use std::error::Error;
use std::f32::consts::TAU;

/// Tiles around the ring and around the tube.
const TILES: [u32; 2] = [24, 12];
/// Vertices along the side of a tile.
const SIDE: u32 = 8;

const VERTICES: u32 = SIDE * SIDE;
const TRIANGLES: u32 = 2 * (SIDE - 1) * (SIDE - 1);

const INDEX: Access = Access { output: true, region: Region::Map, skew: false, size: Size::B8 };
const WORD: Access = Access { output: true, region: Region::Attr, skew: true, size: Size::B32 };

struct Torus;

impl MeshKernel for Torus {
    fn run(&self, warp: &mut Warp) -> Result<(), LaneFault> {
        let number = warp.workgroup_number()?;
        warp.set_primitive_count(TRIANGLES)?;
        for first in (0..3 * TRIANGLES).step_by(32) {
            let left = (3 * TRIANGLES - first) as usize;
            let addresses = lanes(|lane| 4 + first + lane);
            let values = lanes(|lane| index((first + lane) % (3 * TRIANGLES)));
            warp.isbewr(INDEX, &addresses, &values, LaneMask::first(left))?;
        }
        // A group of 32 vertices has one line of 128 bytes for each of x, y, z and w.
        for group in 0..VERTICES / 32 {
            for component in 0..4 {
                let line = 128 * (4 * group + component);
                let value =
                    |lane| position(number, 32 * group + lane)[component as usize].to_bits();
                warp.isbewr(WORD, &lanes(|lane| line + 4 * lane), &lanes(value), LaneMask::ALL)?;
            }
        }
        Ok(())
    }
}

/// The vertex of a corner; two triangles fill each cell of the tile.
fn index(corner: u32) -> u32 {
    let (triangle, corner) = (corner / 3, corner % 3);
    let (cell, upper) = (triangle / 2, triangle % 2);
    let vertex = cell / (SIDE - 1) * SIDE + cell % (SIDE - 1);
    let offsets = [[0, 1, SIDE], [1, SIDE + 1, SIDE]];
    vertex + offsets[upper as usize][corner as usize]
}

/// The position of a vertex of a tile, in the world; its w is 1.
fn position(tile: u32, vertex: u32) -> [f32; 4] {
    let step = |tile: u32, vertex: u32, tiles: u32| {
        let steps = tiles * (SIDE - 1);
        TAU * ((tile * (SIDE - 1) + vertex) % steps) as f32 / steps as f32
    };
    let ring = step(tile % TILES[0], vertex % SIDE, TILES[0]);
    let tube = step(tile / TILES[0], vertex / SIDE, TILES[1]);
    let radius = 2.0 + 0.8 * tube.cos();
    [radius * ring.cos(), 0.8 * tube.sin(), radius * ring.sin(), 1.0]
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: torus FILE")?;
    let position: AttributeSet = AttributeId::parse_all("POSITION")?.into_iter().collect();
    let vertex = (position, VERTICES as u16);
    let primitive = (AttributeSet::default(), TRIANGLES as u16);
    let mut dump = Dump::new(UnitState::new(75, Topology::Triangles, vertex, primitive, 0));
    for number in 0..TILES[0] * TILES[1] {
        dump.workgroups.push(run_workgroup(&dump.state, Limits::Driver, number, &Torus)?);
    }
    std::fs::write(file, dump.to_bytes()?)?;
    Ok(())
}
