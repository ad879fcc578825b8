//! A unit with a hart of 64 KiB of memory.

pub(crate) use crate::test_hart::{BASE, TestHart};
use xphmg::encoding::assemble;
use xphmg::{Executed, Readings, Trap, Unit};

pub(crate) const RAY: u64 = BASE + 0x100;
pub(crate) const OPERAND: u64 = BASE + 0x200;
pub(crate) const FP32: u64 = 0x80A4_0000;
const BYTES: usize = 0x1_0000;

/// A unit and its hart. a0 points to a ray along +z through (0.25, 0.5), SVMBASE to a box that it
/// meets from 4 to 8; elements are FP32.
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

/// A box, lower corner first.
pub(crate) const EDGED: [f32; 6] = [-1.0, -1.0, 4.0, 1.0, 1.0, 8.0];

/// Rays that meet that box at its edge through (1, 1, 6): they enter the x slab where they leave
/// the y slab.
pub(crate) fn grazing_rays() -> impl Iterator<Item = [f32; 8]> {
    let mut random = 1u32;
    let mut draw = move || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        2.0 + (random >> 8) as f32 / 1e6
    };
    let [lx, ly, lz, hx, hy, hz] = EDGED;
    let bounds = geometry::Aabb::new([lx, ly, lz].into(), [hx, hy, hz].into());
    (0..400).filter_map(move |_| {
        let (a, b, k) = (draw(), draw(), draw());
        let [x, y, z] = [(1.0 - a) * k, (1.0 + b) * k, 6.0 * k];
        let exact = geometry::Ray::new([a, -b, 0.0].into(), [x, y, z].into());
        let meets = geometry::exact::ray_box(&exact, &bounds).is_some();
        meets.then_some([a, -b, 0.0, x, y, z, 0.0, 16.0])
    })
}
