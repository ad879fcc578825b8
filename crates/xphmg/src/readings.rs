//! Readings: where the text is silent or contradicts itself, a switch selects another answer
//! (specification, section 17).
//!
//! | key | default | others | decision |
//! |---|---|---|---|
//! | `apply_bit` | `either` | `msb`, `bit31` | X-6 |
//! | `legacy_prec_csrs` | `off` | `on` | X-7 |
//! | `sae_rule` | `override` | `either` | X-15 |
//! | `scale_sh` | `real_is_q_times` | `real_is_q_over` | X-21 |
//! | `rt_csr_base` | `0x8A0` | a number with room for eleven registers in a custom read/write block | X-23 |
//! | `bbox_rounding` | `mode` | `conservative` | X-27 |
//! | `rsv_vlmax` | `64` | 1 to 63 | X-33 |
//! | `rsv_scope` | `rt` | `scalar_once` | X-35 |
//! | `fof_first_lane` | `trap` | `quiet` | X-39 |
//! | `node_layout` | `packed` | `literal88` | X-45 |
//! | `submit` | `immediate` | `deferred` | X-51 |
//! | `fp_trap_cause` | `24` | 25 to 31, 48 to 63 | X-55 |
//! | `rtcap` | `0x3F` | subsets | X-24 |
//!
//! ```
//! use xphmg::Readings;
//! let mut readings = Readings::default();
//! readings.set("bbox_rounding=conservative").unwrap();
//! let error = readings.set("submit=later").unwrap_err();
//! assert_eq!(error.to_string(), "submit has no value \"later\"; its values are immediate, deferred");
//! ```

/// Every switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Readings {
    /// Which bit of MODE and ALT applies (X-6).
    pub apply_bit: ApplyBit,
    /// Whether writes of 0x7E0 and 0x7E1 reach MODE and ALT (X-7).
    pub legacy_prec_csrs: bool,
    /// How SAE_DEF and an override combine (X-15).
    pub sae_rule: SaeRule,
    /// The direction of SCALE_SH (X-21).
    pub scale_sh: ScaleDirection,
    /// Number of the first RT register (X-23).
    pub rt_csr_base: u16,
    /// How RT.BBOX rounds (X-27).
    pub bbox_rounding: BboxRounding,
    /// Most lanes (X-33).
    pub rsv_vlmax: u8,
    /// What may be executed while RSV is on (X-35).
    pub rsv_scope: RsvScope,
    /// Whether a fault of the first active lane traps under fault-only-first (X-39).
    pub fof_first_lane: FofFirstLane,
    /// Layout of a node in memory (X-45).
    pub node_layout: NodeLayout,
    /// When a submitted job runs (X-51).
    pub submit: Submit,
    /// The cause of FP traps (X-55).
    pub fp_trap_cause: u8,
    /// RTCAP: the features that there are (X-24).
    pub rtcap: u8,
}

/// An option type with the names of its values, in the order of the table.
macro_rules! choices {
    ($($(#[doc = $doc:literal])+ $name:ident { $($(#[doc = $variant_doc:literal])+ $variant:ident = $text:literal),+ $(,)? })+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub enum $name {
                $($(#[doc = $variant_doc])+ $variant,)+
            }

            impl $name {
                const VALUES: &'static [(&'static str, Self)] = &[$(($text, Self::$variant)),+];
            }
        )+
    };
}

choices! {
    /// X-6: the text says the top bit, the published examples set bit 31.
    ApplyBit {
        /// Bit 63 or bit 31.
        Either = "either",
        /// Bit 63.
        Msb = "msb",
        /// Bit 31.
        Bit31 = "bit31",
    }
    /// X-15.
    SaeRule {
        /// The override wins (CAP).
        Override = "override",
        /// Suppressed if either says so (RSV).
        Either = "either",
    }
    /// X-21.
    ScaleDirection {
        /// A real number is its code times `2^SCALE_SH`.
        RealIsQTimes = "real_is_q_times",
        /// A real number is its code over `2^SCALE_SH`.
        RealIsQOver = "real_is_q_over",
    }
    /// X-27.
    BboxRounding {
        /// The effective rounding mode, as published.
        Mode = "mode",
        /// Entry down, exit up: no ray is lost to rounding.
        Conservative = "conservative",
    }
    /// X-35.
    RsvScope {
        /// Only RT instructions are vectorised; others are illegal while RSV is on.
        Rt = "rt",
        /// Others execute once and use up one count.
        ScalarOnce = "scalar_once",
    }
    /// X-39.
    FofFirstLane {
        /// It traps, as in the vector extension.
        Trap = "trap",
        /// It only reports its index.
        Quiet = "quiet",
    }
    /// X-45.
    NodeLayout {
        /// Four children, boxes packed by element width.
        Packed = "packed",
        /// The structure as printed: three children, 88 bytes, at a stride of 128.
        Literal88 = "literal88",
    }
    /// X-51.
    Submit {
        /// Inside `xsubmit.rt`.
        Immediate = "immediate",
        /// At the wait, so that a missing fence shows as a missing result.
        Deferred = "deferred",
    }
}

