//! The options word.

bitflags::bitflags! {
    /// `opts` of a descriptor; any other bit is an unsupported feature.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct JobOptions: u32 {
        /// Reject back faces.
        const CULL_BACK = 1 << 0;
        /// Accepted without effect: entries are never packed.
        const PACK_HINT = 1 << 2;
        /// Raise the lower bound of `t` by epsilon.
        const EPS_CTL = 1 << 3;
        /// The first accepted hit instead of the closest.
        const ANY_HIT = 1 << 8;
        /// Nodes of eight children.
        const NODE8 = 1 << 9;
    }
}
