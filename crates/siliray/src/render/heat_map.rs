//! What a heat map counts, and its colours.
//!
//! Dark is little work, bright is much. The ramp runs from dark blue through green to yellow with
//! steadily rising lightness, as viridis does, so it keeps its order in grey and for colour-blind
//! eyes. [`HeatMap::with_legend`] puts the ramp and its numbers below the picture,
//! [`HeatMap::rescaled`] gives several maps the same scale, [`HeatMap::to_npy`] gives the counts
//! themselves.

use super::rows::Rows;
use super::{Picture, RenderError, Rendering, legend};
use machine::{Answer, Counters, HitKind, Machine, MachineEntry, Query, Unwatched};
use rayon::prelude::*;
use scene::Camera;

/// What a heat map counts for each pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Boxes tested.
    Boxes,
    /// Triangles tested.
    Triangles,
    /// Inner nodes whose children were tested.
    Nodes,
    /// Blocks fetched and tested, by the traversal unit.
    Blocks,
    /// Bytes fetched from memory; the hart does not say what it reads.
    Bytes,
    /// Cycles from the question to the answer, of the traversal unit.
    Cycles,
}

/// A machine does not count what a heat map should show.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the machine {machine} counts no {}, expected {expected}", .measure.name())]
pub struct NotCounted {
    /// The machine.
    pub machine: &'static str,
    /// What was asked for.
    pub measure: Measure,
    /// What it counts.
    pub expected: String,
}

/// What heat maps of a machine can count.
pub fn measures(machine: &MachineEntry) -> impl Iterator<Item = Measure> {
    Measure::ALL.into_iter().filter(|measure| match measure {
        Measure::Blocks | Measure::Cycles => machine.name == ttu::ttu_machine::NAME,
        Measure::Bytes => machine.name != riscv::machine::NAME,
        Measure::Boxes | Measure::Triangles | Measure::Nodes => true,
    })
}

impl Measure {
    /// Every measure.
    pub const ALL: [Self; 6] =
        [Self::Boxes, Self::Triangles, Self::Nodes, Self::Blocks, Self::Bytes, Self::Cycles];

    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Boxes => "boxes",
            Self::Triangles => "triangles",
            Self::Nodes => "nodes",
            Self::Blocks => "blocks",
            Self::Bytes => "bytes",
            Self::Cycles => "cycles",
        }
    }

    /// Refuses a measure that heat maps of a machine would show as nothing but zeros.
    ///
    /// # Errors
    /// What there is instead.
    pub fn counted_by(self, machine: &MachineEntry) -> Result<Self, NotCounted> {
        if measures(machine).any(|counted| counted == self) {
            return Ok(self);
        }
        let expected = measures(machine).map(Self::name).collect::<Vec<_>>().join(", ");
        Err(NotCounted { machine: machine.name, measure: self, expected })
    }

    /// The value of the counter.
    #[must_use]
    pub const fn of(self, counters: &Counters) -> u64 {
        match self {
            Self::Boxes => counters.box_tests,
            Self::Triangles => counters.triangle_tests,
            Self::Nodes => counters.nodes,
            Self::Blocks => counters.blocks,
            Self::Bytes => counters.bytes,
            Self::Cycles => counters.cycles,
        }
    }
}

/// Steps of a histogram from 0 to the brightest count.
pub const HISTOGRAM_STEPS: usize = 48;

/// The scale of a heat map's colours and the distribution of what was counted.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// What was counted.
    pub measure: Measure,
    /// The count that has the brightest colour; larger counts have it too.
    pub brightest: u64,
    /// Smallest count of a pixel.
    pub least: u64,
    /// Mean over the pixels.
    pub mean: f64,
    /// The count that half of the pixels do not exceed.
    pub median: u64,
    /// The count that 99 of 100 pixels do not exceed.
    pub percentile_99: u64,
    /// Largest count of a pixel.
    pub most: u64,
    /// How many pixels have a count in each of [`HISTOGRAM_STEPS`] equal steps from 0 to
    /// `brightest`; the last one also holds what is beyond.
    pub histogram: Vec<u64>,
    /// The size of the map in pixels, width first.
    pub size: [u32; 2],
    /// The count of each pixel, rows from the top.
    pub counts: Vec<u32>,
}

