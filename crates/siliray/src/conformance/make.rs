//! How each machine of the table is made over a proved image.

use super::batched::{Batched, Company};
use super::contenders::{DENSE, FP16, Ground, MakeError};
use gfx12::walk::{Dual, Gpurt, Options as WalkOptions, Radv, RadvLiteral};
use machine::{BlockFormat, Machine, Reference, TreeFormat};
use riscv::machine::{HartMachine, WAVEFRONT};
use trace::{Kernel, Mode, Options as TracerOptions, Tracer};
use ttu::{Config, Tb12, TtuMachine, World};
use xphmg::Readings;
use xphmg::machines::{Offload, TilesImage};

pub(super) fn reference(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    Ok(Box::new(Reference::new(ground.decoded, ground.rule)))
}

pub(super) fn fast(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    tracer(ground, TracerOptions::default())
}

pub(super) fn fast_scalar(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    tracer(ground, TracerOptions { kernel: Some(Kernel::Scalar), ..TracerOptions::default() })
}

pub(super) fn fast_avx2(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    tracer(ground, TracerOptions { kernel: avx2(), ..TracerOptions::default() })
}

/// AVX2, or, where that is missing, the best kernel there is.
pub(super) fn avx2() -> Option<Kernel> {
    Some(Kernel::Avx2).filter(|kernel| kernel.is_available())
}

pub(super) fn fast_in_place(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    tracer(ground, TracerOptions { mode: Mode::InPlace, ..TracerOptions::default() })
}

/// Among rays that run side by side.
pub(super) fn fast_bundle(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    batched(ground, Mode::Prepared, Company::Beside)
}

/// Among rays from everywhere.
pub(super) fn fast_batch(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    batched(ground, Mode::Prepared, Company::Scattered)
}

/// The same in place.
pub(super) fn fast_in_place_batch(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    batched(ground, Mode::InPlace, Company::Scattered)
}

fn batched(
    ground: Ground<'_>,
    mode: Mode,
    company: Company,
) -> Result<Box<dyn Machine + '_>, MakeError> {
    let options = TracerOptions { mode, rule: ground.rule, ..TracerOptions::default() };
    let tracer = Tracer::from_image(ground.image.clone(), options)?;
    Ok(Box::new(Batched { tracer, company, bounds: ground.decoded.bounds() }))
}

fn tracer(ground: Ground<'_>, options: TracerOptions) -> Result<Box<dyn Machine + '_>, MakeError> {
    let options = TracerOptions { rule: ground.rule, ..options };
    Ok(Box::new(Tracer::from_image(ground.image.clone(), options)?))
}

pub(super) fn gpurt(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    let Ground { image, rule, stack_size, .. } = ground;
    Ok(Box::new(Gpurt::new(image, WalkOptions { stack_size, ..WalkOptions::gpurt(rule) })?))
}

pub(super) fn radv(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    let Ground { image, rule, stack_size, .. } = ground;
    Ok(Box::new(Radv::new(image, WalkOptions { stack_size, ..WalkOptions::radv(rule) })?))
}

pub(super) fn radv_literal(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    let Ground { image, rule, stack_size, .. } = ground;
    Ok(Box::new(RadvLiteral::new(image, WalkOptions { stack_size, ..WalkOptions::radv(rule) })?))
}

pub(super) fn dual(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    let Ground { image, rule, stack_size, .. } = ground;
    Ok(Box::new(Dual::new(image, WalkOptions { stack_size, ..WalkOptions::dual(rule) })?))
}

pub(super) fn offload(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    Ok(Box::new(Offload::new(TilesImage::new(ground.image, ground.decoded)?)))
}

pub(super) fn hart(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    let tiles = TilesImage::new(ground.image, ground.decoded)?;
    Ok(Box::new(HartMachine::new(ground.image, tiles)?))
}

/// RT.BBOX as published, which is not conservative.
pub(super) fn published_hart(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    let tiles = TilesImage::new(ground.image, ground.decoded)?;
    let published = Readings::default();
    Ok(Box::new(HartMachine::with_program(ground.image, tiles, WAVEFRONT, published)?))
}

pub(super) fn ttu_on_tiles(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    Ok(Box::new(ttu(&FP16, ground)?))
}

pub(super) fn ttu_on_blocks(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    Ok(Box::new(ttu(&Tb12, ground)?))
}

pub(super) fn ttu_on_gfx12(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    Ok(Box::new(ttu(&DENSE, ground)?))
}

pub(super) fn ttu_on_tree(ground: Ground<'_>) -> Result<Box<dyn Machine + '_>, MakeError> {
    Ok(Box::new(ttu(&TreeFormat, ground)?))
}

/// The traversal unit over the blocks of an image.
pub(super) fn ttu(format: &dyn BlockFormat, ground: Ground<'_>) -> Result<TtuMachine, MakeError> {
    let world = World::new(format, ground.image, ground.rule)?;
    Ok(TtuMachine::new(world, Config::default())?)
}
