//! Vectors: the few operations that all walks are written over, once for every processor.
//!
//! A kernel is a type that implements [`Simd`]: its vectors of 4, 8 and 16 floats, of integers and
//! of doubles. Walks are generic over it and inlined, with all that they call, into
//! [`Simd::run`], which alone is compiled with the instructions of the kernel; so vectors stay in
//! registers and nobody else need name an instruction.
//!
//! A comparison gives a bit for each lane, the lowest for the first. Arithmetic is IEEE 754, lane
//! by lane, in every kernel: what decides hits has the same bits everywhere. One operation may
//! differ and is used where that decides nothing but the work: [`Floats::mul_add`] has one rounding
//! or two ([`Simd::FUSED`]).
//!
//! | file | concept |
//! |---|---|
//! | `x86` | vectors of 4 and 8 of x86 processors |
//! | `x86_moves` | what both of their kernels do alike beside arithmetic |
//! | `avx2` | that kernel |
//! | `avx512` | that kernel, and its vectors of 16 |
//! | `quads` | vectors of 4 as NEON and WebAssembly have them, and both kernels |
//! | `neon`, `simd128` | their instructions |
//! | `pair` | two vectors as one |
//! | `array` | plain arrays, and the kernel for any processor |
//! | `define` | how kernels say which instructions their operations are |

mod array;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod define;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
mod pair;
#[cfg(any(target_arch = "aarch64", all(target_family = "wasm", target_feature = "simd128")))]
mod quads;
#[cfg(all(target_family = "wasm", target_feature = "simd128"))]
mod simd128;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
mod x86_moves;

pub(crate) use array::Plain;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Avx512;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
pub(crate) use pair::{Half, Pair};
#[cfg(target_arch = "aarch64")]
pub(crate) use quads::Neon;
#[cfg(all(target_family = "wasm", target_feature = "simd128"))]
pub(crate) use quads::Simd128;

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Sub};

/// Whether walks in vectors are compiled at all. Modules of WebAssembly without vectors are loaded
/// over networks, and have the scalar walk alone.
pub(crate) const HAS_WALKS: bool =
    cfg!(any(not(target_family = "wasm"), target_feature = "simd128"));

