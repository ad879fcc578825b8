//! Plain arrays: loops that a compiler turns into the vectors of any processor, or none.

use super::{Doubles, Floats, Ints, Lanes, Simd, bits_of_bytes};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Sub};

/// The kernel for any processor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain;

/// Lanes in an array.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Array<T, const N: usize>(pub(crate) [T; N]);

impl Simd for Plain {
    const FUSED: bool = false;

    type F4 = Array<f32, 4>;
    type F8 = Array<f32, 8>;
    type F16 = Array<f32, 16>;
    type Wide = Array<f32, 8>;
    type I8 = Array<u32, 8>;
    type I16 = Array<u32, 16>;
    type D4 = Array<f64, 4>;
    type D8 = Array<f64, 8>;
    type Bits = *const u8;

    #[inline]
    unsafe fn run<R>(work: impl FnOnce() -> R) -> R {
        work()
    }

    #[inline(always)]
    fn prefetch(address: *const u8) {
        #[cfg(target_arch = "x86_64")]
        super::x86_moves::prefetch(address);
        #[cfg(target_arch = "aarch64")]
        super::neon::prefetch(address);
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let _ = address;
    }

    #[inline(always)]
    unsafe fn twice(four: *const f32) -> Self::F8 {
        // SAFETY: VECTOR-SIZED.
        Array(std::array::from_fn(|lane| unsafe { *four.add(lane % 4) }))
    }

    #[inline(always)]
    fn spread<const LANE: i32>(twice: Self::F8) -> Self::F8 {
        Array([twice.0[LANE as usize]; 8])
    }

    #[inline(always)]
    fn all<const LANE: i32>(four: Self::F4) -> Self::F8 {
        Array([four.0[LANE as usize]; 8])
    }

    #[inline(always)]
    fn before(Array([a, b, c, d]): Self::F4) -> Self::F4 {
        Array([c, a, b, d])
    }

    #[inline(always)]
    fn after(Array([a, b, c, d]): Self::F4) -> Self::F4 {
        Array([b, c, a, d])
    }

    #[inline(always)]
    fn powers(exponents: u32) -> Self::F4 {
        Array([0, 8, 16, 24].map(|shift| f32::from_bits((exponents >> shift & 0xFF) << 23)))
    }

    #[inline(always)]
    fn bits(node: &[u8; 128]) -> *const u8 {
        node.as_ptr()
    }

    #[inline(always)]
    fn bits_at(bits: &*const u8, places: Self::I16) -> Self::I16 {
        bits_of_bytes(*bits, places)
    }
}

/// Lane by lane.
#[inline(always)]
fn zip<T: Copy, U: Copy, R, const N: usize>(
    a: Array<T, N>,
    b: Array<U, N>,
    operation: impl Fn(T, U) -> R,
) -> Array<R, N> {
    Array(std::array::from_fn(|lane| operation(a.0[lane], b.0[lane])))
}

/// The lanes of which something is true.
#[inline(always)]
fn mask<T: Copy, const N: usize>(
    a: Array<T, N>,
    b: Array<T, N>,
    is_so: impl Fn(T, T) -> bool,
) -> u32 {
    (0..N).fold(0, |mask, lane| mask | u32::from(is_so(a.0[lane], b.0[lane])) << lane)
}

macro_rules! operators {
    ($type:ty: $($trait:ident $method:ident $function:expr),*) => {$(
        impl<const N: usize> $trait for Array<$type, N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                zip(self, other, $function)
            }
        }
    )*};
}

operators!(f32: Add add |a, b| a + b, Sub sub |a, b| a - b, Mul mul |a, b| a * b,
    Div div |a, b| a / b);
operators!(f64: Add add |a, b| a + b, Sub sub |a, b| a - b, Mul mul |a, b| a * b,
    Div div |a, b| a / b);
operators!(u32: Add add u32::wrapping_add, Sub sub u32::wrapping_sub, Mul mul u32::wrapping_mul,
    BitAnd bitand |a, b| a & b, BitOr bitor |a, b| a | b, BitXor bitxor |a, b| a ^ b);

impl<T: Copy + Default, const N: usize> Lanes for Array<T, N> {
    const LANES: usize = N;
    type Lane = T;

    #[inline(always)]
    fn splat(lane: T) -> Self {
        Self([lane; N])
    }

