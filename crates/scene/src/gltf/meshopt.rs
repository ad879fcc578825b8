//! Buffer views compressed by meshoptimizer: `EXT_meshopt_compression` and
//! `KHR_meshopt_compression`, after the appendices of their specifications.
//!
//! | mode | stream | filters |
//! |---|---|---|
//! | `ATTRIBUTES` | deltas of bytes, in blocks of at most 256 elements and groups of 16 | below |
//! | `TRIANGLES` | a code for each triangle, with recent edges and vertices | none |
//! | `INDICES` | deltas of indices against two baselines | none |
//!
//! `EXPONENTIAL` turns integers into floats. The other filters are for normals, tangents, rotations
//! and colours, which are not looked at; `OCTAHEDRAL` and `QUATERNION` leave their bytes as they
//! are.

use super::document::Meshopt;

/// The bytes that a compressed view stands for, or what is wrong with it.
pub(super) fn decode(about: &Meshopt, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let count = usize::try_from(about.count).map_err(|_| "too many elements")?;
    let stride = usize::try_from(about.byte_stride).map_err(|_| "the stride is too large")?;
    let narrowed = |indices: Vec<u32>| match stride {
        2 => Ok(indices.iter().flat_map(|&index| (index as u16).to_le_bytes()).collect()),
        4 => Ok(indices.iter().flat_map(|index| index.to_le_bytes()).collect()),
        _ => Err(format!("indices of {stride} bytes, expected 2 or 4")),
    };
    match about.mode.as_str() {
        "ATTRIBUTES" => {
            let mut elements = attributes(bytes, count, stride)?;
            if about.filter.as_deref() == Some("EXPONENTIAL") {
                exponential(&mut elements);
            }
            Ok(elements)
        }
        "TRIANGLES" => narrowed(triangles(bytes, count)?),
        "INDICES" => narrowed(indices(bytes, count)?),
        other => Err(format!("the mode {other:.32?} is not known")),
    }
}

/// Bytes of a stream that are still to be read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or("the stream is truncated")?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, String> {
        Ok(self.take(1)?[0])
    }

    /// An unsigned LEB128 number.
    fn varint(&mut self) -> Result<u32, String> {
        let mut value = 0u32;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err("a number of more than 5 bytes".to_owned())
    }

    fn finish(&self) -> Result<(), String> {
        if self.0.is_empty() { Ok(()) } else { Err(format!("{} bytes are left", self.0.len())) }
    }
}

/// The header, the body, and the `tail` bytes at the end.
fn parts(bytes: &[u8], tail: usize) -> Result<(u8, Reader<'_>, &[u8]), String> {
    let (&header, rest) = bytes.split_first().ok_or("the stream is empty")?;
    let body = rest.len().checked_sub(tail).ok_or("the stream is shorter than its tail")?;
    let (body, tail) = rest.split_at(body);
    Ok((header, Reader(body), tail))
}

const GROUP: usize = 16;

/// The most elements of a block.
const BLOCK: usize = 256;

/// How many bits each delta of a group has, by the two bits of the group's header: in version 0,
/// and in version 1 by its control modes 0 and 1.
const WIDTHS: [[u8; 4]; 3] = [[0, 2, 4, 8], [0, 1, 2, 4], [1, 2, 4, 8]];