/// The vectors of a kernel.
pub(crate) trait Simd: Copy + 'static {
    /// Whether [`Floats::mul_add`] has one rounding.
    const FUSED: bool;

    /// Four floats.
    type F4: Floats;
    /// Eight floats.
    type F8: Floats<Ints = Self::I8>;
    /// Sixteen floats.
    type F16: Floats<Ints = Self::I16>;
    /// Floats of as many rays of a bundle as are tested at once.
    type Wide: Floats;
    /// Eight words.
    type I8: Ints;
    /// Sixteen words.
    type I16: Ints;
    /// Four doubles.
    type D4: Doubles<Floats = Self::F4>;
    /// Eight doubles.
    type D8: Doubles<Floats = Self::F8>;
    /// The bits of a node of 128 bytes.
    type Bits: Copy;

    /// Does what is asked with the instructions of the kernel.
    ///
    /// # Safety
    /// The processor must have them, as for everything of a kernel.
    unsafe fn run<R>(work: impl FnOnce() -> R) -> R;

    /// The same, out of the way of the code around.
    ///
    /// # Safety
    /// As [`Simd::run`].
    #[inline(never)]
    unsafe fn run_apart<R>(work: impl FnOnce() -> R) -> R {
        // SAFETY: FEATURES-DETECTED.
        unsafe { Self::run(work) }
    }

    /// Asks for the memory at an address.
    fn prefetch(address: *const u8);

    /// Rows become columns.
    #[inline(always)]
    fn transposed(rows: [Self::F8; 8]) -> [Self::F8; 8] {
        let rows: [[f32; 8]; 8] = rows.map(floats);
        std::array::from_fn(|column| {
            of_floats::<_, 8>(&std::array::from_fn(|row| rows[row][column]))
        })
    }

    /// Stores, for each of eight lanes, that lane of four rows at a place.
    ///
    /// # Safety
    /// There must be room for four floats at each place.
    #[inline(always)]
    unsafe fn store_quads(rows: [Self::F8; 4], places: [*mut f32; 8]) {
        let rows: [[f32; 8]; 4] = rows.map(floats);
        for (lane, place) in places.into_iter().enumerate() {
            for (k, row) in rows.iter().enumerate() {
                // SAFETY: VECTOR-SIZED.
                unsafe { *place.add(k) = row[lane] };
            }
        }
    }

    /// Four floats, twice.
    ///
    /// # Safety
    /// They must lie there.
    unsafe fn twice(four: *const f32) -> Self::F8;

    /// One of four floats that lie there twice, in all lanes.
    fn spread<const LANE: i32>(twice: Self::F8) -> Self::F8;

    /// One of four floats in all lanes.
    fn all<const LANE: i32>(four: Self::F4) -> Self::F8;

    /// Where `a` is less than `b`, with signs, for a branch that waits for it.
    #[inline(always)]
    fn is_less(a: Self::I8, b: Self::I8) -> u32 {
        a.lt(b)
    }

    /// Lanes 2, 0, 1: what comes before each of three.
    fn before(three: Self::F4) -> Self::F4;

    /// Lanes 1, 2, 0: what comes after each of three.
    fn after(three: Self::F4) -> Self::F4;

    /// Three rows as three columns; the fourth lane of each is one of the others.
    #[inline(always)]
    fn columns(rows: [Self::F4; 3]) -> [Self::F4; 3] {
        let [x, y, z]: [[f32; 4]; 3] = rows.map(floats);
        std::array::from_fn(|column| {
            of_floats::<_, 4>(&[x[column], y[column], z[column], z[column]])
        })
    }

    /// Two to the power of the lowest three bytes, less 127.
    fn powers(exponents: u32) -> Self::F4;

    /// The bits of a node.
    fn bits(node: &[u8; 128]) -> Self::Bits;

    /// The 32 bits from each of some places of a node on; behind its end, anything.
    fn bits_at(bits: &Self::Bits, places: Self::I16) -> Self::I16;

    /// `yes` unless a number is zero, without a branch.
    #[inline(always)]
    fn choose(number: u32, yes: u32, no: u32) -> u32 {
        if number != 0 { yes } else { no }
    }

    /// One of some words, in one instruction wherever it is asked for: compilers would merge what
    /// several places have in common into a longer way.
    ///
    /// # Safety
    /// POINTER-PROVED: there must be so many.
    #[inline(always)]
    unsafe fn word(words: *const u32, number: usize) -> u32 {
        // SAFETY: POINTER-PROVED, which is asked.
        unsafe { *words.add(number) }
    }

    /// The same lanes, of which the compiler knows nothing, so that it does not form what is made
    /// of them before that is needed.
    #[inline(always)]
    fn optimization_barrier(four: Self::F4) -> Self::F4 {
        four
    }

    /// Likewise, so that it reads nothing of a value before that is needed.
    #[inline(always)]
    fn optimization_barrier_ref<T>(value: &T) -> &T {
        value
    }

    /// Leaves a value in memory, where loads can put parts of it into all lanes of vectors.
    #[inline(always)]
    fn force_to_memory<T>(value: &mut T) {
        let _ = value;
    }
}

/// What vectors of any kind have.
pub(crate) trait Lanes: Copy {
    /// How many.
    const LANES: usize;

    /// What a lane holds.
    type Lane: Copy + Default;

    /// The same in all lanes.
    fn splat(lane: Self::Lane) -> Self;

    /// From memory, wherever it is aligned.
    ///
    /// # Safety
    /// So many lanes must lie there.
    unsafe fn load(from: *const Self::Lane) -> Self;

    /// To memory, likewise.
    ///
    /// # Safety
    /// There must be room for so many.
    unsafe fn store(self, to: *mut Self::Lane);

