//! Outputs that are read but never written (section 5.4).
//!
//! NAK computes the layout from the outputs that a shader stores, but the omap from those that it
//! stores or reads back. The two differ exactly for a shader that reads an output it never writes.

use super::{Instruction, Operation};
use crate::{AttributeId, AttributeSet};

/// The outputs that a program loads and never stores, by static ids.
#[must_use]
pub fn read_but_never_written(program: &[Instruction]) -> AttributeSet {
    let mut loaded = AttributeSet::default();
    let mut stored = AttributeSet::default();
    for instruction in program {
        match &instruction.operation {
            Operation::Ald(load) if load.output && !load.patch => {
                insert(&mut loaded, load.id, load.components as u16);
            }
            Operation::Ast(store) if !store.patch => {
                insert(&mut stored, store.id, store.components as u16);
            }
            _ => {}
        }
    }
    loaded.iter().filter(|id| !stored.contains(*id)).collect()
}

fn insert(set: &mut AttributeSet, id: u16, components: u16) {
    let ids = (0..components).map(|component| id + 4 * component);
    ids.filter_map(AttributeId::new).for_each(|id| set.insert(id));
}

#[cfg(test)]
mod tests {
    use crate::instruction::parse::parse_program;

    #[test]
    fn only_outputs_without_a_store_are_reported() {
        let text = "AST.64 a[0x80], R0, R1;\nALD.O.128 R4, a[0x80], R1;\nALD R8, a[0x90], R1;";
        let program: Vec<_> =
            parse_program(text).unwrap().into_iter().map(|l| l.instruction).collect();
        let ids: Vec<u16> =
            super::read_but_never_written(&program).iter().map(|i| i.value()).collect();
        assert_eq!(ids, [0x88, 0x8c]);
    }
}
