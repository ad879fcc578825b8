//! `siliray beam --box`: one beam against one box, axis by axis.

use crate::failure::Failure;
use crate::output::number::coordinate;
use crate::output::{Output, Table};
use serde::Serialize;
use siliray::geometry::beam::Overlap;
use siliray::geometry::beam::construct::Corners;
use siliray::geometry::beam::explain::{AxisSteps, Explanation, Form, FormStep, explain};
use siliray::geometry::exact::{approximately, rational};
use siliray::geometry::{Aabb, Beam, Vec3};

/// What `--json` prints. Floats that are infinite or not a number are null.
#[derive(Serialize)]
struct Json {
    beam: JsonBeam,
    r#box: JsonBox,
    axes: Vec<JsonAxis>,
    forms: Vec<JsonForm>,
    exact: JsonExact,
    hit: bool,
    /// A guaranteed lower bound of the first contact.
    first_contact: Option<f32>,
    is_guaranteed: bool,
}

#[derive(Serialize)]
struct JsonBeam {
    upper_origin: [f32; 3],
    lower_origin: [f32; 3],
    upper_direction: [f32; 3],
    lower_direction: [f32; 3],
    tmin: f32,
    tmax: f32,
}

#[derive(Serialize)]
struct JsonBox {
    min: [f32; 3],
    max: [f32; 3],
}

#[derive(Serialize)]
struct JsonAxis {
    axis: &'static str,
    case: &'static str,
    forms: Vec<JsonStep>,
    exact: JsonExactStep,
}

#[derive(Serialize)]
struct JsonStep {
    form: &'static str,
    a_min: f32,
    b_max: f32,
    from: f32,
    to: f32,
}

#[derive(Serialize)]
struct JsonExactStep {
    a_min: Option<String>,
    b_max: Option<String>,
    from: String,
    to: Option<String>,
    is_possible: bool,
}

#[derive(Serialize)]
struct JsonForm {
    form: &'static str,
    from: f32,
    to: f32,
    widened: f32,
    hit: bool,
    agrees: bool,
}

#[derive(Serialize)]
struct JsonExact {
    hit: bool,
    first: Option<String>,
    last: Option<String>,
}

/// Tests one box.
pub(crate) fn run(
    corners: &Corners,
    beam: &Beam,
    bounds: &Aabb,
    output: &Output,
) -> Result<(), Failure> {
    let explanation = explain(corners, beam, bounds);
    let json = json(corners, beam, bounds, &explanation);
    output.result(&json, &text(&json))
}

fn json(corners: &Corners, beam: &Beam, bounds: &Aabb, explanation: &Explanation) -> Json {
    let exact = explanation.exact.as_ref();
    // B-1: the guarantee ends at an entry of 2^127.
    let is_guaranteed = exact.is_none_or(|(first, _)| *first <= rational(2f32.powi(127)));
    let overlap = explanation.forms[0];
    let form = |(form, overlap): (Form, &Overlap)| JsonForm {
        form: form.name(),
        from: overlap.lo,
        to: overlap.hi,
        widened: form.widened(overlap),
        hit: form.is_hit(overlap),
        agrees: form.is_hit(overlap) == exact.is_some(),
    };
    Json {
        beam: JsonBeam {
            upper_origin: corners.upper_origin.to_array(),
            lower_origin: corners.lower_origin.to_array(),
            upper_direction: corners.upper_direction.to_array(),
            lower_direction: corners.lower_direction.to_array(),
            tmin: corners.tmin,
            tmax: corners.tmax,
        },
        r#box: JsonBox { min: bounds.min.to_array(), max: bounds.max.to_array() },
        axes: ["x", "y", "z"].into_iter().zip(&explanation.axes).map(JsonAxis::from).collect(),
        forms: Form::ALL.into_iter().zip(&explanation.forms).map(form).collect(),
        exact: JsonExact {
            hit: exact.is_some(),
            first: exact.map(|(first, _)| first.to_string()),
            last: exact.and_then(|(_, last)| last.as_ref().map(ToString::to_string)),
        },
        hit: overlap.is_hit(),
        first_contact: overlap.is_hit().then(|| beam.t_lower(&overlap)),
        is_guaranteed,
    }
}

