//! Every triangle against every ray, with the hardware's own arithmetic and without a box.

use super::ground::TilesGround;
use crate::instruction::Verdict;
use crate::instruction::tri::{TriOptions, tri};
use crate::numeric::Rounding;
use crate::offload::walk::WalkHit;
use machine::{BudgetExhausted, Counters, Hit, HitKind, Machine, RayQuery};

/// The truth for machines of this hardware.
#[derive(Debug, Clone, Copy)]
pub struct BruteForce<'a> {
    ground: TilesGround<'a>,
}

impl<'a> BruteForce<'a> {
    /// Over an image.
    #[must_use]
    pub fn new(ground: TilesGround<'a>) -> Self {
        Self { ground }
    }
}

impl Machine for BruteForce<'_> {
    fn name(&self) -> &'static str {
        "xphmg-brute-force"
    }

    fn answer(
        &self,
        query: &RayQuery,
        hits: &mut Vec<Hit>,
        counters: &mut Counters,
    ) -> Result<(), BudgetExhausted> {
        hits.clear();
        counters.queries += 1;
        if !query.is_answerable() {
            return Ok(());
        }
        let ray = self.ground.ray(query);
        let options = TriOptions {
            rounding: Rounding::Rne,
            cull_back: false,
            epsilon: 0.0,
            watertight: true,
        };
        let contents = self.ground.contents();
        let mut found: Vec<WalkHit> = Vec::new();
        for primitive in 0..contents.header.triangles {
            counters.triangle_tests += 1;
            let vertices = contents.triangle(primitive).vertices.map(|vertex| vertex.to_array());
            let verdict = tri(&ray, vertices, &options);
            if let Verdict::Hit(values) = verdict.verdict {
                let hit = WalkHit { values, primitive, leaf: 0, back: verdict.back };
                found.extend(TilesGround::sees(query, &hit).then_some(hit));
            }
        }
        found.sort_by(|a, b| {
            let order = a.values[0].partial_cmp(&b.values[0]).unwrap_or(std::cmp::Ordering::Equal);
            order.then(a.primitive.cmp(&b.primitive))
        });
        if query.kind != HitKind::All {
            found.truncate(1);
        }
        hits.extend(found.iter().map(|hit| self.ground.hit(hit)));
        Ok(())
    }
}
