//! An order of clusters in which those with leaves of one box lie near each other.
//!
//! Clusters are the vertices of a graph, joined where they have leaves of the same box; the order
//! is that of Cuthill and McKee 1969, "Reducing the bandwidth of sparse symmetric matrices", from
//! an end of the graph that is found by walking it twice. It is smoothed: each cluster goes to the
//! mean place of the clusters that it is joined to, over and over, and the order with the smallest
//! widest gap is taken.

use super::ranges::Members;

/// How many times the order is smoothed.
const SMOOTHINGS: usize = 6;

/// The ranges of all clusters, lined up; `boxes` tells which box each range belongs to.
pub(super) fn line_up(clusters: &[Members], boxes: &[u32]) -> Vec<u32> {
    let graph = Graph::new(clusters, boxes);
    let mut order = graph.walked();
    let mut best = (graph.widest_gap(&order), order.clone());
    for _ in 0..SMOOTHINGS {
        order = graph.smoothed(&order);
        let gap = graph.widest_gap(&order);
        if gap < best.0 {
            best = (gap, order.clone());
        }
    }
    let mut ranges = Vec::with_capacity(boxes.len());
    for cluster in best.1 {
        let first = ranges.len();
        ranges.extend_from_slice(clusters[cluster as usize].as_slice());
        ranges[first..].sort_unstable();
    }
    ranges
}

/// Which clusters have leaves of the same boxes.
struct Graph {
    /// Boxes with their clusters, each once.
    of_boxes: Vec<(u32, u32)>,
    /// For each cluster, the others, with the fewest others of their own first.
    joined: Vec<Vec<u32>>,
}

impl Graph {
    fn new(clusters: &[Members], boxes: &[u32]) -> Self {
        let mut of_boxes: Vec<(u32, u32)> = Vec::with_capacity(boxes.len());
        for (cluster, members) in clusters.iter().enumerate() {
            let ranges = members.as_slice().iter();
            of_boxes.extend(ranges.map(|&range| (boxes[range as usize], cluster as u32)));
        }
        of_boxes.sort_unstable();
        of_boxes.dedup();
        let mut joined: Vec<Vec<u32>> = vec![Vec::new(); clusters.len()];
        for together in of_boxes.chunk_by(|a, b| a.0 == b.0) {
            for &(_, a) in together {
                joined[a as usize].extend(together.iter().map(|&(_, b)| b).filter(|&b| b != a));
            }
        }
        for others in &mut joined {
            others.sort_unstable();
            others.dedup();
        }
        let degrees: Vec<usize> = joined.iter().map(Vec::len).collect();
        for others in &mut joined {
            others.sort_by_key(|&other| (degrees[other as usize], other));
        }
        Self { of_boxes, joined }
    }

    /// The order of Cuthill and McKee.
    fn walked(&self) -> Vec<u32> {
        let mut is_placed = vec![false; self.joined.len()];
        let mut order = Vec::with_capacity(self.joined.len());
        for cluster in 0..self.joined.len() {
            if is_placed[cluster] {
                continue;
            }
            let mut start = cluster;
            for _ in 0..2 {
                let walked = self.walk(start, &mut is_placed.clone());
                start = walked.last().map_or(start, |&last| last as usize);
            }
            order.extend(self.walk(start, &mut is_placed));
        }
        order
    }

    /// Everything that can be reached, breadth first.
    fn walk(&self, start: usize, is_placed: &mut [bool]) -> Vec<u32> {
        let mut order = vec![start as u32];
        is_placed[start] = true;
        let mut next = 0;
        while next < order.len() {
            for &other in &self.joined[order[next] as usize] {
                if !is_placed[other as usize] {
                    is_placed[other as usize] = true;
                    order.push(other);
                }
            }
            next += 1;
        }
        order
    }

    fn smoothed(&self, order: &[u32]) -> Vec<u32> {
        let places = places(order);
        let mean = |cluster: u32| {
            let own = places[cluster as usize];
            let others = &self.joined[cluster as usize];
            let sum: u32 = others.iter().map(|&other| places[other as usize]).sum();
            (own + sum) as f32 / (1 + others.len()) as f32
        };
        let mut smoothed: Vec<(f32, u32)> =
            order.iter().map(|&cluster| (mean(cluster), cluster)).collect();
        // Stable: equals stay in order.
        smoothed.sort_by(|a, b| a.0.total_cmp(&b.0));
        smoothed.into_iter().map(|(_, cluster)| cluster).collect()
    }

    /// The most places between two clusters that follow each other in a box.
    fn widest_gap(&self, order: &[u32]) -> u32 {
        let places = places(order);
        let mut widest = 0;
        let mut own = Vec::new();
        for together in self.of_boxes.chunk_by(|a, b| a.0 == b.0) {
            own.clear();
            own.extend(together.iter().map(|&(_, cluster)| places[cluster as usize]));
            own.sort_unstable();
            let gaps = own.windows(2).map(|two| two[1] - two[0]);
            widest = widest.max(gaps.max().unwrap_or(0));
        }
        widest
    }
}

/// Where each cluster lies in an order.
fn places(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, &cluster) in order.iter().enumerate() {
        places[cluster as usize] = place as u32;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clusters on a grid, eight times as long as it is wide, each with a leaf of the box at each
    /// of its corners. Their numbers say nothing about where they lie.
    #[test]
    fn a_long_strip_is_lined_up_along_its_length() {
        let (width, length) = (6u32, 48u32);
        let count = width * length;
        let (mut clusters, mut boxes) = (Vec::new(), Vec::new());
        for number in 0..count {
            let place = number * 89 % count;
            let (x, y) = (place % width, place / width);
            let mut members = Members::default();
            for [dx, dy] in [[0, 0], [1, 0], [0, 1], [1, 1]] {
                members = members.with(boxes.len() as u32).unwrap();
                boxes.push((x + dx) + (y + dy) * (width + 1));
            }
            clusters.push(members);
        }
        let mut lined_up = line_up(&clusters, &boxes);
        let places: Vec<u32> = lined_up.iter().step_by(4).map(|range| range / 4).collect();
        let gap = Graph::new(&clusters, &boxes).widest_gap(&places);
        assert!(gap <= 2 * width, "{gap}");
        lined_up.sort_unstable();
        assert!(lined_up.into_iter().eq(0..4 * count));
    }
}
