//! The instructions of NEON for vectors of four.

use std::arch::aarch64::*;

pub(super) type Float = float32x4_t;
pub(super) type Int = uint32x4_t;
pub(super) type Double = float64x2_t;

/// Whether [`mul_add`] has one rounding.
pub(super) const FUSED: bool = true;

#[inline(always)]
pub(super) fn splat(lane: f32) -> Float {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vdupq_n_f32(lane) }
}

#[inline(always)]
pub(super) fn splat_word(lane: u32) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vdupq_n_u32(lane) }
}

#[inline(always)]
pub(super) fn splat_double(lane: f64) -> Double {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vdupq_n_f64(lane) }
}

#[inline(always)]
pub(super) fn spread<const LANE: i32>(four: Float) -> Float {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vdupq_laneq_f32::<LANE>(four) }
}

#[inline(always)]
pub(super) fn to_bits(four: Float) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vreinterpretq_u32_f32(four) }
}

#[inline(always)]
pub(super) fn of_bits(four: Int) -> Float {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vreinterpretq_f32_u32(four) }
}

#[inline(always)]
pub(super) fn add(a: Float, b: Float) -> Float {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vaddq_f32(a, b) }
}

#[inline(always)]
pub(super) fn sub(a: Float, b: Float) -> Float {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vsubq_f32(a, b) }
}

#[inline(always)]
pub(super) fn mul(a: Float, b: Float) -> Float {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vmulq_f32(a, b) }
}

#[inline(always)]
pub(super) fn div(a: Float, b: Float) -> Float {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vdivq_f32(a, b) }
}

#[inline(always)]
pub(super) fn mul_add(a: Float, b: Float, c: Float) -> Float {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vfmaq_f32(c, a, b) }
}

#[inline(always)]
pub(super) fn min(a: Float, b: Float) -> Float {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vbslq_f32(vcltq_f32(a, b), a, b) }
}

#[inline(always)]
pub(super) fn max(a: Float, b: Float) -> Float {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vbslq_f32(vcgtq_f32(a, b), a, b) }
}

#[inline(always)]
pub(super) fn lt(a: Float, b: Float) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vcltq_f32(a, b) }
}

#[inline(always)]
pub(super) fn le(a: Float, b: Float) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vcleq_f32(a, b) }
}

#[inline(always)]
pub(super) fn eq(a: Float, b: Float) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vceqq_f32(a, b) }
}

#[inline(always)]
pub(super) fn add_words(a: Int, b: Int) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vaddq_u32(a, b) }
}

#[inline(always)]
pub(super) fn sub_words(a: Int, b: Int) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vsubq_u32(a, b) }
}

#[inline(always)]
pub(super) fn mul_words(a: Int, b: Int) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vmulq_u32(a, b) }
}

#[inline(always)]
pub(super) fn and(a: Int, b: Int) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vandq_u32(a, b) }
}

#[inline(always)]
pub(super) fn or(a: Int, b: Int) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vorrq_u32(a, b) }
}

#[inline(always)]
pub(super) fn xor(a: Int, b: Int) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { veorq_u32(a, b) }
}

#[inline(always)]
pub(super) fn shl(a: Int, bits: Int) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vshlq_u32(a, vreinterpretq_s32_u32(bits)) }
}

#[inline(always)]
pub(super) fn shr(a: Int, bits: Int) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vshlq_u32(a, vnegq_s32(vreinterpretq_s32_u32(bits))) }
}

#[inline(always)]
pub(super) fn signed(a: Int) -> int32x4_t {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vreinterpretq_s32_u32(a) }
}

#[inline(always)]
pub(super) fn min_words(a: Int, b: Int) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vreinterpretq_u32_s32(vminq_s32(signed(a), signed(b))) }
}

#[inline(always)]
pub(super) fn max_words(a: Int, b: Int) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vreinterpretq_u32_s32(vmaxq_s32(signed(a), signed(b))) }
}

