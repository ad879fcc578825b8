//! The advisory CAP registers, 0x7C0 to 0x7DF without PREC (specification, section 3.6). They
//! describe and never bind; numbers of the window that are not implemented read 0 and ignore
//! writes.

/// Numbers, names and values.
pub const REGISTERS: [(u16, &str, u64); 31] = [
    (0x7C0, "cap.id", 0x5048_4D47),
    (0x7C1, "cap.vers", 0x0001_0000), // major in the top byte
    (0x7C2, "cap.flags", 0),
    (0x7C3, "cap.prof.cur", 0),
    (0x7C4, "cap.prof.sup", 0),
    (0x7C5, "cap.feat0", 0x8), // RT_PRESENT is the fourth name of the list
    (0x7C6, "cap.feat1", 0),
    (0x7C7, "cap.rsv7c7", 0),
    (0x7C8, "cap.tier.reg", 0),
    (0x7C9, "cap.tier.wave", 0),
    (0x7CA, "cap.tier.lds", 0),
    (0x7CB, "cap.tier.samp", 0),
    (0x7CC, "cap.tier.rt", 0),
    (0x7CD, "cap.hint.align", 0),
    (0x7CE, "cap.hint.bvhgr", 0),
    (0x7CF, "cap.hint.ldsbk", 0),
    (0x7D5, "prec.rsv0", 0),
    (0x7D6, "cap.rsv7d6", 0),
    (0x7D7, "cap.rsv7d7", 0),
    (0x7D8, "prec.cap.alu", 0),
    (0x7D9, "prec.cap.tex", 0),
    (0x7DA, "prec.cap.img", 0),
    (0x7DB, "prec.cap.rt", 0xF), // payload and barycentrics in FP32 and FP16
    (0x7DC, "prec.cap.cap", 0),
    (0x7DD, "prec.cap.fp8", 0x7),
    (0x7DE, "prec.cap.intq", 0),
    (0x7DF, "prec.cap.hyb", 0),
    (0x7EF, "xmem.rsv7ef", 0),
    (0x7F5, "svm.rsv7f5", 0),
    (0x7F6, "svm.rsv7f6", 0),
    (0x7F7, "svm.rsv7f7", 0),
];
