//! Matrices for instance transforms: `mtx.ld`, `mtx.mul`, `mtx.mad` (specification, section 18).
//!
//! Four banks hold a 2×2, a 3×3 and a 4×4 matrix each, as element bits; rectangular shapes are the
//! upper left blocks of the larger ones. One bank holds a bias vector. Input and output vectors lie
//! one behind the other in memory. A ray goes to instance space as two vectors, (o, 1) and (d, 0),
//! through a 4×4 matrix; its bounds stay because d is not normalised.
//!
//! | number (X-57) | name | content |
//! |---|---|---|
//! | 8D8 | mtxcfg | 0 TRANSPOSE_DEF, 1 BIAS_EN, 2 SAT_EN |
//! | 8D9 | mtxsel | bank 0–3 |
//! | 8DA–8DC | mtx2, mtx3, mtx4 | first 64 bits of the selected bank's matrix |
//! | 8DD | mtxbias | first 64 bits of the bias vector |
//! | 8DE, 8DF | mtxstat, mtxcap | 0; one bit for each of the seven shapes |

use super::record::Executed;
use super::{Trap, Unit};
use crate::encoding::{Instruction, Shape};
use crate::flags::{Exceptions, Raised, Stickies};
use crate::memory::{HartPort, element_at};
use crate::numeric::{ElementFormat, fp32, narrow, widen};
use crate::policy::{Accumulator, Policy};
use crate::readings::Readings;

/// Number of the first register.
pub const FIRST_CSR: u16 = 0x8D8;
/// Number of the last register.
pub const LAST_CSR: u16 = 0x8DF;
/// Names, in the order of their numbers.
pub const NAMES: [&str; 8] =
    ["mtxcfg", "mtxsel", "mtx2", "mtx3", "mtx4", "mtxbias", "mtxstat", "mtxcap"];

/// Matrices and registers of one hart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mtx {
    config: u8,
    selected: u8,
    /// By bank and by dimension less two.
    banks: [[Elements; 3]; 4],
    bias: Elements,
}

/// Element bits, row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Elements {
    bits: [u32; 16],
    /// Bits of an element when they were loaded; 0 before.
    width: u32,
}

impl Elements {
    /// The first 64 bits.
    fn view(&self) -> u64 {
        match self.width {
            0 => 0,
            width => (0..64 / width)
                .zip(self.bits)
                .fold(0, |word, (k, element)| word | u64::from(element) << (k * width)),
        }
    }
}

impl Mtx {
    /// Reads a register by its offset.
    #[must_use]
    pub fn read(&self, offset: u16, readings: &Readings) -> u64 {
        match offset {
            0 => self.config.into(),
            1 => self.selected.into(),
            2..=4 => self.bank()[usize::from(offset) - 2].view(),
            5 => self.bias.view(),
            7 => readings.mtxcap.into(),
            _ => 0,
        }
    }

    /// Writes a register by its offset; the others are read-only.
    pub fn write(&mut self, offset: u16, value: u64) {
        match offset {
            0 => self.config = value as u8 & 7,
            1 => self.selected = value as u8 & 3,
            _ => {}
        }
    }

    fn bank(&self) -> &[Elements; 3] {
        &self.banks[usize::from(self.selected)]
    }

    fn transposes(&self) -> bool {
        self.config & 1 != 0
    }

    fn adds_bias(&self) -> bool {
        self.config & 2 != 0
    }

    fn saturates(&self) -> bool {
        self.config & 4 != 0
    }
}

/// Whether MTXCAP has a shape.
fn has_shape(shape: Shape, readings: &Readings) -> bool {
    let number = Shape::ALL.iter().position(|known| *known == shape);
    number.is_some_and(|number| readings.mtxcap >> number & 1 != 0)
}

/// Dimension of the square matrix that a shape is a block of.
fn dimension(shape: Shape) -> usize {
    shape.rows.max(shape.columns).into()
}

