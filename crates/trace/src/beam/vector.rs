//! The body of the box test, once for every width of vectors.

/// Defines `narrow` and `overlaps` for vectors of `$lanes` floats: the operations of
/// [`geometry::Beam::bounds`], in its order.
macro_rules! box_test {
    ($feature:literal, $lanes:literal, $vector:ty, $set1:ident, $load:ident, $store:ident,
     $sub:ident, $mul:ident, $max:ident, $min:ident) => {
        /// `lo` and `hi` of the boxes from number `first` on.
        #[target_feature(enable = $feature)]
        fn narrow<const N: usize>(
            beam: &Beam,
            planes: &Planes<N>,
            first: usize,
        ) -> ($vector, $vector) {
            let mut lo = $set1(beam.tmin());
            let mut hi = $set1(beam.tmax());
            for (axis, planes) in beam.axes().iter().zip(planes) {
                let (a, b) = products(axis, planes, first);
                // The candidate comes first: a NaN, and a zero of another sign, leaves the second
                // operand.
                match axis.case {
                    Case::Forward => {
                        lo = $max(a, lo);
                        hi = $min(b, hi);
                    }
                    Case::Backward => {
                        lo = $max(b, lo);
                        hi = $min(a, hi);
                    }
                    Case::Opening => lo = $max(b, $max(a, lo)),
                    Case::Closing => hi = $min(b, $min(a, hi)),
                }
            }
            (lo, hi)
        }

        /// `(MIN - oA) * idA` and `(MAX - oB) * idB`.
        #[target_feature(enable = $feature)]
        fn products<const N: usize>(
            axis: &Axis,
            [min, max]: &[[f32; N]; 2],
            first: usize,
        ) -> ($vector, $vector) {
            assert!(first + $lanes <= N);
            // SAFETY: VECTOR-SIZED, as asserted.
            let min = unsafe { $load(min.as_ptr().add(first)) };
            // SAFETY: VECTOR-SIZED, as asserted.
            let max = unsafe { $load(max.as_ptr().add(first)) };
            let a = $sub(min, $set1(axis.upper_origin));
            let b = $sub(max, $set1(axis.lower_origin));
            ($mul(a, $set1(axis.upper_inverse)), $mul(b, $set1(axis.lower_inverse)))
        }

        /// When `beam` is inside each of the boxes from number `first` on.
        #[target_feature(enable = $feature)]
        pub(super) fn overlaps<const N: usize>(
            beam: &Beam,
            planes: &Planes<N>,
            first: usize,
        ) -> [Overlap; $lanes] {
            let (mut lo, mut hi) = ([0.0; $lanes], [0.0; $lanes]);
            let (entries, exits) = narrow(beam, planes, first);
            // SAFETY: VECTOR-SIZED.
            unsafe {
                $store(lo.as_mut_ptr(), entries);
                $store(hi.as_mut_ptr(), exits);
            }
            std::array::from_fn(|lane| Overlap { lo: lo[lane], hi: hi[lane] })
        }
    };
}

pub(super) use box_test;
