//! Offload jobs: memory before `xsubmit.rt` and the bytes expected after it.

use super::fields::unit;
use super::sparse_hart::SparseHart;
use crate::encoding::{Instruction, encode};
use crate::layout::records::{HIT_ENTRY_BYTES, MISS_ENTRY_BYTES, QUEUE_BYTES, Queue};
use crate::memory::{HartPort, load_array, u64_at};
use crate::unit::xmem::Events;
use std::collections::BTreeMap;
use vectors::{Case, Comparison, VectorError};

/// One job.
pub(super) fn run(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let mut unit = unit(case)?;
    let mut hart = SparseHart::default();
    for piece in case.field("memory")?.elements()? {
        hart.put(piece.field("at")?.integer()?, &piece.field("bytes")?.bytes()?);
    }
    let descriptor = case.field("descriptor_at")?.integer()?;
    back_output_queues(&mut hart, descriptor);

    // Bytes that a case does not name keep what they had.
    let mut expected_memory = hart.memory().clone();
    for piece in case.field("expect")?.elements()? {
        let at: u64 = piece.field("at")?.integer()?;
        expected_memory.extend((at..).zip(piece.field("bytes")?.bytes()?));
    }
    hart.set_x(10, descriptor);
    let executed = unit.execute(encode(Instruction::Submit { rd: 5, rs1: 10 }), &mut hart);
    let job = executed.map(|executed| {
        let job = executed.jobs.first().copied().unwrap_or_default();
        (job.hits, job.misses)
    });
    let dma_err = u8::from(unit.xmem.events.contains(Events::DMA_ERR));
    let got = (hart.x(5), dma_err, job, changed(&expected_memory, hart.memory()));
    let counts = (case.field("hits")?.integer()?, case.field("misses")?.integer()?);
    let ticket: u64 = case.field("ticket")?.integer()?;
    let expected = (ticket, case.field("dma_err")?.integer()?, Ok(counts), BTreeMap::new());
    comparison.check("ticket, error, job and memory", &expected, &got);
    Ok(())
}

/// Queues have their storage, though cases list only what is not zero in it.
fn back_output_queues(hart: &mut SparseHart, descriptor: u64) {
    let Ok(bytes) = load_array::<72>(hart, descriptor) else { return };
    for (offset, entry) in [(16, HIT_ENTRY_BYTES), (24, MISS_ENTRY_BYTES)] {
        if let Ok(queue) = load_array::<QUEUE_BYTES>(hart, u64_at(&bytes, offset)) {
            let queue = Queue::from_bytes(&queue);
            // A case's queue has a few entries; a wrong one must not fill the host's memory.
            hart.back(queue.base, u64::from(queue.cap.min(4096)) * entry as u64);
        }
    }
}

/// Addresses where memory is not as expected, with both bytes.
fn changed(
    expected: &BTreeMap<u64, u8>,
    got: &BTreeMap<u64, u8>,
) -> BTreeMap<u64, (u8, Option<u8>)> {
    let differs = |(address, byte): (&u64, &u8)| {
        let found = got.get(address).copied();
        (found != Some(*byte)).then_some((*address, (*byte, found)))
    };
    expected.iter().filter_map(differs).collect()
}
