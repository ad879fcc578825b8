//! The instructions of WebAssembly for vectors of four.

use super::define::named;
use std::arch::wasm32::*;

pub(super) type Float = v128;
pub(super) type Int = v128;
pub(super) type Double = v128;

/// Whether [`mul_add`] has one rounding.
pub(super) const FUSED: bool = false;

named! {
    splat(lane: f32) -> Float = f32x4_splat(lane);
    splat_word(lane: u32) -> Int = u32x4_splat(lane);
    splat_double(lane: f64) -> Double = f64x2_splat(lane);
}

#[inline(always)]
pub(super) fn spread<const LANE: i32>(four: Float) -> Float {
    match LANE {
        0 => i32x4_shuffle::<0, 0, 0, 0>(four, four),
        1 => i32x4_shuffle::<1, 1, 1, 1>(four, four),
        2 => i32x4_shuffle::<2, 2, 2, 2>(four, four),
        _ => i32x4_shuffle::<3, 3, 3, 3>(four, four),
    }
}

named! {
    to_bits(four: Float) -> Int = four;
    of_bits(four: Int) -> Float = four;
    add(a: Float, b: Float) -> Float = f32x4_add(a, b);
    sub(a: Float, b: Float) -> Float = f32x4_sub(a, b);
    mul(a: Float, b: Float) -> Float = f32x4_mul(a, b);
    div(a: Float, b: Float) -> Float = f32x4_div(a, b);
    mul_add(a: Float, b: Float, c: Float) -> Float = f32x4_add(f32x4_mul(a, b), c);
    min(a: Float, b: Float) -> Float = f32x4_pmin(b, a);
    max(a: Float, b: Float) -> Float = f32x4_pmax(b, a);
    lt(a: Float, b: Float) -> Int = f32x4_lt(a, b);
    le(a: Float, b: Float) -> Int = f32x4_le(a, b);
    eq(a: Float, b: Float) -> Int = f32x4_eq(a, b);
    add_words(a: Int, b: Int) -> Int = i32x4_add(a, b);
    sub_words(a: Int, b: Int) -> Int = i32x4_sub(a, b);
    mul_words(a: Int, b: Int) -> Int = i32x4_mul(a, b);
    and(a: Int, b: Int) -> Int = v128_and(a, b);
    or(a: Int, b: Int) -> Int = v128_or(a, b);
    xor(a: Int, b: Int) -> Int = v128_xor(a, b);
}

#[inline(always)]
pub(super) fn each(a: Int, b: Int, operation: impl Fn(u32, u32) -> u32) -> Int {
    u32x4(
        operation(u32x4_extract_lane::<0>(a), u32x4_extract_lane::<0>(b)),
        operation(u32x4_extract_lane::<1>(a), u32x4_extract_lane::<1>(b)),
        operation(u32x4_extract_lane::<2>(a), u32x4_extract_lane::<2>(b)),
        operation(u32x4_extract_lane::<3>(a), u32x4_extract_lane::<3>(b)),
    )
}

named! {
    shl(a: Int, bits: Int) -> Int = each(a, bits, |a, bits| a.checked_shl(bits).unwrap_or(0));
    shr(a: Int, bits: Int) -> Int = each(a, bits, |a, bits| a.checked_shr(bits).unwrap_or(0));
    min_words(a: Int, b: Int) -> Int = i32x4_min(a, b);
    max_words(a: Int, b: Int) -> Int = i32x4_max(a, b);
    lt_words(a: Int, b: Int) -> Int = i32x4_lt(a, b);
    eq_words(a: Int, b: Int) -> Int = i32x4_eq(a, b);
    select(mask: Int, yes: Int, no: Int) -> Int = v128_bitselect(yes, no, mask);
    expanded(mask: u32) -> Int = {
        let bits = u32x4(1, 2, 4, 8);
        i32x4_eq(v128_and(u32x4_splat(mask), bits), bits)
    };
    mask(lanes: Int) -> u32 = u32::from(i32x4_bitmask(lanes));
    bytes(a: Int, numbers: Int) -> Int = i8x16_swizzle(a, numbers);
    add_doubles(a: Double, b: Double) -> Double = f64x2_add(a, b);
    sub_doubles(a: Double, b: Double) -> Double = f64x2_sub(a, b);
    mul_doubles(a: Double, b: Double) -> Double = f64x2_mul(a, b);
    div_doubles(a: Double, b: Double) -> Double = f64x2_div(a, b);
    min_doubles(a: Double, b: Double) -> Double = f64x2_pmin(b, a);
    max_doubles(a: Double, b: Double) -> Double = f64x2_pmax(b, a);
    lt_doubles(a: Double, b: Double) -> u32 = u32::from(i64x2_bitmask(f64x2_lt(a, b)));
    eq_doubles(a: Double, b: Double) -> u32 = u32::from(i64x2_bitmask(f64x2_eq(a, b)));
    select_doubles(mask: u32, yes: Double, no: Double) -> Double = {
        let lanes = i64x2(-i64::from(mask & 1), -i64::from(mask >> 1 & 1));
        v128_bitselect(yes, no, lanes)
    };
    widened_low(four: Float) -> Double = f64x2_promote_low_f32x4(four);
    widened_high(four: Float) -> Double =
        f64x2_promote_low_f32x4(i64x2_shuffle::<1, 1>(four, four));
    narrowed(low: Double, high: Double) -> Float = {
        let (low, high) = (f32x4_demote_f64x2_zero(low), f32x4_demote_f64x2_zero(high));
        i64x2_shuffle::<0, 2>(low, high)
    };
}

/// # Safety
/// Four words must lie there.
#[inline(always)]
pub(super) unsafe fn load(from: *const u32) -> Int {
    // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
    unsafe { v128_load(from.cast()) }
}

/// # Safety
/// There must be room for four words.
#[inline(always)]
pub(super) unsafe fn store(to: *mut u32, four: Int) {
    // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
    unsafe { v128_store(to.cast(), four) };
}

/// # Safety
/// Two doubles must lie there.
#[inline(always)]
pub(super) unsafe fn load_doubles(from: *const f64) -> Double {
    // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
    unsafe { v128_load(from.cast()) }
}

/// # Safety
/// There must be room for two doubles.
#[inline(always)]
pub(super) unsafe fn store_doubles(to: *mut f64, two: Double) {
    // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
    unsafe { v128_store(to.cast(), two) };
}

/// There is no way to ask for memory.
#[inline(always)]
pub(super) fn prefetch(_: *const u8) {}
