//! RT's own registers (specification, section 6). Numbers are `rt_csr_base` and up.
//!
//! | offset | name | fields |
//! |---|---|---|
//! | 0 | rtcfg | 0 EN (a hint, X-24), 1 LMEM_ONLY, 2 PACK_HINT_DFLT, 15:8 EPS_DFLT |
//! | 1 | rtstat | 0 BUSY, 1 ERR, 7:2 LAST_EC, 35:8 bbox count, 63:36 tri count |
//! | 2 | rtcap | features |
//! | 3 to 6 | rtbase, rtq_ray, rtq_hit, rtq_miss | addresses |
//! | 7 | rtconf2 | 7:0 EPS_SCALE, 9:8 IMPL_HINT |
//! | 8, 9 | rtclsdef, rtsprof | policy of jobs that ask for none (X-50, X-59) |
//! | 10 | rtpred | 0 P0 (X-25) |

use crate::bits::{bit, field};
use crate::readings::Readings;

bitflags::bitflags! {
    /// RTCAP.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Features: u8 {
        /// Nodes of four children.
        const NODE4 = 1 << 0;
        /// Nodes of eight children.
        const NODE8 = 1 << 1;
        /// Watertight triangles.
        const WATERTIGHT = 1 << 2;
        /// Packed results.
        const PACK_HINT = 1 << 3;
        /// Epsilon.
        const EPS_CTL = 1 << 4;
        /// The offload queue.
        const DESCQ = 1 << 5;
    }
}

/// RTSTAT.LAST_EC: the most recent wins; only reset clears it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ErrorCode {
    /// 0.
    #[default]
    None,
    /// 1.
    IllegalInstruction,
    /// 2.
    UnsupportedFeature,
}

impl ErrorCode {
    /// The code.
    #[must_use]
    pub const fn code(self) -> u64 {
        match self {
            Self::None => 0,
            Self::IllegalInstruction => 1,
            Self::UnsupportedFeature => 2,
        }
    }
}

/// The registers of one hart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RtRegisters {
    config: u64,
    /// RTSTAT.LAST_EC.
    pub last_error: ErrorCode,
    /// Retired `rt.bbox`, modulo 2^28.
    pub bbox_count: u64,
    /// Retired `rt.tri`, modulo 2^28.
    pub tri_count: u64,
    /// RTBASE.
    pub base: u64,
    /// RTQ_RAY, RTQ_HIT, RTQ_MISS.
    pub queues: [u64; 3],
    config2: u64,
    class_default: u64,
    stream_profile: u64,
    /// P0.
    pub predicate: bool,
}

/// Names, in the order of their numbers.
pub const NAMES: [&str; 11] = [
    "rtcfg", "rtstat", "rtcap", "rtbase", "rtq_ray", "rtq_hit", "rtq_miss", "rtconf2", "rtclsdef",
    "rtsprof", "rtpred",
];

const COUNTER: u64 = (1 << 28) - 1;

impl RtRegisters {
    /// Reads the register at an offset from the base.
    #[must_use]
    pub fn read(&self, offset: u16, busy: bool, readings: &Readings) -> u64 {
        match offset {
            0 => self.config,
            1 => {
                let code = self.last_error.code();
                let status = u64::from(busy) | u64::from(code != 0) << 1 | code << 2;
                status | (self.bbox_count & COUNTER) << 8 | (self.tri_count & COUNTER) << 36
            }
            2 => readings.rtcap.into(),
            3 => self.base,
            4..=6 => self.queues[usize::from(offset) - 4],
            7 => self.config2,
            8 => self.class_default,
            9 => self.stream_profile,
            10 => self.predicate.into(),
            _ => 0,
        }
    }

    /// Writes the register at an offset from the base; read-only ones ignore it.
    pub fn write(&mut self, offset: u16, value: u64, readings: &Readings) {
        match offset {
            0 => {
                let packs = features(readings).contains(Features::PACK_HINT);
                self.config = value & if packs { 0xFF07 } else { 0xFF03 };
            }
            3 => self.base = value,
            4..=6 => self.queues[usize::from(offset) - 4] = value,
            7 => self.config2 = value & 0x3FF,
            8 => self.class_default = value & 0x3F,
            9 => self.stream_profile = value & 3,
            10 => self.predicate = bit(value, 0),
            _ => {}
        }
    }

    /// RTCLSDEF.
    #[must_use]
    pub const fn class_default(&self) -> u64 {
        self.class_default
    }

    /// RTSPROF.
    #[must_use]
    pub const fn stream_profile(&self) -> u64 {
        self.stream_profile
    }

    /// RTCFG.PACK_HINT_DFLT.
    #[must_use]
    pub fn packs_by_default(&self) -> bool {
        bit(self.config, 2)
    }

    /// RTCFG.LMEM_ONLY: a lint.
    #[must_use]
    pub fn local_memory_only(&self) -> bool {
        bit(self.config, 1)
    }

    /// N of epsilon: EPS_SCALE, or EPS_DFLT if that is 0.
    #[must_use]
    pub fn epsilon_units(&self) -> u8 {
        match field(self.config2, 7, 0) {
            0 => field(self.config, 15, 8) as u8,
            scale => scale as u8,
        }
    }
}

/// RTCAP as configured.
#[must_use]
pub fn features(readings: &Readings) -> Features {
    Features::from_bits_truncate(readings.rtcap)
}
