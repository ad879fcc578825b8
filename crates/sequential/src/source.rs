//! Where items come from, and sorting.

use crate::iterator::Sequential;
use crate::sort::sort;
use std::slice::{Chunks, ChunksExactMut, ChunksMut, Windows};

/// What can be taken item by item.
pub trait IntoParallelIterator: IntoIterator + Sized {
    /// Its items.
    fn into_par_iter(self) -> Sequential<Self::IntoIter> {
        Sequential(self.into_iter())
    }
}

impl<T: IntoIterator> IntoParallelIterator for T {}

/// What can be read item by item.
pub trait IntoParallelRefIterator<'a> {
    /// The iterator.
    type Items: Iterator;

    /// Its items.
    fn par_iter(&'a self) -> Sequential<Self::Items>;
}

impl<'a, T: ?Sized + 'a> IntoParallelRefIterator<'a> for T
where
    &'a T: IntoIterator,
{
    type Items = <&'a T as IntoIterator>::IntoIter;

    fn par_iter(&'a self) -> Sequential<Self::Items> {
        Sequential(self.into_iter())
    }
}

/// What can be changed item by item.
pub trait IntoParallelRefMutIterator<'a> {
    /// The iterator.
    type Items: Iterator;

    /// Its items.
    fn par_iter_mut(&'a mut self) -> Sequential<Self::Items>;
}

impl<'a, T: ?Sized + 'a> IntoParallelRefMutIterator<'a> for T
where
    &'a mut T: IntoIterator,
{
    type Items = <&'a mut T as IntoIterator>::IntoIter;

    fn par_iter_mut(&'a mut self) -> Sequential<Self::Items> {
        Sequential(self.into_iter())
    }
}

/// Lists that grow.
pub trait ParallelExtend<T> {
    /// Adds all items.
    fn par_extend(&mut self, items: impl IntoIterator<Item = T>);
}

impl<T> ParallelExtend<T> for Vec<T> {
    fn par_extend(&mut self, items: impl IntoIterator<Item = T>) {
        self.extend(items);
    }
}

/// Lists in parts.
pub trait ParallelSlice<T> {
    /// Parts of so many items.
    fn par_chunks(&self, length: usize) -> Sequential<Chunks<'_, T>>;

    /// So many items side by side, from each item on.
    fn par_windows(&self, length: usize) -> Sequential<Windows<'_, T>>;
}

impl<T> ParallelSlice<T> for [T] {
    fn par_chunks(&self, length: usize) -> Sequential<Chunks<'_, T>> {
        Sequential(self.chunks(length))
    }

    fn par_windows(&self, length: usize) -> Sequential<Windows<'_, T>> {
        Sequential(self.windows(length))
    }
}

/// Lists in parts to be changed, and sorted ones.
pub trait ParallelSliceMut<T> {
    /// Parts of so many items.
    fn par_chunks_mut(&mut self, length: usize) -> Sequential<ChunksMut<'_, T>>;

    /// Parts of so many items, without what is left.
    fn par_chunks_exact_mut(&mut self, length: usize) -> Sequential<ChunksExactMut<'_, T>>;

    /// Sorts; equal items come in any order.
    fn par_sort_unstable(&mut self)
    where
        T: Ord;

    /// Sorts by an order; equal items come in any order.
    fn par_sort_unstable_by(&mut self, order: impl FnMut(&T, &T) -> std::cmp::Ordering);
}

impl<T> ParallelSliceMut<T> for [T] {
    fn par_chunks_mut(&mut self, length: usize) -> Sequential<ChunksMut<'_, T>> {
        Sequential(self.chunks_mut(length))
    }

    fn par_chunks_exact_mut(&mut self, length: usize) -> Sequential<ChunksExactMut<'_, T>> {
        Sequential(self.chunks_exact_mut(length))
    }

    fn par_sort_unstable(&mut self)
    where
        T: Ord,
    {
        sort(self, Ord::cmp);
    }

    fn par_sort_unstable_by(&mut self, order: impl FnMut(&T, &T) -> std::cmp::Ordering) {
        sort(self, order);
    }
}
