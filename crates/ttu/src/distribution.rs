//! How often each value occurred.

use std::collections::BTreeMap;

/// Counts by value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Distribution {
    counts: BTreeMap<u64, u64>,
    total: u64,
}

impl Distribution {
    /// Counts one value.
    pub(crate) fn add(&mut self, value: u64) {
        self.add_many(value, 1);
    }

    /// Counts a value several times.
    pub(crate) fn add_many(&mut self, value: u64, times: u64) {
        if times > 0 {
            *self.counts.entry(value).or_insert(0) += times;
            self.total += times;
        }
    }

    /// Adds what another one counted.
    pub(crate) fn merge(&mut self, other: &Self) {
        other.counts.iter().for_each(|(&value, &times)| self.add_many(value, times));
    }

    /// How many values were counted.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The value that `share` of all do not exceed; 0 if nothing was counted.
    #[must_use]
    pub fn percentile(&self, share: f64) -> u64 {
        let wanted = (share * self.total as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        let reached = self.counts.iter().find(|(_, times)| {
            seen += **times;
            seen >= wanted
        });
        reached.map_or(0, |(&value, _)| value)
    }

    /// The mean; 0 if nothing was counted.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.counts.iter().map(|(&value, &times)| value as f64 * times as f64).sum();
        if self.total == 0 { 0.0 } else { sum / self.total as f64 }
    }

    /// The largest value; 0 if nothing was counted.
    #[must_use]
    pub fn max(&self) -> u64 {
        self.counts.last_key_value().map_or(0, |(&value, _)| value)
    }

    /// Every value with its count, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.counts.iter().map(|(&value, &times)| (value, times))
    }

    /// Counts in `steps` equal steps from 0 to the largest value.
    #[must_use]
    pub fn histogram(&self, steps: usize) -> Vec<u64> {
        let mut histogram = vec![0; steps.max(1)];
        let width = (self.max() + 1).div_ceil(steps.max(1) as u64).max(1);
        for (value, times) in self.iter() {
            histogram[(value / width) as usize] += times;
        }
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let mut counted = Distribution::default();
        [7, 1, 3, 3, 9].iter().for_each(|&value| counted.add(value));
        assert_eq!([0.0, 0.5, 0.6, 0.95].map(|share| counted.percentile(share)), [1, 3, 3, 9]);
        assert_eq!((counted.max(), counted.total(), counted.mean()), (9, 5, 4.6));
        assert_eq!(counted.histogram(5), [1, 2, 0, 1, 1]);
        assert_eq!(Distribution::default().percentile(0.5), 0);
    }
}
