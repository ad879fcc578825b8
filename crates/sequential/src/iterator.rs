//! What can be done with each item.

use std::iter::{Enumerate, Filter, FilterMap, FlatMap, Zip};

/// Calls a function, and never copies it to where it is called: engines of WebAssembly speed a
/// function up between two calls of it, not while it runs, and an item may be much work.
#[inline(never)]
fn called<T, R>(act: &mut impl FnMut(T) -> R, item: T) -> R {
    act(item)
}

/// An iterator under the names of a parallel one.
#[derive(Debug, Clone)]
pub struct Sequential<I>(pub(crate) I);

impl<I: Iterator> IntoIterator for Sequential<I> {
    type Item = I::Item;
    type IntoIter = I;

    fn into_iter(self) -> I {
        self.0
    }
}

impl<I: Iterator> ParallelIterator for Sequential<I> {
    type Item = I::Item;
    type Items = I;

    fn items(self) -> I {
        self.0
    }
}

impl<I: Iterator> IndexedParallelIterator for Sequential<I> {}

/// Items in order, of which there are as many as are known.
pub trait IndexedParallelIterator: ParallelIterator {}

/// Items in order.
pub trait ParallelIterator: Sized {
    /// An item.
    type Item;
    /// The iterator over them.
    type Items: Iterator<Item = Self::Item>;

    /// The iterator itself.
    fn items(self) -> Self::Items;

    /// As it is: there is one thread for all of them.
    #[must_use]
    fn with_min_len(self, _: usize) -> Self {
        self
    }

    /// What a function makes of each.
    fn map<T>(self, mut map: impl FnMut(Self::Item) -> T) -> Sequential<impl Iterator<Item = T>> {
        Sequential(self.items().map(move |item| called(&mut map, item)))
    }

    /// Those that a condition holds for.
    fn filter<F: FnMut(&Self::Item) -> bool>(self, holds: F) -> Sequential<Filter<Self::Items, F>> {
        Sequential(self.items().filter(holds))
    }

    /// What a function makes of each, where it makes something.
    fn filter_map<T, F: FnMut(Self::Item) -> Option<T>>(
        self,
        map: F,
    ) -> Sequential<FilterMap<Self::Items, F>> {
        Sequential(self.items().filter_map(map))
    }

    /// All that a function makes of each, one after the other.
    fn flat_map_iter<T: IntoIterator, F: FnMut(Self::Item) -> T>(
        self,
        map: F,
    ) -> Sequential<FlatMap<Self::Items, T, F>> {
        Sequential(self.items().flat_map(map))
    }

    /// Each with its number.
    fn enumerate(self) -> Sequential<Enumerate<Self::Items>> {
        Sequential(self.items().enumerate())
    }

    /// Each with one of another.
    fn zip<T: IntoIterator>(self, other: T) -> Sequential<Zip<Self::Items, T::IntoIter>> {
        Sequential(self.items().zip(other))
    }

    /// All of them.
    fn collect<C: FromIterator<Self::Item>>(self) -> C {
        self.items().collect()
    }

    /// Whether a condition holds for all of them.
    fn all(self, holds: impl FnMut(Self::Item) -> bool) -> bool {
        self.items().all(holds)
    }

    /// Does something with each.
    fn for_each(self, mut act: impl FnMut(Self::Item)) {
        self.items().for_each(|item| called(&mut act, item));
    }

    /// Does something with each, up to the first error.
    ///
    /// # Errors
    /// The first one.
    fn try_for_each<E>(self, act: impl FnMut(Self::Item) -> Result<(), E>) -> Result<(), E> {
        self.items().try_for_each(act)
    }

    /// The same with something that is made once.
    ///
    /// # Errors
    /// The first one.
    fn try_for_each_init<T, E>(
        self,
        init: impl FnOnce() -> T,
        mut act: impl FnMut(&mut T, Self::Item) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut kept = init();
        self.items().try_for_each(|item| act(&mut kept, item))
    }

    /// One sum of all.
    fn fold<T>(
        self,
        identity: impl FnOnce() -> T,
        add: impl FnMut(T, Self::Item) -> T,
    ) -> Sequential<std::iter::Once<T>> {
        Sequential(std::iter::once(self.items().fold(identity(), add)))
    }

