//! What a row says, and the columns that it has as text.

use crate::resume::Keyed;
use machine::Counters;
use serde::{Deserialize, Serialize};

/// What a row is about: rows with equal keys differ in their times alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowKey {
    /// The scene, by name.
    pub scene: String,
    /// Its triangles, each object counted once.
    pub triangles: u64,
    /// How its tree was built.
    pub preset: String,
    /// The format and its settings.
    pub format: String,
    /// The machine that walked.
    pub machine: String,
    /// How many rays of each kind it was asked.
    pub rays: u64,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What it is about.
    #[serde(flatten)]
    pub key: RowKey,
    /// Bytes of the image for each triangle of the scene.
    pub bytes_per_triangle: BytesPerTriangle,
    /// Bytes of the image.
    pub bytes: u64,
    /// Bytes of its file.
    pub file_bytes: u64,
    /// Cost by the surface-area heuristic of the tree that the image decodes to.
    pub sah_cost: f64,
    /// Rays from the camera: the closest hit.
    pub primary: Work,
    /// Short rays from what the camera sees: any hit.
    pub occlusion: Work,
    /// Rays from what the camera sees: the closest hit.
    pub bounce: Work,
    /// Rays whose hit is missing, or replaced by one behind it.
    pub lost: u64,
    /// Rays with a hit where the scene has none, or before it.
    pub wrong: u64,
    /// Seconds from the scene to the tree.
    pub build_seconds: f64,
    /// Seconds from the tree to the image.
    pub encode_seconds: f64,
}

impl Keyed for Row {
    type Key = RowKey;

    fn key(&self) -> &RowKey {
        &self.key
    }
}

/// Where the bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BytesPerTriangle {
    /// The hierarchy, and all that is neither of the others.
    pub nodes: f64,
    /// Corners of triangles.
    pub geometry: f64,
    /// What tells primitives apart.
    pub ids: f64,
    /// All of them.
    pub total: f64,
}

/// What a ray takes, on average.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Work {
    /// Boxes tested.
    pub boxes: f64,
    /// Nodes visited.
    pub nodes: f64,
    /// Triangles and procedural boxes tested.
    pub primitives: f64,
    /// Bytes fetched.
    pub bytes: f64,
    /// Cycles of the traversal unit for all rays, over their number; nothing for a format that it
    /// does not run.
    pub cycles: Option<f64>,
}

impl Work {
    /// The work of so many rays.
    #[must_use]
    pub fn new(counters: &Counters, cycles: Option<u64>, rays: usize) -> Self {
        let each = |count: u64| count as f64 / rays.max(1) as f64;
        Self {
            boxes: each(counters.box_tests),
            nodes: each(counters.nodes),
            primitives: each(counters.triangle_tests + counters.procedural_tests),
            bytes: each(counters.bytes),
            cycles: cycles.map(each),
        }
    }

    /// Boxes and primitives tested.
    #[must_use]
    pub fn tests(&self) -> f64 {
        self.boxes + self.primitives
    }
}

impl Row {
    /// The kinds of rays with their work.
    #[must_use]
    pub const fn work(&self) -> [(&'static str, &Work); 3] {
        [("primary", &self.primary), ("occlusion", &self.occlusion), ("bounce", &self.bounce)]
    }

    /// The mean over the kinds of rays.
    #[must_use]
    pub fn mean(&self) -> Work {
        let work = self.work();
        let mean = |of: &dyn Fn(&Work) -> f64| work.iter().map(|(_, w)| of(w)).sum::<f64>() / 3.0;
        let cycles: Option<Vec<f64>> = work.iter().map(|(_, work)| work.cycles).collect();
        Work {
            boxes: mean(&|work| work.boxes),
            nodes: mean(&|work| work.nodes),
            primitives: mean(&|work| work.primitives),
            bytes: mean(&|work| work.bytes),
            cycles: cycles.map(|cycles| cycles.iter().sum::<f64>() / 3.0),
        }
    }

    /// The cells of the row, as [`header`] names them.
    #[must_use]
    pub fn cells(&self) -> Vec<String> {
        let RowKey { scene, triangles, preset, format, machine, rays } = &self.key;
        let BytesPerTriangle { nodes, geometry, ids, total } = self.bytes_per_triangle;
        let mut cells = vec![
            scene.clone(),
            triangles.to_string(),
            preset.clone(),
            format.clone(),
            machine.clone(),
            rays.to_string(),
        ];
        cells.extend([nodes, geometry, ids, total].map(|bytes| format!("{bytes:.3}")));
        cells.extend([self.bytes, self.file_bytes].map(|bytes| bytes.to_string()));
        cells.push(format!("{:.4}", self.sah_cost));
        for (_, work) in self.work() {
            let Work { boxes, nodes, primitives, bytes, cycles } = work;
            cells.extend([boxes, nodes, primitives, bytes].map(|count| format!("{count:.4}")));
            cells.push(cycles.map_or(String::new(), |cycles| format!("{cycles:.4}")));
        }
        cells.extend([self.lost, self.wrong].map(|count| count.to_string()));
        cells.extend([self.build_seconds, self.encode_seconds].map(|time| format!("{time:.4}")));
        cells
    }
}

/// The names of the columns.
#[must_use]
pub fn header() -> Vec<String> {
    let about = ["scene", "triangles", "preset", "format", "machine", "rays"];
    let image = ["node", "geometry", "id", "all"].map(|part| format!("{part}_bytes_per_triangle"));
    let work = ["primary", "occlusion", "bounce"].into_iter().flat_map(|kind| {
        ["boxes", "nodes", "primitives", "bytes", "cycles"].map(|of| format!("{kind}_{of}_per_ray"))
    });
    let mut header: Vec<String> = about.map(str::to_owned).to_vec();
    header.extend(image);
    header.extend(["bytes", "file_bytes", "sah_cost"].map(str::to_owned));
    header.extend(work);
    header.extend(["lost", "wrong", "build_seconds", "encode_seconds"].map(str::to_owned));
    header
}

/// Rows as comma-separated values. A field with a comma or a quote is quoted.
#[must_use]
pub fn to_csv(rows: &[Row]) -> String {
    let quoted = |cell: &String| match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    let line = |cells: &[String]| cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
    [header()].into_iter().chain(rows.iter().map(Row::cells)).map(|cells| line(&cells)).collect()
}
