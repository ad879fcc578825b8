//! The LDS stack: worked examples, a plain model, and properties.

use gfx12::layout::NodePointer;
use gfx12::stack::{StackAddress, StackMode, push4_pop1, push8_pop1, push8_pop2};
use proptest::prelude::*;

const F: u32 = 0xFFFF_FFFF;
const NONE: [u32; 8] = [F; 8];
const INVALID: NodePointer = NodePointer::INVALID;

/// A lane's stack with its memory.
struct Lane {
    lds: Vec<u32>,
    address: u32,
    mode: StackMode,
}

impl Lane {
    fn new(size: u8, range_mode: bool) -> Self {
        Self { lds: vec![0; 1024], address: 0, mode: StackMode { size, range_mode } }
    }

    fn step(&mut self, last: NodePointer, data: &[u32]) -> u32 {
        push8_pop1(&mut self.lds, &mut self.address, last, fill(data), self.mode).0
    }

    fn fields(&self) -> StackAddress {
        StackAddress::from_register(self.address)
    }
}

/// Data from the front, the rest INVALID.
fn fill(data: &[u32]) -> [u32; 8] {
    let mut all = NONE;
    all[..data.len()].copy_from_slice(data);
    all
}

#[test]
fn push_two_and_pop_three() {
    let mut lane = Lane::new(16, false);
    assert_eq!(lane.step(INVALID, &[0x15, 0x25]), 0x15);
    assert_eq!(lane.address, 0x421);
    assert_eq!(lane.step(INVALID, &[]), 0x25);
    assert_eq!(lane.address, 0);
    assert_eq!(lane.step(INVALID, &[]), 0xFFFF_FFFE);
}

#[test]
fn walkback_pushes_what_comes_after_last() {
    let mut lane = Lane::new(16, false);
    assert_eq!(lane.step(NodePointer(0x25), &[0x15, 0x25, 0x35]), 0x35);
    assert_eq!(lane.fields().valid_entries, 0);
    // Not among the data: nothing is pushed.
    assert_eq!(lane.step(NodePointer(0x45), &[0x15, 0x25, 0x35]), 0xFFFF_FFFE);
}

#[test]
fn a_stack_of_two_loses_the_oldest() {
    let mut lane = Lane::new(2, false);
    assert_eq!(lane.step(INVALID, &[0x15, 0x25, 0x35]), 0x15);
    assert!(lane.fields().overflowed);
    assert_eq!(lane.step(INVALID, &[]), 0x25);
    assert_eq!(lane.step(INVALID, &[]), F);
}

#[test]
fn skips_drop_everything_below() {
    let mut lane = Lane::new(16, false);
    // Data 7 is kept, data 6 says skip the rest.
    let mut data = [0x15, 0x25, 0x35, 0x45, 0x55, 0x65, NodePointer::SKIP_0_7.0, 0x75];
    assert_eq!(lane.step(INVALID, &data), 0x75);
    assert_eq!(lane.step(INVALID, &[]), 0xFFFF_FFFE);
    data[6] = NodePointer::SKIP_4_7.0;
    assert_eq!(lane.step(INVALID, &data), 0x15);
    assert_eq!(lane.fields().valid_entries, 4);
    let mut lane = Lane::new(16, false);
    data[6] = NodePointer::SKIP_0_3.0;
    assert_eq!(lane.step(INVALID, &data), 0x55);
    assert_eq!(lane.fields().valid_entries, 2);
    let mut lane = Lane::new(16, false);
    data[6] = F;
    data[2] = NodePointer::SKIP_0_3.0;
    assert_eq!(lane.step(INVALID, &data), 0x45);
}

#[test]
fn range_updates_move_data_7() {
    for (nav, pointer, expected) in
        [(0, 0x12, 0x13), (0, 0x13, 0x18), (0, 0x18, 0x19), (1, 0x3A, 0x40), (3, 0x12, 0xFFFF_FFFE)]
    {
        let mut lane = Lane::new(16, true);
        let mut data = [0x15; 8];
        data[7] = pointer;
        assert_eq!(lane.step(NodePointer::range_update(nav), &data), expected);
        assert_eq!(lane.fields().valid_entries, 0);
    }
}

#[test]
fn walkback_in_range_mode_takes_primitives_as_visited() {
    // Primitives sort first: 0x10 and 0x31 are done, the boxes after them are not.
    let mut lane = Lane::new(16, true);
    assert_eq!(lane.step(NodePointer(0x10), &[0x10, 0x31, 0x45, 0x55]), 0x45);
    assert_eq!(lane.step(INVALID, &[]), 0x55);
    // A primitive that is not among the data: all boxes are pushed.
    let mut lane = Lane::new(16, true);
    assert_eq!(lane.step(NodePointer(0x90), &[0x45, 0x55]), 0x45);
    assert_eq!(lane.fields().valid_entries, 1);
}

#[test]
fn leaving_an_instance_is_reported() {
    let mut lane = Lane::new(16, false);
    assert_eq!(lane.step(INVALID, &[0x26, 0x35]), 0x26);
    assert!(lane.fields().has_tlas_in_stack);
    assert_eq!(lane.fields().entries_to_tlas, 0);
    // Inside: one node, then nothing more of the inner structure.
    assert_eq!(lane.step(INVALID, &[0x105]), 0x105);
    assert!(!lane.fields().blas_to_tlas_pop);
    assert_eq!(lane.step(INVALID, &[]), 0x35);
    assert!(lane.fields().blas_to_tlas_pop && !lane.fields().has_tlas_in_stack);
    assert_eq!(lane.step(INVALID, &[]), 0xFFFF_FFFE);
    assert!(!lane.fields().blas_to_tlas_pop);
}

