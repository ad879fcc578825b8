//! Cases of the rotation table: `matrices`, each with `index` and `rows` of f32 patterns.

use crate::obb::rotation;
use vectors::{Case, Comparison, VectorError};

/// A matrix against that of the table.
pub(super) fn matrix(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let index = match case.tested("index")? {
        Some(index) => index.integer()?,
        None => case.position().min(255) as u8,
    };
    let Some(rows) = case.tested("rows")? else { return Ok(()) };
    let mut expected = [[0; 3]; 3];
    for (row, json) in expected.iter_mut().zip(rows.exactly::<3>()?) {
        *row = json.integers()?;
    }
    let got = rotation(index)
        .map(|rotation| rotation.rows.map(|[x, y, z, _]| [x, y, z].map(f32::to_bits)));
    comparison.check(&format!("matrix {index}"), &Some(expected), &got);
    Ok(())
}
