//! Accessors: arrays of numbers in buffer views, dense or sparse.

use super::buffers::Buffers;
use super::document::{Document, Sparse};
use super::item;
use crate::error::{ErrorKind, ParseError};
use std::cell::Cell;

/// A document may use the same bytes many times; this many elements for each byte is more than any
/// exporter makes, and keeps memory in proportion to the file.
const ELEMENTS_PER_BYTE: u64 = 16;

/// The accessors of a document.
pub(super) struct Accessors<'a> {
    pub(super) document: &'a Document,
    pub(super) buffers: &'a Buffers<'a>,
    /// The size of the document.
    file: u64,
    /// Elements read so far.
    spent: Cell<u64>,
}

/// The type of a component.
#[derive(Clone, Copy)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(code: u32) -> Option<Self> {
        match code {
            5120 => Some(Self::I8),
            5121 => Some(Self::U8),
            5122 => Some(Self::I16),
            5123 => Some(Self::U16),
            5125 => Some(Self::U32),
            5126 => Some(Self::F32),
            _ => None,
        }
    }

    const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    fn element<const N: usize>(self, bytes: &[u8], normalized: bool) -> [f64; N] {
        let size = self.size();
        std::array::from_fn(|k| self.value(&bytes[k * size..(k + 1) * size], normalized))
    }

    /// The value of a component; an integer may stand for a fraction of its range.
    fn value(self, bytes: &[u8], normalized: bool) -> f64 {
        let bits = bytes.iter().rev().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte));
        let value = match self {
            Self::I8 => f64::from(bits as u8 as i8),
            Self::I16 => f64::from(bits as u16 as i16),
            Self::U8 | Self::U16 | Self::U32 => f64::from(bits),
            Self::F32 => return f64::from(f32::from_bits(bits)),
        };
        if normalized { (value / self.whole()).max(-1.0) } else { value }
    }

    /// What stands for 1 if the component is normalized; wide ones never are.
    const fn whole(self) -> f64 {
        match self {
            Self::I8 => 127.0,
            Self::U8 => 255.0,
            Self::I16 => 32767.0,
            Self::U16 => 65535.0,
            Self::U32 | Self::F32 => 1.0,
        }
    }
}

impl<'a> Accessors<'a> {
    pub(super) fn new(document: &'a Document, buffers: &'a Buffers<'a>, file: usize) -> Self {
        Self { document, buffers, file: file as u64, spent: Cell::new(0) }
    }

    /// The elements of an accessor of `N` components, each passed through `map`. `from` is the
    /// place that refers to it.
    pub(super) fn read<const N: usize, T: Clone>(
        &self,
        index: usize,
        from: &str,
        map: impl Fn([f64; N]) -> T,
    ) -> Result<Vec<T>, ParseError> {
        let accessor = item(&self.document.accessors, index, "accessor", || from.to_owned())?;
        let path = format!("accessors[{index}]");
        let expected = *["SCALAR", "VEC2", "VEC3", "VEC4"].get(N - 1).unwrap_or(&"MAT4");
        if accessor.shape != expected {
            let kind = ErrorKind::unexpected(accessor.shape.as_bytes(), format!("`{expected}`"));
            return Err(ParseError::json(format!("{path}.type"), kind));
        }
        let component = component(accessor.component_type, &path)?;
        let (size, count) = (component.size(), accessor.count);
        let mut elements = match accessor.buffer_view {
            None => {
                self.spend(count, &path)?;
                vec![map([0.0; N]); count as usize]
            }
            Some(view) => {
                let (bytes, stride) = self.buffers.view(view, &path)?;
                // Some exporters write 0 for elements without gaps.
                let stride = stride.filter(|&stride| stride > 0).unwrap_or(N * size);
                let bytes = slice(bytes, accessor.byte_offset, count, stride, N * size, &path)?;
                self.spend(count, &path)?;
                let element = |i: usize| {
                    let start = i * stride;
                    map(component.element(&bytes[start..start + N * size], accessor.normalized))
                };
                (0..count as usize).map(element).collect()
            }
        };
        if let Some(sparse) = &accessor.sparse {
            let decode = |bytes: &[u8]| map(component.element(bytes, accessor.normalized));
            self.replace(sparse, N * size, decode, &mut elements, &path)?;
        }
        Ok(elements)
    }

