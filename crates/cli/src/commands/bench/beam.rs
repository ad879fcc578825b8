//! `siliray bench beam`: boxes that a beam tests in a second.

use crate::failure::Failure;
use crate::output::number::grouped;
use crate::output::{Output, Table};
use crate::trace_args::BenchBeam;
use serde::Serialize;
use siliray::geometry::beam::generate::Generator;
use siliray::geometry::beam::naive;
use siliray::geometry::random::Random;
use siliray::geometry::{Aabb, Beam};
use siliray::trace::Kernel;
use siliray::trace::beam::Boxes;
use std::hint::black_box;
use std::time::Instant;

/// Boxes of each beam: small enough for the second-level cache.
const BOXES: usize = 4096;

/// Beams of a run.
const BEAMS: usize = 64;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    boxes: usize,
    beams: usize,
    runs: usize,
    forms: Vec<JsonForm>,
}

#[derive(Serialize)]
struct JsonForm {
    form: &'static str,
    tests_per_second: f64,
    times_naive: f64,
    hits: u64,
}

/// A way to test boxes.
struct Form<'a> {
    name: &'static str,
    /// Tests every box against a beam; how many are met.
    run: Box<dyn Fn(&Beam) -> u64 + 'a>,
}

/// Runs every form in turns on one thread; the figures are medians.
pub(super) fn run(args: &BenchBeam, output: &Output) -> Result<(), Failure> {
    let (beams, boxes) = cases(args.seed.seed)?;
    let laid_out = Boxes::new(&boxes);
    let forms = forms(&boxes, &laid_out);
    let mut seconds = vec![Vec::with_capacity(args.runs); forms.len()];
    let mut hits = vec![0; forms.len()];
    let bar = output.bar("measuring");
    for run in 0..args.runs {
        let _ = bar.set(run as f32 / args.runs as f32);
        for (index, form) in forms.iter().enumerate() {
            let start = Instant::now();
            hits[index] = beams.iter().map(|beam| (form.run)(black_box(beam))).sum();
            seconds[index].push(start.elapsed().as_secs_f64());
        }
    }
    drop(bar);
    let tests = (beams.len() * boxes.len()) as f64;
    let rates: Vec<f64> = seconds.iter_mut().map(|runs| tests / median(runs)).collect();
    let rows = forms.iter().zip(&rates).zip(&hits).map(|((form, &rate), &hits)| JsonForm {
        form: form.name,
        tests_per_second: rate,
        times_naive: rate / rates[0],
        hits,
    });
    let json =
        Json { boxes: boxes.len(), beams: beams.len(), runs: args.runs, forms: rows.collect() };
    output.result(&json, &text(&json))
}

/// Uniform random beams and boxes, with all sign cases among them.
fn cases(seed: u64) -> Result<(Vec<Beam>, Vec<Aabb>), Failure> {
    let mut random = Random(seed);
    let mut draw = || Generator::G0.encounter(&mut || random.bits());
    let beams = (0..BEAMS).map(|_| Beam::new(&draw().corners)).collect::<Result<_, _>>();
    let beams = beams.map_err(Failure::input)?;
    Ok((beams, (0..BOXES).map(|_| draw().bounds).collect()))
}

/// The naive form, then every kernel that this processor has.
fn forms<'a>(boxes: &'a [Aabb], laid_out: &'a Boxes) -> Vec<Form<'a>> {
    let count = |met: &dyn Fn(&Aabb) -> bool| boxes.iter().filter(|b| met(b)).count() as u64;
    let naive = move |beam: &Beam| count(&|bounds| naive::meets(beam, bounds));
    let mut forms = vec![Form { name: "naive", run: Box::new(naive) }];
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
        let run = move |beam: &Beam| {
            let mut met = [0; BOXES / 16];
            kernel.meets(beam, laid_out, &mut met);
            met.iter().map(|group| u64::from(group.count_ones())).sum()
        };
        forms.push(Form { name: kernel.name(), run: Box::new(run) });
    }
    forms
}

fn median(runs: &mut [f64]) -> f64 {
    runs.sort_by(f64::total_cmp);
    runs[runs.len() / 2]
}

fn text(json: &Json) -> String {
    let mut table = Table::new(&["form", "M tests/s", "x naive", "boxes met"]);
    for form in &json.forms {
        table.row(vec![
            form.form.to_owned(),
            format!("{:.0}", form.tests_per_second / 1e6),
            format!("{:.1}", form.times_naive),
            grouped(form.hits),
        ]);
    }
    let (boxes, beams) = (grouped(json.boxes as u64), grouped(json.beams as u64));
    let note = format!(
        "\n{beams} beams against {boxes} boxes, one thread, medians of {} runs in turns\n",
        json.runs
    );
    table.text() + &note
}