    #[inline(always)]
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: VECTOR-SIZED.
        unsafe { from.cast::<Self>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut T) {
        // SAFETY: VECTOR-SIZED.
        unsafe { to.cast::<Self>().write_unaligned(self) };
    }

    #[inline(always)]
    fn select(mask: u32, yes: Self, no: Self) -> Self {
        Self(std::array::from_fn(
            |lane| if mask >> lane & 1 == 1 { yes.0[lane] } else { no.0[lane] },
        ))
    }
}

/// Stores the lanes of `mask` side by side.
///
/// # Safety
/// There must be room for all.
#[inline(always)]
unsafe fn store_some<T: Copy, const N: usize>(lanes: Array<T, N>, mask: u32, mut to: *mut T) {
    for (lane, number) in lanes.0.into_iter().enumerate() {
        // SAFETY: VECTOR-SIZED: no more are stored than there are lanes.
        unsafe {
            *to = number;
            to = to.add((mask >> lane & 1) as usize);
        }
    }
}

impl<const N: usize> Floats for Array<f32, N> {
    type Ints = Array<u32, N>;

    #[inline(always)]
    fn to_bits(self) -> Array<u32, N> {
        Array(self.0.map(f32::to_bits))
    }

    #[inline(always)]
    fn from_bits(bits: Array<u32, N>) -> Self {
        Array(bits.0.map(f32::from_bits))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        zip(self, other, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        zip(self, other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        self * factor + term
    }

    #[inline(always)]
    fn lt(self, other: Self) -> u32 {
        mask(self, other, |a, b| a < b)
    }

    #[inline(always)]
    fn le(self, other: Self) -> u32 {
        mask(self, other, |a, b| a <= b)
    }

    #[inline(always)]
    fn eq(self, other: Self) -> u32 {
        mask(self, other, |a, b| a == b)
    }

    #[inline(always)]
    fn permuted(self, numbers: Array<u32, N>) -> Self {
        Self(numbers.0.map(|number| self.0[number as usize % N]))
    }

    #[inline(always)]
    unsafe fn store_some(self, mask: u32, to: *mut f32) {
        // SAFETY: VECTOR-SIZED.
        unsafe { store_some(self, mask, to) };
    }
}

impl<const N: usize> Ints for Array<u32, N> {
    #[inline(always)]
    fn shl(self, bits: Self) -> Self {
        zip(self, bits, |a, bits| if bits < 32 { a << bits } else { 0 })
    }

    #[inline(always)]
    fn shr(self, bits: Self) -> Self {
        zip(self, bits, |a, bits| if bits < 32 { a >> bits } else { 0 })
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        zip(self, other, |a, b| (a as i32).min(b as i32) as u32)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        zip(self, other, |a, b| (a as i32).max(b as i32) as u32)
    }

    #[inline(always)]
    fn eq(self, other: Self) -> u32 {
        mask(self, other, |a, b| a == b)
    }

    #[inline(always)]
    fn lt(self, other: Self) -> u32 {
        mask(self, other, |a, b| (a as i32) < b as i32)
    }

    #[inline(always)]
    fn is_high(self) -> u32 {
        mask(self, self, |a, _| a >> 31 == 1)
    }

    #[inline(always)]
    fn permuted(self, numbers: Self) -> Self {
        Self(numbers.0.map(|number| self.0[number as usize % N]))
    }

    #[inline(always)]
    unsafe fn store_some(self, mask: u32, to: *mut u32) {
        // SAFETY: VECTOR-SIZED.
        unsafe { store_some(self, mask, to) };
    }
}

impl<const N: usize> Doubles for Array<f64, N> {
    type Floats = Array<f32, N>;

    #[inline(always)]
    fn widened(floats: Array<f32, N>) -> Self {
        Array(floats.0.map(f64::from))
    }

    #[inline(always)]
    fn narrowed(self) -> Array<f32, N> {
        Array(self.0.map(|lane| lane as f32))
    }

    #[inline(always)]
    fn mul_sub(self, factor: Self, term: Self) -> Self {
        self * factor - term
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        zip(self, other, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        zip(self, other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn lt(self, other: Self) -> u32 {
        mask(self, other, |a, b| a < b)
    }

    #[inline(always)]
    fn eq(self, other: Self) -> u32 {
        mask(self, other, |a, b| a == b)
    }
}
