// What implementations may choose, or QEMU 7.2 does otherwise: counters whose writes win over the
// increment, fields that hold nothing, and faults of atomics.
#include "test.h"
BEGIN
  li t0, 1000
  csrw minstret, t0
  csrr a0, minstret
  CHECK(2, a0, 1000)
  csrr a0, minstret
  csrr a1, minstret
  sub a1, a1, a0
  CHECK(3, a1, 1)
  li t0, -1
  csrw minstret, t0
  csrr a0, minstret
  csrr a1, minstret
  CHECK(4, a0, -1)
  CHECK(5, a1, 0)
  csrwi mcountinhibit, 4
  csrr a0, minstret
  nop
  nop
  csrr a1, minstret
  CHECK_SAME(6, a0, a1)
  csrwi mcountinhibit, 0
  csrw mcycle, zero
  nop
  csrr a0, cycle
  CHECK(7, a0, 1)
  // The others exist and count nothing.
  csrw mhpmcounter3, t0
  csrr a0, mhpmcounter3
  CHECK(8, a0, 0)
  csrr a0, hpmcounter31
  CHECK(9, a0, 0)
  // Fields that cannot hold anything.
  csrr s6, misa
  csrw misa, zero
  csrr a0, misa
  CHECK_SAME(10, a0, s6)
  li t0, -1
  csrw mepc, t0
  csrr a0, mepc
  CHECK(11, a0, -2)
  csrr a0, tdata1
  CHECK(12, a0, 0)
  csrr a0, medeleg
  CHECK(13, a0, 0)
  // MPP holds machine or user mode only.
  li t0, 0x1800
  csrc mstatus, t0
  li t0, 0x0800
  csrs mstatus, t0
  csrr a0, mstatus
  li t0, 0x1800
  and a0, a0, t0
  CHECK(14, a0, 0)
  // ebreak leaves its own address, sret and sfence.vma do not exist, nor does satp.
  la s6, 1f
  TRAPS(15, 3, 1: ebreak)
  CHECK_SAME(16, s3, s6)
  TRAPS(17, 2, sret)
  TRAPS(18, 2, sfence.vma)
  TRAPS(19, 2, csrr a0, satp)
  // User mode reads what mcounteren shows it.
  csrwi mcounteren, 4
  TO_USER
  TRAPS(20, 8, csrr a1, instret; ecall)
  // An atomic that finds no memory wanted to store.
  li a1, 0x40000000
  TRAPS(21, 7, amoadd.w a0, a0, (a1))
  CHECK_SAME(22, s3, a1)
  // Atomics only where they belong.
  la a1, data
  addi a2, a1, 2
  TRAPS(23, 6, amoadd.w a0, a0, (a2))
  CHECK_SAME(24, s3, a2)
  TRAPS(25, 4, lr.w a0, (a2))
  CHECK_SAME(26, s3, a2)
  TRAPS(27, 6, sc.w a0, a0, (a2))
END
