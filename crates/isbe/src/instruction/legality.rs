//! Which generation has which instruction and field (section 6).
//!
//! | generation | ISBERD | ISBEWR |
//! |---|---|---|
//! | Fermi, Kepler | none; VILD instead | none |
//! | Maxwell, Pascal (SM50-62) | MAP, 8 bit, input, no immediate | none |
//! | Volta (SM70, 72) | + `.O` | none |
//! | Turing (SM75), A100 (SM80) | + PATCH, PRIM, ATTR, SKEW, 16 and 32 bit | MAP, ATTR |
//! | GA10x to Blackwell (SM86 on) | + 16-bit immediate | + immediate |

use super::{Components, Operation};
use crate::generation::Sm;
use crate::memory::{Access, Region, Size};
use crate::{Fault, generation};

impl Operation {
    /// Whether an SM has this instruction with these fields.
    ///
    /// # Errors
    /// `illegal_generation`, `illegal_access` or `misaligned`.
    pub fn check(&self, sm: Sm) -> Result<(), Fault> {
        let rule = Rule { sm };
        match self {
            Self::Isberd(load) => rule.check_isberd(load.access, load.immediate),
            Self::Isbewr(store) => rule.check_isbewr(store.access, store.immediate),
            Self::Ald(load) => {
                rule.needs(20, true, "ALD", "SM20 or later")?;
                check_id(load.id, load.components)
            }
            Self::Ast(store) => {
                rule.needs(20, true, "AST", "SM20 or later")?;
                rule.needs(70, store.physical, "AST of a physical address", "SM70 or later")?;
                check_id(store.id, store.components)
            }
            Self::Al2p(address) => {
                rule.needs(20, true, "AL2P", "SM20 or later")?;
                check_id(address.id, Components::One)
            }
            Self::Vild(_) => {
                rule.needs(20, true, "VILD", "SM20 to SM37")?;
                let gone = sm >= 50;
                rule.refuse(gone, "VILD", "SM20 to SM37; ISBERD replaces it")
            }
        }
    }

    /// The first SM of an encoding that has this instruction with these fields.
    #[must_use]
    pub fn first_sm(&self, encoding: generation::Encoding) -> Option<Sm> {
        let sms = generation::KNOWN_SMS.into_iter();
        sms.filter(|sm| generation::encoding(*sm) == Some(encoding))
            .find(|sm| self.check(*sm).is_ok())
    }
}

struct Rule {
    sm: Sm,
}

impl Rule {
    fn check_isberd(&self, access: Access, immediate: u16) -> Result<(), Fault> {
        self.needs(50, true, "ISBERD", "SM50 or later; VILD before")?;
        self.needs(70, access.output, "ISBERD of the output space", "SM70 or later")?;
        self.needs(75, access.region != Region::Map, "ISBERD of another region than MAP", TURING)?;
        self.needs(75, access.skew, "SKEW", TURING)?;
        self.needs(75, access.size != Size::B8, "ISBERD of more than 8 bits", TURING)?;
        self.needs(86, immediate != 0, "an immediate offset", "SM86 or later")
    }

    fn check_isbewr(&self, access: Access, immediate: u16) -> Result<(), Fault> {
        self.needs(75, true, "ISBEWR", TURING)?;
        match access.region {
            Region::Map | Region::Attr => {}
            region @ (Region::Patch | Region::Prim) => return Err(Fault::IllegalAccess { region }),
        }
        self.needs(86, immediate != 0, "an immediate offset", "SM86 or later")
    }

    fn needs(
        &self,
        first: Sm,
        used: bool,
        what: &'static str,
        needs: &'static str,
    ) -> Result<(), Fault> {
        self.refuse(used && self.sm < first, what, needs)
    }

    fn refuse(&self, refused: bool, what: &'static str, needs: &'static str) -> Result<(), Fault> {
        let fault = Fault::IllegalGeneration { what, found: self.sm, needs };
        if refused { Err(fault) } else { Ok(()) }
    }
}

const TURING: &str = "SM75 or later";

/// Several components are aligned to the next power of two of them.
fn check_id(id: u16, components: Components) -> Result<(), Fault> {
    let (address, alignment) = (u32::from(id), components.alignment());
    if address.is_multiple_of(alignment) {
        Ok(())
    } else {
        Err(Fault::Misaligned { address, alignment })
    }
}
