//! Vectors of 4, as NEON and WebAssembly have them, and both kernels. Longer vectors are pairs of
//! these.

#[cfg(target_arch = "aarch64")]
use super::neon as isa;
#[cfg(target_family = "wasm")]
use super::simd128 as isa;
use super::{Doubles, Floats, Half, Ints, Lanes, Pair, Simd, bits_of_bytes};
use isa::{Double, Float, Int};

/// The kernel of NEON.
#[cfg(target_arch = "aarch64")]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neon;

/// The kernel of WebAssembly's vectors.
#[cfg(target_family = "wasm")]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Simd128;

#[cfg(target_arch = "aarch64")]
type Kernel = Neon;
#[cfg(target_family = "wasm")]
type Kernel = Simd128;

/// Four floats.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct F4(Float);

/// Four words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct I4(Int);

/// Four doubles.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct D4(Double, Double);

impl Simd for Kernel {
    const FUSED: bool = isa::FUSED;

    type F4 = F4;
    type F8 = Pair<F4>;
    type F16 = Pair<Pair<F4>>;
    type Wide = Pair<F4>;
    type I8 = Pair<I4>;
    type I16 = Pair<Pair<I4>>;
    type D4 = D4;
    type D8 = Pair<D4>;
    type Bits = *const u8;

    #[inline]
    unsafe fn run<R>(work: impl FnOnce() -> R) -> R {
        work()
    }

    #[inline(always)]
    fn prefetch(address: *const u8) {
        isa::prefetch(address);
    }

    #[inline(always)]
    unsafe fn twice(four: *const f32) -> Pair<F4> {
        // SAFETY: VECTOR-SIZED.
        let four = unsafe { F4::load(four) };
        Pair(four, four)
    }

    #[inline(always)]
    fn spread<const LANE: i32>(twice: Pair<F4>) -> Pair<F4> {
        Self::all::<LANE>(twice.0)
    }

    #[inline(always)]
    fn all<const LANE: i32>(four: F4) -> Pair<F4> {
        let all = F4(isa::spread::<LANE>(four.0));
        Pair(all, all)
    }

    #[inline(always)]
    fn before(three: F4) -> F4 {
        three.permuted(super::of_words(&[2, 0, 1, 3]))
    }

    #[inline(always)]
    fn after(three: F4) -> F4 {
        three.permuted(super::of_words(&[1, 2, 0, 3]))
    }

    #[inline(always)]
    fn powers(exponents: u32) -> F4 {
        super::of_floats(
            &[0, 8, 16, 24].map(|shift| f32::from_bits((exponents >> shift & 0xFF) << 23)),
        )
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

/// Methods that make a vector of two.
macro_rules! of_two {
    ($($method:ident $function:ident),*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> Self {
            Self(isa::$function(self.0, other.0))
        }
    )*};
}

/// Methods that compare two vectors.
macro_rules! compared {
    ($($method:ident $function:ident),*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> u32 {
            isa::mask(isa::$function(self.0, other.0))
        }
    )*};
}

/// The same of doubles.
macro_rules! of_two_doubles {
    ($($method:ident $function:ident),*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> Self {
            Self(isa::$function(self.0, other.0), isa::$function(self.1, other.1))
        }
    )*};
}

macro_rules! operators {
    ($type:ident $two:ident: $($trait:ident $method:ident $function:ident),*) => {$(
        impl std::ops::$trait for $type {
            type Output = Self;
            $two! { $method $function }
        }
    )*};
}

operators! { F4 of_two: Add add add, Sub sub sub, Mul mul mul, Div div div }
operators! { I4 of_two:
    Add add add_words, Sub sub sub_words, Mul mul mul_words, BitAnd bitand and, BitOr bitor or,
    BitXor bitxor xor
}
operators! { D4 of_two_doubles:
    Add add add_doubles, Sub sub sub_doubles, Mul mul mul_doubles, Div div div_doubles
}

impl Lanes for F4 {
    const LANES: usize = 4;
    type Lane = f32;

    #[inline(always)]
    fn splat(lane: f32) -> Self {
        Self(isa::splat(lane))
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: VECTOR-SIZED.
        Self(isa::of_bits(unsafe { isa::load(from.cast()) }))
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: VECTOR-SIZED.
        unsafe { isa::store(to.cast(), isa::to_bits(self.0)) };
    }

    #[inline(always)]
    fn select(mask: u32, yes: Self, no: Self) -> Self {
        Self::from_bits(I4::select(mask, yes.to_bits(), no.to_bits()))
    }
}

impl Lanes for I4 {
    const LANES: usize = 4;
    type Lane = u32;

