// User mode: calls, CSRs, protection, counters.
#include "test.h"
BEGIN
  TO_USER
  TRAPS(2, 8, ecall)
  csrr a0, mcause
  CHECK(3, a0, 8)
  TO_USER
  TRAPS(4, 2, csrr a0, mscratch)
  TO_USER
  TRAPS(5, 2, mret)

  // Counters only as far as mcounteren lets.
  csrwi mcounteren, 0
  TO_USER
  TRAPS(6, 2, csrr a0, cycle)
  csrwi mcounteren, 4
  TO_USER
  TRAPS(8, 2, csrr a0, time)

  // wfi in user mode traps if TW says so.
  li t0, 1 << 21
  csrs mstatus, t0
  TO_USER
  TRAPS(9, 2, wfi)
  li t0, 1 << 21
  csrc mstatus, t0

  // MPP after a trap from user mode is user mode (the handler has set it to machine mode since, so
  // look at mstatus inside another handler).
  la t0, keep
  csrw mtvec, t0
  TO_USER
  TRAPS(10, 8, ecall)
  la t0, handler
  csrw mtvec, t0
  srli s6, s6, 11
  andi s6, s6, 3
  CHECK(11, s6, 0)

  // The last 32 bytes of data are read-only for user mode, the rest is open.
  la a1, data
  addi t0, a1, 32
  srli t0, t0, 2
  ori t0, t0, 3
  csrw pmpaddr0, t0
  li t0, -1
  csrw pmpaddr1, t0
  li t0, 0x1f19
  csrw pmpcfg0, t0
  li t0, 0x1800
  csrc mstatus, t0
  la t0, 5f
  csrw mepc, t0
  mret
5:
  ld a0, 32(a1)
  sd a0, 24(a1)
  TRAPS(12, 7, sd a0, 40(a1))
  addi t0, a1, 40
  CHECK_SAME(13, s3, t0)
  // Machine mode is not bound by it, unless it borrows user mode's rights with MPRV.
  sd a0, 40(a1)
  li t0, 0x1800
  csrc mstatus, t0
  li t0, 1 << 17
  csrs mstatus, t0
  TRAPS(14, 7, sd a0, 40(a1))
  li t0, 1 << 17
  csrc mstatus, t0

  // Code in a region without the right to execute.
  csrw pmpcfg0, zero
  li t0, -1
  csrw pmpaddr0, t0
  li t0, 0x1b
  csrw pmpcfg0, t0
  li t0, 0x1800
  csrc mstatus, t0
  la t0, 4f
  csrw mepc, t0
  TRAPS(15, 1, mret)
4:
  j pass

  .align 2
keep:
  csrr s6, mstatus
  j handler
END