impl Unit {
    pub(super) fn matrix(
        &mut self,
        instruction: Instruction,
        word: u32,
        hart: &mut dyn HartPort,
    ) -> Result<Executed, Trap> {
        if let Instruction::MtxLoad { shape, .. } | Instruction::MtxMultiply { shape, .. } =
            instruction
            && !has_shape(shape, self.readings())
        {
            return Err(Trap::illegal(word));
        }
        let policy = self.prec.policy(self.readings());
        match instruction {
            Instruction::MtxLoad { rs1, shape, transpose, row_major, with_bias, .. } => {
                // A transposed matrix lies the other way round.
                let by_rows = row_major != transpose;
                self.load_matrix(hart.x(rs1), shape, by_rows, with_bias, &policy, hart)?;
            }
            Instruction::MtxMultiply {
                rd,
                rs1,
                shape,
                transpose,
                saturate,
                count,
                add_bias,
                ..
            } => {
                let product = Product {
                    shape,
                    transpose: transpose || self.mtx.transposes(),
                    add_bias: add_bias || self.mtx.adds_bias(),
                    policy: Policy {
                        saturate: policy.saturate || saturate || self.mtx.saturates(),
                        ..policy
                    },
                };
                self.multiply(hart.x(rs1), hart.x(rd), count, &product, hart)?;
            }
            _ => {}
        }
        Ok(Executed::next())
    }

    fn load_matrix(
        &mut self,
        address: u64,
        shape: Shape,
        by_rows: bool,
        with_bias: bool,
        policy: &Policy,
        hart: &mut dyn HartPort,
    ) -> Result<(), Trap> {
        let (rows, columns) = (usize::from(shape.rows), usize::from(shape.columns));
        let count = rows * columns + if with_bias { rows } else { 0 };
        let loaded = load_elements(address, count, policy.format, hart)?;
        let dimension = dimension(shape);
        let bank = &mut self.mtx.banks[usize::from(self.mtx.selected)][dimension - 2];
        bank.width = policy.format.bits();
        for row in 0..rows {
            for column in 0..columns {
                let at = if by_rows { row * columns + column } else { column * rows + row };
                bank.bits[row * dimension + column] = loaded[at];
            }
        }
        if with_bias {
            self.mtx.bias.width = policy.format.bits();
            self.mtx.bias.bits[..rows].copy_from_slice(&loaded[rows * columns..]);
        }
        Ok(())
    }

    fn multiply(
        &mut self,
        from: u64,
        to: u64,
        count: u8,
        product: &Product,
        hart: &mut dyn HartPort,
    ) -> Result<(), Trap> {
        let Product { policy, .. } = product;
        let (inputs, outputs) = product.sizes();
        let vectors = load_elements(from, usize::from(count) * inputs, policy.format, hart)?;
        let width = policy.format.bytes();
        if !to.is_multiple_of(width as u64) {
            return Err(Trap { cause: Trap::STORE_MISALIGNED, value: to, lane: None });
        }
        let matrix = &self.mtx.bank()[dimension(product.shape) - 2];
        let mut raised = Raised::default();
        let mut bytes = Vec::with_capacity(usize::from(count) * outputs * width);
        for vector in vectors.chunks_exact(inputs) {
            for output in 0..outputs {
                let bits = product.component(matrix, &self.mtx.bias, vector, output, &mut raised);
                bytes.extend_from_slice(&bits.to_le_bytes()[..width]);
            }
        }
        if policy.format != ElementFormat::Fp32 {
            raised.stickies |= Stickies::DOWNCAST_TAKEN;
        }
        if !policy.trapping(raised.exceptions).is_empty() {
            self.prec.accumulate(raised);
            return Err(Trap::fp(raised.exceptions, self.readings()));
        }
        hart.store(to, &bytes).map_err(Trap::store)?;
        self.prec.accumulate(raised);
        Ok(())
    }
}

