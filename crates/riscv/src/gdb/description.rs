//! The registers of a hart, as gdb's target XML.
//!
//! The numbers are those that `gdbstub_arch` gives meaning to: x 0–31, pc 32, f 33–64, CSRs from 65
//! on.

use crate::csr;
use crate::disassemble::{FLOAT_NAMES, INTEGER_NAMES};
use crate::hart::Hart;
use std::fmt::Write;

const FIRST_FLOAT: usize = 33;
const FIRST_CSR: usize = 65;
const PRIVILEGE: usize = 4161;

/// The description of this hart, its extensions' CSRs included.
pub(super) fn xml(hart: &Hart) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">\
         <architecture>riscv:rv64</architecture>",
    );
    xml += "<feature name=\"org.gnu.gdb.riscv.cpu\">";
    for (number, name) in INTEGER_NAMES.iter().enumerate() {
        let kind = match *name {
            "ra" => "code_ptr",
            "sp" | "gp" | "tp" | "s0" => "data_ptr",
            _ => "int",
        };
        register(&mut xml, if *name == "s0" { "fp" } else { name }, number, kind, 64);
    }
    register(&mut xml, "pc", 32, "code_ptr", 64);
    xml += "</feature><feature name=\"org.gnu.gdb.riscv.fpu\">\
            <union id=\"riscv_double\"><field name=\"float\" type=\"ieee_single\"/>\
            <field name=\"double\" type=\"ieee_double\"/></union>";
    for (number, name) in FLOAT_NAMES.iter().enumerate() {
        register(&mut xml, name, FIRST_FLOAT + number, "riscv_double", 64);
    }
    for number in [csr::FFLAGS, csr::FRM, csr::FCSR] {
        csr_register(&mut xml, hart, number);
    }
    xml += "</feature><feature name=\"org.gnu.gdb.riscv.csr\">";
    for number in csr::shown().filter(|number| *number > csr::FCSR) {
        csr_register(&mut xml, hart, number);
    }
    xml += "</feature><feature name=\"org.gnu.gdb.riscv.virtual\">";
    register(&mut xml, "priv", PRIVILEGE, "int", 8);
    xml += "</feature>";
    if !hart.registry.csr_list.is_empty() {
        xml += "<feature name=\"org.siliray.extension\">";
        for known in &hart.registry.csr_list {
            csr_register(&mut xml, hart, known.number);
        }
        xml += "</feature>";
    }
    xml + "</target>"
}

/// A dot in a name would be a member access in gdb's expressions.
fn csr_register(xml: &mut String, hart: &Hart, number: u16) {
    if let Some(name) = hart.csr_name(number) {
        register(xml, &name.replace('.', "_"), FIRST_CSR + usize::from(number), "int", 64);
    }
}

fn register(xml: &mut String, name: &str, number: usize, kind: &str, bits: u32) {
    // Writing to a string cannot fail.
    let _ = write!(
        xml,
        "<reg name=\"{name}\" bitsize=\"{bits}\" type=\"{kind}\" regnum=\"{number}\"/>"
    );
}
