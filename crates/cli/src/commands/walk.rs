//! `siliray walk`: a machine's walk, step by step.

use super::{about, chosen_view, open_input_as, prepare, seen};
use crate::args::TreeShape;
use crate::failure::Failure;
use crate::machine_args::{refuse_rebuild, require_beams, require_reads};
use crate::output::number::counted;
use crate::output::{Output, print};
use crate::walk_args::Walk as Args;
use siliray::documents;
use siliray::documents::walk::instance_of;
use siliray::geometry::{Beam, Ray, Vec3};
use siliray::input::{Input, Prepared};
use siliray::machine::registry::NodeNames;
use siliray::machine::{LeafRule, MachineEntry, MachineInput, Query, Shape};
use siliray::tree::Instance;
use siliray::walk::against::{FirstDifference, first_difference};
use siliray::walk::why::{FollowError, follow};
use siliray::walk::{Walk, text, watch_over};
use std::fmt::Write;

/// Steps before a difference that are shown.
const BEFORE: usize = 12;

/// Walks and shows.
pub(crate) fn run(args: &Args, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let input = open_input_as(&args.scene, triangles, &args.image)?;
    refuse_rebuild(&args.scene, &input, args.tracer.rebuild)?;
    let route = args.tracer.route(&args.scene, &input, TreeShape::default())?;
    if args.takes_beams() {
        require_beams(route.machine, &args.scene)?;
    }
    let prepared = prepare(&route, &input, &args.scene, output)?;
    let query = query(args, &input, &prepared)?;
    let (walk, names) = watched(args, prepared.machine, &prepared.input, &query)?;
    let range = args.steps.clone().unwrap_or(0..usize::MAX);
    let heading = format!("{} on {}, {}\n\n", walk.machine, input.name(), prepared.origin);
    if let Some(machine) = args.against {
        return against(args, machine, &prepared, (&walk, names), &heading, output);
    }
    let reason = args.why.map(|wanted| {
        follow(&walk, &prepared, names, &wanted).map_err(|error| match error {
            FollowError::Missing => Failure::input(format!("{}: {error}", input.name())),
            FollowError::Oracle(error) => about(&args.scene)(error),
        })
    });
    let reason = reason.transpose()?;
    if output.is_json() {
        let objects = documents::walk::objects(&walk, &prepared, &range, reason.as_ref());
        let lines = objects.iter().map(|object| format!("{object}\n"));
        return print(&lines.collect::<String>());
    }
    match reason {
        Some(reason) => print(&format!("{heading}{}\n", reason.text)),
        None => {
            let table = text::table(&walk, range);
            print(&format!("{heading}{table}{}", ending(&walk, &prepared.input)))
        }
    }
}

fn query(args: &Args, input: &Input, prepared: &Prepared) -> Result<Query, Failure> {
    if args.view.camera.is_some() && args.pixel.is_none() {
        return Err(Failure::usage("--camera has no effect here: there is no --pixel"));
    }
    let kind = args.query.kind;
    let leaf = if args.exact { LeafRule::Exact } else { LeafRule::Conservative };
    let query = if let (Some(origin), Some(direction)) = (args.origin, args.direction) {
        let ray = Ray::new(Vec3::from_array(origin), Vec3::from_array(direction));
        Query::ray(kind, ray.between(args.tmin, args.tmax))
    } else if let Some([x, y]) = args.pixel {
        let (width, height) = (args.size.width, args.size.height);
        if x >= width || y >= height {
            let message = format!("pixel {x},{y} lies outside a picture of {width}x{height}");
            return Err(Failure::usage(message));
        }
        let seen = seen(input, prepared);
        let camera = chosen_view(&args.view, &args.scene, seen, args.size.aspect())?;
        Query::ray(kind, camera.ray(x as f32 + 0.5, y as f32 + 0.5, width, height))
    } else if let Some([from, to]) = args.beam.as_deref() {
        let beam = Beam::from_aabbs_shrinking(from, to).map_err(Failure::usage)?;
        Query::beam(kind, beam, leaf)
    } else if let Some(shape) = args.volume.shape(args.tmin, args.tmax, leaf)? {
        Query::new(kind, Shape::Beam(shape))
    } else {
        let message = "what shall be walked? expected --origin and --direction, --pixel, --beam, \
                       --sphere or --frustum";
        return Err(Failure::usage(message));
    };
    Ok(Query { mask: args.mask, ..query })
}

