//! What a check found: a list.

use crate::boundary::{self, Out, c_text};
use crate::context::{Context, Thing};
use crate::ids::Id;
use crate::status::{CError, Failure, SilirayStatus, failed, guarded};
use siliray::documents::findings::RuleCounts;
use siliray::machine::{AnyReport, Finding, Severity};
use siliray::updates::{UpdateCheckError, UpdateFiles, check_files};
use std::ffi::{CString, c_char};
use std::sync::Arc;

/// How bad a finding is.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiliraySeverity {
    /// A habit of a writer that does no harm.
    Note = 0,
    /// Safe to walk, but lossy or odd.
    Warning = 1,
    /// Unsafe to walk.
    Error = 2,
}

/// A report in numbers.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Summary {
    /// Nodes that were looked at.
    pub nodes: u64,
    /// Errors, listed or not.
    pub errors: u64,
    /// Warnings, listed or not.
    pub warnings: u64,
    /// Notes, listed or not.
    pub notes: u64,
    /// Findings in the list: the worst of every rule first, 1,000 of a rule at most and one that
    /// stands for the rest.
    pub findings: usize,
}

/// One finding. Texts live until the report is released.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CFinding {
    /// How bad it is: a siliray_severity.
    pub severity: i32,
    /// How many findings it stands for.
    pub count: u32,
    /// The rule that is broken.
    pub rule: *const c_char,
    /// Byte of the input.
    pub offset: u64,
    /// The bits at fault, from that byte on: the first one.
    pub first_bit: u32,
    /// The one behind the last.
    pub end_bit: u32,
    /// The place in words.
    pub place: *const c_char,
    /// What is there.
    pub found: *const c_char,
    /// What should be there.
    pub expected: *const c_char,
    /// All of it in one line, as `siliray check` prints it.
    pub line: *const c_char,
}

/// What else is known of an update. Zeros: nothing.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Update {
    /// The scene that the update was given, or 0.
    pub scene: Id,
    /// The image of before, read again after an update into another one, or 0.
    pub old: Id,
    /// The image that the same update made in another run, or 0.
    pub twice: Id,
}

/// What a check found.
#[derive(Debug)]
pub(crate) struct Report {
    summary: Summary,
    findings: Vec<KeptFinding>,
}

#[derive(Debug)]
struct KeptFinding {
    finding: Finding,
    /// Rule, place, found, expected, line.
    texts: [CString; 5],
}

impl From<AnyReport> for Report {
    fn from(report: AnyReport) -> Self {
        let counts = RuleCounts::of(&report.findings);
        let [notes, warnings, errors] =
            [Severity::Note, Severity::Warning, Severity::Error].map(|kind| counts.total(kind));
        let keep = |finding: Finding| {
            let Finding { rule, place, found, expected, .. } = &finding;
            let texts = [*rule, place, found, expected, &finding.to_string()].map(c_text);
            let nothing = String::new;
            let finding =
                Finding { place: nothing(), found: nothing(), expected: nothing(), ..finding };
            KeptFinding { finding, texts }
        };
        let findings: Vec<KeptFinding> = report.findings.into_iter().map(keep).collect();
        let (nodes, listed) = (report.nodes as u64, findings.len());
        Self { summary: Summary { nodes, errors, warnings, notes, findings: listed }, findings }
    }
}

impl KeptFinding {
    fn record(&self) -> CFinding {
        let Finding { severity, offset, bits, count, .. } = &self.finding;
        let [rule, place, found, expected, line] = self.texts.each_ref().map(|text| text.as_ptr());
        let severity = match severity {
            Severity::Note => SiliraySeverity::Note,
            Severity::Warning => SiliraySeverity::Warning,
            Severity::Error => SiliraySeverity::Error,
        };
        CFinding {
            severity: severity as i32,
            count: *count,
            rule,
            offset: *offset,
            first_bit: bits.start,
            end_bit: bits.end,
            place,
            found,
            expected,
            line,
        }
    }
}

/// Nothing of a list is there.
pub(crate) fn beyond(index: usize, length: usize) -> impl Fn() -> Failure {
    move || {
        let text = format!("there is no entry {index}: the list has {length}");
        Failure::new(SilirayStatus::Index, text)
    }
}

/// Checks an image; `scene` is what it should hold, or 0. Bytes that cannot be taken apart have a
/// report too, with one error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_check(
    context: *const Context,
    image: Id,
    scene: Id,
    report: *mut Id,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let context = boundary::context(context)?;
        let place = Out::new(report, "report")?;
        let image = context.image(image)?;
        let scene = if scene == 0 { None } else { Some(context.scene(scene)?) };
        let found = context.run(|| image.opened.check(scene.as_deref()).map(Report::from));
        let found = found.map_err(failed(SilirayStatus::Broken))?;
        place.put(context.keep(Thing::Report(Arc::new(found)))?);
        Ok(())
    })
}

/// Checks what an update did to an image. `known` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_check_update(
    context: *const Context,
    before: Id,
    after: Id,
    known: *const Update,
    report: *mut Id,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let context = boundary::context(context)?;
        let place = Out::new(report, "report")?;
        let Update { scene, old, twice } = boundary::get_or(known, Update::default(), "known")?;
        let (before, after) = (context.image(before)?, context.image(after)?);
        let scene = if scene == 0 { None } else { Some(context.scene(scene)?) };
        let other = |id: Id| if id == 0 { Ok(None) } else { context.image(id).map(Some) };
        let (old, twice) = (other(old)?, other(twice)?);
        let memory = |image: &'_ Option<Arc<crate::image::Image>>| match image {
            None => Ok(None),
            Some(image) => image.file().map(|file| Some(file.image.clone())),
        };
        let (old, twice) = (memory(&old)?, memory(&twice)?);
        let files = UpdateFiles {
            before: before.file()?,
            after: &after.opened,
            scene: scene.as_deref(),
            old: old.as_ref(),
            twice: twice.as_ref(),
        };
        let found = context.run(|| check_files(&files).map(Report::from));
        let found = found.map_err(|error| match error {
            UpdateCheckError::Formats { .. } => Failure::new(SilirayStatus::Unsupported, error),
            UpdateCheckError::Unsound(_) => Failure::new(SilirayStatus::Unsound, error),
            UpdateCheckError::After(_) => Failure::new(SilirayStatus::Broken, error),
        })?;
        place.put(context.keep(Thing::Report(Arc::new(found)))?);
        Ok(())
    })
}

/// A report in numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_report_summary(
    context: *const Context,
    report: Id,
    summary: *mut Summary,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let place = Out::new(summary, "summary")?;
        place.put(boundary::context(context)?.report(report)?.summary);
        Ok(())
    })
}

/// One finding of a report, by number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_report_finding(
    context: *const Context,
    report: Id,
    index: usize,
    finding: *mut CFinding,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let place = Out::new(finding, "finding")?;
        let report = boundary::context(context)?.report(report)?;
        let found = report.findings.get(index).ok_or_else(beyond(index, report.findings.len()))?;
        place.put(found.record());
        Ok(())
    })
}
