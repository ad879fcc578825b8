//! Two vectors as one: for processors whose vectors are shorter than those of the walks.

use super::{Doubles, Floats, Ints, Lanes, inlined};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Sub};

/// The lower lanes, and the higher ones.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Pair<T>(pub(crate) T, pub(crate) T);

impl<T: Lanes> Pair<T> {
    /// The bits of either half as those of all.
    #[inline(always)]
    fn both(low: u32, high: u32) -> u32 {
        low | high << T::LANES
    }
}

/// Methods that make a vector of two.
macro_rules! of_two {
    ($($method:ident),*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> Self {
            Self(self.0.$method(other.0), self.1.$method(other.1))
        }
    )*};
}

/// Methods that compare two vectors.
macro_rules! compared {
    ($($method:ident),*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> u32 {
            Self::both(self.0.$method(other.0), self.1.$method(other.1))
        }
    )*};
}

macro_rules! operators {
    ($($trait:ident $method:ident),*) => {$(
        impl<T: $trait<Output = T>> $trait for Pair<T> {
            type Output = Self;
            of_two!($method);
        }
    )*};
}

operators!(Add add, Sub sub, Mul mul, Div div, BitAnd bitand, BitOr bitor, BitXor bitxor);

impl<T: Lanes> Lanes for Pair<T> {
    const LANES: usize = 2 * T::LANES;
    type Lane = T::Lane;

    #[inline(always)]
    fn splat(lane: T::Lane) -> Self {
        Self(T::splat(lane), T::splat(lane))
    }

    #[inline(always)]
    unsafe fn load(from: *const T::Lane) -> Self {
        // SAFETY: VECTOR-SIZED.
        unsafe { Self(T::load(from), T::load(from.add(T::LANES))) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut T::Lane) {
        // SAFETY: VECTOR-SIZED.
        unsafe {
            self.0.store(to);
            self.1.store(to.add(T::LANES));
        }
    }

    #[inline(always)]
    fn select(mask: u32, yes: Self, no: Self) -> Self {
        Self(T::select(mask, yes.0, no.0), T::select(mask >> T::LANES, yes.1, no.1))
    }
}

impl<T: Floats> Floats for Pair<T> {
    type Ints = Pair<T::Ints>;

    #[inline(always)]
    fn to_bits(self) -> Self::Ints {
        Pair(self.0.to_bits(), self.1.to_bits())
    }

    #[inline(always)]
    fn from_bits(bits: Self::Ints) -> Self {
        Self(T::from_bits(bits.0), T::from_bits(bits.1))
    }

    of_two!(min, max);

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        Self(self.0.mul_add(factor.0, term.0), self.1.mul_add(factor.1, term.1))
    }

    compared!(lt, le, eq);

    #[inline(always)]
    fn permuted(self, numbers: Self::Ints) -> Self {
        Self::from_bits(self.to_bits().permuted(numbers))
    }

    #[inline(always)]
    unsafe fn store_some(self, mask: u32, to: *mut f32) {
        // SAFETY: VECTOR-SIZED.
        unsafe { self.to_bits().store_some(mask, to.cast()) };
    }

    #[inline(always)]
    fn least(self) -> f32 {
        self.0.min(self.1).least()
    }

    #[inline(always)]
    fn greatest(self) -> f32 {
        self.0.max(self.1).greatest()
    }
}

impl<T: Ints> Ints for Pair<T> {
    of_two!(shl, shr, min, max);
    compared!(eq, lt);

    #[inline(always)]
    fn is_high(self) -> u32 {
        Self::both(self.0.is_high(), self.1.is_high())
    }

    #[inline(always)]
    fn permuted(self, numbers: Self) -> Self {
        // The bit that says which half a lane is taken from becomes the highest.
        let up = T::splat(31 - T::LANES.trailing_zeros());
        let half = inlined(
            #[inline(always)]
            |numbers: T| {
                let is_above = numbers.shl(up).is_high();
                T::select(is_above, self.1.permuted(numbers), self.0.permuted(numbers))
            },
        );
        Self(half(numbers.0), half(numbers.1))
    }

    #[inline(always)]
    unsafe fn store_some(self, mask: u32, to: *mut u32) {
        let low = mask & super::first_lanes(T::LANES);
        // SAFETY: VECTOR-SIZED: the higher half begins no later than behind the lower one.
        unsafe {
            self.0.store_some(low, to);
            self.1.store_some(mask >> T::LANES, to.add(low.count_ones() as usize));
        }
    }
}

/// Floats of which twice as many make a vector, too.
pub(crate) trait Half: Floats {
    /// Twice as many.
    type Whole: Floats;

    /// Two as one.
    fn joined(low: Self, high: Self) -> Self::Whole;

    /// One as two.
    fn split(whole: Self::Whole) -> (Self, Self);
}

impl<T: Doubles<Floats: Half>> Doubles for Pair<T> {
    type Floats = <T::Floats as Half>::Whole;

    #[inline(always)]
    fn widened(floats: Self::Floats) -> Self {
        let (low, high) = Half::split(floats);
        Self(T::widened(low), T::widened(high))
    }

    #[inline(always)]
    fn narrowed(self) -> Self::Floats {
        Half::joined(self.0.narrowed(), self.1.narrowed())
    }

    #[inline(always)]
    fn mul_sub(self, factor: Self, term: Self) -> Self {
        Self(self.0.mul_sub(factor.0, term.0), self.1.mul_sub(factor.1, term.1))
    }

    of_two!(min, max);
    compared!(lt, eq);
}