    /// Lanes of `yes` where `mask` has bits, and of `no` elsewhere.
    fn select(mask: u32, yes: Self, no: Self) -> Self;
}

/// Floats.
pub(crate) trait Floats:
    Lanes<Lane = f32>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// As many words.
    type Ints: Ints;

    /// The bits.
    fn to_bits(self) -> Self::Ints;

    /// Of bits.
    fn from_bits(bits: Self::Ints) -> Self;

    /// The smaller; with a NaN, or of equals, the second operand.
    fn min(self, other: Self) -> Self;

    /// The greater; with a NaN, or of equals, the second operand.
    fn max(self, other: Self) -> Self;

    /// `self * factor + term`, with one rounding or two.
    fn mul_add(self, factor: Self, term: Self) -> Self;

    /// Where it is less; with a NaN nowhere, as for all of these.
    fn lt(self, other: Self) -> u32;

    /// Where it is no greater.
    fn le(self, other: Self) -> u32;

    /// Where both are equal.
    fn eq(self, other: Self) -> u32;

    /// Lanes by number, of which only the lowest bits count.
    fn permuted(self, numbers: Self::Ints) -> Self;

    /// Stores the lanes of `mask` one after the other, and anything behind them.
    ///
    /// # Safety
    /// There must be room for a whole vector.
    unsafe fn store_some(self, mask: u32, to: *mut f32);

    /// The smallest; none may be NaN.
    #[inline(always)]
    fn least(self) -> f32 {
        fold(self, |a, b| if a < b { a } else { b })
    }

    /// The greatest; none may be NaN.
    #[inline(always)]
    fn greatest(self) -> f32 {
        fold(self, |a, b| if a > b { a } else { b })
    }

    /// Where it is greater.
    #[inline(always)]
    fn gt(self, other: Self) -> u32 {
        other.lt(self)
    }

    /// Where it is no less.
    #[inline(always)]
    fn ge(self, other: Self) -> u32 {
        other.le(self)
    }

    /// Without signs.
    #[inline(always)]
    fn abs(self) -> Self {
        Self::from_bits(self.to_bits() & Self::Ints::splat(0x7FFF_FFFF))
    }

    /// The signs alone.
    #[inline(always)]
    fn signs(self) -> Self::Ints {
        self.to_bits() & Self::Ints::splat(0x8000_0000)
    }

    /// With the opposite signs.
    #[inline(always)]
    fn minus(self) -> Self {
        Self::from_bits(self.to_bits() ^ Self::Ints::splat(0x8000_0000))
    }
}

/// Words.
pub(crate) trait Ints:
    Lanes<Lane = u32>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
{
    /// Shifted up by as many bits as the lanes of another say; from 32 on nothing is left.
    fn shl(self, bits: Self) -> Self;

    /// Likewise down.
    fn shr(self, bits: Self) -> Self;

    /// The smaller, with signs.
    fn min(self, other: Self) -> Self;

    /// The greater, with signs.
    fn max(self, other: Self) -> Self;

    /// Where it is less, with signs.
    fn lt(self, other: Self) -> u32;

    /// Where both are equal.
    fn eq(self, other: Self) -> u32;

    /// Where the highest bit is set.
    fn is_high(self) -> u32;

    /// As [`Floats::permuted`].
    fn permuted(self, numbers: Self) -> Self;

    /// As [`Floats::store_some`].
    ///
    /// # Safety
    /// As there.
    unsafe fn store_some(self, mask: u32, to: *mut u32);

    /// The lanes of `mask` side by side, and anything behind them.
    #[inline(always)]
    fn packed(self, mask: u32) -> Self {
        let mut lanes = [0; 16];
        // SAFETY: VECTOR-SIZED.
        unsafe {
            self.store_some(mask, lanes.as_mut_ptr());
            Self::load(lanes.as_ptr())
        }
    }
}

