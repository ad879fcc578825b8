//! One beam and what is asked of it.

use super::visit::Visit;
use super::walk::Beams;
use machine::{BeamQuery, BeamShape, Counters, Hit, HitKind, LeafRule};

/// A question about one beam, sphere or frustum, to be refined. Made by [`crate::Tracer::beam`] and
/// [`crate::Tracer::shape`].
#[derive(Debug, Clone, Copy)]
pub struct BeamAsk<'a> {
    beams: Beams<'a>,
    query: BeamQuery,
}

impl<'a> BeamAsk<'a> {
    pub(crate) fn new(beams: Beams<'a>, shape: BeamShape) -> Self {
        Self { beams, query: BeamQuery::new(HitKind::All, shape) }
    }

    /// Tests primitives themselves, exactly, instead of their boxes (B-11).
    #[must_use]
    pub fn exact(mut self) -> Self {
        self.query.shape.leaf = LeafRule::Exact;
        self
    }

    /// Only instances whose mask shares a bit with this one are seen. 0 sees nothing.
    #[must_use]
    pub fn mask(mut self, mask: u8) -> Self {
        self.query.mask = mask;
        self
    }

    /// Whether it meets anything.
    #[must_use]
    pub fn any(&self) -> bool {
        let mut is_met = false;
        self.visit(|_| {
            is_met = true;
            Visit::Stop
        });
        is_met
    }

    /// What it meets first: the smallest `(t, instance, geometry, primitive)`.
    #[must_use]
    pub fn first(&self) -> Option<Hit> {
        let query = BeamQuery { kind: HitKind::Closest, ..self.query };
        let mut hits = Vec::new();
        self.beams.answer(&query, &mut hits, &mut Counters::default());
        hits.pop()
    }

    /// Everything that it meets, each primitive once, in the order of [`Hit::total_cmp`], into
    /// `hits`, which is cleared first.
    pub fn collect(&self, hits: &mut Vec<Hit>) {
        self.beams.answer(&self.query, hits, &mut Counters::default());
    }

    /// Shows every primitive that it meets, in no order, and a triangle that splits have cut
    /// perhaps several times, until the visitor has enough.
    pub fn visit(&self, mut visitor: impl FnMut(&Hit) -> Visit) {
        let counters = &mut Counters::default();
        self.beams.visit(&self.query, counters, &mut visitor);
    }
}
