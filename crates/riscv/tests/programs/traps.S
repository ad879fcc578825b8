// Exceptions: cause, mtval, mepc, and what they leave in mstatus.
#include "test.h"
BEGIN
  // Illegal instructions: the word itself.
  TRAPS(2, 2, .word 0xffffffff)
  li t0, 0xffffffff
  CHECK_SAME(3, s3, t0)
  TRAPS(4, 2, .half 0)
  CHECK(5, s3, 0)
  // A reserved compressed instruction: 16 bits.
  TRAPS(6, 2, .half 0x6101 & 0xe003 | 0x0100)
  CHECK(7, s3, 0x6001 | 0x0100)

  // Calls from machine mode.
  la s6, 1f
  TRAPS(8, 11, 1: ecall)
  CHECK(9, s3, 0)
  CHECK_SAME(10, s4, s6)

  // Memory that does not exist.
  li a1, 0x40000000
  TRAPS(11, 5, lw a0, 8(a1))
  li t0, 0x40000008
  CHECK_SAME(12, s3, t0)
  TRAPS(13, 7, sd a0, 16(a1))
  li t0, 0x40000010
  CHECK_SAME(14, s3, t0)
  TRAPS(16, 1, jr a1)
  CHECK_SAME(17, s3, a1)
  CHECK_SAME(18, s4, a1)

  // Scalar accesses at any alignment.
  la a1, data
  ld a0, 3(a1)
  CHECK(19, a0, 0xeeff001122334455)
  sw a0, 13(a1)
  lwu a2, 13(a1)
  CHECK(20, a2, 0x22334455)

  // Read-only and absent CSRs, and what needs privileges that nobody has.
  TRAPS(26, 2, csrw cycle, zero)
  TRAPS(27, 2, csrw 0xf14, a0)
  TRAPS(28, 2, csrr a0, 0x5c0)
  csrr a0, mhartid
  CHECK(29, a0, 0)

  // A trap clears MIE and keeps it in MPIE; mret puts it back.
  csrsi mstatus, 8
  TRAPS(30, 11, ecall)
  csrr a0, mstatus
  andi a0, a0, 8
  CHECK(31, a0, 8)
  csrci mstatus, 8

  // Floating point while it is off.
  li t0, 0x6000
  csrc mstatus, t0
  TRAPS(32, 2, fadd.s fa0, fa0, fa0)
  TRAPS(33, 2, csrr a0, fcsr)
  li t0, 0x2000
  csrs mstatus, t0
  csrr a0, mstatus
  srli a1, a0, 63
  CHECK(34, a1, 0)
  fmv.w.x fa0, zero
  csrr a0, mstatus
  srli a1, a0, 63
  CHECK(35, a1, 1)
  // A rounding mode that does not exist.
  csrwi frm, 5
  TRAPS(36, 2, fadd.s fa0, fa0, fa0)
  csrwi frm, 0

  // A trap drops the reservation.
  la a1, data
  lr.d a0, (a1)
  TRAPS(37, 11, ecall)
  sc.d a0, a0, (a1)
  li gp, 38
  beqz a0, fail
END