fn watched(
    args: &Args,
    machine: &'static MachineEntry,
    input: &MachineInput,
    query: &Query,
) -> Result<(Walk, NodeNames), Failure> {
    let options = args.tracer.options(args.rule.rule(machine)?);
    let made = (machine.make)(input, &options).map_err(about(&args.scene))?;
    let (walk, names) = watch_over(machine, input, &*made, query);
    match &walk.answer {
        Err(error) if walk.steps.is_empty() => Err(about(&args.scene)(error)),
        _ => Ok((walk, names)),
    }
}

/// What the walk found; by the ids of the scene too, where the image has others.
fn ending(walk: &Walk, input: &MachineInput) -> String {
    match &walk.answer {
        Err(error) => format!("\nno answer: {error}\n"),
        Ok(answer) => {
            let nothing = walk.hits_nothing().map(|reason| format!("\n{reason}"));
            let mut text = nothing.unwrap_or_default();
            text += &format!("\n{}", counted(answer.hits.len(), "hit"));
            for hit in &answer.hits {
                let name = text::ids(hit.instance, hit.geometry, hit.primitive);
                // Writing to a string cannot fail.
                let _ = write!(text, "\n  t {}: {name}", hit.t);
                if let Some(instance) = instance_of(hit, input) {
                    let Instance { custom_index, sbt_offset, .. } = instance;
                    let _ = write!(text, ", custom index {custom_index}, SBT offset {sbt_offset}");
                }
                let scene = input.scene_hit(*hit);
                if scene.ids() != hit.ids() {
                    let name = text::ids(scene.instance, scene.geometry, scene.primitive);
                    let _ = write!(text, " (in the scene: {name})");
                }
            }
            let counts = answer.counters.named().into_iter().filter(|(_, count)| *count > 0);
            let counts: Vec<String> =
                counts.map(|(name, count)| format!("{name} {count}")).collect();
            text + &format!("\n{}\n", counts.join(", "))
        }
    }
}

/// Shows where another machine does something else.
fn against(
    args: &Args,
    machine: &'static MachineEntry,
    prepared: &Prepared,
    (walk, names): (&Walk, NodeNames),
    heading: &str,
    output: &Output,
) -> Result<(), Failure> {
    if machine.name == prepared.machine.name {
        return Err(Failure::usage(format!("--against names {} itself", machine.name)));
    }
    require_reads(machine, prepared.input.format(), &args.scene)?;
    if args.takes_beams() {
        require_beams(machine, &args.scene)?;
    }
    let (other, other_names) = watched(args, machine, &prepared.input, &walk.query)?;
    let same_nodes = names == other_names && names != NodeNames::Own;
    let difference = first_difference(walk, &other, same_nodes);
    if output.is_json() {
        let line = documents::walk::difference(walk, &other, prepared, difference);
        return print(&format!("{line}\n"));
    }
    let Some(FirstDifference { first, second }) = difference else {
        return print(&format!("{heading}{} does the same\n", other.machine));
    };
    let mut text = heading.to_owned();
    for (walk, at) in [(walk, first), (&other, second)] {
        let end = at.unwrap_or(walk.steps.len());
        text += &format!("{}:\n", walk.machine);
        text += &text::table(walk, end.saturating_sub(BEFORE)..end + 1);
        text += &at.map_or("  has ended\n\n".to_owned(), |at| format!("  differs at {at}\n\n"));
    }
    print(&text)
}
