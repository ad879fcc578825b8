//! A hart of registers and 64 KiB of memory.

use xphmg::encoding::assemble;
use xphmg::memory::{FaultKind, HartPort, Memory, MemoryFault};
use xphmg::{Executed, Readings, Trap, Unit};

pub(crate) const BASE: u64 = 0x8000_0000;
pub(crate) const RAY: u64 = BASE + 0x100;
pub(crate) const OPERAND: u64 = BASE + 0x200;
pub(crate) const FP32: u64 = 0x80A4_0000;
const BYTES: usize = 0x1_0000;

pub(crate) struct TestHart {
    pub(crate) x: [u64; 32],
    pub(crate) bytes: Vec<u8>,
}

impl TestHart {
    pub(crate) fn put(&mut self, address: u64, bytes: &[u8]) {
        self.store(address, bytes).unwrap();
    }

    pub(crate) fn put_words(&mut self, address: u64, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.put(address, &bytes);
    }

    pub(crate) fn put_floats(&mut self, address: u64, values: &[f32]) {
        let words: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        self.put_words(address, &words);
    }

    pub(crate) fn words(&mut self, address: u64, count: usize) -> Vec<u32> {
        let mut bytes = vec![0; 4 * count];
        self.load(address, &mut bytes).unwrap();
        bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
    }
}

impl Memory for TestHart {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryFault> {
        let fault = MemoryFault { kind: FaultKind::Access, address };
        let start = address.checked_sub(BASE).filter(|start| *start < BYTES as u64).ok_or(fault)?;
        let from = self.bytes.get(start as usize..start as usize + bytes.len()).ok_or(fault)?;
        bytes.copy_from_slice(from);
        Ok(())
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryFault> {
        self.load(address, &mut vec![0; bytes.len()])?;
        let start = (address - BASE) as usize;
        self.bytes[start..start + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }
}

impl HartPort for TestHart {
    fn x(&self, register: u8) -> u64 {
        self.x[usize::from(register)]
    }

    fn set_x(&mut self, register: u8, value: u64) {
        if register != 0 {
            self.x[usize::from(register)] = value;
        }
    }
}

/// A unit and its hart. a0 points to a ray along +z through (0.25, 0.5), SVMBASE to a box that it meets from 4 to
/// 8; elements are FP32.
pub(crate) struct Bench {
    pub(crate) unit: Unit,
    pub(crate) hart: TestHart,
}

impl Bench {
    pub(crate) fn new(readings: &[&str]) -> Self {
        let mut set = Readings::default();
        readings.iter().for_each(|pair| set.set(pair).unwrap());
        let hart = TestHart { x: [0; 32], bytes: vec![0; BYTES] };
        let mut bench = Self { unit: Unit::new(set), hart };
        bench.hart.put_floats(RAY, &[0.25, 0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 16.0]);
        bench.hart.put_floats(OPERAND, &[-1.0, -1.0, 4.0, 1.0, 1.0, 8.0]);
        bench.hart.x[10] = RAY;
        bench.write(0x7D0, FP32);
        bench.write(0x7F0, OPERAND);
        bench
    }

    /// The triangle that the ray hits at t = 4, u = 0.25, v = 0.5, front side seen.
    pub(crate) fn with_triangle(mut self) -> Self {
        self.hart.put_floats(OPERAND, &[0.0, 0.0, 4.0, 0.0, 1.0, 4.0, 1.0, 0.0, 4.0]);
        self
    }

    pub(crate) fn read(&self, number: u16) -> u64 {
        self.unit.csr_read(number).unwrap()
    }

    pub(crate) fn write(&mut self, number: u16, value: u64) {
        assert!(self.unit.csr_write(number, value));
    }

    pub(crate) fn run(&mut self, line: &str) -> Result<Executed, Trap> {
        self.unit.execute(assemble(line).unwrap(), &mut self.hart)
    }

    pub(crate) fn ok(&mut self, lines: &[&str]) {
        for line in lines {
            self.run(line).unwrap();
        }
    }

    /// Cause and value of the trap that a line takes.
    pub(crate) fn trap(&mut self, line: &str) -> (u64, u64) {
        let trap = self.run(line).unwrap_err();
        (trap.cause, trap.value)
    }

    pub(crate) fn last_error(&self) -> u64 {
        self.read(0x8A1) >> 2 & 0x3F
    }

    pub(crate) fn floats(&self, first: u8, count: u8) -> Vec<f32> {
        let value = |register: u8| f32::from_bits(self.hart.x[usize::from(register)] as u32);
        (first..first + count).map(value).collect()
    }
}
