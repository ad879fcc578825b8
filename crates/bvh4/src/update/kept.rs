//! What an update keeps, byte by byte, in any format.

use super::{Pair, Rule};
use machine::Findings;

/// The comparison of two images under way.
#[derive(Debug)]
pub struct Kept<'a, 'm> {
    /// The images.
    pub pair: &'a Pair<'m>,
    /// What was found.
    pub findings: &'a mut Findings<Rule>,
    /// Whether some vertex, plane or instance moved.
    pub moved: bool,
    /// Bytes of each segment that are looked at by node, header or table.
    claimed: Vec<Vec<bool>>,
}

impl<'a, 'm> Kept<'a, 'm> {
    /// Nothing has been compared yet.
    pub fn new(pair: &'a Pair<'m>, findings: &'a mut Findings<Rule>) -> Self {
        let segments = pair.old.segments().iter();
        let claimed = segments.map(|segment| vec![false; segment.bytes().len()]).collect();
        Self { pair, findings, moved: false, claimed }
    }

    /// These bytes are looked at by somebody who knows what they are.
    pub fn claim(&mut self, address: u64, bytes: u64) {
        let Some(number) = self.pair.old.segment_of(address) else { return };
        let start = (address - self.pair.old.segments()[number].address) as usize;
        let end = (start + bytes as usize).min(self.claimed[number].len());
        self.claimed[number][start..end].fill(true);
    }

    /// A structure that holds nothing is not written at all.
    pub fn empty(&mut self, base: u64) {
        let Some(number) = self.pair.old.segment_of(base) else { return };
        let segment = &self.pair.old.segments()[number];
        // Other structures may lie beside one of RADV's.
        let header = self.pair.old.radv_header(base);
        let [start, bytes] = match header {
            Some(it) => [base - u64::from(it.bvh_offset), it.compacted_size],
            None => [segment.address, segment.bytes().len() as u64],
        };
        let old = self.pair.old.get(start, bytes as usize);
        let new = self.pair.place(start).and_then(|at| self.pair.new.get(at, bytes as usize));
        if old.is_none() || new != old {
            let offset = self.pair.offset(start);
            let place = format!("the structure at address {base:#x}");
            self.findings.add(Rule::Empty, offset, 0..0, place, "other bytes", "those of before");
        }
    }

    /// Bytes that nobody claimed are as before.
    pub fn others(&mut self) {
        for (number, segment) in self.pair.old.segments().iter().enumerate() {
            let new = self.pair.new.segments().get(number).map_or(&[][..], |it| it.bytes());
            let (start, old) = (segment.address, segment.bytes());
            let place = format!("segment {number}");
            if new.len() != old.len() {
                let (found, expected) =
                    (format!("{} bytes", new.len()), format!("{} bytes", old.len()));
                let offset = self.pair.offset(start);
                self.findings.add(Rule::Size, offset, 0..0, place.clone(), found, expected);
            }
            let claimed = &self.claimed[number];
            let changed = (0..old.len().min(new.len()))
                .filter(|&at| !claimed[at] && old[at] != new[at])
                .collect::<Vec<_>>();
            for run in changed.chunk_by(|a, b| a + 1 == *b) {
                let found = format!("{} other bytes", run.len());
                let offset = self.pair.offset(start + run[0] as u64);
                let expected = "the bytes of before";
                self.findings.add(Rule::Bytes, offset, 0..8, place.clone(), found, expected);
            }
        }
    }
}
