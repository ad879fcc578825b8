//! Figures of structures in the drivers' own words.

use crate::boundary::{self, Out, c_text};
use crate::context::{Context, Thing};
use crate::ids::Id;
use crate::report::beyond;
use crate::status::{CError, Failure, SilirayStatus, guarded};
use siliray::machine::statistics::BvhStatistics;
use siliray::stats::of_file;
use std::ffi::{CString, c_char};
use std::sync::Arc;

/// A structure of an image.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Structure {
    /// Whether it holds instances.
    pub is_tlas: bool,
    /// Where it lies in memory.
    pub address: u64,
    /// How many figures there are of it.
    pub figures: usize,
}

/// A figure. The driver's own come first, in the driver's order.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// The driver's name of it; lives until the statistics are released.
    pub name: *const c_char,
    /// Whether the driver counts it.
    pub is_drivers: bool,
    /// The driver's number; 0 where it has none.
    pub count: u64,
    /// The same as a float, and what the driver leaves out.
    pub value: f64,
}

/// Figures of each structure.
#[derive(Debug)]
pub(crate) struct Statistics {
    structures: Vec<KeptStructure>,
}

#[derive(Debug)]
struct KeptStructure {
    is_tlas: bool,
    address: u64,
    figures: Vec<KeptFigure>,
}

#[derive(Debug)]
struct KeptFigure {
    name: CString,
    count: Option<u64>,
    value: f64,
}

impl From<BvhStatistics> for KeptStructure {
    fn from(one: BvhStatistics) -> Self {
        let counted = one.figures.into_iter().map(|(name, count)| KeptFigure {
            name: c_text(name),
            count: Some(count),
            value: count as f64,
        });
        let more = one.more.into_iter();
        let more = more.map(|(name, value)| KeptFigure { name: c_text(name), count: None, value });
        let figures = counted.chain(more).collect();
        Self { is_tlas: one.is_tlas, address: one.address, figures }
    }
}

/// Counts the structures of an image that is safe to walk.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_stats(
    context: *const Context,
    image: Id,
    statistics: *mut Id,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let context = boundary::context(context)?;
        let place = Out::new(statistics, "statistics")?;
        let stored = context.image(image)?.stored(context)?;
        let all =
            context.run(|| of_file(&stored.checked, &stored.structures)).ok_or_else(|| {
                let text = format!("no driver counts the format {}", stored.format.name);
                Failure::new(SilirayStatus::Unsupported, text)
            })?;
        let structures = all.into_iter().map(KeptStructure::from).collect();
        place.put(context.keep(Thing::Statistics(Arc::new(Statistics { structures })))?);
        Ok(())
    })
}

/// A structure, by number; SILIRAY_STATUS_INDEX ends the list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_stats_structure(
    context: *const Context,
    statistics: Id,
    index: usize,
    structure: *mut Structure,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let place = Out::new(structure, "structure")?;
        let statistics = boundary::context(context)?.statistics(statistics)?;
        let all = &statistics.structures;
        let one = all.get(index).ok_or_else(beyond(index, all.len()))?;
        let KeptStructure { is_tlas, address, figures } = one;
        place.put(Structure { is_tlas: *is_tlas, address: *address, figures: figures.len() });
        Ok(())
    })
}

/// A figure of a structure, both by number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_stats_figure(
    context: *const Context,
    statistics: Id,
    structure: usize,
    index: usize,
    figure: *mut Figure,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let place = Out::new(figure, "figure")?;
        let statistics = boundary::context(context)?.statistics(statistics)?;
        let all = &statistics.structures;
        let figures = &all.get(structure).ok_or_else(beyond(structure, all.len()))?.figures;
        let one = figures.get(index).ok_or_else(beyond(index, figures.len()))?;
        let KeptFigure { name, count, value } = one;
        place.put(Figure {
            name: name.as_ptr(),
            is_drivers: count.is_some(),
            count: count.unwrap_or(0),
            value: *value,
        });
        Ok(())
    })
}