    /// What stands for 1 in the components of an accessor.
    pub(super) fn whole(&self, index: usize) -> f64 {
        let accessor = self.document.accessors.get(index);
        let component = accessor.filter(|a| a.normalized).map(|a| Component::of(a.component_type));
        component.flatten().map_or(1.0, Component::whole)
    }

    /// Indices of vertices.
    pub(super) fn indices(&self, index: usize, from: &str) -> Result<Vec<u32>, ParseError> {
        let accessor = item(&self.document.accessors, index, "accessor", || from.to_owned())?;
        let kind = component(accessor.component_type, &format!("accessors[{index}]"))?;
        if !matches!(kind, Component::U8 | Component::U16 | Component::U32) {
            let kind = ErrorKind::Unexpected {
                found: format!("component type {}", accessor.component_type),
                expected: "unsigned integers".to_owned(),
            };
            return Err(ParseError::json(format!("accessors[{index}].componentType"), kind));
        }
        // Every u32 is a whole f64.
        self.read(index, from, |[value]: [f64; 1]| value as u32)
    }

    fn replace<T>(
        &self,
        sparse: &Sparse,
        size: usize,
        decode: impl Fn(&[u8]) -> T,
        elements: &mut [T],
        path: &str,
    ) -> Result<(), ParseError> {
        let path = format!("{path}.sparse");
        let places = component(sparse.indices.component_type, &format!("{path}.indices"))?;
        let width = places.size();
        let (bytes, _) =
            self.buffers.view(sparse.indices.buffer_view, &format!("{path}.indices"))?;
        let offset = sparse.indices.byte_offset;
        let numbers = slice(bytes, offset, sparse.count, width, width, &path)?;
        let (bytes, _) = self.buffers.view(sparse.values.buffer_view, &format!("{path}.values"))?;
        let values = slice(bytes, sparse.values.byte_offset, sparse.count, size, size, &path)?;
        let count = elements.len() as u64;
        for (number, value) in numbers.chunks_exact(width).zip(values.chunks_exact(size)) {
            let index = places.value(number, false) as u64;
            let element = usize::try_from(index).ok().and_then(|i| elements.get_mut(i));
            let kind = ErrorKind::NoSuchItem { what: "element", index, count };
            *element.ok_or_else(|| ParseError::json(&*path, kind))? = decode(value);
        }
        Ok(())
    }

    /// Counts elements against what the size of the file can explain.
    pub(super) fn spend(&self, count: u64, path: &str) -> Result<(), ParseError> {
        let bytes = self.file + self.buffers.fetched_bytes();
        let most = bytes.saturating_mul(ELEMENTS_PER_BYTE).saturating_sub(self.spent.get());
        if count > most {
            return Err(ParseError::json(
                path,
                ErrorKind::TooMany { what: "elements", count, most },
            ));
        }
        self.spent.set(self.spent.get() + count);
        Ok(())
    }
}

fn component(code: u32, path: &str) -> Result<Component, ParseError> {
    Component::of(code).ok_or_else(|| {
        let kind = ErrorKind::Unexpected {
            found: format!("component type {code}"),
            expected: "one of 5120, 5121, 5122, 5123, 5125, 5126".to_owned(),
        };
        ParseError::json(format!("{path}.componentType"), kind)
    })
}

/// The bytes from the first element to the end of the last.
fn slice<'b>(
    bytes: &'b [u8],
    offset: u64,
    count: u64,
    stride: usize,
    size: usize,
    path: &str,
) -> Result<&'b [u8], ParseError> {
    let length = match count {
        0 => 0,
        _ => u128::from(count - 1) * stride as u128 + size as u128,
    };
    let end = u128::from(offset) + length;
    if end > bytes.len() as u128 {
        let needed = u64::try_from(length).unwrap_or(u64::MAX);
        let left = (bytes.len() as u64).saturating_sub(offset);
        return Err(ParseError::json(path, ErrorKind::Truncated { needed, left }));
    }
    Ok(&bytes[offset as usize..end as usize])
}
