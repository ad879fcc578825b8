//! The extensions of a hart, and what each instruction word and CSR number belongs to.

use crate::core::Core;
use crate::csr::csr_name;
use crate::decode::decode;
use crate::extension::{CustomCsr, CustomInstruction, Extension};
use crate::instruction::{Instruction, Op, ROWS};
use std::collections::HashMap;
use thiserror::Error;

/// Why extensions cannot be used together, or at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RegistrationError {
    /// A word would belong to two instructions.
    #[error("{first} and {second} overlap: the word {word:#010x} would be both")]
    Overlap {
        /// `extension:mnemonic` or that of the base architecture.
        first: String,
        /// `extension:mnemonic`.
        second: String,
        /// A word that matches both.
        word: u32,
    },
    /// The pattern contradicts itself or leaves the length open.
    #[error(
        "{name}: match {matches:#010x} with mask {mask:#010x} is not a pattern of 32-bit \
         instructions"
    )]
    BadPattern {
        /// `extension:mnemonic`.
        name: String,
        /// The fixed bits.
        matches: u32,
        /// Which bits are fixed.
        mask: u32,
    },
    /// A CSR number is taken.
    #[error("CSR {number:#05x} is claimed by {first} and by {second}")]
    CsrTaken {
        /// The number.
        number: u16,
        /// `extension:name`, or the name in the base architecture.
        first: String,
        /// `extension:name`.
        second: String,
    },
    /// A number that no CSR instruction can hold.
    #[error("{name}: CSR number {number:#x} has more than 12 bits")]
    BadCsrNumber {
        /// `extension:name`.
        name: String,
        /// The number.
        number: u16,
    },
    /// Two extensions have one name.
    #[error("the extension {0} is there twice")]
    Twice(String),
}

/// An instruction of an extension, with its owner.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Registered {
    pub(crate) owner: usize,
    /// Its place in the owner's list.
    pub(crate) index: usize,
    pub(crate) pattern: CustomInstruction,
}

/// The extensions and their tables.
pub(crate) struct Registry {
    pub(crate) extensions: Vec<Box<dyn Extension>>,
    pub(crate) instructions: Vec<Registered>,
    /// The owner and description of each custom CSR.
    csrs: HashMap<u16, (usize, CustomCsr)>,
    /// The custom CSRs in order of their numbers.
    pub(crate) csr_list: Vec<CustomCsr>,
}

impl Registry {
    pub(crate) fn new(extensions: Vec<Box<dyn Extension>>) -> Result<Self, RegistrationError> {
        let mut registry = Self {
            extensions: Vec::new(),
            instructions: Vec::new(),
            csrs: HashMap::new(),
            csr_list: Vec::new(),
        };
        for extension in extensions {
            registry.add(extension)?;
        }
        registry.csr_list.sort_by_key(|csr| csr.number);
        Ok(registry)
    }

    /// Decodes a word, also as an instruction of an extension.
    pub(crate) fn decode(&self, bits: u32) -> Instruction {
        let instruction = decode(bits);
        if instruction.op != Op::Illegal || bits & 3 != 3 {
            return instruction;
        }
        let matches = |known: &Registered| bits & known.pattern.mask == known.pattern.matches;
        match self.instructions.iter().position(matches) {
            Some(place) => Instruction {
                op: Op::Custom,
                rd: (bits >> 7 & 31) as u8,
                rs1: (bits >> 15 & 31) as u8,
                rs2: (bits >> 20 & 31) as u8,
                imm: place as i32,
                word: bits,
            },
            None => instruction,
        }
    }

    /// Whether a custom CSR has that number.
    pub(crate) fn has_csr(&self, number: u16) -> bool {
        self.csrs.contains_key(&number)
    }

    /// The value of a custom CSR.
    pub(crate) fn read_csr(&self, number: u16, core: &Core) -> Option<u64> {
        let (owner, _) = self.csrs.get(&number)?;
        Some(self.extensions[*owner].read_csr(number, core))
    }

    /// Writes a custom CSR.
    pub(crate) fn write_csr(&mut self, number: u16, value: u64, core: &mut Core) {
        if let Some((owner, _)) = self.csrs.get(&number) {
            self.extensions[*owner].write_csr(number, value, core);
        }
    }

    /// The name of any CSR.
    pub(crate) fn csr_name(&self, number: u16) -> Option<String> {
        let custom = self.csrs.get(&number).map(|(_, csr)| csr.name.to_owned());
        custom.or_else(|| csr_name(number))
    }

    fn add(&mut self, extension: Box<dyn Extension>) -> Result<(), RegistrationError> {
        let name = extension.name();
        if self.extensions.iter().any(|other| other.name() == name) {
            return Err(RegistrationError::Twice(name.to_owned()));
        }
        let owner = self.extensions.len();
        for (index, pattern) in extension.instructions().into_iter().enumerate() {
            let full_name = format!("{name}:{}", pattern.mnemonic);
            self.check_pattern(&full_name, &pattern)?;
            self.instructions.push(Registered { owner, index, pattern });
        }
        for csr in extension.csrs() {
            let full_name = format!("{name}:{}", csr.name);
            if csr.number > 0xFFF {
                return Err(RegistrationError::BadCsrNumber {
                    name: full_name,
                    number: csr.number,
                });
            }
            let taken = match self.csrs.get(&csr.number) {
                Some((other, known)) if *other == owner => Some(format!("{name}:{}", known.name)),
                Some((other, known)) => {
                    Some(format!("{}:{}", self.extensions[*other].name(), known.name))
                }
                None => csr_name(csr.number),
            };
            if let Some(first) = taken {
                let number = csr.number;
                return Err(RegistrationError::CsrTaken { number, first, second: full_name });
            }
            self.csrs.insert(csr.number, (owner, csr));
            self.csr_list.push(csr);
        }
        self.extensions.push(extension);
        Ok(())
    }

    /// A pattern must fix the length, agree with itself, and meet nothing that exists.
    fn check_pattern(
        &self,
        name: &str,
        pattern: &CustomInstruction,
    ) -> Result<(), RegistrationError> {
        let CustomInstruction { matches, mask, .. } = *pattern;
        if mask & 3 != 3 || matches & 3 != 3 || matches & !mask != 0 {
            return Err(RegistrationError::BadPattern { name: name.to_owned(), matches, mask });
        }
        let overlap = |first: String, word: u32| {
            Err(RegistrationError::Overlap { first, second: name.to_owned(), word })
        };
        for other in &self.instructions {
            let shared = mask & other.pattern.mask;
            if matches & shared == other.pattern.matches & shared {
                // The owner of the pattern being added is not in the list yet.
                let owner = self.extensions.get(other.owner);
                let owner = owner.map_or(name.split(':').next().unwrap_or(name), |it| it.name());
                let first = format!("{owner}:{}", other.pattern.mnemonic);
                return overlap(first, matches | other.pattern.matches);
            }
        }
        for row in &ROWS {
            let shared = mask & row.mask;
            let word = matches | row.matches;
            // A pattern may fix a rounding mode that is reserved.
            if matches & shared == row.matches & shared && decode(word).op != Op::Illegal {
                return overlap(format!("the base instruction {:?}", row.op), word);
            }
        }
        Ok(())
    }
}