#[inline(always)]
pub(super) fn lt_words(a: Int, b: Int) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vcltq_s32(signed(a), signed(b)) }
}

#[inline(always)]
pub(super) fn eq_words(a: Int, b: Int) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vceqq_u32(a, b) }
}

#[inline(always)]
pub(super) fn select(mask: Int, yes: Int, no: Int) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vbslq_u32(mask, yes, no) }
}

#[inline(always)]
pub(super) fn lane_bits() -> Int {
    // One bit for each lane.
    // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
    unsafe { vld1q_u32([1, 2, 4, 8].as_ptr()) }
}

#[inline(always)]
pub(super) fn expanded(mask: u32) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vtstq_u32(vdupq_n_u32(mask), lane_bits()) }
}

#[inline(always)]
pub(super) fn mask(lanes: Int) -> u32 {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vaddvq_u32(vandq_u32(lanes, lane_bits())) }
}

#[inline(always)]
pub(super) fn bytes(a: Int, numbers: Int) -> Int {
    // SAFETY: FEATURES-DETECTED.
    unsafe {
        let (a, numbers) = (vreinterpretq_u8_u32(a), vreinterpretq_u8_u32(numbers));
        vreinterpretq_u32_u8(vqtbl1q_u8(a, numbers))
    }
}

#[inline(always)]
pub(super) fn add_doubles(a: Double, b: Double) -> Double {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vaddq_f64(a, b) }
}

#[inline(always)]
pub(super) fn sub_doubles(a: Double, b: Double) -> Double {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vsubq_f64(a, b) }
}

#[inline(always)]
pub(super) fn mul_doubles(a: Double, b: Double) -> Double {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vmulq_f64(a, b) }
}

#[inline(always)]
pub(super) fn div_doubles(a: Double, b: Double) -> Double {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vdivq_f64(a, b) }
}

#[inline(always)]
pub(super) fn min_doubles(a: Double, b: Double) -> Double {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vbslq_f64(vcltq_f64(a, b), a, b) }
}

#[inline(always)]
pub(super) fn max_doubles(a: Double, b: Double) -> Double {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vbslq_f64(vcgtq_f64(a, b), a, b) }
}

#[inline(always)]
pub(super) fn mask_doubles(lanes: uint64x2_t) -> u32 {
    // SAFETY: FEATURES-DETECTED.
    unsafe { (vgetq_lane_u64::<0>(lanes) & 1 | vgetq_lane_u64::<1>(lanes) & 2) as u32 }
}

#[inline(always)]
pub(super) fn lt_doubles(a: Double, b: Double) -> u32 {
    // SAFETY: FEATURES-DETECTED.
    unsafe { mask_doubles(vcltq_f64(a, b)) }
}

#[inline(always)]
pub(super) fn eq_doubles(a: Double, b: Double) -> u32 {
    // SAFETY: FEATURES-DETECTED.
    unsafe { mask_doubles(vceqq_f64(a, b)) }
}

#[inline(always)]
pub(super) fn select_doubles(mask: u32, yes: Double, no: Double) -> Double {
    // SAFETY: FEATURES-DETECTED.
    unsafe {
        let lanes = vcombine_u64(
            vcreate_u64(0u64.wrapping_sub(u64::from(mask & 1))),
            vcreate_u64(0u64.wrapping_sub(u64::from(mask >> 1 & 1))),
        );
        vbslq_f64(lanes, yes, no)
    }
}

#[inline(always)]
pub(super) fn widened_low(four: Float) -> Double {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vcvt_f64_f32(vget_low_f32(four)) }
}

#[inline(always)]
pub(super) fn widened_high(four: Float) -> Double {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vcvt_high_f64_f32(four) }
}

#[inline(always)]
pub(super) fn narrowed(low: Double, high: Double) -> Float {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vcvt_high_f32_f64(vcvt_f32_f64(low), high) }
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
