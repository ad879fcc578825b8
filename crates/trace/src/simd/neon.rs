//! The instructions of NEON for vectors of four.

use super::define::named;
use std::arch::aarch64::*;

pub(super) type Float = float32x4_t;
pub(super) type Int = uint32x4_t;
pub(super) type Double = float64x2_t;

/// Whether [`mul_add`] has one rounding.
pub(super) const FUSED: bool = true;

named! {
    splat(lane: f32) -> Float = vdupq_n_f32(lane);
    splat_word(lane: u32) -> Int = vdupq_n_u32(lane);
    splat_double(lane: f64) -> Double = vdupq_n_f64(lane);
}

#[inline(always)]
pub(super) fn spread<const LANE: i32>(four: Float) -> Float {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vdupq_laneq_f32::<LANE>(four) }
}

named! {
    to_bits(four: Float) -> Int = vreinterpretq_u32_f32(four);
    of_bits(four: Int) -> Float = vreinterpretq_f32_u32(four);
    add(a: Float, b: Float) -> Float = vaddq_f32(a, b);
    sub(a: Float, b: Float) -> Float = vsubq_f32(a, b);
    mul(a: Float, b: Float) -> Float = vmulq_f32(a, b);
    div(a: Float, b: Float) -> Float = vdivq_f32(a, b);
    mul_add(a: Float, b: Float, c: Float) -> Float = vfmaq_f32(c, a, b);
    min(a: Float, b: Float) -> Float = vbslq_f32(vcltq_f32(a, b), a, b);
    max(a: Float, b: Float) -> Float = vbslq_f32(vcgtq_f32(a, b), a, b);
    lt(a: Float, b: Float) -> Int = vcltq_f32(a, b);
    le(a: Float, b: Float) -> Int = vcleq_f32(a, b);
    eq(a: Float, b: Float) -> Int = vceqq_f32(a, b);
    add_words(a: Int, b: Int) -> Int = vaddq_u32(a, b);
    sub_words(a: Int, b: Int) -> Int = vsubq_u32(a, b);
    mul_words(a: Int, b: Int) -> Int = vmulq_u32(a, b);
    and(a: Int, b: Int) -> Int = vandq_u32(a, b);
    or(a: Int, b: Int) -> Int = vorrq_u32(a, b);
    xor(a: Int, b: Int) -> Int = veorq_u32(a, b);
    shl(a: Int, bits: Int) -> Int = vshlq_u32(a, vreinterpretq_s32_u32(bits));
    shr(a: Int, bits: Int) -> Int = vshlq_u32(a, vnegq_s32(vreinterpretq_s32_u32(bits)));
    signed(a: Int) -> int32x4_t = vreinterpretq_s32_u32(a);
    min_words(a: Int, b: Int) -> Int = vreinterpretq_u32_s32(vminq_s32(signed(a), signed(b)));
    max_words(a: Int, b: Int) -> Int = vreinterpretq_u32_s32(vmaxq_s32(signed(a), signed(b)));
    lt_words(a: Int, b: Int) -> Int = vcltq_s32(signed(a), signed(b));
    eq_words(a: Int, b: Int) -> Int = vceqq_u32(a, b);
    select(mask: Int, yes: Int, no: Int) -> Int = vbslq_u32(mask, yes, no);
    lane_bits() -> Int = vld1q_u32([1, 2, 4, 8].as_ptr());
    expanded(mask: u32) -> Int = vtstq_u32(vdupq_n_u32(mask), lane_bits());
    mask(lanes: Int) -> u32 = vaddvq_u32(vandq_u32(lanes, lane_bits()));
    bytes(a: Int, numbers: Int) -> Int = {
        let (a, numbers) = (vreinterpretq_u8_u32(a), vreinterpretq_u8_u32(numbers));
        vreinterpretq_u32_u8(vqtbl1q_u8(a, numbers))
    };
    add_doubles(a: Double, b: Double) -> Double = vaddq_f64(a, b);
    sub_doubles(a: Double, b: Double) -> Double = vsubq_f64(a, b);
    mul_doubles(a: Double, b: Double) -> Double = vmulq_f64(a, b);
    div_doubles(a: Double, b: Double) -> Double = vdivq_f64(a, b);
    min_doubles(a: Double, b: Double) -> Double = vbslq_f64(vcltq_f64(a, b), a, b);
    max_doubles(a: Double, b: Double) -> Double = vbslq_f64(vcgtq_f64(a, b), a, b);
    mask_doubles(lanes: uint64x2_t) -> u32 =
        (vgetq_lane_u64::<0>(lanes) & 1 | vgetq_lane_u64::<1>(lanes) & 2) as u32;
    lt_doubles(a: Double, b: Double) -> u32 = mask_doubles(vcltq_f64(a, b));
    eq_doubles(a: Double, b: Double) -> u32 = mask_doubles(vceqq_f64(a, b));
    select_doubles(mask: u32, yes: Double, no: Double) -> Double = {
        let lanes = vcombine_u64(
            vcreate_u64(0u64.wrapping_sub(u64::from(mask & 1))),
            vcreate_u64(0u64.wrapping_sub(u64::from(mask >> 1 & 1))),
        );
        vbslq_f64(lanes, yes, no)
    };
    widened_low(four: Float) -> Double = vcvt_f64_f32(vget_low_f32(four));
    widened_high(four: Float) -> Double = vcvt_high_f64_f32(four);
    narrowed(low: Double, high: Double) -> Float = vcvt_high_f32_f64(vcvt_f32_f64(low), high);
}

/// # Safety
/// Four words must lie there.
#[inline(always)]
pub(super) unsafe fn load(from: *const u32) -> Int {
    // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
    unsafe { vld1q_u32(from) }
}

/// # Safety
/// There must be room for four words.
#[inline(always)]
pub(super) unsafe fn store(to: *mut u32, four: Int) {
    // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
    unsafe { vst1q_u32(to, four) };
}

/// # Safety
/// Two doubles must lie there.
#[inline(always)]
pub(super) unsafe fn load_doubles(from: *const f64) -> Double {
    // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
    unsafe { vld1q_f64(from) }
}

/// # Safety
/// There must be room for two doubles.
#[inline(always)]
pub(super) unsafe fn store_doubles(to: *mut f64, two: Double) {
    // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
    unsafe { vst1q_f64(to, two) };
}

/// Asks for the memory at an address.
#[inline(always)]
pub(super) fn prefetch(address: *const u8) {
    // SAFETY: ANY-ADDRESS, REGISTERS-ONLY.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, readonly));
    }
}
