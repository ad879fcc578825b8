//! Bad input: random bytes as ELF files, broken headers, random code, extensions that clash. Always
//! a result or a message, within its limit.
// Helpers of tests may do as tests do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use crate::common;

use common::{Observed, elf};
use geometry::random::Random;
use riscv::xphmg::Xphmg;
use riscv::{
    Config, Core, CustomCsr, CustomInstruction, Ended, Extension, Hart, HartError, Limits,
    RegistrationError, Trap,
};
use xphmg::Readings;

const BASE: u64 = 0x8000_0000;
const SMALL: u64 = 1 << 20;

fn small_hart() -> Hart {
    Hart::new(Config { ram: SMALL, ..Config::default() }, Vec::new()).unwrap()
}

/// A hart with the extension, and readings that differ from round to round.
fn extended_hart(random: &mut Random) -> Hart {
    let mut readings = Readings::default();
    for pair in ["submit=deferred", "rsv_scope=scalar_once", "node_layout=literal88", "rtcap=0x15"]
    {
        if random.bits_below(2) == 0 {
            readings.set(pair).unwrap();
        }
    }
    let config = Config { ram: SMALL, ..Config::default() };
    Hart::new(config, vec![Box::new(Xphmg::new(readings, true))]).unwrap()
}

/// Code that is mostly the extension's: its opcodes, and accesses to its registers.
fn extension_code(random: &mut Random) -> Vec<u8> {
    let registers = [0x7C0, 0x7D0, 0x7E0, 0x7F0, 0x7F8, 0x8A0, 0x8A8, 0x8D8];
    let word = |random: &mut Random| {
        let any = random.bits() as u32;
        match random.bits_below(8) {
            0..=2 => any & 0x000F_FF80 | random.pick(&[0x0B, 0x5B, 0x7B]),
            3 => any & 0x0FFF_FF80 | random.pick(&[0x0B, 0x5B, 0x7B]),
            // xsubmit.rt and the fences.
            4 => any & 0x000F_8F80 | random.pick(&[0x0020_207B, 0x0000_307B, 0x0010_307B]),
            5 | 6 => {
                let number = random.pick(&registers) + random.bits_below(8) as u32;
                number << 20 | any & 0x000F_CF80 | 0x1073
            }
            _ => any,
        }
    };
    (0..256).flat_map(|_| word(random).to_le_bytes()).collect()
}

