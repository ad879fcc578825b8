//! Configurations that come with siliray, by name.

use super::{Config, ConfigError};

/// A named configuration: its name, what it is, its TOML text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shipped {
    /// The name used in options.
    pub name: &'static str,
    /// What it stands for, in a line.
    pub about: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// All of them; the first is the default.
pub const SHIPPED: [Shipped; 6] = [
    Shipped {
        name: "patent",
        about: "the numbers of US 9,569,559, with the latencies of an RTX 2060 behind it",
        text: include_str!("shipped/patent.toml"),
    },
    Shipped {
        name: "deep",
        about: "200 slots, 64 lines, 64 lines on their way: enough to hide the latency of the L2",
        text: include_str!("shipped/deep.toml"),
    },
    Shipped {
        name: "cluster",
        about: "8 units in 2 clusters with a shared L2 of 3 MiB and DRAM behind it",
        text: include_str!("shipped/cluster.toml"),
    },
    Shipped {
        name: "sm",
        about: "4 SMs with a unit inside each",
        text: include_str!("shipped/sm.toml"),
    },
    Shipped {
        name: "tpc",
        about: "4 SMs, of which the 2 of each TPC share 2 units",
        text: include_str!("shipped/tpc.toml"),
    },
    Shipped {
        name: "gpc",
        about: "4 SMs that share the 4 units of their cluster",
        text: include_str!("shipped/gpc.toml"),
    },
];

/// Their names.
#[must_use]
pub fn names() -> Vec<&'static str> {
    SHIPPED.iter().map(|shipped| shipped.name).collect()
}

/// The configuration of that name.
///
/// # Errors
/// When there is none.
pub fn named(name: &str) -> Result<Config, ConfigError> {
    let shipped = SHIPPED.iter().find(|shipped| shipped.name == name);
    let shipped = shipped.ok_or_else(|| ConfigError::UnknownName { name: name.to_owned() })?;
    Config::from_toml(shipped.name, shipped.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_sound_and_different() {
        let configs: Vec<Config> = names().iter().map(|name| named(name).unwrap()).collect();
        assert_eq!(configs[0], Config::default());
        for (place, config) in configs.iter().enumerate() {
            assert!(!configs[..place].contains(config));
        }
        let expected = "patent, deep, cluster, sm, tpc, gpc";
        assert!(named("nosuch").unwrap_err().to_string().contains(expected));
    }
}