#[test]
fn an_instance_inside_an_instance_gives_up_the_outer_entries() {
    let mut lane = Lane::new(16, false);
    lane.step(INVALID, &[0x26, 0x35, 0x45]);
    assert_eq!(lane.step(INVALID, &[0x66, 0x75]), 0x66);
    let fields = lane.fields();
    assert!(fields.overflowed && fields.has_tlas_in_stack);
    assert_eq!(fields.valid_entries, 1);
    assert_eq!(lane.step(INVALID, &[]), 0x75);
    assert_eq!(lane.step(INVALID, &[]), F);
}

#[test]
fn overwriting_the_outer_entries_forgets_the_mark() {
    let mut lane = Lane::new(2, false);
    lane.step(INVALID, &[0x26, 0x35]);
    assert!(lane.fields().has_tlas_in_stack);
    lane.step(INVALID, &[0x105, 0x115, 0x125]);
    assert!(!lane.fields().has_tlas_in_stack);
}

#[test]
fn two_at_a_time() {
    let (mut lds, mut address) = (vec![0; 1024], 0);
    let mut step = |data: &[u32]| {
        let popped = push8_pop2(&mut lds, &mut address, INVALID, fill(data), 16).map(|p| p.0);
        (popped, StackAddress::from_register(address))
    };
    // The top goes to slot 1, the second to slot 0.
    assert_eq!(step(&[0x15, 0x25, 0x35]).0, [0x25, 0x15]);
    assert_eq!(step(&[]).0, [0x35, F]);
    assert_eq!(step(&[]).0, [0xFFFF_FFFE, F]);
    // A type 1 pointer on top brings its partner, and nothing else is popped.
    assert_eq!(step(&[0x29, 0x35]).0, [0x28, 0x29]);
    assert_eq!(step(&[]).0, [0x35, F]);
    // Second, it stays alone with the top.
    assert_eq!(step(&[0x35, 0x29]).0, [0x29, 0x35]);
    // An instance is never second, and comes alone.
    assert_eq!(step(&[0x15, 0x26, 0x35]).0, [0x15, F]);
    let (popped, fields) = step(&[]);
    assert_eq!(popped, [0x26, F]);
    assert!(fields.has_tlas_in_stack);
    // The inner structure is empty: the outer entry comes back, and is reported.
    let (popped, fields) = step(&[]);
    assert_eq!((popped, fields.blas_to_tlas_pop), ([0x35, F], true));
}

#[test]
fn a_second_pop_keeps_the_report_of_the_first() {
    let (mut lds, mut address) = (vec![0; 1024], 0);
    push8_pop2(&mut lds, &mut address, INVALID, fill(&[0x26, 0x35, 0x45]), 16);
    let popped = push8_pop2(&mut lds, &mut address, INVALID, NONE, 16);
    assert_eq!(popped.map(|p| p.0), [0x45, 0x35]);
    assert!(StackAddress::from_register(address).blas_to_tlas_pop);
}

#[test]
fn four_are_eight_with_nothing_behind() {
    let mode = StackMode::from_offsets(0xF0, 2);
    assert_eq!(mode, StackMode { size: 16, range_mode: true });
    let (mut lds, mut address) = (vec![0; 1024], 0);
    let top = push4_pop1(&mut lds, &mut address, INVALID, [0x15, F, 0x35, 0x45], mode);
    assert_eq!((top.0, StackAddress::from_register(address).valid_entries), (0x15, 2));
}

proptest! {
    /// Without instances and skips the stack is a stack that forgets its oldest entries.
    #[test]
    fn plain_pushes_are_a_bounded_stack(
        size in 1u8..32,
        steps in prop::collection::vec(prop::collection::vec(0u32..1000, 0..=8), 1..60),
    ) {
        let mut lane = Lane::new(size, false);
        let (mut model, mut lost) = (Vec::new(), false);
        for step in steps {
            let data: Vec<u32> = step.iter().map(|&x| x << 4 | 5).collect();
            for &x in data.iter().rev() {
                model.push(x);
                if model.len() > usize::from(size) {
                    model.remove(0);
                    lost = true;
                }
            }
            let expected = model.pop().unwrap_or(if lost { F } else { 0xFFFF_FFFE });
            prop_assert_eq!(lane.step(INVALID, &data), expected);
            prop_assert_eq!(usize::from(lane.fields().valid_entries), model.len());
            prop_assert_eq!(lane.fields().overflowed, lost);
        }
    }

    #[test]
    fn nothing_panics(
        address: u32, last: u32, data: [u32; 8], size: u8, range_mode: bool, words in 0usize..2000,
        special: bool,
    ) {
        let mut lds = vec![last; words];
        let last = NodePointer(if special { last | 0xFFFF_FFF8 } else { last });
        let data = data.map(|x| if x & 0x300 == 0 { x | 0xFFFF_FFF8 } else { x });
        let (mut a, mut b) = (address, address);
        push8_pop1(&mut lds, &mut a, last, data, StackMode { size, range_mode });
        push8_pop2(&mut lds, &mut b, last, data, size);
        // The base is nobody's to change.
        let base = |register| StackAddress::from_register(register).base;
                prop_assert_eq!(base(a), base(address));
    }
}
