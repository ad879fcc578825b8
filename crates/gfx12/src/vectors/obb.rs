//! Cases of the rotation table: `matrices`, each with `index` and `rows` of f32 patterns.

use super::place::{Place, VectorError};
use super::{VectorReport, hex};
use crate::obb::rotation;
use serde_json::Value;

/// What a file may hold.
pub(super) const SECTIONS: &[&str] = &["matrices"];

/// Compares every matrix of a `gfx12-obb` file with the table.
pub(super) fn run(root: &Place<'_>) -> Result<VectorReport, VectorError> {
    let mut report = VectorReport::default();
    let Some(matrices) = root.optional("matrices")? else { return Ok(report) };
    for (position, matrix) in matrices.elements()?.iter().enumerate() {
        let index = match matrix.optional("index")? {
            Some(index) => index.number(u64::from(u8::MAX))? as u8,
            None => position.min(255) as u8,
        };
        let Some(rows) = matrix.optional("rows")? else { continue };
        let mut expected = [[0; 3]; 3];
        for (row, place) in expected.iter_mut().zip(rows.exactly::<3>()?) {
            *row = place.words()?;
        }
        let got = rotation(index)
            .map(|rotation| rotation.rows.map(|[x, y, z, _]| [x, y, z].map(f32::to_bits)));
        let name = format!("matrix {index}");
        report.record(name, spell(&expected), got.as_ref().map_or(Value::Null, spell));
    }
    Ok(report)
}

fn spell(rows: &[[u32; 3]; 3]) -> Value {
    rows.iter().map(|row| row.iter().map(|&word| hex(word)).collect::<Value>()).collect()
}
