//! Readings: where the text is silent or contradicts itself, a switch selects another answer
//! (specification, section 17).
//!
//! | key | default | others | decision |
//! |---|---|---|---|
//! | `apply_bit` | `either` | `msb`, `bit31` | X-6 |
//! | `legacy_prec_csrs` | `off` | `on` | X-7 |
//! | `sae_rule` | `override` | `either` | X-15 |
//! | `scale_sh` | `real_is_q_times` | `real_is_q_over` | X-21 |
//! | `rt_csr_base` | `0x8A0` | with room for eleven registers in a custom read/write block | X-23 |
//! | `bbox_rounding` | `mode` | `conservative` | X-27 |
//! | `rsv_vlmax` | `64` | 1 to 63 | X-33 |
//! | `rsv_scope` | `rt` | `scalar_once` | X-35 |
//! | `fof_first_lane` | `trap` | `quiet` | X-39 |
//! | `node_layout` | `packed` | `literal88` | X-45 |
//! | `submit` | `immediate` | `deferred` | X-51 |
//! | `fp_trap_cause` | `24` | 25 to 31, 48 to 63 | X-55 |
//! | `rtcap` | `0x3F` | subsets | X-24 |
//! | `mtxcap` | `0x7F` | subsets | X-67 |
//!
//! ```
//! use xphmg::Readings;
//! let mut readings = Readings::default();
//! readings.set("bbox_rounding=conservative").unwrap();
//! let error = readings.set("submit=later").unwrap_err();
//! let text = "submit has no value \"later\"; its values are immediate, deferred";
//! assert_eq!(error.to_string(), text);
//! ```

use std::ops::RangeInclusive;

/// Declares the switches: the field, its type, and the values that it has, the default first.
macro_rules! readings {
    ($($(#[doc = $doc:literal])+ $key:ident: $type:ty = $values:expr;)+) => {
        /// Every switch.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Readings {
            $($(#[doc = $doc])+ pub $key: $type,)+
        }

        /// Every key, in the order of the table.
        pub const KEYS: &[&str] = &[$(stringify!($key)),+];

        impl Default for Readings {
            fn default() -> Self {
                Self { $($key: $values.default(),)+ }
            }
        }

        impl Readings {
            /// Sets one switch, given as `key=value`.
            ///
            /// # Errors
            /// When there is no such key, or the key has no such value; the message lists what
            /// there is.
            pub fn set(&mut self, pair: &str) -> Result<(), ReadingError> {
                let no_pair = || ReadingError::NoPair { found: pair.to_owned() };
                let (key, value) = pair.split_once('=').ok_or_else(no_pair)?;
                let (key, value) = (key.trim(), value.trim());
                match key {
                    $(stringify!($key) => {
                        self.$key = $values.read(value).ok_or_else(|| ReadingError::Value {
                            key: stringify!($key),
                            value: value.to_owned(),
                            valid: $values.valid(),
                        })?;
                    })+
                    _ => return Err(ReadingError::Key { found: key.to_owned() }),
                }
                Ok(())
            }

            /// Every key with its value, as [`Self::set`] reads them.
            #[must_use]
            pub fn named(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($key), $values.name(self.$key))),+]
            }
        }
    };
}

readings! {
    /// Which bit of MODE and ALT applies (X-6).
    apply_bit: ApplyBit = Choice(ApplyBit::VALUES);
    /// Whether writes of 0x7E0 and 0x7E1 reach MODE and ALT (X-7).
    legacy_prec_csrs: bool = Choice(&[("off", false), ("on", true)]);
    /// How SAE_DEF and an override combine (X-15).
    sae_rule: SaeRule = Choice(SaeRule::VALUES);
    /// The direction of SCALE_SH (X-21).
    scale_sh: ScaleDirection = Choice(ScaleDirection::VALUES);
    /// Number of the first RT register (X-23). Eleven of them fit from there on, in a custom
    /// read/write block and beside MTX's (X-57).
    rt_csr_base: u16 = Number::<u16> {
        default: 0x8A0,
        ranges: &[0x800..=0x8CD, 0x5C0..=0x5F5],
        valid: "0x800 to 0x8CD and 0x5C0 to 0x5F5, the custom blocks without other registers",
        is_hex: true,
    };
    /// How RT.BBOX rounds (X-27).
    bbox_rounding: BboxRounding = Choice(BboxRounding::VALUES);
    /// Most lanes (X-33).
    rsv_vlmax: u8 = Number::<u8> {
        default: 64,
        ranges: &[1..=64],
        valid: "1 to 64",
        is_hex: false,
    };
    /// What may be executed while RSV is on (X-35).
    rsv_scope: RsvScope = Choice(RsvScope::VALUES);
    /// Whether a fault of the first active lane traps under fault-only-first (X-39).
    fof_first_lane: FofFirstLane = Choice(FofFirstLane::VALUES);
    /// Layout of a node in memory (X-45).
    node_layout: NodeLayout = Choice(NodeLayout::VALUES);
    /// When a submitted job runs (X-51).
    submit: Submit = Choice(Submit::VALUES);
    /// The cause of FP traps (X-55).
    fp_trap_cause: u8 = Number::<u8> {
        default: 24,
        ranges: &[24..=31, 48..=63],
        valid: "24 to 31 and 48 to 63",
        is_hex: false,
    };
    /// RTCAP: the features that there are (X-24).
    rtcap: u8 = Number::<u8> {
        default: 0x3F,
        ranges: &[0..=0x3F],
        valid: "0 to 0x3F",
        is_hex: true,
    };
    /// MTXCAP: the shapes that there are (X-67).
    mtxcap: u8 = Number::<u8> {
        default: 0x7F,
        ranges: &[0..=0x7F],
        valid: "0 to 0x7F",
        is_hex: true,
    };
}

/// An option type with the names of its values, in the order of the table.
macro_rules! choices {
    ($($(#[doc = $doc:literal])+ $name:ident {
        $($(#[doc = $variant_doc:literal])+ $variant:ident = $text:literal),+ $(,)?
    })+) => {
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

/// Values with names, the default first.
struct Choice<T: 'static>(&'static [(&'static str, T)]);

impl<T: Copy + PartialEq> Choice<T> {
    const fn default(&self) -> T {
        self.0[0].1
    }

    fn read(&self, name: &str) -> Option<T> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    fn name(&self, value: T) -> String {
        let found = self.0.iter().find(|(_, known)| *known == value);
        found.map_or(String::new(), |(name, _)| (*name).to_owned())
    }

    fn valid(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| *name).collect();
        names.join(", ")
    }
}

/// Values that are numbers.
struct Number<T: 'static> {
    default: T,
    ranges: &'static [RangeInclusive<T>],
    /// The ranges in words.
    valid: &'static str,
    /// Whether it is printed in hex; it is read in both bases.
    is_hex: bool,
}

impl<T: Copy + PartialOrd + Into<u64> + TryFrom<u64>> Number<T> {
    const fn default(&self) -> T {
        self.default
    }

    fn read(&self, digits: &str) -> Option<T> {
        let hex = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
        let number = match hex {
            Some(hex) => u64::from_str_radix(hex, 16).ok()?,
            None => digits.parse().ok()?,
        };
        let number = T::try_from(number).ok()?;
        self.ranges.iter().any(|range| range.contains(&number)).then_some(number)
    }

    fn name(&self, value: T) -> String {
        let value: u64 = value.into();
        if self.is_hex { format!("{value:#x}") } else { value.to_string() }
    }

    fn valid(&self) -> String {
        self.valid.to_owned()
    }
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
            "mtxcap=0x1",
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
