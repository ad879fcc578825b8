//! Corners with the same bits become one vertex, numbered by first use.

use crate::error::ErrorKind;
use geometry::Vec3;
use hashbrown::HashTable;

/// Positions met so far, and where to find each again.
#[derive(Default)]
pub(super) struct Weld {
    positions: Vec<Vec3>,
    /// Numbers of positions, found by the bits of the position.
    numbers: HashTable<u32>,
}

impl Weld {
    /// Room for the vertices of a closed mesh, which has half as many as triangles.
    pub(super) fn for_triangles(count: usize) -> Self {
        let vertices = count / 2 + 3;
        let numbers = HashTable::with_capacity(vertices);
        Self { positions: Vec::with_capacity(vertices), numbers }
    }

    /// The vertex at a position.
    pub(super) fn vertex(&mut self, position: Vec3) -> Result<u32, ErrorKind> {
        let Self { positions, numbers } = self;
        let bits = bits(position);
        let same = |&number: &u32| self::bits(positions[number as usize]) == bits;
        if let Some(&number) = numbers.find(hash(bits), same) {
            return Ok(number);
        }
        let count = positions.len() as u64;
        let number = u32::try_from(count).map_err(|_| ErrorKind::TooMany {
            what: "vertices",
            count: count + 1,
            most: 1 << 32,
        })?;
        numbers.insert_unique(hash(bits), number, |&n| hash(self::bits(positions[n as usize])));
        positions.push(position);
        Ok(number)
    }

    pub(super) fn into_positions(self) -> Vec<Vec3> {
        self.positions
    }
}

fn bits(position: Vec3) -> [u32; 3] {
    position.to_array().map(f32::to_bits)
}

/// Multiply and fold, after wyhash (Wang Yi): all bits of the result depend on all coordinates.
fn hash([x, y, z]: [u32; 3]) -> u64 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product >> 64) as u64 ^ product as u64
    };
    let xy = u64::from(x) << 32 | u64::from(y);
    let first = fold(xy ^ 0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB);
    fold(first ^ u64::from(z), 0x8EBC_6AF0_9C88_C6E3)
}
