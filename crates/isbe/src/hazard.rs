//! The hazard check for shared spaces (section 1.1).
//!
//! With sharing on, no path may load an attribute after it has stored one. A forward data flow over
//! the control-flow graph: "a store may have happened" starts false, is or-ed at joins and set by a
//! store; each load that is reached with it set is a hazard.

use crate::instruction::Operation;
use crate::memory::Region;

/// What an instruction means to the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Loads an attribute: ALD, and every ISBERD whatever it reads.
    Load,
    /// Stores an attribute: AST, and ISBEWR to ATTR.
    Store,
    /// Anything else, ISBEWR to MAP included.
    Other,
}

/// A control-flow graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlowGraph {
    /// The instructions of each block; the first block is the entry.
    pub blocks: Vec<Vec<Effect>>,
    /// From which block to which.
    pub edges: Vec<(usize, usize)>,
}

/// A load that may follow a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hazard {
    /// The block.
    pub block: usize,
    /// The instruction in it.
    pub instruction: usize,
}

/// An edge to or from a block that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("edge {edge}: found block {found}, expected less than {blocks}")]
pub struct BadEdge {
    /// The number of the edge.
    pub edge: usize,
    /// The block.
    pub found: usize,
    /// How many blocks there are.
    pub blocks: usize,
}

impl Effect {
    /// The effect of an instruction.
    #[must_use]
    pub const fn of(operation: &Operation) -> Self {
        match operation {
            Operation::Isberd(_) | Operation::Ald(_) => Self::Load,
            Operation::Ast(_) => Self::Store,
            Operation::Isbewr(store) => match store.access.region {
                Region::Attr => Self::Store,
                Region::Map | Region::Patch | Region::Prim => Self::Other,
            },
            Operation::Al2p(_) | Operation::Vild(_) => Self::Other,
        }
    }
}

/// The hazards of a program, by block and instruction.
///
/// # Errors
/// When an edge names a block that does not exist.
pub fn hazards(graph: &FlowGraph) -> Result<Vec<Hazard>, BadEdge> {
    let blocks = graph.blocks.len();
    for (edge, &(from, to)) in graph.edges.iter().enumerate() {
        if let Some(found) = [from, to].into_iter().find(|block| *block >= blocks) {
            return Err(BadEdge { edge, found, blocks });
        }
    }
    let entered = stored_on_entry(graph);
    let mut found = Vec::new();
    for (block, effects) in graph.blocks.iter().enumerate() {
        let mut stored = entered[block];
        for (instruction, effect) in effects.iter().enumerate() {
            match effect {
                Effect::Load if stored => found.push(Hazard { block, instruction }),
                Effect::Store => stored = true,
                Effect::Load | Effect::Other => {}
            }
        }
    }
    Ok(found)
}

/// Whether a store may have happened when a block is entered, for each block.
fn stored_on_entry(graph: &FlowGraph) -> Vec<bool> {
    let mut successors = vec![Vec::new(); graph.blocks.len()];
    for &(from, to) in &graph.edges {
        successors[from].push(to);
    }
    let mut entered = vec![false; graph.blocks.len()];
    let stores = |block: &usize| graph.blocks[*block].contains(&Effect::Store);
    let mut pending: Vec<usize> = (0..graph.blocks.len()).filter(stores).collect();
    while let Some(block) = pending.pop() {
        for &next in &successors[block] {
            if !entered[next] {
                entered[next] = true;
                pending.push(next);
            }
        }
    }
    entered
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn effect() -> impl Strategy<Value = Effect> {
        prop_oneof![Just(Effect::Load), Just(Effect::Store), Just(Effect::Other)]
    }

    /// Walks random paths from every block and collects the loads behind stores.
    fn by_walking(graph: &FlowGraph) -> std::collections::BTreeSet<Hazard> {
        let mut seen = std::collections::BTreeSet::new();
        let mut found = std::collections::BTreeSet::new();
        let mut stack: Vec<(usize, bool)> = (0..graph.blocks.len()).map(|b| (b, false)).collect();
        while let Some((block, mut stored)) = stack.pop() {
            if !seen.insert((block, stored)) {
                continue;
            }
            for (instruction, effect) in graph.blocks[block].iter().enumerate() {
                if *effect == Effect::Load && stored {
                    found.insert(Hazard { block, instruction });
                }
                stored |= *effect == Effect::Store;
            }
            stack.extend(graph.edges.iter().filter(|e| e.0 == block).map(|e| (e.1, stored)));
        }
        found
    }

    proptest! {
        #[test]
        fn the_data_flow_finds_what_walking_every_path_finds(
            blocks in proptest::collection::vec(proptest::collection::vec(effect(), 0..4), 1..8),
            edges in proptest::collection::vec((0usize..8, 0usize..8), 0..16),
        ) {
            let within = |(a, b)| (a % blocks.len(), b % blocks.len());
            let edges = edges.into_iter().map(within).collect();
            let graph = FlowGraph { blocks, edges };
            let found = hazards(&graph).unwrap();
            prop_assert_eq!(found, by_walking(&graph).into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_edge_into_nowhere_is_refused() {
        let graph = FlowGraph { blocks: vec![vec![]], edges: vec![(0, 0), (0, 1)] };
        assert_eq!(hazards(&graph), Err(BadEdge { edge: 1, found: 1, blocks: 1 }));
    }
}
