//! The PREC block: MODE and ALT with APPLY, STAT, EXC.EN and EXC.ST (specification, sections 3.3 to
//! 3.5).

use super::alt::Alternate;
use super::{Alt, Mode, Policy};
use crate::bits::bit;
use crate::flags::{Exceptions, Raised, Stickies};
use crate::numeric::Rounding;
use crate::readings::{ApplyBit, Readings, SaeRule, ScaleDirection};

/// The precision registers of one hart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prec {
    mode: Mode,
    alt: Alt,
    stickies: Stickies,
    enabled: Exceptions,
    raised: Exceptions,
    /// IE_MASK: EXC.EN as it was at the last APPLY.
    latched_enables: Exceptions,
    /// EFF_SAE, which shows the value of a trapping instruction until the next APPLY.
    shown_suppress: bool,
    /// Whether there was an APPLY since reset.
    applied: bool,
}

/// What `svon.fpctl` sets for the next instruction (specification, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Override {
    /// Rounding; `None` uses MODE's.
    pub rounding: Option<Rounding>,
    /// SAE.
    pub suppress: bool,
    /// ZMODE.
    pub zero_masked: bool,
}

impl Default for Prec {
    fn default() -> Self {
        Self {
            mode: Mode::RESET,
            alt: Alt::default(),
            stickies: Stickies::empty(),
            enabled: Exceptions::empty(),
            raised: Exceptions::empty(),
            latched_enables: Exceptions::empty(),
            shown_suppress: false,
            applied: false,
        }
    }
}

impl Prec {
    /// MODE as read.
    #[must_use]
    pub fn mode(&self) -> u64 {
        self.mode.bits().into()
    }

    /// ALT as read.
    #[must_use]
    pub fn alt(&self) -> u64 {
        self.alt.bits().into()
    }

    /// Whether software has put a policy in force; otherwise that of the reset is.
    #[must_use]
    pub fn is_applied(&self) -> bool {
        self.applied
    }

    /// EXC.EN.
    #[must_use]
    pub fn exceptions_enabled(&self) -> Exceptions {
        self.enabled
    }

    /// EXC.ST.
    #[must_use]
    pub fn exceptions_raised(&self) -> Exceptions {
        self.raised
    }

    /// The sticky bits of STAT.
    #[must_use]
    pub fn stickies(&self) -> Stickies {
        self.stickies
    }

    /// STAT: the effective state, the stickies and the latched enables.
    #[must_use]
    pub fn stat(&self) -> u64 {
        let policy = self.policy(&Readings::default());
        let alternate =
            matches!(self.alt.alternate(), Alternate::SameFormat | Alternate::Format(_));
        let fields = [
            (28, policy.format.stat_code()),
            (26, policy.format.bits().trailing_zeros() - 3),
            (24, policy.accumulator.code()),
            (23, alternate.into()),
            (22, policy.saturate.into()),
            (19, policy.rounding.mode_code()),
            (18, self.mode.quantised().into()),
            (11, policy.zero_masked.into()),
            (10, self.shown_suppress.into()),
            (8, (self.mode.bits() >> 8) & 3),
            (3, self.latched_enables.bits().into()),
        ];
        let effective = fields.iter().fold(0, |word, &(place, value)| word | value << place);
        u64::from(effective) | u64::from(self.stickies.bits())
    }

    /// Writes MODE. Without APPLY nothing happens at all.
    pub fn write_mode(&mut self, value: u64, readings: &Readings) {
        if !applies(value, readings) {
            return;
        }
        let write = Mode::from_write(value);
        if let Some(mode) = write.mode {
            self.mode = mode;
        }
        self.apply(write.unsupported);
    }

    /// Writes ALT. Without APPLY nothing happens at all.
    pub fn write_alt(&mut self, value: u64, readings: &Readings) {
        if applies(value, readings) {
            self.alt = Alt::from_write(value);
            self.apply(false);
        }
    }

    /// Writes EXC.EN, which has five bits.
    pub fn write_enables(&mut self, value: u64) {
        self.enabled = Exceptions::from_bits_truncate(value as u8) & Exceptions::TRAPPING;
    }

    /// Writes EXC.ST: ones clear.
    pub fn clear_exceptions(&mut self, value: u64) {
        self.raised -= Exceptions::from_bits_truncate(value as u8);
    }

    /// Accumulates what an instruction raised.
    pub fn accumulate(&mut self, raised: Raised) {
        self.raised |= raised.exceptions;
        self.stickies |= raised.stickies;
    }

    /// Notes the SAE that was in force for a trapping instruction.
    pub fn show_suppress(&mut self, suppress: bool) {
        self.shown_suppress = suppress;
    }

    /// The effective policy without an override (specification, section 3.3).
    #[must_use]
    pub fn policy(&self, readings: &Readings) -> Policy {
        let Self { mode, alt, .. } = *self;
        let mut policy = Policy {
            format: mode.format(),
            rounding: mode.rounding(),
            saturate: mode.saturate(),
            flush: mode.flush(),
            unsigned: mode.unsigned(),
            zero_point: 0,
            scale_log2: 0,
            nan: mode.nan(),
            accumulator: mode.accumulator(),
            zero_masked: mode.zero_masked(),
            suppress: mode.suppress(),
            enabled: self.enabled,
        };
        match alt.alternate() {
            Alternate::Off | Alternate::Unsupported => return policy,
            Alternate::SameFormat => {}
            Alternate::Format(format) => policy.format = format,
        }
        policy.accumulator = alt.accumulator().unwrap_or(policy.accumulator);
        policy.saturate |= alt.saturate();
        if mode.quantised() {
            policy.zero_point = alt.zero_point(mode.unsigned());
            // the text gives no direction.
            policy.scale_log2 = match readings.scale_sh {
                ScaleDirection::RealIsQTimes => alt.scale_shift(),
                ScaleDirection::RealIsQOver => -alt.scale_shift(),
            };
        }
        policy
    }

    /// The effective policy of an instruction with an override before it.
    #[must_use]
    pub fn policy_with(&self, over: Option<Override>, readings: &Readings) -> Policy {
        let mut policy = self.policy(readings);
        if let Some(over) = over {
            policy.rounding = over.rounding.unwrap_or(policy.rounding);
            policy.zero_masked = over.zero_masked;
            policy.suppress = match readings.sae_rule {
                SaeRule::Override => over.suppress,
                SaeRule::Either => over.suppress || policy.suppress,
            };
        }
        policy
    }

    /// an APPLY clears all stickies and may set UNSUP_FMT again.
    fn apply(&mut self, unsupported: bool) {
        self.applied = true;
        self.stickies = Stickies::empty();
        let unsupported = unsupported || self.alt.alternate() == Alternate::Unsupported;
        self.stickies.set(Stickies::UNSUP_FMT, unsupported);
        self.shown_suppress = self.mode.suppress();
        self.latched_enables =
            if self.mode.suppress() { Exceptions::empty() } else { self.enabled };
    }
}

/// the text says the top bit, its examples set bit 31.
fn applies(value: u64, readings: &Readings) -> bool {
    match readings.apply_bit {
        ApplyBit::Either => bit(value, 63) || bit(value, 31),
        ApplyBit::Msb => bit(value, 63),
        ApplyBit::Bit31 => bit(value, 31),
    }
}
