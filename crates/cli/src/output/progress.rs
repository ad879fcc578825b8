//! Progress bars on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use siliray::build::Progress;
use std::ops::ControlFlow;

/// Steps of a full bar.
const STEPS: u64 = 1000;

/// A progress bar; cleared when it is dropped.
pub(crate) struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// A bar called `label`, drawn only if `visible`.
    pub(crate) fn new(label: &'static str, visible: bool) -> Self {
        let target = if visible {
            ProgressDrawTarget::stderr_with_hz(10)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(STEPS), target).with_prefix(label);
        let style = ProgressStyle::with_template("{prefix:>12} [{bar:40}] {percent:>3} %  {eta}");
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar }
    }

    /// Takes note of progress; never cancels. Interrupts end the process by themselves.
    pub(crate) fn update(&self, progress: Progress) -> ControlFlow<()> {
        self.set(progress.fraction)
    }

    /// The same for a bare share of the work.
    pub(crate) fn set(&self, fraction: f32) -> ControlFlow<()> {
        self.bar.set_position((f64::from(fraction) * STEPS as f64) as u64);
        ControlFlow::Continue(())
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