    /// The sum of all.
    fn reduce(
        self,
        identity: impl FnOnce() -> Self::Item,
        add: impl FnMut(Self::Item, Self::Item) -> Self::Item,
    ) -> Self::Item {
        self.items().fold(identity(), add)
    }

    /// The sum of numbers.
    fn sum<T: std::iter::Sum<Self::Item>>(self) -> T {
        self.items().sum()
    }

    /// The sum of all, up to the first error.
    ///
    /// # Errors
    /// The first one.
    fn try_reduce<T, E>(
        self,
        identity: impl FnOnce() -> T,
        mut add: impl FnMut(T, T) -> Result<T, E>,
    ) -> Result<T, E>
    where
        Self: ParallelIterator<Item = Result<T, E>>,
    {
        self.items().try_fold(identity(), |sum, item| add(sum, item?))
    }

    /// The first that a condition holds for.
    fn find_first(self, holds: impl FnMut(&Self::Item) -> bool) -> Option<Self::Item> {
        self.items().find(holds)
    }

    /// The first result that there is.
    fn find_map_first<T>(self, find: impl FnMut(Self::Item) -> Option<T>) -> Option<T> {
        self.items().find_map(find)
    }

    /// The number of the first that a condition holds for.
    fn position_first(self, holds: impl FnMut(Self::Item) -> bool) -> Option<usize> {
        self.items().position(holds)
    }
}

#[cfg(test)]
mod tests {
    use crate::prelude::*;

    #[test]
    fn items_come_in_order() {
        let numbers = [5, 3, 8, 1];
        let found: Vec<(usize, i32)> = numbers
            .par_iter()
            .with_min_len(2)
            .enumerate()
            .filter(|(_, number)| **number != 8)
            .map(|(place, number)| (place, 10 * number))
            .collect();
        assert_eq!(found, [(0, 50), (1, 30), (3, 10)]);
        let pairs = numbers.par_iter().zip(&[1, 2, 3]).map(|(a, b)| a * b);
        assert_eq!(pairs.reduce(|| 100, |a, b| a - b), 100 - 5 - 6 - 24);
        let halves = numbers.par_chunks(3).flat_map_iter(|chunk| [chunk.len(), chunk[0] as usize]);
        assert_eq!(halves.collect::<Vec<usize>>(), [3, 5, 1, 1]);
        assert_eq!(numbers.par_iter().position_first(|number| *number > 5), Some(2));
        let even = |number: &i32| (number % 2 == 0).then_some(*number);
        assert_eq!(numbers.par_iter().find_map_first(even), Some(8));
        assert_eq!(numbers.par_iter().filter_map(even).collect::<Vec<i32>>(), [8]);
        assert_eq!(numbers.par_iter().find_first(|number| **number < 5), Some(&3));
    }

    #[test]
    fn the_first_error_ends_it() {
        let mut seen = Vec::new();
        let result = [1, 2, 3].into_par_iter().try_for_each(|number| {
            seen.push(number);
            if number == 2 { Err(number) } else { Ok(()) }
        });
        assert_eq!((result, seen), (Err(2), vec![1, 2]));
        let sum = |all: Vec<Result<i32, &'static str>>| {
            all.into_par_iter().try_reduce(|| 0, |a, b| Ok(a + b))
        };
        assert_eq!(sum(vec![Ok(1), Ok(2)]), Ok(3));
        assert_eq!(sum(vec![Ok(1), Err("first"), Err("second")]), Err("first"));
        let numbers = [4, 5].into_par_iter();
        let result = numbers.try_for_each_init(Vec::new, |seen, number| {
            seen.push(number);
            if seen.len() == 2 { Err(seen.clone()) } else { Ok(()) }
        });
        assert_eq!(result, Err(vec![4, 5]));
    }

    #[test]
    fn folding_gives_one_sum() {
        let sums = (1..=4).into_par_iter().fold(|| 10, |sum, number| sum + number);
        assert_eq!(sums.collect::<Vec<i32>>(), [20]);
        assert_eq!([1, 2, 4].par_iter().map(|number| 3 * number).sum::<i32>(), 21);
    }
}