impl From<(&'static str, &AxisSteps)> for JsonAxis {
    fn from((axis, steps): (&'static str, &AxisSteps)) -> Self {
        let step = |(form, step): (Form, &FormStep)| JsonStep {
            form: form.name(),
            a_min: step.a_min,
            b_max: step.b_max,
            from: step.left.lo,
            to: step.left.hi,
        };
        let exact = &steps.exact;
        Self {
            axis,
            case: steps.case,
            forms: Form::ALL.into_iter().zip(&steps.forms).map(step).collect(),
            exact: JsonExactStep {
                a_min: exact.a_min.as_ref().map(ToString::to_string),
                b_max: exact.b_max.as_ref().map(ToString::to_string),
                from: exact.left.first.to_string(),
                to: exact.left.last.as_ref().map(ToString::to_string),
                is_possible: exact.left.is_possible,
            },
        }
    }
}

fn text(json: &Json) -> String {
    let JsonBeam { upper_origin, lower_origin, upper_direction, lower_direction, tmin, tmax } =
        &json.beam;
    let mut text = format!(
        "A (upper): {} + t ({})\nB (lower): {} + t ({})\nt from {} to {}\nbox {} to {}\n\n",
        vector(upper_origin),
        vector(upper_direction),
        vector(lower_origin),
        vector(lower_direction),
        coordinate(*tmin),
        coordinate(*tmax),
        vector(&json.r#box.min),
        vector(&json.r#box.max),
    );
    let mut table = Table::new(&["axis", "case", "form", "Amin", "Bmax", "from", "to"]).left(3);
    for axis in &json.axes {
        for (turn, step) in axis.forms.iter().enumerate() {
            let first = |name: &str| if turn == 0 { name.to_owned() } else { String::new() };
            let numbers = [step.a_min, step.b_max, step.from, step.to].map(coordinate);
            let names = [first(axis.axis), first(axis.case), step.form.to_owned()];
            table.row(names.into_iter().chain(numbers).collect());
        }
        let JsonExactStep { a_min, b_max, from, to, is_possible } = &axis.exact;
        let quotient = |value: &Option<String>| value.as_deref().map_or("-".to_owned(), short);
        let to = match to {
            _ if !is_possible => "never".to_owned(),
            Some(to) => short(to),
            None => "inf".to_owned(),
        };
        let numbers = [quotient(a_min), quotient(b_max), short(from), to];
        let names = ["", "", "exact"].map(str::to_owned);
        table.row(names.into_iter().chain(numbers).collect());
    }
    text += &(table.text() + "\n");
    let mut table = Table::new(&["form", "from", "to", "to, widened", "verdict"]);
    for form in &json.forms {
        let numbers = [form.from, form.to, form.widened].map(coordinate);
        let verdict = match (form.hit, form.agrees) {
            (true, true) => "hit",
            (false, true) => "miss",
            (true, false) => "false hit",
            (false, false) => "false miss",
        };
        let cells = numbers.into_iter().chain([verdict.to_owned()]);
        table.row([form.form.to_owned()].into_iter().chain(cells).collect());
    }
    let JsonExact { hit, first, last } = &json.exact;
    let exit = last.as_deref().map_or(if *hit { "inf" } else { "-" }.to_owned(), short);
    let entry = first.as_deref().map_or("-".to_owned(), short);
    let verdict = if *hit { "hit" } else { "miss" };
    table.row(["exact".to_owned(), entry, exit, "-".to_owned(), verdict.to_owned()].into());
    text += &table.text_with_last_left();
    if let Some(first) = json.first_contact {
        text += &format!("\nfirst contact: not before t = {}\n", coordinate(first));
    }
    if !json.is_guaranteed {
        text += "\nthe exact entry lies beyond 2^127, where nothing is guaranteed (B-1)\n";
    }
    text
}

fn vector(numbers: &[f32; 3]) -> String {
    Vec3::from_array(*numbers).to_array().map(coordinate).join(", ")
}

/// A fraction, or about how large it is if it has many digits.
fn short(fraction: &str) -> String {
    match fraction.parse() {
        Ok(value) if fraction.len() > LONGEST => format!("~ {:e}", approximately(&value)),
        _ => fraction.to_owned(),
    }
}

/// Letters of a fraction that is shown in full.
const LONGEST: usize = 21;
