//! Hits by the names of the scene, where instances were flattened into one level.

use super::tiles_image::TilesImage;
use machine::{BudgetExhausted, Counters, Hit, Machine, RayQuery};

/// A machine over a flattened image whose hits name instances again. The order of hits stays: triangles lie
/// in the order of their names.
pub struct SceneNames<'a> {
    machine: Box<dyn Machine + 'a>,
    tiles: TilesImage<'a>,
}

impl<'a> SceneNames<'a> {
    /// Names the hits of `machine`.
    #[must_use]
    pub fn new(machine: Box<dyn Machine + 'a>, tiles: TilesImage<'a>) -> Self {
        Self { machine, tiles }
    }
}

impl Machine for SceneNames<'_> {
    fn name(&self) -> &'static str {
        self.machine.name()
    }

    fn answer(
        &self,
        query: &RayQuery,
        hits: &mut Vec<Hit>,
        counters: &mut Counters,
    ) -> Result<(), BudgetExhausted> {
        self.machine.answer(query, hits, counters)?;
        if self.tiles.contents().header.flattened {
            for hit in hits {
                let name = self.tiles.contents().name(hit.primitive);
                hit.instance = name.instance;
                hit.geometry = name.geometry;
                hit.primitive = name.primitive;
            }
        }
        Ok(())
    }
}
