//! Ports: how units talk. A message can be used from a cycle on, and leaves in the order of these
//! cycles.

use std::collections::VecDeque;

/// Messages that are taken out in the cycle in which they come.
pub(crate) type Wire<T> = VecDeque<T>;

/// A queue of messages from one unit to another.
#[derive(Debug)]
pub(crate) struct Port<T> {
    messages: VecDeque<(u64, T)>,
    capacity: usize,
}

impl<T> Port<T> {
    /// A port that is never full.
    pub(crate) fn unlimited() -> Self {
        Self { messages: VecDeque::with_capacity(16), capacity: usize::MAX }
    }

    /// A port that holds so many messages; who sends asks for room first.
    pub(crate) fn new(capacity: u32) -> Self {
        let capacity = capacity as usize;
        Self { messages: VecDeque::with_capacity(capacity), capacity }
    }

    pub(crate) fn has_room(&self) -> bool {
        self.messages.len() < self.capacity
    }

    pub(crate) fn len(&self) -> usize {
        self.messages.len()
    }

    /// Sends a message that can be used from cycle `at` on. Messages of one cycle keep their order.
    pub(crate) fn send(&mut self, at: u64, message: T) {
        if self.messages.back().is_none_or(|last| last.0 <= at) {
            self.messages.push_back((at, message));
        } else {
            let place = self.messages.partition_point(|other| other.0 <= at);
            self.messages.insert(place, (at, message));
        }
    }

    /// The next message, if it can be used in cycle `cycle`.
    pub(crate) fn peek(&self, cycle: u64) -> Option<&T> {
        self.messages.front().filter(|(at, _)| *at <= cycle).map(|(_, message)| message)
    }

    /// Takes the next message, if it can be used in cycle `cycle`.
    pub(crate) fn receive(&mut self, cycle: u64) -> Option<T> {
        self.peek(cycle)?;
        self.messages.pop_front().map(|(_, message)| message)
    }

    /// When the next message can be used.
    pub(crate) fn next_event(&self) -> u64 {
        self.messages.front().map_or(u64::MAX, |(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_leave_in_the_order_of_their_cycles() {
        let mut port = Port::new(4);
        for (at, message) in [(5, 'b'), (5, 'c'), (3, 'a'), (9, 'd')] {
            port.send(at, message);
        }
        assert!(!port.has_room() && port.next_event() == 3);
        assert_eq!((port.receive(2), port.receive(4), port.receive(4)), (None, Some('a'), None));
        assert_eq!(
            [5, 8, 8, 9].map(|cycle| port.receive(cycle)),
            [Some('b'), Some('c'), None, Some('d')]
        );
    }
}