/// Doubles.
pub(crate) trait Doubles:
    Lanes<Lane = f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// As many floats.
    type Floats: Floats;

    /// Of floats.
    fn widened(floats: Self::Floats) -> Self;

    /// The nearest floats.
    fn narrowed(self) -> Self::Floats;

    /// `self * factor - term`, where the product is exact.
    fn mul_sub(self, factor: Self, term: Self) -> Self;

    /// The smaller; with a NaN, or of equals, the second operand.
    fn min(self, other: Self) -> Self;

    /// The greater; with a NaN, or of equals, the second operand.
    fn max(self, other: Self) -> Self;

    /// Where it is less.
    fn lt(self, other: Self) -> u32;

    /// Where both are equal.
    fn eq(self, other: Self) -> u32;
}

/// A bit for each of the first lanes.
#[inline(always)]
pub(crate) fn first_lanes(count: usize) -> u32 {
    ((1u64 << count.min(32)) - 1) as u32
}

/// The lanes of a vector, in memory.
#[inline(always)]
pub(crate) fn floats<F: Floats, const N: usize>(lanes: F) -> [f32; N] {
    const { assert!(F::LANES == N) }
    let mut floats = [0.0; N];
    // SAFETY: VECTOR-SIZED.
    unsafe { lanes.store(floats.as_mut_ptr()) };
    floats
}

/// A vector of lanes in memory.
#[inline(always)]
pub(crate) fn of_floats<F: Floats, const N: usize>(lanes: &[f32; N]) -> F {
    const { assert!(F::LANES == N) }
    // SAFETY: VECTOR-SIZED.
    unsafe { F::load(lanes.as_ptr()) }
}

/// A vector of words in memory.
#[inline(always)]
pub(crate) fn of_words<I: Ints, const N: usize>(lanes: &[u32; N]) -> I {
    const { assert!(I::LANES == N) }
    // SAFETY: VECTOR-SIZED.
    unsafe { I::load(lanes.as_ptr()) }
}

/// What a function makes of each of three.
#[inline(always)]
pub(crate) fn each<T, R>([a, b, c]: [T; 3], function: impl Fn(T) -> R) -> [R; 3] {
    [function(a), function(b), function(c)]
}

/// A closure that is told to be inlined: outside of [`Simd::run`] its instructions would be calls.
#[inline(always)]
pub(crate) fn inlined<F>(closure: F) -> F {
    closure
}

/// The smallest of three.
#[inline(always)]
pub(crate) fn least<F: Floats>([a, b, c]: [F; 3]) -> F {
    a.min(b).min(c)
}

/// The greatest of three.
#[inline(always)]
pub(crate) fn greatest<F: Floats>([a, b, c]: [F; 3]) -> F {
    a.max(b).max(c)
}

#[inline(always)]
fn fold<F: Floats>(lanes: F, better: impl Fn(f32, f32) -> f32) -> f32 {
    let mut all = [0.0; 16];
    // SAFETY: VECTOR-SIZED: no vector has more than sixteen lanes.
    unsafe { lanes.store(all.as_mut_ptr()) };
    all[1..F::LANES].iter().fold(all[0], |best, &lane| better(best, lane))
}

/// [`Simd::bits_at`], lane by lane.
#[inline(always)]
fn bits_of_bytes<I: Ints>(node: *const u8, places: I) -> I {
    let (mut starts, mut words) = ([0u32; 16], [0u32; 16]);
    // SAFETY: VECTOR-SIZED: sixteen places; eight bytes from at most the 120th on lie in a node.
    unsafe {
        places.store(starts.as_mut_ptr());
        for (word, start) in words.iter_mut().zip(starts) {
            let byte = (start / 8).min(120);
            let bits = u64::from_le(node.add(byte as usize).cast::<u64>().read_unaligned());
            *word = (bits >> (start.wrapping_sub(8 * byte) & 63)) as u32;
        }
        I::load(words.as_ptr())
    }
}