/// A reading that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadingError {
    /// Not `key=value`.
    #[error("{found:?} is not KEY=VALUE; keys are {}", KEYS.join(", "))]
    NoPair {
        /// What is there.
        found: String,
    },
    /// No such key.
    #[error("there is no reading {found:?}; keys are {}", KEYS.join(", "))]
    Key {
        /// What was asked for.
        found: String,
    },
    /// The key has no such value.
    #[error("{key} has no value {value:?}; its values are {valid}")]
    Value {
        /// The key.
        key: &'static str,
        /// What was asked for.
        value: String,
        /// What there is.
        valid: String,
    },
}

/// Every key, in the order of the table.
pub const KEYS: [&str; 13] = [
    "apply_bit",
    "legacy_prec_csrs",
    "sae_rule",
    "scale_sh",
    "rt_csr_base",
    "bbox_rounding",
    "rsv_vlmax",
    "rsv_scope",
    "fof_first_lane",
    "node_layout",
    "submit",
    "fp_trap_cause",
    "rtcap",
];

impl Default for Readings {
    fn default() -> Self {
        Self {
            apply_bit: ApplyBit::Either,
            legacy_prec_csrs: false,
            sae_rule: SaeRule::Override,
            scale_sh: ScaleDirection::RealIsQTimes,
            rt_csr_base: 0x8A0,
            bbox_rounding: BboxRounding::Mode,
            rsv_vlmax: 64,
            rsv_scope: RsvScope::Rt,
            fof_first_lane: FofFirstLane::Trap,
            node_layout: NodeLayout::Packed,
            submit: Submit::Immediate,
            fp_trap_cause: 24,
            rtcap: 0x3F,
        }
    }
}

impl Readings {
    /// Sets one switch, given as `key=value`.
    ///
    /// # Errors
    /// When there is no such key, or the key has no such value; the message lists what there is.
    pub fn set(&mut self, pair: &str) -> Result<(), ReadingError> {
        let no_pair = || ReadingError::NoPair { found: pair.to_owned() };
        let (key, value) = pair.split_once('=').ok_or_else(no_pair)?;
        let (key, value) = (key.trim(), value.trim());
        let known = KEYS.into_iter().find(|known| *known == key);
        let key = known.ok_or_else(|| ReadingError::Key { found: key.to_owned() })?;
        match key {
            "apply_bit" => self.apply_bit = choose(key, value, ApplyBit::VALUES)?,
            "legacy_prec_csrs" => {
                self.legacy_prec_csrs = choose(key, value, &[("off", false), ("on", true)])?;
            }
            "sae_rule" => self.sae_rule = choose(key, value, SaeRule::VALUES)?,
            "scale_sh" => self.scale_sh = choose(key, value, ScaleDirection::VALUES)?,
            "rt_csr_base" => {
                let valid =
                    "0x800 to 0x8CD and 0x5C0 to 0x5F5, the custom blocks without other registers";
                self.rt_csr_base = number(key, value, valid, is_free_csr_block)? as u16;
            }
            "bbox_rounding" => self.bbox_rounding = choose(key, value, BboxRounding::VALUES)?,
            "rsv_vlmax" => {
                self.rsv_vlmax = number(key, value, "1 to 64", |n| (1..=64).contains(&n))? as u8;
            }
            "rsv_scope" => self.rsv_scope = choose(key, value, RsvScope::VALUES)?,
            "fof_first_lane" => self.fof_first_lane = choose(key, value, FofFirstLane::VALUES)?,
            "node_layout" => self.node_layout = choose(key, value, NodeLayout::VALUES)?,
            "submit" => self.submit = choose(key, value, Submit::VALUES)?,
            "fp_trap_cause" => {
                let custom = |n| (24..=31).contains(&n) || (48..=63).contains(&n);
                self.fp_trap_cause = number(key, value, "24 to 31 and 48 to 63", custom)? as u8;
            }
            _ => self.rtcap = number(key, value, "0 to 0x3F", |n| n <= 0x3F)? as u8,
        }
        Ok(())
    }