fn attributes(bytes: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, String> {
    if stride == 0 || stride > BLOCK || !stride.is_multiple_of(4) {
        return Err(format!("a stride of {stride} bytes, expected a multiple of 4 up to 256"));
    }
    let version = match bytes.first() {
        Some(0xA0) => 0,
        Some(0xA1) => 1,
        _ => return Err("the header is not 0xA0 or 0xA1".to_owned()),
    };
    let tail_size = if version == 0 { stride } else { stride + stride / 4 };
    let least_tail = if version == 0 { 32 } else { 24 };
    let (_, mut body, tail) = parts(bytes, tail_size.max(least_tail))?;
    let (baseline, channels) = tail[tail.len() - tail_size..].split_at(stride);
    let mut previous = baseline.to_vec();
    let most = ((8192 / stride) & !(GROUP - 1)).min(BLOCK);
    let mut elements = Vec::new();
    let mut deltas = vec![0; stride * BLOCK];
    while elements.len() < count * stride {
        let block = most.min(count - elements.len() / stride);
        let controls = if version == 0 { &[][..] } else { body.take(stride / 4)? };
        for byte in 0..stride {
            let mode = controls.get(byte / 4).map(|control| control >> (byte % 4 * 2) & 3);
            data_block(&mut body, mode, block, &mut deltas[byte * BLOCK..(byte + 1) * BLOCK])?;
        }
        for element in 0..block {
            for channel in 0..stride / 4 {
                let delta: [u8; 4] =
                    std::array::from_fn(|k| deltas[(4 * channel + k) * BLOCK + element]);
                let value = &mut previous[4 * channel..4 * channel + 4];
                undo(channels.get(channel).copied().unwrap_or(0), delta, value)?;
            }
            elements.extend_from_slice(&previous);
        }
    }
    body.finish()?;
    Ok(elements)
}

/// The deltas of one byte of each element of a block. No mode: version 0.
fn data_block(
    body: &mut Reader<'_>,
    mode: Option<u8>,
    block: usize,
    deltas: &mut [u8],
) -> Result<(), String> {
    let groups = block.div_ceil(GROUP);
    let widths = match mode {
        None => WIDTHS[0],
        Some(0) => WIDTHS[1],
        Some(1) => WIDTHS[2],
        Some(2) => {
            deltas.fill(0);
            return Ok(());
        }
        Some(_) => {
            deltas[..block].copy_from_slice(body.take(block)?);
            return Ok(());
        }
    };
    let headers = body.take(groups.div_ceil(4))?;
    for (group, deltas) in deltas.chunks_exact_mut(GROUP).take(groups).enumerate() {
        match widths[usize::from(headers[group / 4] >> (group % 4 * 2) & 3)] {
            0 => deltas.fill(0),
            8 => deltas.copy_from_slice(body.take(GROUP)?),
            width => {
                let packed = body.take(GROUP * usize::from(width) / 8)?;
                let (width, sentinel) = (usize::from(width), (1u8 << width) - 1);
                for (number, delta) in deltas.iter_mut().enumerate() {
                    let place = number * width % 8;
                    // Single bits are packed from the lowest, wider deltas from the highest.
                    let shift = if width == 1 { place } else { 8 - width - place };
                    let bits = packed[number * width / 8] >> shift & sentinel;
                    *delta = if bits == sentinel { body.byte()? } else { bits };
                }
            }
        }
    }
    Ok(())
}

/// Adds a delta to four bytes, as the mode of their channel says.
fn undo(channel: u8, delta: [u8; 4], value: &mut [u8]) -> Result<(), String> {
    match (channel & 15, channel >> 4) {
        (0, 0) => {
            for (value, delta) in value.iter_mut().zip(delta) {
                *value = value.wrapping_add(delta >> 1 ^ (delta & 1).wrapping_neg());
            }
        }
        (1, 0) => {
            for (value, delta) in value.chunks_exact_mut(2).zip(delta.as_chunks::<2>().0) {
                let delta = u16::from_le_bytes(*delta);
                let sum = u16::from_le_bytes([value[0], value[1]])
                    .wrapping_add(delta >> 1 ^ (delta & 1).wrapping_neg());
                value.copy_from_slice(&sum.to_le_bytes());
            }
        }
        (2, rotation) => {
            let delta = u32::from_le_bytes(delta).rotate_right(u32::from(rotation));
            for (value, delta) in value.iter_mut().zip(delta.to_le_bytes()) {
                *value ^= delta;
            }
        }
        _ => return Err(format!("the channel mode {channel:#04x} is not known")),
    }
    Ok(())
}

/// Each integer is a mantissa of 24 bits and an exponent of 8, both signed.
fn exponential(elements: &mut [u8]) {
    for element in elements.as_chunks_mut::<4>().0 {
        let bits = i32::from_le_bytes(*element);
        let value = f64::from(bits << 8 >> 8) * f64::from(bits >> 24).exp2();
        *element = (value as f32).to_le_bytes();
    }
}

/// The state of a triangle stream.
struct Triangles {
    /// Recent edges and vertices, and the places where the next ones go.
    edges: [[u32; 2]; 16],
    vertices: [u32; 16],
    edge_end: usize,
    vertex_end: usize,
    /// The next index that was not used yet, and the last that was written out.
    next: u32,
    last: u32,
}

impl Triangles {
    fn push_edges(&mut self, edges: &[[u32; 2]]) {
        for &edge in edges {
            self.edges[self.edge_end] = edge;
            self.edge_end = (self.edge_end + 1) % 16;
        }
    }

    fn push_vertex(&mut self, vertex: u32) {
        self.vertices[self.vertex_end] = vertex;
        self.vertex_end = (self.vertex_end + 1) % 16;
    }

    /// A recent vertex; 0 is the last one.
    fn vertex(&self, back: u8) -> u32 {
        self.vertices[(self.vertex_end + 15 - usize::from(back)) % 16]
    }

    fn fresh(&mut self) -> u32 {
        let fresh = self.next;
        self.next = self.next.wrapping_add(1);
        fresh
    }

    fn explicit(&mut self, data: &mut Reader<'_>) -> Result<u32, String> {
        self.last = self.last.wrapping_add(unsigned_delta(data.varint()?));
        Ok(self.last)
    }

    /// An index by four bits: fresh, recent or explicit. Recent ones are not pushed again.
    fn coded(&mut self, code: u8, data: &mut Reader<'_>) -> Result<(u32, bool), String> {
        match code {
            0 => Ok((self.fresh(), true)),
            15 => Ok((self.explicit(data)?, true)),
            _ => Ok((self.vertex(code - 1), false)),
        }
    }
}

/// A delta that was zigzag-encoded.
const fn unsigned_delta(value: u32) -> u32 {
    value >> 1 ^ (value & 1).wrapping_neg()
}

fn triangles(bytes: &[u8], count: usize) -> Result<Vec<u32>, String> {
    let (header, body, table) = parts(bytes, 16)?;
    if header & 0xFE != 0xE0 {
        return Err("the header is not 0xE0 or 0xE1".to_owned());
    }
    if !count.is_multiple_of(3) {
        return Err(format!("{count} indices, expected a multiple of 3"));
    }
    // Version 0 has two more recent vertices in place of the neighbours of the last index.
    let recent = if header == 0xE1 { 13 } else { 15 };
    let mut codes = body;
    let mut data = Reader(codes.0);
    let codes = codes.take(count / 3)?;
    data.take(count / 3)?;
    let mut state = Triangles {
        edges: [[u32::MAX; 2]; 16],
        vertices: [u32::MAX; 16],
        edge_end: 0,
        vertex_end: 0,
        next: 0,
        last: 0,
    };
    let mut indices = Vec::with_capacity(count);
    for &code in codes {
        let (high, low) = (code >> 4, code & 15);
        if high < 15 {
            let [a, b] = state.edges[(state.edge_end + 15 - usize::from(high)) % 16];
            let (c, is_new) = match low {
                0 => (state.fresh(), true),
                _ if low < recent => (state.vertex(low), false),
                15 => (state.explicit(&mut data)?, true),
                _ => {
                    let step = if low == 13 { u32::MAX } else { 1 };
                    state.last = state.last.wrapping_add(step);
                    (state.last, true)
                }
            };
            if is_new {
                state.push_vertex(c);
            }
            state.push_edges(&[[c, b], [a, c]]);
            indices.extend([a, b, c]);
            continue;
        }
        let pair = if low < 14 { table[usize::from(low)] } else { data.byte()? };
        if low >= 14 && pair == 0 {
            state.next = 0;
        }
        let a = if low == 15 { state.explicit(&mut data)? } else { state.fresh() };
        let (b, b_is_new) = state.coded(pair >> 4, &mut data)?;
        let (c, c_is_new) = state.coded(pair & 15, &mut data)?;
        state.push_vertex(a);
        for (vertex, is_new) in [(b, b_is_new), (c, c_is_new)] {
            if is_new {
                state.push_vertex(vertex);
            }
        }
        state.push_edges(&[[b, a], [c, b], [a, c]]);
        indices.extend([a, b, c]);
    }
    data.finish()?;
    Ok(indices)
}

fn indices(bytes: &[u8], count: usize) -> Result<Vec<u32>, String> {
    let (header, mut body, _) = parts(bytes, 4)?;
    if header & 0xFE != 0xD0 {
        return Err("the header is not 0xD0 or 0xD1".to_owned());
    }
    let mut last = [0u32; 2];
    let mut indices = Vec::new();
    for _ in 0..count {
        let value = body.varint()?;
        let baseline = &mut last[(value & 1) as usize];
        *baseline = baseline.wrapping_add(unsigned_delta(value >> 1));
        indices.push(*baseline);
    }
    body.finish()?;
    Ok(indices)
}

/// The vectors are those of meshoptimizer's own tests.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_of_both_versions() {
        let old = [
            0xE0, 0xF0, 0x10, 0xFE, 0xFF, 0xF0, 0x0C, 0xFF, 0x02, 0x02, 0x02, 0x00, 0x76, 0x87,
            0x56, 0x67, 0x78, 0xA9, 0x86, 0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0x00, 0x00,
        ];
        let plain = [0, 1, 2, 2, 1, 3, 4, 6, 5, 7, 8, 9];
        assert_eq!(triangles(&old, 12).unwrap(), plain);
        let mut new = old;
        new[0] = 0xE1;
        assert_eq!(triangles(&new, 12).unwrap(), plain);
        // Restarts, and neighbours of the last index.
        let tricky = [
            0xE1, 0xF0, 0x10, 0xFE, 0x1F, 0x3D, 0x00, 0x0A, 0x00, 0x76, 0x87, 0x56, 0x67, 0x78,
            0xA9, 0x86, 0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0x00, 0x00,
        ];
        let expected = [0, 1, 2, 2, 1, 3, 0, 1, 2, 2, 1, 5, 2, 1, 4];
        assert_eq!(triangles(&tricky, 15).unwrap(), expected);
        let edges = [
            0xE1, 0xF0, 0x20, 0x30, 0x40, 0x00, 0x76, 0x87, 0x56, 0x67, 0x78, 0xA9, 0x86, 0x65,
            0x89, 0x68, 0x98, 0x01, 0x69, 0x00, 0x00,
        ];
        assert_eq!(triangles(&edges, 12).unwrap(), [0, 1, 2, 1, 0, 3, 2, 1, 4, 0, 2, 5]);
    }

    #[test]
    fn sequences_of_indices() {
        let bytes = [0xD1, 0x00, 0x04, 0xCD, 0x01, 0x04, 0x07, 0x98, 0x1F, 0x00, 0x00, 0x00, 0x00];
        assert_eq!(indices(&bytes, 6).unwrap(), [0, 1, 51, 2, 49, 1000]);
    }

    const VERTICES_0: [u8; 85] = [
        0xA0, 0x01, 0x3F, 0x00, 0x00, 0x00, 0x58, 0x57, 0x58, 0x01, 0x26, 0x00, 0x00, 0x00, 0x01,
        0x0C, 0x00, 0x00, 0x00, 0x58, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
        0x3F, 0x00, 0x00, 0x00, 0x17, 0x18, 0x17, 0x01, 0x26, 0x00, 0x00, 0x00, 0x01, 0x0C, 0x00,
        0x00, 0x00, 0x17, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    ];

    const VERTICES_1: [u8; 44] = [
        0xA1, 0xEE, 0xAA, 0xEE, 0x00, 0x4B, 0x4B, 0x4B, 0x00, 0x00, 0x4B, 0x00, 0x00, 0x7D, 0x7D,
        0x7D, 0x00, 0x00, 0x7D, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x62, 0x00, 0x62,
    ];

    /// Made by an encoder that uses every mode of version 1.
    const VERTICES_1_ALL: [u8; 103] = [
        0xA1, 0xD4, 0x94, 0xD4, 0x01, 0x0E, 0x00, 0x58, 0x57, 0x58, 0x02, 0x02, 0x12, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x58, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
        0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x0E, 0x00, 0x7D, 0x7D, 0x7D, 0x01, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x7D, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x62,
    ];

    /// Three 16-bit coordinates, two bytes, and two 16-bit texture coordinates.
    fn vertices() -> Vec<u8> {
        let rows = [[0, 0, 0, 0], [300, 0, 500, 0], [0, 300, 0, 500], [300, 300, 500, 500]];
        let bytes = |[x, y, u, v]: [u16; 4]| [x, y, 0, 0, u, v].map(u16::to_le_bytes);
        rows.map(bytes).concat().concat()
    }

    #[test]
    fn attributes_of_both_versions() {
        for bytes in [&VERTICES_0[..], &VERTICES_1, &VERTICES_1_ALL] {
            assert_eq!(attributes(bytes, 4, 12).unwrap(), vertices());
        }
    }

    #[test]
    fn floats_by_exponent() {
        let mut bytes = [3 | 0xFE << 24, 0xFF_FFFF | 2 << 24].map(u32::to_le_bytes).concat();
        exponential(&mut bytes);
        assert_eq!(bytes, [0.75f32, -4.0].map(f32::to_le_bytes).concat());
    }

    /// Any damage is an answer: an error, or other numbers.
    #[test]
    fn damaged_streams_end() {
        for at in 0..VERTICES_1_ALL.len() {
            let mut bytes = VERTICES_1_ALL;
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                let _ = attributes(&bytes, 4, 12);
                let _ = triangles(&bytes, 15);
                let _ = indices(&bytes, 40);
            }
            assert!(attributes(&VERTICES_1_ALL[..at], 4, 12).is_err());
        }
        assert!(attributes(&VERTICES_0, 4_000_000, 12).is_err());
        assert!(triangles(&VERTICES_0, usize::MAX / 3 * 3).is_err());
    }
}