    #[inline(always)]
    fn splat(lane: u32) -> Self {
        Self(isa::splat_word(lane))
    }

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: VECTOR-SIZED.
        Self(unsafe { isa::load(from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: VECTOR-SIZED.
        unsafe { isa::store(to, self.0) };
    }

    #[inline(always)]
    fn select(mask: u32, yes: Self, no: Self) -> Self {
        Self(isa::select(isa::expanded(mask), yes.0, no.0))
    }
}

impl Lanes for D4 {
    const LANES: usize = 4;
    type Lane = f64;

    #[inline(always)]
    fn splat(lane: f64) -> Self {
        Self(isa::splat_double(lane), isa::splat_double(lane))
    }

    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: VECTOR-SIZED.
        unsafe { Self(isa::load_doubles(from), isa::load_doubles(from.add(2))) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        // SAFETY: VECTOR-SIZED.
        unsafe {
            isa::store_doubles(to, self.0);
            isa::store_doubles(to.add(2), self.1);
        }
    }

    #[inline(always)]
    fn select(mask: u32, yes: Self, no: Self) -> Self {
        Self(isa::select_doubles(mask, yes.0, no.0), isa::select_doubles(mask >> 2, yes.1, no.1))
    }
}

impl Floats for F4 {
    type Ints = I4;

    #[inline(always)]
    fn to_bits(self) -> I4 {
        I4(isa::to_bits(self.0))
    }

    #[inline(always)]
    fn from_bits(bits: I4) -> Self {
        Self(isa::of_bits(bits.0))
    }

    of_two! { min min, max max }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        Self(isa::mul_add(self.0, factor.0, term.0))
    }

    compared! { lt lt, le le, eq eq }

    #[inline(always)]
    fn permuted(self, numbers: I4) -> Self {
        Self::from_bits(self.to_bits().permuted(numbers))
    }

    #[inline(always)]
    unsafe fn store_some(self, mask: u32, to: *mut f32) {
        // SAFETY: VECTOR-SIZED.
        unsafe { self.to_bits().store_some(mask, to.cast()) };
    }
}

/// For each set of four lanes, their numbers in order; behind them zeros.
static PACKED: [[u32; 4]; 16] = {
    let mut table = [[0; 4]; 16];
    let mut mask = 0;
    while mask < 16 {
        let (mut lane, mut count) = (0, 0);
        while lane < 4 {
            if mask >> lane & 1 == 1 {
                table[mask][count] = lane as u32;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

impl Ints for I4 {
    of_two! { shl shl, shr shr, min min_words, max max_words }
    compared! { lt lt_words, eq eq_words }

    #[inline(always)]
    fn is_high(self) -> u32 {
        self.lt(Self::splat(0))
    }

    #[inline(always)]
    fn permuted(self, numbers: Self) -> Self {
        // Numbers of bytes: four from each.
        let numbers = numbers & Self::splat(3);
        let bytes = numbers * Self::splat(0x0404_0404) + Self::splat(0x0302_0100);
        Self(isa::bytes(self.0, bytes.0))
    }

    #[inline(always)]
    unsafe fn store_some(self, mask: u32, to: *mut u32) {
        let numbers = super::of_words(&PACKED[mask as usize & 15]);
        // SAFETY: VECTOR-SIZED.
        unsafe { self.permuted(numbers).store(to) };
    }
}

impl Half for F4 {
    type Whole = Pair<F4>;

    #[inline(always)]
    fn joined(low: Self, high: Self) -> Pair<F4> {
        Pair(low, high)
    }

    #[inline(always)]
    fn split(whole: Pair<F4>) -> (Self, Self) {
        (whole.0, whole.1)
    }
}

impl Doubles for D4 {
    type Floats = F4;

    #[inline(always)]
    fn widened(floats: F4) -> Self {
        Self(isa::widened_low(floats.0), isa::widened_high(floats.0))
    }

    #[inline(always)]
    fn narrowed(self) -> F4 {
        F4(isa::narrowed(self.0, self.1))
    }

    #[inline(always)]
    fn mul_sub(self, factor: Self, term: Self) -> Self {
        self * factor - term
    }

    of_two_doubles! { min min_doubles, max max_doubles }

    #[inline(always)]
    fn lt(self, other: Self) -> u32 {
        isa::lt_doubles(self.0, other.0) | isa::lt_doubles(self.1, other.1) << 2
    }

    #[inline(always)]
    fn eq(self, other: Self) -> u32 {
        isa::eq_doubles(self.0, other.0) | isa::eq_doubles(self.1, other.1) << 2
    }
}
