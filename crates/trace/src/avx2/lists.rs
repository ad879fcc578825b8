//! Which rays in flight wait for which kind of step.

use crate::world::Pointer;

/// Rays in flight on a thread.
pub(super) const SLOTS: usize = 48;

/// A slot, and where its next step goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task {
    pub(super) pointer: Pointer,
    pub(super) slot: u32,
}

/// Tasks of one kind. A slot has one task at most in all lists together, so there is always room
/// for one more.
#[derive(Debug)]
pub(super) struct List {
    tasks: [Task; SLOTS + 1],
    pub(super) count: usize,
}

impl List {
    const EMPTY: Self =
        Self { tasks: [Task { pointer: Pointer::DONE, slot: 0 }; SLOTS + 1], count: 0 };

    /// A task.
    ///
    /// # Safety
    /// There must be, or just have been, that many.
    #[inline(always)]
    pub(super) unsafe fn get(&self, index: usize) -> Task {
        debug_assert!(index <= SLOTS, "TASK-ROOM");
        // SAFETY: TASK-ROOM.
        unsafe { *self.tasks.get_unchecked(index) }
    }

    /// Adds a task if that `counts`, without a branch.
    ///
    /// # Safety
    /// There must be at most [`SLOTS`] tasks before.
    #[inline(always)]
    pub(super) unsafe fn add_if(&mut self, counts: bool, task: Task) {
        debug_assert!(self.count <= SLOTS, "TASK-ROOM");
        // SAFETY: TASK-ROOM.
        unsafe { *self.tasks.get_unchecked_mut(self.count) = task };
        self.count += usize::from(counts);
    }
}

/// All tasks, by the kind of their step.
#[derive(Debug)]
pub(super) struct Lists {
    /// Steps at nodes.
    pub(super) nodes: List,
    /// Steps at leaves.
    pub(super) leaves: List,
    /// Everything else.
    pub(super) others: List,
    /// Leaves in which triangles may be hit.
    pub(super) hits: List,
    /// Which triangles these are.
    pub(super) masks: [u16; SLOTS + 1],
    /// Slots without a ray.
    pub(super) free: List,
}

impl Lists {
    /// No tasks, and all slots free.
    pub(super) fn all_free() -> Self {
        let mut free = List::EMPTY;
        for (number, task) in free.tasks.iter_mut().enumerate() {
            task.slot = number as u32;
        }
        free.count = SLOTS;
        Self {
            nodes: List::EMPTY,
            leaves: List::EMPTY,
            others: List::EMPTY,
            hits: List::EMPTY,
            masks: [0; SLOTS + 1],
            free,
        }
    }

    /// Whether every slot has one task, or is free: SLOT-UNIQUE, for assertions between rounds.
    pub(super) fn are_unique(&self) -> bool {
        let lists = [&self.nodes, &self.leaves, &self.others, &self.free];
        let tasks = lists.iter().flat_map(|list| &list.tasks[..list.count]);
        let (seen, count) =
            tasks.fold((0u64, 0), |(seen, count), task| (seen | 1 << task.slot, count + 1));
        (seen.count_ones() as usize, count) == (SLOTS, SLOTS)
    }

    /// Whether no ray is in flight.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.count + self.leaves.count + self.others.count == 0
    }

    /// Adds a task to the list of its kind if that `counts`.
    ///
    /// # Safety
    /// The slot must have no other task.
    #[inline(always)]
    pub(super) unsafe fn distribute(&mut self, counts: bool, pointer: Pointer, slot: u32) {
        let task = Task { pointer, slot };
        let (is_node, is_either) = (pointer.is_node(), pointer.is_node_or_leaf());
        // SAFETY: SLOT-UNIQUE, so TASK-ROOM.
        unsafe {
            self.nodes.add_if(counts & is_node, task);
            self.leaves.add_if(counts & is_either & !is_node, task);
            self.others.add_if(counts & !is_either, task);
        }
    }
}
