//! What a machine counts. Declared once; every report iterates over [`Counters::named`].
//!
//! A figure has one meaning, whichever machine counts it. What is done twice counts twice; what a
//! machine could have skipped but did not counts; what hardware does beside a child that is not
//! there does not.

macro_rules! counters {
    ($($(#[doc = $doc:literal])+ $name:ident),+ $(,)?) => {
        /// Work done while answering queries.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct Counters {
            $($(#[doc = $doc])+ pub $name: u64,)+
        }

        impl Counters {
            /// Every counter with its name, in the order of declaration.
            #[must_use]
            pub fn named(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name)),+]
            }
        }

        impl std::ops::AddAssign for Counters {
            fn add_assign(&mut self, other: Self) {
                $(self.$name += other.$name;)+
            }
        }
    };
}

counters! {
    /// Queries answered.
    queries,
    /// Nodes visited: inner nodes, over all levels, whose children were tested.
    nodes,
    /// Boxes tested: one for each child that a visited node has. Empty slots are none, nor is the
    /// box around a level, which some machines test first. A beam by the conservative rule also
    /// tests the boxes of primitives.
    box_tests,
    /// Leaves visited: ranges of primitives that were tested, and of instances.
    leaves,
    /// Triangles tested. One that two visited leaves hold counts twice.
    triangle_tests,
    /// Procedural boxes tested.
    procedural_tests,
    /// Instances entered.
    instances,
    /// Blocks fetched and tested, by machines that have blocks.
    blocks,
    /// Bytes fetched: those of every node, and of the primitives or instances of every leaf, each
    /// time that it is visited. No cache keeps any, and lines are not filled up. `hart` counts
    /// none.
    bytes,
    /// Cycles, by machines that have a clock.
    cycles,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_declaration() {
        let mut sum = Counters { queries: 1, box_tests: 8, ..Counters::default() };
        sum += Counters { box_tests: 2, instances: 3, ..Counters::default() };
        let named = sum.named();
        assert_eq!(named[0], ("queries", 1));
        assert_eq!(named[2], ("box_tests", 10));
        assert!(named.contains(&("instances", 3)));
        assert_eq!(named.last(), Some(&("cycles", 0)));
    }
}
