// The CLINT: software and timer interrupts, direct and vectored.
#include "test.h"
BEGIN
  li s6, 0x02000000
  li s7, 0x02004000
  li s8, 0x0200bff8
  // Pending without being taken.
  li t0, 1
  sw t0, 0(s6)
  csrr a0, mip
  andi a0, a0, 8
  CHECK(2, a0, 8)
  // Taken as soon as it is enabled.
  csrwi mie, 8
  la t0, software
  csrw mtvec, t0
  la s5, 1f
  csrsi mstatus, 8
  nop
  li gp, 3
  j fail
1:
  csrci mstatus, 8
  li t0, 1
  slli t0, t0, 63
  addi t0, t0, 3
  CHECK_SAME(4, s2, t0)
  csrr a0, mip
  andi a0, a0, 8
  CHECK(5, a0, 0)

  // The timer, through a vector.
  la t0, vectors
  ori t0, t0, 1
  csrw mtvec, t0
  li t0, 128
  csrw mie, t0
  ld t0, 0(s8)
  addi t0, t0, 200
  sd t0, 0(s7)
  la s5, 2f
  csrsi mstatus, 8
  li t0, 100000000
3:
  addi t0, t0, -1
  bnez t0, 3b
  li gp, 6
  j fail
2:
  csrci mstatus, 8
  CHECK(7, s9, 77)
  li t0, 1
  slli t0, t0, 63
  addi t0, t0, 7
  CHECK_SAME(8, s2, t0)
  j pass

  .align 2
software:
  sw zero, 0(s6)
  j handler

  .align 6
vectors:
  j fail
  j fail
  j fail
  j fail
  j fail
  j fail
  j fail
  j timer
timer:
  li s9, 77
  li t0, -1
  sd t0, 0(s7)
  j handler
END
