//! The host interface: what a program asks for by storing to `tohost`.
//!
//! | device (63:56) | command (55:48) | payload | meaning |
//! |---|---|---|---|
//! | 0 | 0 | bit 0 set | exit with payload >> 1 |
//! | 0 | 0 | bit 0 clear | address of a request: number and arguments, 64 bits each |
//! | 1 | 1 | a byte | print it |
//! | 1 | 0 | – | read a byte |
//!
//! The host acts on every store that leaves `tohost` non-zero, and stores 0 there when done.

use crate::memory::Memory;
use std::collections::VecDeque;

/// Numbers of the requests that are served (as in Linux).
const WRITE: u64 = 64;
const EXIT: u64 = 93;
/// "Function not implemented".
const NO_SUCH_REQUEST: i64 = -38;
/// "Bad file number" and "bad address".
const BAD_FILE: i64 = -9;
const BAD_ADDRESS: i64 = -14;
/// With this much console output somebody should take it.
const MUCH_OUTPUT: usize = 1 << 20;
/// Once there is this much, more is dropped until somebody takes it.
const MOST_OUTPUT: usize = 1 << 24;

/// The host's side.
#[derive(Debug, Clone, Default)]
pub(crate) struct Host {
    pub(crate) to_host: Option<u64>,
    pub(crate) from_host: Option<u64>,
    /// What the program has printed and nobody has taken.
    pub(crate) output: Vec<u8>,
    /// What the program can read.
    input: VecDeque<u8>,
    /// The program has asked for a byte and got none yet.
    is_reading: bool,
}

/// What a store led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostEvent {
    None,
    Exit(u64),
}

impl Host {
    /// Serves what is in the mailbox.
    pub(crate) fn serve(&mut self, memory: &mut Memory) -> HostEvent {
        let Some(to_host) = self.to_host else { return HostEvent::None };
        let request = memory.read(to_host).map_or(0, u64::from_le_bytes);
        if request == 0 {
            return HostEvent::None;
        }
        put(memory, to_host, 0);
        let (device, command, payload) =
            (request >> 56, (request >> 48) & 0xFF, request & 0xFFFF_FFFF_FFFF);
        match (device, command) {
            (0, 0) if payload & 1 == 1 => return HostEvent::Exit(payload >> 1),
            (0, 0) => return self.system_call(memory, payload),
            (1, 1) => self.print(&[payload as u8]),
            (1, 0) => {
                self.is_reading = true;
                self.feed(memory);
            }
            _ => {}
        }
        HostEvent::None
    }

    /// Whether the program waits for input, or output waits for somebody.
    pub(crate) fn is_wanted(&self) -> bool {
        self.is_reading || self.output.len() >= MUCH_OUTPUT
    }

    /// Whether the program waits for input.
    pub(crate) fn is_reading(&self) -> bool {
        self.is_reading
    }

    /// More input for the program; a read that waits is answered.
    pub(crate) fn offer(&mut self, bytes: &[u8], memory: &mut Memory) {
        self.input.extend(bytes);
        self.feed(memory);
    }

    fn feed(&mut self, memory: &mut Memory) {
        if self.is_reading
            && let Some(byte) = self.input.pop_front()
        {
            self.is_reading = false;
            self.answer(memory, 1 << 56 | 0x100 | u64::from(byte));
        }
    }

    /// A request block: the number, six arguments; the result replaces the number.
    fn system_call(&mut self, memory: &mut Memory, block: u64) -> HostEvent {
        let word = |place: u64| {
            let address = block.wrapping_add(8 * place);
            memory.read(address).map_or(0, u64::from_le_bytes)
        };
        let (number, arguments) = (word(0), [word(1), word(2), word(3)]);
        let result = match number {
            EXIT => return HostEvent::Exit(arguments[0]),
            WRITE => self.write(memory, arguments),
            _ => NO_SUCH_REQUEST,
        };
        put(memory, block, result as u64);
        self.answer(memory, 1);
        HostEvent::None
    }

    fn write(&mut self, memory: &Memory, [file, address, size]: [u64; 3]) -> i64 {
        if !matches!(file, 1 | 2) {
            return BAD_FILE;
        }
        match memory.slice(address, size) {
            Some(bytes) => {
                self.print(bytes);
                bytes.len() as i64
            }
            None => BAD_ADDRESS,
        }
    }

    fn print(&mut self, bytes: &[u8]) {
        if self.output.len() < MOST_OUTPUT {
            self.output.extend_from_slice(bytes);
        }
    }

    fn answer(&self, memory: &mut Memory, value: u64) {
        if let Some(address) = self.from_host {
            put(memory, address, value);
        }
    }
}

/// Stores a word if something is there; the program has named the place.
fn put(memory: &mut Memory, address: u64, value: u64) {
    let _unbacked = memory.write_bytes(address, &value.to_le_bytes());
    memory.take_touched();
}
