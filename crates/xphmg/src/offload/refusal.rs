//! Why `xsubmit.rt` takes no job: rd becomes 0, and EVENTS.DMA_ERR is set.

/// What is wrong with a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It lies at an odd place.
    #[error("the descriptor lies at {address:#x}, expected a multiple of 8")]
    Descriptor {
        /// Where.
        address: u64,
    },
    /// A queue lies nowhere, or at an odd place.
    #[error(
        "{field} names a queue at {address:#x}, expected a multiple of 8 other than 0 there, or 0 \
         there and such an address in {register}"
    )]
    Queue {
        /// The field of the descriptor.
        field: &'static str,
        /// The register that stands in for 0.
        register: &'static str,
        /// Where, with the register's help.
        address: u64,
    },
    /// Node 0 lies at an odd place.
    #[error(
        "node 0 lies at {address:#x} (bvh_base, or RTBASE if that is 0), expected a multiple \
             of 64"
    )]
    Base {
        /// Where.
        address: u64,
    },
    /// Another domain's memory, and DESCPOL.STRICT_DOM.
    #[error("MEMCTL.dom is {found} and the hart's domain {own}, which STRICT_DOM forbids")]
    Domain {
        /// The descriptor's.
        found: u8,
        /// The hart's.
        own: u8,
    },
}