impl HeatMap {
    /// The map of `counts`, which are at least one, on the scale that shows it well.
    fn new(measure: Measure, size: [u32; 2], counts: Vec<u32>) -> Self {
        let mut sorted = counts.clone();
        sorted.par_sort_unstable();
        let at =
            |share: f64| u64::from(sorted[((sorted.len() - 1) as f64 * share).round() as usize]);
        let sum: u64 = sorted.iter().map(|&count| u64::from(count)).sum();
        let map = Self {
            measure,
            brightest: 0,
            least: at(0.0),
            mean: sum as f64 / sorted.len() as f64,
            median: at(0.5),
            percentile_99: at(0.99),
            most: at(1.0),
            histogram: Vec::new(),
            size,
            counts,
        };
        map.rescaled(round_up(at(0.998)))
    }

    /// The same map on a scale that ends with `brightest`, which is at least one.
    #[must_use]
    pub fn rescaled(self, brightest: u64) -> Self {
        let brightest = brightest.max(1);
        let mut histogram = vec![0; HISTOGRAM_STEPS];
        for &count in &self.counts {
            let step = u128::from(count) * HISTOGRAM_STEPS as u128 / u128::from(brightest);
            histogram[(step as usize).min(HISTOGRAM_STEPS - 1)] += 1;
        }
        Self { brightest, histogram, ..self }
    }

    /// The map as a picture.
    #[must_use]
    pub fn picture(&self) -> Picture {
        let [width, height] = self.size;
        let brightest = self.brightest as f32;
        let pixels = self.counts.par_iter().map(|&count| colour(count as f32 / brightest));
        Picture { width, height, pixels: pixels.collect() }
    }

    /// The map as a picture, with a legend below.
    #[must_use]
    pub fn with_legend(&self) -> Picture {
        legend::below(self.picture(), self)
    }

    /// The counts as the bytes of a `.npy` file of NumPy: unsigned integers of 32 bits, an axis of
    /// rows and one of columns.
    #[must_use]
    pub fn to_npy(&self) -> Vec<u8> {
        let [width, height] = self.size;
        let mut header =
            format!("{{'descr': '<u4', 'fortran_order': False, 'shape': ({height}, {width}), }}");
        // The format asks for a header that ends with a line and fills up 64 bytes.
        let padding = 63 - (10 + header.len()) % 64;
        header.extend(std::iter::repeat_n(' ', padding));
        header.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(self.counts.iter().flat_map(|count| count.to_le_bytes()));
        bytes
    }
}

/// Equally spaced points of the ramp, in sRGB.
const RAMP: [[u8; 3]; 9] = [
    [22, 11, 57],
    [46, 36, 110],
    [42, 74, 140],
    [28, 109, 146],
    [20, 143, 139],
    [52, 176, 117],
    [124, 203, 77],
    [205, 222, 60],
    [253, 240, 150],
];

/// The colour of a value from 0 to 1; NaN counts as 0.
#[must_use]
pub fn colour(value: f32) -> [u8; 3] {
    let value = if value > 0.0 { value.min(1.0) } else { 0.0 };
    let place = value * (RAMP.len() - 1) as f32;
    let left = (place as usize).min(RAMP.len() - 2);
    let share = place - left as f32;
    std::array::from_fn(|channel| {
        let (a, b) = (f32::from(RAMP[left][channel]), f32::from(RAMP[left + 1][channel]));
        (a + (b - a) * share).round() as u8
    })
}

/// Renders the heat map of closest queries through the middles of pixels.
pub(crate) fn render(
    machine: &dyn Machine,
    camera: &Camera,
    width: u32,
    rows: &Rows<'_>,
    measure: Measure,
) -> Result<Rendering, RenderError> {
    let size = [width, rows.height()];
    let mut counts = vec![0u32; width as usize * rows.height() as usize];
    let counters = count(machine, camera, size, rows, measure, &mut counts)?;
    let heat_map = HeatMap::new(measure, size, counts);
    let (picture, warnings) = (heat_map.picture(), Vec::new());
    Ok(Rendering { picture, counters, heat_map: Some(heat_map), warnings })
}

