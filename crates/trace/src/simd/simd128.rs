//! The instructions of WebAssembly for vectors of four.

use std::arch::wasm32::*;

pub(super) type Float = v128;
pub(super) type Int = v128;
pub(super) type Double = v128;

/// Whether [`mul_add`] has one rounding.
pub(super) const FUSED: bool = false;

#[inline(always)]
pub(super) fn splat(lane: f32) -> Float {
    f32x4_splat(lane)
}

#[inline(always)]
pub(super) fn splat_word(lane: u32) -> Int {
    u32x4_splat(lane)
}

#[inline(always)]
pub(super) fn splat_double(lane: f64) -> Double {
    f64x2_splat(lane)
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

#[inline(always)]
pub(super) fn to_bits(four: Float) -> Int {
    four
}

#[inline(always)]
pub(super) fn of_bits(four: Int) -> Float {
    four
}

#[inline(always)]
pub(super) fn add(a: Float, b: Float) -> Float {
    f32x4_add(a, b)
}

#[inline(always)]
pub(super) fn sub(a: Float, b: Float) -> Float {
    f32x4_sub(a, b)
}

#[inline(always)]
pub(super) fn mul(a: Float, b: Float) -> Float {
    f32x4_mul(a, b)
}

#[inline(always)]
pub(super) fn div(a: Float, b: Float) -> Float {
    f32x4_div(a, b)
}

#[inline(always)]
pub(super) fn mul_add(a: Float, b: Float, c: Float) -> Float {
    f32x4_add(f32x4_mul(a, b), c)
}

#[inline(always)]
pub(super) fn min(a: Float, b: Float) -> Float {
    f32x4_pmin(b, a)
}

#[inline(always)]
pub(super) fn max(a: Float, b: Float) -> Float {
    f32x4_pmax(b, a)
}

#[inline(always)]
pub(super) fn lt(a: Float, b: Float) -> Int {
    f32x4_lt(a, b)
}

#[inline(always)]
pub(super) fn le(a: Float, b: Float) -> Int {
    f32x4_le(a, b)
}

#[inline(always)]
pub(super) fn eq(a: Float, b: Float) -> Int {
    f32x4_eq(a, b)
}

#[inline(always)]
pub(super) fn add_words(a: Int, b: Int) -> Int {
    i32x4_add(a, b)
}

#[inline(always)]
pub(super) fn sub_words(a: Int, b: Int) -> Int {
    i32x4_sub(a, b)
}

#[inline(always)]
pub(super) fn mul_words(a: Int, b: Int) -> Int {
    i32x4_mul(a, b)
}

#[inline(always)]
pub(super) fn and(a: Int, b: Int) -> Int {
    v128_and(a, b)
}

#[inline(always)]
pub(super) fn or(a: Int, b: Int) -> Int {
    v128_or(a, b)
}

#[inline(always)]
pub(super) fn xor(a: Int, b: Int) -> Int {
    v128_xor(a, b)
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

#[inline(always)]
pub(super) fn shl(a: Int, bits: Int) -> Int {
    each(a, bits, |a, bits| a.checked_shl(bits).unwrap_or(0))
}

#[inline(always)]
pub(super) fn shr(a: Int, bits: Int) -> Int {
    each(a, bits, |a, bits| a.checked_shr(bits).unwrap_or(0))
}

#[inline(always)]
pub(super) fn min_words(a: Int, b: Int) -> Int {
    i32x4_min(a, b)
}

#[inline(always)]
pub(super) fn max_words(a: Int, b: Int) -> Int {
    i32x4_max(a, b)
}

#[inline(always)]
pub(super) fn lt_words(a: Int, b: Int) -> Int {
    i32x4_lt(a, b)
}

#[inline(always)]
pub(super) fn eq_words(a: Int, b: Int) -> Int {
    i32x4_eq(a, b)
}

#[inline(always)]
pub(super) fn select(mask: Int, yes: Int, no: Int) -> Int {
    v128_bitselect(yes, no, mask)
}

#[inline(always)]
pub(super) fn expanded(mask: u32) -> Int {
    let bits = u32x4(1, 2, 4, 8);
    i32x4_eq(v128_and(u32x4_splat(mask), bits), bits)
}

#[inline(always)]
pub(super) fn mask(lanes: Int) -> u32 {
    u32::from(i32x4_bitmask(lanes))
}

#[inline(always)]
pub(super) fn bytes(a: Int, numbers: Int) -> Int {
    i8x16_swizzle(a, numbers)
}

#[inline(always)]
pub(super) fn add_doubles(a: Double, b: Double) -> Double {
    f64x2_add(a, b)
}

#[inline(always)]
pub(super) fn sub_doubles(a: Double, b: Double) -> Double {
    f64x2_sub(a, b)
}

#[inline(always)]
pub(super) fn mul_doubles(a: Double, b: Double) -> Double {
    f64x2_mul(a, b)
}

#[inline(always)]
pub(super) fn div_doubles(a: Double, b: Double) -> Double {
    f64x2_div(a, b)
}

#[inline(always)]
pub(super) fn min_doubles(a: Double, b: Double) -> Double {
    f64x2_pmin(b, a)
}

#[inline(always)]
pub(super) fn max_doubles(a: Double, b: Double) -> Double {
    f64x2_pmax(b, a)
}

#[inline(always)]
pub(super) fn lt_doubles(a: Double, b: Double) -> u32 {
    u32::from(i64x2_bitmask(f64x2_lt(a, b)))
}

#[inline(always)]
pub(super) fn eq_doubles(a: Double, b: Double) -> u32 {
    u32::from(i64x2_bitmask(f64x2_eq(a, b)))
}

#[inline(always)]
pub(super) fn select_doubles(mask: u32, yes: Double, no: Double) -> Double {
    let lanes = i64x2(-i64::from(mask & 1), -i64::from(mask >> 1 & 1));
    v128_bitselect(yes, no, lanes)
}

#[inline(always)]
pub(super) fn widened_low(four: Float) -> Double {
    f64x2_promote_low_f32x4(four)
}

#[inline(always)]
pub(super) fn widened_high(four: Float) -> Double {
    f64x2_promote_low_f32x4(i64x2_shuffle::<1, 1>(four, four))
}

#[inline(always)]
pub(super) fn narrowed(low: Double, high: Double) -> Float {
    let (low, high) = (f32x4_demote_f64x2_zero(low), f32x4_demote_f64x2_zero(high));
    i64x2_shuffle::<0, 2>(low, high)
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
