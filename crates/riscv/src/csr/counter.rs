//! A counter of retired instructions that software can write and stop.

/// `mcycle` or `minstret`. Kept as a difference to the hart's own count, so that counting costs
/// nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counter {
    /// Counting: value minus retired instructions. Stopped: the value.
    base: u64,
    stopped: bool,
}

impl Counter {
    /// The value before the current instruction retires, `retired` others having done so.
    pub(crate) fn read(self, retired: u64) -> u64 {
        if self.stopped { self.base } else { self.base.wrapping_add(retired) }
    }

    /// Writes by the current instruction: the next one reads `value`, because a write takes
    /// precedence over the increment of the instruction that makes it.
    pub(crate) fn write(&mut self, value: u64, retired: u64) {
        self.base = if self.stopped { value } else { value.wrapping_sub(retired + 1) };
    }

    /// Stops or starts counting, from the next instruction on.
    pub(crate) fn stop(&mut self, stopped: bool, retired: u64) {
        if stopped != self.stopped {
            let after = retired + 1;
            self.base =
                if stopped { self.base.wrapping_add(after) } else { self.base.wrapping_sub(after) };
            self.stopped = stopped;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_read_back_by_the_next_instruction() {
        let mut counter = Counter::default();
        counter.write(u64::MAX, 7);
        assert_eq!(counter.read(8), u64::MAX);
        assert_eq!(counter.read(9), 0);
    }

    #[test]
    fn a_stopped_counter_keeps_its_value() {
        let mut counter = Counter::default();
        counter.stop(true, 4);
        assert_eq!((counter.read(5), counter.read(50)), (5, 5));
        counter.write(100, 60);
        counter.stop(false, 70);
        assert_eq!(counter.read(73), 102);
    }
}
