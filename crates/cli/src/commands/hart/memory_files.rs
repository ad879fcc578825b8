//! Files that become memory before a program starts, and memory that becomes files when it has
//! ended.

use super::{HOST_ERROR, read_file};
use crate::failure::Failure;
use crate::output::AtomicFile;
use crate::values;
use siliray::riscv::memory::RAM_BASE;
use siliray::riscv::{Hart, Program};
use std::path::{Path, PathBuf};

/// `FILE@ADDRESS`: what goes where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Load {
    file: PathBuf,
    place: Place,
}

/// `FILE@ADDRESS:BYTES`: what comes from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dump {
    file: PathBuf,
    place: Place,
    bytes: u64,
}

/// An address, or the name of a symbol of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Address(u64),
    Symbol(String),
}

impl Load {
    /// What is read.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }
}

impl Dump {
    /// What is written.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }
}

/// What `--load` takes.
pub(crate) fn load(text: &str) -> Result<Load, String> {
    let (file, place) = file_and_place(text)
        .ok_or("expected FILE@ADDRESS or FILE@SYMBOL, such as scene.xphmg@0x81000000")?;
    Ok(Load { file, place: self::place(place)? })
}

/// What `--dump` takes.
pub(crate) fn dump(text: &str) -> Result<Dump, String> {
    let expected =
        "expected FILE@ADDRESS:BYTES or FILE@SYMBOL:BYTES, such as hits.bin@0x80800000:4096";
    let parts = file_and_place(text).and_then(|(file, rest)| Some((file, rest.rsplit_once(':')?)));
    let (file, (place, bytes)) = parts.ok_or(expected)?;
    let bytes = values::address(bytes).map_err(|_| expected)?;
    Ok(Dump { file, place: self::place(place)?, bytes })
}

fn file_and_place(text: &str) -> Option<(PathBuf, &str)> {
    let (file, place) = text.rsplit_once('@')?;
    (!file.is_empty() && !place.is_empty()).then(|| (PathBuf::from(file), place))
}

/// What options take that are one address. Nothing that starts with a digit is a symbol.
pub(crate) fn place(text: &str) -> Result<Place, String> {
    match text.as_bytes().first() {
        Some(b'0'..=b'9') => values::address(text).map(Place::Address),
        Some(_) => Ok(Place::Symbol(text.to_owned())),
        None => Err("expected an address or a symbol, such as 0x80000000".to_owned()),
    }
}

impl Place {
    /// The address in this program.
    pub(crate) fn address(&self, program: &Program) -> Result<u64, Failure> {
        match self {
            Self::Address(address) => Ok(*address),
            Self::Symbol(name) => program.symbols.get(name).copied().ok_or_else(|| {
                Failure::input(format!("the program has no symbol {name}")).code(HOST_ERROR)
            }),
        }
    }
}

impl Load {
    /// Copies the file into memory.
    pub(crate) fn put(&self, hart: &mut Hart, program: &Program) -> Result<(), Failure> {
        let bytes = read_file(&self.file)?;
        let address = self.place.address(program)?;
        hart.write_memory(address, &bytes).map_err(|_| {
            let (file, size) = (self.file.display(), bytes.len());
            let failure = Failure::input(format!(
                "cannot load {file}: {size} bytes at {address:#x} are not all in RAM or LDS"
            ))
            .code(HOST_ERROR);
            match address < RAM_BASE {
                true => failure.hint(format!("RAM starts at {RAM_BASE:#x}")),
                false => failure.hint("--mem SIZE gives more RAM"),
            }
        })
    }
}

/// A dump that can be made: its memory exists, and so does the file under way.
pub(crate) struct PendingDump {
    file: AtomicFile,
    address: u64,
    bytes: u64,
}

impl Dump {
    /// Finds out what cannot work before the program runs.
    pub(crate) fn begin(&self, hart: &Hart, program: &Program) -> Result<PendingDump, Failure> {
        let (address, bytes) = (self.place.address(program)?, self.bytes);
        if hart.core.memory.slice(address, bytes).is_none() {
            let file = self.file.display();
            let text = format!("cannot dump {file}: {bytes} bytes at {address:#x} are not memory");
            return Err(Failure::input(text).code(HOST_ERROR));
        }
        let file = AtomicFile::create(&self.file).map_err(|it| it.code(HOST_ERROR))?;
        Ok(PendingDump { file, address, bytes })
    }
}

impl PendingDump {
    /// Writes the memory as it is now.
    pub(crate) fn finish(self, hart: &Hart) -> Result<(), Failure> {
        let bytes = hart.core.memory.slice(self.address, self.bytes).unwrap_or_default();
        self.file.write(bytes).map_err(|failure| failure.code(HOST_ERROR))
    }
}
