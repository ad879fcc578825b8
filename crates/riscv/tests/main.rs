//! The hart, compared with documents, compilers, gdb and QEMU.

mod assemble;
mod common;
mod decode;
mod fuzz;
mod gdb;
mod header;
mod lockstep;
mod logs;
mod programs;
mod wavefront;
mod xphmg;