/// Counts rows of a map of that size.
pub(super) fn count(
    machine: &dyn Machine,
    camera: &Camera,
    [width, height]: [u32; 2],
    rows: &Rows<'_>,
    measure: Measure,
    counts: &mut [u32],
) -> Result<Counters, RenderError> {
    rows.fill(counts, width, |y, row, sum| {
        let mut answer = Answer::default();
        for (x, count) in (0..).zip(row) {
            let ray = camera.ray(x as f32 + 0.5, y as f32 + 0.5, width, height);
            // The figures of the walk that an observer sees: kernels have others.
            answer.counters = Counters::default();
            machine.watch(&Query::ray(HitKind::Closest, ray), &mut answer, &mut Unwatched)?;
            *count = u32::try_from(measure.of(&answer.counters)).unwrap_or(u32::MAX);
            *sum += answer.counters;
        }
        Ok(())
    })
}

/// The next number that reads well on a scale: 1, 2, 3, 4, 5, 6 or 8 times a power of ten.
fn round_up(count: u64) -> u64 {
    let mut power = 1u64;
    loop {
        let fitting = [1, 2, 3, 4, 5, 6, 8].into_iter().map(|step| step * power);
        if let Some(fit) = fitting.into_iter().find(|&fit| fit >= count) {
            return fit;
        }
        power *= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance by the standard's weights.
    fn luminance(pixel: [u8; 3]) -> f32 {
        let linear = pixel.map(|x| (f32::from(x) / 255.0).powf(2.2));
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    #[test]
    fn lightness_rises_steadily() {
        let lightness: Vec<f32> =
            (0..=64).map(|i| luminance(colour(i as f32 / 64.0)).cbrt()).collect();
        let steps: Vec<f32> = lightness.windows(2).map(|w| w[1] - w[0]).collect();
        let mean = steps.iter().sum::<f32>() / steps.len() as f32;
        assert!(steps.iter().all(|&s| s > 0.3 * mean && s < 2.0 * mean), "{steps:?}");
    }

    #[test]
    fn values_outside_have_the_end_colours() {
        assert_eq!(colour(-1.0), RAMP[0]);
        assert_eq!(colour(7.0), RAMP[8]);
        assert_eq!(colour(f32::NAN), RAMP[0]);
    }

    #[test]
    fn the_scale_describes_the_counts() {
        let counts: Vec<u32> = (0..=1000).rev().collect();
        let map = HeatMap::new(Measure::Nodes, [143, 7], counts);
        assert_eq!((map.least, map.median, map.most), (0, 500, 1000));
        assert_eq!((map.percentile_99, map.brightest), (990, 1000));
        assert_eq!(map.mean, 500.0);
        assert_eq!(map.histogram.iter().sum::<u64>(), 1001);
        assert_eq!((map.histogram[0], map.histogram[47]), (21, 21));
        assert_eq!([0, 1, 7, 61, 99, 2001].map(round_up), [1, 1, 8, 80, 100, 3000]);
        // A fixed scale: what is beyond has the brightest colour.
        let map = map.rescaled(100);
        assert_eq!((map.brightest, map.most, map.histogram[47]), (100, 1000, 903));
        assert_eq!(map.picture().pixels[..901], [RAMP[8]; 901]);
        assert_eq!(map.picture().pixels[1000], RAMP[0]);
    }

    #[test]
    fn numpy_reads_rows_and_columns() {
        let map = HeatMap::new(Measure::Nodes, [3, 2], vec![1, 2, 3, 4, 5, 70_000]);
        let bytes = map.to_npy();
        assert_eq!(bytes.len(), 128 + 24);
        assert_eq!(bytes[..10], *b"\x93NUMPY\x01\x00\x76\x00");
        let header = "{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3), }";
        assert!(bytes[10..].starts_with(header.as_bytes()) && bytes[127] == b'\n');
        assert_eq!(bytes[148..], 70_000u32.to_le_bytes());
    }
}