    /// Every key with its value, as [`Self::set`] reads them.
    #[must_use]
    pub fn named(&self) -> [(&'static str, String); 13] {
        let values = [
            name(self.apply_bit, ApplyBit::VALUES),
            name(self.legacy_prec_csrs, &[("off", false), ("on", true)]),
            name(self.sae_rule, SaeRule::VALUES),
            name(self.scale_sh, ScaleDirection::VALUES),
            format!("{:#x}", self.rt_csr_base),
            name(self.bbox_rounding, BboxRounding::VALUES),
            self.rsv_vlmax.to_string(),
            name(self.rsv_scope, RsvScope::VALUES),
            name(self.fof_first_lane, FofFirstLane::VALUES),
            name(self.node_layout, NodeLayout::VALUES),
            name(self.submit, Submit::VALUES),
            self.fp_trap_cause.to_string(),
            format!("{:#x}", self.rtcap),
        ];
        let mut values = values.into_iter();
        KEYS.map(|key| (key, values.next().unwrap_or_default()))
    }
}

/// Eleven registers fit from `base` on, in a custom read/write block and beside MTX's (X-57).
fn is_free_csr_block(base: u64) -> bool {
    (0x800..=0x8CD).contains(&base) || (0x5C0..=0x5F5).contains(&base)
}

fn choose<T: Copy>(
    key: &'static str,
    value: &str,
    values: &[(&'static str, T)],
) -> Result<T, ReadingError> {
    let found = values.iter().find(|(name, _)| *name == value);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let valid: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
        ReadingError::Value { key, value: value.to_owned(), valid: valid.join(", ") }
    })
}

fn number(
    key: &'static str,
    value: &str,
    valid: &str,
    accepts: impl Fn(u64) -> bool,
) -> Result<u64, ReadingError> {
    let digits = value.strip_prefix("0x").or(value.strip_prefix("0X"));
    let number = match digits {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => value.parse().ok(),
    };
    number.filter(|number| accepts(*number)).ok_or_else(|| ReadingError::Value {
        key,
        value: value.to_owned(),
        valid: valid.to_owned(),
    })
}

fn name<T: Copy + PartialEq>(value: T, values: &[(&'static str, T)]) -> String {
    let found = values.iter().find(|(_, choice)| *choice == value);
    found.map_or(String::new(), |(name, _)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_can_be_set() {
        let mut other = Readings::default();
        for pair in [
            "apply_bit=msb",
            "legacy_prec_csrs=on",
            "sae_rule=either",
            "scale_sh=real_is_q_over",
            "rt_csr_base=0x820",
            "bbox_rounding=conservative",
            "rsv_vlmax=8",
            "rsv_scope=scalar_once",
            "fof_first_lane=quiet",
            "node_layout=literal88",
            "submit=deferred",
            "fp_trap_cause=48",
            "rtcap=0x1b",
        ] {
            other.set(pair).unwrap();
        }
        let defaults = Readings::default().named();
        for ((key, value), (_, default)) in other.named().into_iter().zip(defaults) {
            assert_ne!(value, default, "{key}");
            let mut again = other;
            again.set(&format!("{key}={value}")).unwrap();
            assert_eq!(again, other, "{key}");
        }
    }

    #[test]
    fn errors_list_what_there_is() {
        let message = |pair: &str| Readings::default().set(pair).unwrap_err().to_string();
        assert!(message("submit").starts_with("\"submit\" is not KEY=VALUE; keys are apply_bit, "));
        assert!(message("x=1").contains("there is no reading \"x\"; keys are apply_bit, "));
        assert_eq!(
            message("apply_bit=31"),
            "apply_bit has no value \"31\"; its values are either, msb, bit31"
        );
        for bad in
            ["rsv_vlmax=0", "rsv_vlmax=65", "fp_trap_cause=2", "rtcap=0x40", "rt_csr_base=0x7A0"]
        {
            assert!(message(bad).contains("its values are"), "{bad}");
        }
    }
}
