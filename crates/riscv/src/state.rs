//! The architectural state, to be shown or compared (lockstep with another model).

use crate::csr;
use crate::hart::Hart;
use std::fmt;

/// Registers and CSRs at one moment. Memory is not part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// Names and values, in the order pc, privilege, x, f, CSRs, extensions.
    pub values: Vec<(String, u64)>,
}

/// A value that two states do not share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The register.
    pub name: String,
    /// Here; none if only the other state has it.
    pub left: Option<u64>,
    /// There; none if only this state has it.
    pub right: Option<u64>,
}

impl Hart {
    /// The state now.
    #[must_use]
    pub fn state(&self) -> State {
        let core = &self.core;
        let mut values =
            vec![("pc".to_owned(), core.pc), ("priv".to_owned(), core.privilege() as u64)];
        values.extend((0..32).map(|number| (format!("x{number}"), core.x(number))));
        values.extend((0..32).map(|number| (format!("f{number}"), core.f(number))));
        let custom = self.registry.csr_list.iter().map(|csr| csr.number);
        for number in csr::shown().chain(custom) {
            if let (Some(name), Some(value)) = (self.csr_name(number), self.csr(number)) {
                values.push((name, value));
            }
        }
        values.extend(self.extensions().flat_map(|extension| extension.state()));
        State { values }
    }
}

impl State {
    /// Everything in which `other` differs.
    #[must_use]
    pub fn diff(&self, other: &Self) -> Vec<Difference> {
        let find = |state: &Self, name: &str| {
            state.values.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
        };
        let left = self.values.iter().filter_map(|(name, value)| {
            let right = find(other, name);
            (right != Some(*value)).then(|| Difference {
                name: name.clone(),
                left: Some(*value),
                right,
            })
        });
        let only_there = other.values.iter().filter(|(name, _)| find(self, name).is_none());
        let right = only_there.map(|(name, value)| Difference {
            name: name.clone(),
            left: None,
            right: Some(*value),
        });
        left.chain(right).collect()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |value: Option<u64>| value.map_or("absent".to_owned(), |it| format!("{it:#x}"));
        write!(out, "{}: {} against {}", self.name, show(self.left), show(self.right))
    }
}
