//! Every format and every machine.
//!
//! The tables of the hardware crates, in the order in which help texts and reports show them. A new
//! hardware is one line here.

use machine::Registry;
use std::sync::OnceLock;

static INSTALLED: OnceLock<Registry> = OnceLock::new();

/// What siliray knows by itself.
#[must_use]
pub fn standard() -> Registry {
    Registry::default()
        .with(machine::tree_format::FORMATS, machine::reference::MACHINES)
        .with(&[], trace::MACHINES)
        .with(cwbvh::registry::FORMATS, &[])
        .with(gfx10::registry::FORMATS, gfx10::registry::MACHINES)
        .with(gfx12::registry::FORMATS, gfx12::registry::MACHINES)
        .with(ttu::registry::FORMATS, ttu::registry::MACHINES)
        .with(xphmg::registry::FORMATS, xphmg::registry::MACHINES)
        .with(&[], riscv::machine::MACHINES)
        .with(isbe::registry::FORMATS, &[])
        .with_alias("gfx12-radv-literal", "gfx12-radv-25.2")
}

/// Adds formats and machines of one's own, before anything is asked of the registry; says whether
/// that was in time.
pub fn install(registry: Registry) -> bool {
    INSTALLED.set(registry).is_ok()
}

/// The formats and machines that everything here works with.
#[must_use]
pub fn registry() -> &'static Registry {
    INSTALLED.get_or_init(standard)
}
