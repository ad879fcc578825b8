//! The exceptions of `siliray.errors`, and which error of the library becomes which of them.

use pyo3::PyErr;
use siliray::build::BuildError;
use siliray::input::{InputError, RouteError, SourceError};
use siliray::render::RenderError;
use siliray::scene::{FileError as UnreadableFile, SceneError};
use siliray::trace::{StoredError, TraceError as NoTracer};
use std::fmt::Display;
use std::path::Path;

mod exceptions {
    #![allow(missing_docs, reason = "Python documents them")]
    use pyo3::import_exception;

    import_exception!(siliray.errors, ArrayError);
    import_exception!(siliray.errors, BuildError);
    import_exception!(siliray.errors, FileError);
    import_exception!(siliray.errors, ImageError);
    import_exception!(siliray.errors, MachineError);
    import_exception!(siliray.errors, NameError);
    import_exception!(siliray.errors, OptionError);
    import_exception!(siliray.errors, ProgramError);
    import_exception!(siliray.errors, RangeError);
    import_exception!(siliray.errors, RoomError);
    import_exception!(siliray.errors, SceneError);
    import_exception!(siliray.errors, TraceError);
}

/// An array has the wrong shape.
pub(crate) fn array(text: impl Display) -> PyErr {
    exceptions::ArrayError::new_err(text.to_string())
}

/// A number is nothing that single floats hold.
pub(crate) fn range(text: impl Display) -> PyErr {
    exceptions::RangeError::new_err(text.to_string())
}

/// There is no memory for so many of something.
pub(crate) fn room(count: impl Display, things: &str) -> PyErr {
    exceptions::RoomError::new_err(format!("there is no memory for {count} {things}"))
}

/// A scene makes no sense.
pub(crate) fn scene(text: impl Display) -> PyErr {
    exceptions::SceneError::new_err(text.to_string())
}

/// An option makes no sense.
pub(crate) fn option(text: impl Display) -> PyErr {
    exceptions::OptionError::new_err(text.to_string())
}

/// Nothing has that name.
pub(crate) fn name(text: impl Display) -> PyErr {
    exceptions::NameError::new_err(text.to_string())
}

/// A file cannot be read.
pub(crate) fn file(error: &UnreadableFile) -> PyErr {
    unreadable(&error.file, &error.reason.to_string(), error.reason.code())
}

/// A file cannot be read or written.
fn system(file: &str, error: &std::io::Error) -> PyErr {
    unreadable(file, &error.to_string(), error.raw_os_error())
}

fn unreadable(file: &str, reason: &str, code: Option<i32>) -> PyErr {
    exceptions::FileError::new_err((format!("{file}: {reason}"), code, file.to_owned()))
}

/// An image is broken.
pub(crate) fn image(text: impl Display) -> PyErr {
    exceptions::ImageError::new_err(text.to_string())
}

/// A machine has no answer.
pub(crate) fn machine(text: impl Display) -> PyErr {
    exceptions::MachineError::new_err(text.to_string())
}

/// A program is none, or has a fault.
pub(crate) fn program(text: impl Display) -> PyErr {
    exceptions::ProgramError::new_err(text.to_string())
}

/// No tree.
pub(crate) fn build(error: &BuildError) -> PyErr {
    exceptions::BuildError::new_err(error.to_string())
}

/// No source.
pub(crate) fn source(error: SourceError) -> PyErr {
    option(error)
}

/// No input.
pub(crate) fn input(error: &InputError) -> PyErr {
    match error {
        InputError::Unreadable(unreadable) => file(unreadable),
        InputError::Scene(SceneError::Unreadable { file, reason, code }) => {
            unreadable(file, reason, *code)
        }
        InputError::Scene(_) | InputError::NotFinite { .. } => scene(error),
        InputError::Broken { .. } | InputError::Unsound { .. } | InputError::Dump { .. } => {
            image(error)
        }
    }
}

/// No way to a machine.
pub(crate) fn route(error: &RouteError) -> PyErr {
    match error {
        RouteError::Input(error) => input(error),
        RouteError::Build(error) => build(error),
        RouteError::Format { .. } => option(error),
        RouteError::Encode { .. } | RouteError::Unsound { .. } => image(error),
        RouteError::Machine(_) => machine(error),
    }
}

/// No tracer.
pub(crate) fn tracer(error: &NoTracer) -> PyErr {
    match error {
        NoTracer::Build(error) => build(error),
        NoTracer::Unreadable(error) => file(error),
        NoTracer::Unsound { .. } | NoTracer::Broken(_) => image(error),
        _ => trace(error),
    }
}

/// A tracer was not saved, or not read.
pub(crate) fn stored(path: &Path, error: &StoredError) -> PyErr {
    match error {
        StoredError::Unwritable { source, .. } | StoredError::Unreadable { source, .. } => {
            system(&path.display().to_string(), source)
        }
        _ => trace(format!("{}: {error}", path.display())),
    }
}

/// A tracer cannot do that.
pub(crate) fn trace(text: impl Display) -> PyErr {
    exceptions::TraceError::new_err(text.to_string())
}

/// Nobody knows where the triangles of a tracer are.
pub(crate) fn no_scene() -> PyErr {
    trace("scene: the tracer was read from a file, and load was given no scene")
}

/// No picture, or no surface.
pub(crate) fn render(error: &RenderError) -> PyErr {
    machine(error)
}
