//! Every triangle against every ray, with the hardware's own arithmetic and without a box.

use super::tiles_image::TilesImage;
use crate::instruction::Verdict;
use crate::instruction::tri::{TriOptions, tri};
use crate::numeric::Rounding;
use crate::offload::walk::WalkHit;
use machine::{Answer, Hit, HitKind, Machine, MachineError, Observer, Query};

/// The truth for machines of this hardware.
#[derive(Debug, Clone)]
pub struct BruteForce {
    tiles: TilesImage,
    by_narrowed: bool,
}

impl BruteForce {
    /// Over an image; hits are ordered by their FP32 `t`, as a job orders them.
    #[must_use]
    pub fn new(tiles: TilesImage) -> Self {
        Self { tiles, by_narrowed: false }
    }

    /// Over an image; hits are ordered by their narrowed `t`, which is all that a program sees.
    #[must_use]
    pub fn by_narrowed_t(tiles: TilesImage) -> Self {
        Self { tiles, by_narrowed: true }
    }
}

impl Machine for BruteForce {
    fn name(&self) -> &'static str {
        "xphmg-brute-force"
    }

    fn watch(
        &self,
        query: &Query,
        answer: &mut Answer,
        _: &mut dyn Observer,
    ) -> Result<(), MachineError> {
        let query = &query.as_ray(self.name())?;
        let Some((hits, counters)) = answer.begin(query) else { return Ok(()) };
        let options = TriOptions {
            rounding: Rounding::Rne,
            cull_back: false,
            epsilon: 0.0,
            watertight: true,
        };
        let contents = self.tiles.contents();
        let world = self.tiles.ray_record(query);
        let mut found: Vec<WalkHit> = Vec::new();
        for instance in 0..self.tiles.instance_count().unwrap_or(1) {
            let (level, record) = match self.tiles.instance_count() {
                None => (0, world),
                Some(_) => self.tiles.enter(instance, world),
            };
            let ray = self.tiles.ray(record);
            counters.instances += u64::from(level != 0);
            for primitive in contents.level_triangles(level) {
                counters.triangle_tests += 1;
                let vertices =
                    contents.triangle(primitive).vertices.map(|vertex| vertex.to_array());
                let verdict = tri(&ray, vertices, &options);
                if let Verdict::Hit(values) = verdict.verdict {
                    let back = verdict.back;
                    let hit = WalkHit { values, instance, primitive, leaf: 0, back };
                    found.extend(TilesImage::sees(query, &hit).then_some(hit));
                }
            }
        }
        let mut named: Vec<(f32, (u32, u32), Hit)> = found
            .iter()
            .map(|hit| {
                let reported = self.tiles.hit(hit);
                let key = if self.by_narrowed { reported.t } else { hit.values[0] };
                (key, (hit.instance, hit.primitive), reported)
            })
            .collect();
        named.sort_by(|a, b| {
            let order = a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal);
            order.then(a.1.cmp(&b.1))
        });
        if query.kind != HitKind::All {
            named.truncate(1);
        }
        hits.extend(named.into_iter().map(|(_, _, hit)| hit));
        Ok(())
    }
}