/// A ray record in the space that a matrix of 4×4 elements, row by row, leads to: what `mtx.mul`
/// makes of (o, 1) and (d, 0), between the same bounds.
#[must_use]
pub fn transformed_ray(matrix: &[u32; 16], record: [u32; 8], policy: &Policy) -> [u32; 8] {
    let shape = Shape { rows: 4, columns: 4 };
    let product = Product { shape, transpose: false, add_bias: false, policy: *policy };
    let matrix = Elements { bits: *matrix, width: policy.format.bits() };
    let [ox, oy, oz, dx, dy, dz, tmin, tmax] = record;
    let one = narrow(1.0, policy).bits;
    let moved = |vector: [u32; 4]| {
        let mut raised = Raised::default();
        let none = Elements::default();
        let component = |row| product.component(&matrix, &none, &vector, row, &mut raised);
        [0, 1, 2].map(component)
    };
    let ([ox, oy, oz], [dx, dy, dz]) = (moved([ox, oy, oz, one]), moved([dx, dy, dz, 0]));
    [ox, oy, oz, dx, dy, dz, tmin, tmax]
}

/// One multiplication.
struct Product {
    shape: Shape,
    transpose: bool,
    add_bias: bool,
    policy: Policy,
}

impl Product {
    /// Elements of an input and of an output vector.
    fn sizes(&self) -> (usize, usize) {
        let (rows, columns) = (self.shape.rows.into(), self.shape.columns.into());
        if self.transpose { (rows, columns) } else { (columns, rows) }
    }

    /// One output element: products rounded, then added left to right.
    fn component(
        &self,
        matrix: &Elements,
        bias: &Elements,
        vector: &[u32],
        output: usize,
        raised: &mut Raised,
    ) -> u32 {
        let mut read = |bits: u32| {
            let element = widen(bits, &self.policy);
            *raised |= element.raised;
            element.value
        };
        let dimension = dimension(self.shape);
        let mode = self.policy.rounding;
        let mut sum: Option<f32> = None;
        let mut made_nan = false;
        for (input, element) in vector.iter().enumerate() {
            let at = if self.transpose {
                input * dimension + output
            } else {
                output * dimension + input
            };
            let (a, b) = (read(matrix.bits[at]), read(*element));
            let product = fp32::mul(mode, a, b);
            made_nan |= product.is_nan() && !a.is_nan() && !b.is_nan();
            let total = sum.map_or(product, |sum| fp32::add(mode, sum, product));
            made_nan |= total.is_nan() && !product.is_nan() && sum.is_some_and(|sum| !sum.is_nan());
            sum = Some(self.accumulated(total));
        }
        let mut total = sum.unwrap_or(0.0);
        if self.add_bias {
            let bias = read(bias.bits[output]);
            let biased = fp32::add(mode, total, bias);
            made_nan |= biased.is_nan() && !total.is_nan() && !bias.is_nan();
            total = self.accumulated(biased);
        }
        if made_nan {
            raised.exceptions |= Exceptions::NV;
        }
        let result = if total.is_nan() { f32::NAN } else { total };
        let narrowed = narrow(result, &self.policy);
        *raised |= narrowed.raised;
        narrowed.bits
    }

    /// A partial sum in the accumulator's format.
    fn accumulated(&self, sum: f32) -> f32 {
        let format = match self.policy.accumulator {
            Accumulator::Fp32 | Accumulator::Implementation => return sum,
            Accumulator::Fp16 => ElementFormat::Fp16,
            Accumulator::Element => self.policy.format,
        };
        let policy = Policy { format, flush: false, saturate: false, ..self.policy };
        widen(narrow(sum, &policy).bits, &policy).value
    }
}

fn load_elements(
    address: u64,
    count: usize,
    format: ElementFormat,
    hart: &mut dyn HartPort,
) -> Result<Vec<u32>, Trap> {
    let width = format.bytes();
    if !address.is_multiple_of(width as u64) {
        return Err(Trap::misaligned(address));
    }
    let mut bytes = vec![0; count * width];
    hart.load(address, &mut bytes).map_err(Trap::load)?;
    Ok((0..count).map(|k| element_at(&bytes, k * width, width)).collect())
}