#[test]
fn broken_elf_files_are_refused_or_loaded() {
    let mut random = Random(3);
    let code: Vec<u8> = (0..256).flat_map(|_| (random.bits() as u32).to_le_bytes()).collect();
    let good = elf(BASE, &code, 0x2000);
    assert!(small_hart().load_elf(&good).is_ok());
    let mut hart = small_hart();
    let mut loaded = 0;
    for round in 0..4000 {
        let mut file = good.clone();
        for _ in 0..=random.bits_below(4) {
            // Mostly in the headers.
            let place = random.bits_below(if round % 4 == 0 { file.len() as u64 } else { 120 });
            file[place as usize] = random.bits() as u8;
        }
        if round % 5 == 0 {
            file.truncate(random.bits_below(file.len() as u64) as usize);
        }
        match hart.load_elf(&file) {
            Ok(_) => loaded += 1,
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    assert!(loaded > 100, "the mutations must not all be fatal: {loaded}");
    for size in 0..300 {
        let bytes: Vec<u8> = (0..size).map(|_| random.bits() as u8).collect();
        assert!(hart.load_elf(&bytes).is_err());
        assert!(hart.load_elf(&good[..size]).is_err());
    }
}

#[test]
fn random_code_ends_within_its_limit() {
    let mut random = Random(4);
    for round in 0..300 {
        let is_extended = round % 2 == 1;
        let mut hart = if is_extended { extended_hart(&mut random) } else { small_hart() };
        let code: Vec<u8> = if is_extended {
            extension_code(&mut random)
        } else {
            (0..4096).map(|_| random.bits() as u8).collect()
        };
        hart.load_elf(&elf(BASE, &code, 0x2000)).unwrap();
        for number in 1..32 {
            hart.core.set_x(number, BASE + random.bits_below(SMALL));
        }
        // Descriptors, queues, nodes and rays are whatever lies there.
        let noise: Vec<u8> = (0..4096).map(|_| (random.bits() & random.bits()) as u8).collect();
        hart.write_memory(BASE + 0x1000, &noise).unwrap();
        // Some rounds have a handler, which is random code too, floating point, and logs.
        if round % 4 < 2 {
            hart.set_csr(riscv::csr::MTVEC, BASE + 4 * random.bits_below(0x400));
            hart.set_csr(riscv::csr::MSTATUS, random.bits());
        }
        hart.set_recording(round % 3 == 0);
        let mut observed = Observed { wants_instructions: round % 3 == 0, ..Observed::default() };
        let limits = Limits { instructions: 20_000, until_pc: None };
        let (ended, _) = hart.run_program(limits, &mut observed);
        let is_expected = matches!(ended, Ended::Limit | Ended::Unhandled(..) | Ended::Deadlock(_));
        assert!(is_expected, "{ended:?}");
        for word in code.chunks(4).filter_map(|four| four.try_into().ok()) {
            assert_ne!(hart.disassemble(u32::from_le_bytes(word), BASE).mnemonic, "");
        }
        assert_eq!(hart.state().diff(&hart.state()), []);
    }
}

#[test]
fn states_differ_where_something_changed() {
    let mut hart = small_hart();
    let before = hart.state();
    hart.core.set_x(7, 3);
    hart.set_csr(riscv::csr::MEPC, 0x1234);
    let names: Vec<String> = before.diff(&hart.state()).iter().map(ToString::to_string).collect();
    assert_eq!(names, ["x7: 0x0 against 0x3", "mepc: 0x0 against 0x1234"]);
}

/// An extension that does nothing, with the tables of a test.
struct Claims(&'static str, Vec<CustomInstruction>, Vec<CustomCsr>);

impl Extension for Claims {
    fn name(&self) -> &str {
        self.0
    }

    fn version(&self) -> &str {
        "1"
    }

    fn instructions(&self) -> Vec<CustomInstruction> {
        self.1.clone()
    }

    fn csrs(&self) -> Vec<CustomCsr> {
        self.2.clone()
    }

    fn reset(&mut self) {}

    fn execute(&mut self, _: usize, _: u32, _: &mut Core) -> Result<(), Trap> {
        Ok(())
    }

    fn disassemble(&self, _: usize, _: u32, _: u64) -> String {
        String::new()
    }
}

fn registration(claims: Vec<Claims>) -> RegistrationError {
    let extensions: Vec<Box<dyn Extension>> =
        claims.into_iter().map(|claim| Box::new(claim) as Box<dyn Extension>).collect();
    match Hart::new(Config { ram: SMALL, ..Config::default() }, extensions) {
        Err(HartError::Registration(error)) => error,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("the claims do not clash"),
    }
}

#[test]
fn claims_that_clash_are_named() {
    let instruction = |matches, mask, mnemonic| CustomInstruction { matches, mask, mnemonic };
    let csr = |number, name| CustomCsr { number, name, logged: false };
    let one = instruction(0x0B, 0x707F, "one");
    let overlap = registration(vec![
        Claims("a", vec![one], vec![]),
        Claims("b", vec![instruction(0x8B, 0x0FFF, "two")], vec![]),
    ]);
    assert_eq!(overlap.to_string(), "a:one and b:two overlap: the word 0x0000008b would be both");
    let within = registration(vec![Claims("a", vec![one, one], vec![])]);
    assert_eq!(within.to_string(), "a:one and a:one overlap: the word 0x0000000b would be both");
    let base = registration(vec![Claims("a", vec![instruction(0x33, 0x7F, "all")], vec![])]);
    assert!(base.to_string().contains("the base instruction Add and a:all overlap"), "{base}");
    let compressed = registration(vec![Claims("a", vec![instruction(0, 3, "short")], vec![])]);
    assert!(matches!(compressed, RegistrationError::BadPattern { .. }));
    let taken = registration(vec![Claims("a", vec![], vec![csr(0x300, "mine")])]);
    assert_eq!(taken.to_string(), "CSR 0x300 is claimed by mstatus and by a:mine");
    let twice = registration(vec![
        Claims("a", vec![], vec![csr(0x800, "x")]),
        Claims("b", vec![], vec![csr(0x800, "y")]),
    ]);
    assert_eq!(twice.to_string(), "CSR 0x800 is claimed by a:x and by b:y");
    let wide = registration(vec![Claims("a", vec![], vec![csr(0x7FA0, "x")])]);
    assert!(matches!(wide, RegistrationError::BadCsrNumber { .. }));
    let same = registration(vec![Claims("a", vec![], vec![]), Claims("a", vec![], vec![])]);
    assert_eq!(same.to_string(), "the extension a is there twice");
}

#[test]
fn impossible_sizes_are_refused() {
    for ram in [1, u64::MAX, 1 << 50] {
        let config = Config { ram, ..Config::default() };
        assert!(matches!(Hart::new(config, Vec::new()), Err(HartError::Size { .. })));
    }
}

/// A section that claims more than the file has ends where the file does.
#[test]
fn code_ends_with_the_file() {
    let mut file = elf(BASE, &[0x13, 0, 0, 0, 0x13, 0, 0, 0], 0x2000);
    let sections = file.len() as u64;
    file[40..48].copy_from_slice(&sections.to_le_bytes());
    file[58..64].copy_from_slice(&[64, 0, 3, 0, 2, 0]);
    let strings = sections + 3 * 64;
    for (kind, flags, address, offset, size) in
        [(0u64, 0, 0, 0, 0), (1, 6, BASE, 0x1000, 0x4b_0000_0030), (3, 0, 0, strings, 1)]
    {
        file.extend((kind << 32).to_le_bytes());
        for value in [flags, address, offset, size, 0, 1, 0] {
            file.extend(value.to_le_bytes());
        }
    }
    file.push(0);
    let program = small_hart().load_elf(&file).unwrap();
    assert_eq!(program.code, [(BASE, file.len() as u64 - 0x1000)]);
}
