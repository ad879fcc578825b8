//! Memory that a build needs only while it runs.
//!
//! A build touches more memory than its tree keeps, each page of it for the first time, and on
//! Linux the first touch of a page costs more than the work that is done on it. Large arrays are
//! therefore mapped directly, and the system is asked for many pages at once, which is cheaper.
//! Huge pages would be cheaper still, but a virtual machine that has none left at hand gets them
//! from its host, more slowly than the build runs.

use memmap2::MmapMut;
#[cfg(target_os = "linux")]
use rayon::prelude::*;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Arrays of fewer bytes come from the allocator, which may have them at hand.
const FEWEST_MAPPED_BYTES: usize = 1 << 20;
/// Bytes for which pages are asked for at once.
#[cfg(target_os = "linux")]
const POPULATED_BYTES: usize = 8 << 20;

/// Values of plain data, which any bytes are.
pub(crate) trait Plain:
    FromBytes + IntoBytes + Immutable + KnownLayout + Clone + Send
{
}

impl<T: FromBytes + IntoBytes + Immutable + KnownLayout + Clone + Send> Plain for T {}

/// An array that starts as zeros.
pub(crate) struct Scratch<T> {
    memory: Memory<T>,
    length: usize,
}

enum Memory<T> {
    Allocated(Vec<T>),
    Mapped(MmapMut, PhantomData<T>),
}

impl<T: Plain> Scratch<T> {
    /// `length` values, all bytes of which are zero.
    pub(crate) fn zeros(length: usize) -> Self {
        let memory = match mapped(length.saturating_mul(size_of::<T>())) {
            Some(map) => Memory::Mapped(map, PhantomData),
            None => Memory::Allocated(vec![T::new_zeroed(); length]),
        };
        Self { memory, length }
    }

    /// Changes the number of values, within the room that there is.
    pub(crate) fn set_length(&mut self, length: usize) {
        let room = match &self.memory {
            Memory::Allocated(values) => values.len(),
            Memory::Mapped(map, _) => map.len() / size_of::<T>(),
        };
        self.length = length.min(room);
    }
}

/// Mapped memory, where that is worth while and possible.
fn mapped(bytes: usize) -> Option<MmapMut> {
    if bytes < FEWEST_MAPPED_BYTES {
        return None;
    }
    let map = MmapMut::map_anon(bytes).ok()?;
    #[cfg(target_os = "linux")]
    (0..bytes.div_ceil(POPULATED_BYTES)).into_par_iter().for_each(|part| {
        let start = part * POPULATED_BYTES;
        let size = POPULATED_BYTES.min(bytes - start);
        // A wish: where the system does not grant it, pages come one by one.
        let _ = map.advise_range(memmap2::Advice::PopulateWrite, start, size);
    });
    Some(map)
}

impl<T: Plain> Deref for Scratch<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.memory {
            Memory::Allocated(values) => &values[..self.length],
            Memory::Mapped(map, _) => {
                // Pages are aligned to more than any value and the size is a multiple: always a
                // slice.
                let bytes = &map[..self.length * size_of::<T>()];
                <[T]>::ref_from_bytes(bytes).unwrap_or_default()
            }
        }
    }
}

impl<T: Plain> DerefMut for Scratch<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.memory {
            Memory::Allocated(values) => &mut values[..self.length],
            Memory::Mapped(map, _) => {
                let bytes = &mut map[..self.length * size_of::<T>()];
                <[T]>::mut_from_bytes(bytes).unwrap_or_default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small and large arrays behave alike.
    #[test]
    fn zeros_that_keep_what_is_written() {
        for length in [0, 1, 1000, FEWEST_MAPPED_BYTES / 8 + 3] {
            let mut scratch = Scratch::<u64>::zeros(length);
            assert!(scratch.len() == length && scratch.iter().all(|&value| value == 0));
            scratch.iter_mut().zip(7..).for_each(|(value, n)| *value = n);
            scratch.set_length(length / 2);
            assert!(scratch.iter().copied().eq(7..7 + length as u64 / 2));
        }
    }
}
