//! Figures over time, in a bounded number of samples: when there are too many, every second one is
//! dropped and the interval doubles.

use std::ops::AddAssign;

/// The machine at one time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sample {
    /// The cycle.
    pub cycle: u64,
    /// Slots in use.
    pub slots: u64,
    /// Slots that wait for memory.
    pub fetching: u64,
    /// Traversal units that hold a block.
    pub units: u64,
    /// Entries of result queues.
    pub results: u64,
    /// Queries finished so far.
    pub finished: u64,
    /// Bytes that came into L0s so far.
    pub bytes: u64,
    /// Box tests issued so far.
    pub tests: u64,
}

impl AddAssign for Sample {
    /// Adds what another part is at the same time.
    fn add_assign(&mut self, other: Self) {
        self.slots += other.slots;
        self.fetching += other.fetching;
        self.units += other.units;
        self.results += other.results;
        self.finished += other.finished;
        self.bytes += other.bytes;
        self.tests += other.tests;
    }
}

/// Samples at equal intervals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    /// Cycles between samples.
    pub interval: u64,
    /// The samples.
    pub samples: Vec<Sample>,
}

/// Most samples of a series.
const MOST: usize = 2048;

impl Series {
    pub(crate) fn new(interval: u64) -> Self {
        Self { interval: interval.max(1), samples: Vec::new() }
    }

    /// The next cycle to be sampled.
    pub(crate) fn next(&self) -> u64 {
        self.samples.len() as u64 * self.interval
    }

    pub(crate) fn add(&mut self, sample: Sample) {
        self.samples.push(Sample { cycle: self.next(), ..sample });
        if self.samples.len() >= MOST {
            self.thin();
        }
    }

    fn thin(&mut self) {
        let mut index = 0;
        self.samples.retain(|_| {
            index += 1;
            index % 2 == 1
        });
        self.interval *= 2;
    }

    /// The sum of series of parts that ran at the same time.
    pub(crate) fn sum(mut parts: Vec<Self>) -> Self {
        let interval = parts.iter().map(|part| part.interval).max().unwrap_or(1);
        for part in &mut parts {
            while part.interval < interval {
                part.thin();
            }
        }
        let len = parts.iter().map(|part| part.samples.len()).max().unwrap_or(0);
        let mut sum = Self::new(interval);
        for index in 0..len {
            let mut total = Sample { cycle: index as u64 * interval, ..Sample::default() };
            for part in &parts {
                let Some(last) = part.samples.last() else { continue };
                // A part that has ended is empty; what it had finished stays finished.
                let ended = Sample { slots: 0, fetching: 0, units: 0, results: 0, ..*last };
                total += *part.samples.get(index).unwrap_or(&ended);
            }
            sum.samples.push(total);
        }
        sum
    }

    /// As CSV, with a header.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut csv = String::from("cycle,slots,fetching,units,results,finished,bytes,tests\n");
        for sample in &self.samples {
            let Sample { cycle, slots, fetching, units, results, finished, bytes, tests } = sample;
            csv += &format!(
                "{cycle},{slots},{fetching},{units},{results},{finished},{bytes},{tests}\n"
            );
        }
        csv
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_bounded_and_evenly_spaced() {
        let mut series = Series::new(10);
        for n in 0..5000 {
            series.add(Sample { finished: n, ..Sample::default() });
        }
        assert!(series.samples.len() < MOST && series.interval > 10);
        let cycles: Vec<u64> = series.samples.iter().map(|sample| sample.cycle).collect();
        assert!(cycles.windows(2).all(|pair| pair[1] - pair[0] == series.interval));
    }
}
