//! The debug server against clients that misbehave: they interrupt, vanish, detach, send nonsense.
//! A client of a few lines speaks the protocol, so no gdb is needed; a session of gdb itself is in
//! `logs.rs`.
// Helpers of tests may do as tests do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use crate::common;

use common::{Observed, addi, elf};
use geometry::random::Random;
use riscv::gdb::GdbError;
use riscv::{Config, Ended, Hart, Limits, gdb};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

const BASE: u64 = 0x8000_0000;

/// A hart that counts in a0 for ever, under a server; `limit` instructions may run.
fn serve(limit: u64) -> (SocketAddr, JoinHandle<Result<Ended, GdbError>>) {
    let code = [addi(10, 10, 1), 0xFFDF_F06F]; // and a jump back
    let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let mut hart = Hart::new(Config::default(), Vec::new()).unwrap();
        hart.load_elf(&elf(BASE, &bytes, 0x1000)).unwrap();
        let limits = Limits { instructions: limit, until_pc: None };
        gdb::serve(&mut hart, &listener, limits, &mut Observed::default())
    });
    (address, server)
}

/// A client that knows packets and nothing else.
struct Client {
    stream: TcpStream,
}

impl Client {
    fn new(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Self { stream }
    }

    fn send(&mut self, packet: &str) {
        let sum = packet.bytes().fold(0_u8, u8::wrapping_add);
        self.stream.write_all(format!("${packet}#{sum:02x}").as_bytes()).unwrap();
    }

    /// The next packet's content, acknowledged.
    fn receive(&mut self) -> String {
        let mut bytes = Vec::new();
        let mut byte = [0];
        while !(bytes.contains(&b'$') && bytes.len() > 3 && bytes[bytes.len() - 3] == b'#') {
            self.stream.read_exact(&mut byte).unwrap();
            bytes.push(byte[0]);
        }
        self.stream.write_all(b"+").unwrap();
        let start = bytes.iter().position(|byte| *byte == b'$').unwrap() + 1;
        String::from_utf8(bytes[start..bytes.len() - 3].to_vec()).unwrap()
    }

    fn ask(&mut self, packet: &str) -> String {
        self.send(packet);
        self.receive()
    }

    /// Register a0, in the byte order and with the run lengths of the protocol.
    fn counter(&mut self) -> String {
        self.ask("pa")
    }
}

#[test]
fn a_running_hart_can_be_interrupted_again_and_again() {
    let (address, server) = serve(u64::MAX);
    let mut client = Client::new(address);
    let mut before = client.counter();
    for _ in 0..3 {
        let mut after = before.clone();
        // A busy machine may not let the hart run in between: then once more.
        while after == before {
            client.send("c");
            std::thread::sleep(Duration::from_millis(20));
            client.stream.write_all(&[3]).unwrap();
            assert_eq!(client.receive(), "S02");
            after = client.counter();
        }
        assert_eq!(client.counter(), after, "it stands");
        before = after;
    }
    client.send("k");
    assert!(matches!(server.join().unwrap(), Err(GdbError::Killed)));
}

#[test]
fn a_client_that_vanishes_leaves_the_hart_standing_for_the_next() {
    let (address, server) = serve(u64::MAX);
    let mut running = Client::new(address);
    running.send("c");
    std::thread::sleep(Duration::from_millis(20));
    drop(running);
    let mut next = Client::new(address);
    let found = next.counter();
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(next.counter(), found);
    drop(next);
    // One that waits while another is served has its turn afterwards.
    let mut first = Client::new(address);
    let mut second = Client::new(address);
    second.send("pa");
    assert_eq!(first.counter(), found);
    drop(first);
    assert_eq!(second.receive(), found);
    second.send("k");
    assert!(matches!(server.join().unwrap(), Err(GdbError::Killed)));
}

#[test]
fn a_client_that_detaches_lets_the_program_run_to_its_limit() {
    let (address, server) = serve(100_000);
    let mut client = Client::new(address);
    assert_eq!(client.ask("Z0,80000004,4"), "OK");
    assert_eq!(client.ask("D"), "OK");
    assert_eq!(server.join().unwrap().unwrap(), Ended::Limit);
}

/// Every connection may be closed for what it sends; the server goes on.
#[test]
fn nonsense_does_no_harm() {
    let (address, server) = serve(u64::MAX);
    let mut random = Random(9);
    let alphabet = b"$#+-mMgGpPcsqQzZ0123456789abcdef,;:*}\x03XHT?!";
    for round in 0..150 {
        let mut client = Client::new(address);
        client.stream.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        let noise: Vec<u8> = (0..random.bits_below(120))
            .map(|_| if round % 2 == 0 { random.pick(alphabet) } else { random.bits() as u8 })
            // Nothing that kills or detaches.
            .filter(|byte| !b"kvD".contains(byte))
            .collect();
        if round % 3 == 0 {
            let text: String = noise
                .iter()
                .filter(|byte| byte.is_ascii_digit() || **byte == b',')
                .map(|byte| char::from(*byte))
                .collect();
            let kind = random.pick(&[
                "m",
                "M",
                "p",
                "P",
                "Z0,",
                "Z2,",
                "z0,",
                "qXfer:features:read:target.xml:",
                "X",
            ]);
            client.send(&format!("{kind}{text}"));
        } else {
            let _closed_or_not = client.stream.write_all(&noise);
        }
        let mut answer = [0; 64];
        let _closed_or_not = client.stream.read(&mut answer);
    }
    let mut client = Client::new(address);
    assert!(client.ask("p20").len() > 3);
    client.send("k");
    assert!(matches!(server.join().unwrap(), Err(GdbError::Killed)));
}
