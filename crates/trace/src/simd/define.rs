//! How kernels say which instructions their operations are.

/// Gives names to what instructions do.
#[cfg(any(target_arch = "aarch64", all(target_family = "wasm", target_feature = "simd128")))]
macro_rules! named {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty = $work:expr;)*) => {$(
        #[inline(always)]
        #[allow(unused_unsafe)] // on some processors such functions are safe
        pub(super) fn $name($($argument: $type),*) -> $result {
            // SAFETY: FEATURES-DETECTED.
            unsafe { $work }
        }
    )*};
}

/// Operators of a vector.
#[cfg(target_arch = "x86_64")]
macro_rules! operators {
    (one [$($generics:tt)*] $type:ty: $trait:ident $method:ident $function:path) => {
        impl<$($generics)*> std::ops::$trait for $type {
            type Output = Self;
            of_two! { $method $function }
        }
    };
    ($generics:tt $type:ty: $($trait:ident $method:ident $function:path),*) => {
        $(operators! { one $generics $type: $trait $method $function })*
    };
}

/// What all vectors have.
#[cfg(target_arch = "x86_64")]
macro_rules! lanes {
    ([$($generics:tt)*] $type:ty, $count:literal, $lane:ty, $splat:expr, $load:expr, $store:expr,
     $select:expr) => {
        impl<$($generics)*> Lanes for $type {
            const LANES: usize = $count;
            type Lane = $lane;

            #[inline(always)]
            fn splat(lane: $lane) -> Self {
                // SAFETY: FEATURES-DETECTED.
                Self(unsafe { $splat(lane) })
            }

            #[inline(always)]
            unsafe fn load(from: *const $lane) -> Self {
                // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
                Self(unsafe { $load(from.cast()) })
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $lane) {
                // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
                unsafe { $store(to.cast(), self.0) };
            }

            #[inline(always)]
            fn select(mask: u32, yes: Self, no: Self) -> Self {
                // SAFETY: FEATURES-DETECTED.
                Self(unsafe { $select(mask, yes.0, no.0) })
            }
        }
    };
}

/// Methods that make a vector of two.
#[cfg(target_arch = "x86_64")]
macro_rules! of_two {
    ($($method:ident $function:path),*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> Self {
            // SAFETY: FEATURES-DETECTED.
            Self(unsafe { $function(self.0, other.0) })
        }
    )*};
}

/// Methods that make a vector of a vector, a factor and a term.
#[cfg(target_arch = "x86_64")]
macro_rules! fused {
    ($method:ident $function:path) => {
        #[inline(always)]
        fn $method(self, factor: Self, term: Self) -> Self {
            // SAFETY: FEATURES-DETECTED.
            Self(unsafe { $function(self.0, factor.0, term.0) })
        }
    };
}

/// Methods that compare two vectors.
#[cfg(target_arch = "x86_64")]
macro_rules! compared {
    ($($method:ident |$a:ident, $b:ident| $bits:expr),*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> u32 {
            let ($a, $b) = (self.0, other.0);
            // SAFETY: FEATURES-DETECTED.
            let bits = unsafe { $bits };
            bits as u32
        }
    )*};
}

/// Methods that see a vector as one of another kind.
#[cfg(target_arch = "x86_64")]
macro_rules! cast {
    ($ints:ident as $type:ty: $to:path, $from:path) => {
        type Ints = $type;

        #[inline(always)]
        fn to_bits(self) -> Self::Ints {
            // SAFETY: FEATURES-DETECTED.
            $ints(unsafe { $to(self.0) })
        }

        #[inline(always)]
        fn from_bits(bits: Self::Ints) -> Self {
            // SAFETY: FEATURES-DETECTED.
            Self(unsafe { $from(bits.0) })
        }
    };
}

#[cfg(any(target_arch = "aarch64", all(target_family = "wasm", target_feature = "simd128")))]
pub(super) use named;
#[cfg(target_arch = "x86_64")]
pub(super) use {cast, compared, fused, lanes, of_two, operators};
