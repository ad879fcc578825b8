// What test suites do around their tests: registers that may be absent are tried with the handler
// set just behind them, protection opens all of memory with one entry, the tests run in user mode
// and end with a call. Then what they ask of machine mode.
#include "test.h"

// Tries an instruction that may trap: either way execution goes on behind it.
#define TRY(...)   \
  la t0, 8f;       \
  csrw mtvec, t0;  \
  __VA_ARGS__;     \
  .align 2;        \
8:

// One entry with all rights: naturally aligned, 2^56 bytes.
#define OPEN_MEMORY      \
  li t0, (1 << 53) - 1;  \
  csrw pmpaddr0, t0;     \
  li t0, 0x1f;           \
  csrw pmpcfg0, t0

#define USER(label)     \
  csrwi mstatus, 0;     \
  la t0, label;         \
  csrw mepc, t0;        \
  mret

BEGIN
  TRY(csrwi 0x744, 8)
  TRY(csrwi satp, 0)
  TRY(csrwi mie, 0; csrwi medeleg, 0; csrwi mideleg, 0)
  TRY(csrwi stvec, 0)
  OPEN_MEMORY
  la t0, handler
  csrw mtvec, t0
  csrr a0, mtvec
  CHECK_SAME(2, a0, t0)

  // A test in user mode: arithmetic, memory at any alignment, code that changes itself.
  csrr s6, mhartid
  USER(user)
  .text
user:
  la a1, data
  ld a0, 0(a1)
  CHECK(3, a0, 0x1122334455667788)
  lw a0, 5(a1)
  CHECK(4, a0, 0x00112233)
  sd a0, 9(a1)
  lwu a2, 9(a1)
  CHECK(5, a2, 0x00112233)
  la a1, changed
  li a0, 0x00000513   // li a0, 0
  li a3, 0x04d00513   // li a0, 77
  jalr a1
  CHECK(6, a0, 33)
  sw a3, 0(a1)
  fence.i
  jalr a1
  CHECK(7, a0, 77)
  // An instruction of four bytes across a page.
  li a0, 41
  call straddle
  CHECK(8, a0, 42)
  // Floating point is off until machine mode says otherwise.
  TRAPS(9, 2, fadd.s fa0, fa0, fa0)
  li a0, 0x2000
  csrs mstatus, a0
  csrwi fcsr, 0
  li t0, 0x1800
  csrc mstatus, t0
  la t0, floating
  csrw mepc, t0
  mret
floating:
  li a0, 0x3fc00000
  fmv.w.x fa0, a0
  fadd.s fa0, fa0, fa0
  fmv.x.w a0, fa0
  CHECK(10, a0, 0x40400000)
  fdiv.s fa1, fa0, fa0
  frflags a0
  CHECK(11, a0, 0)
  // What user mode may not do leaves its register alone.
  li a0, 255
  TRAPS(12, 2, csrrw a0, cycle, x0)
  CHECK(13, a0, 255)
  li t0, 0x1800
  csrc mstatus, t0
  la t0, 1f
  csrw mepc, t0
  mret
1:
  TRAPS(14, 2, csrr a0, mstatus)
  CHECK(15, a0, 255)
  li t0, 0x1800
  csrc mstatus, t0
  la t0, 1f
  csrw mepc, t0
  mret
1:
  la s7, 2f
  TRAPS(16, 8, 2: ecall)
  CHECK_SAME(17, s4, s7)

  // Machine mode again: every form of CSR access.
  csrwi mscratch, 3
  csrr a0, mscratch
  CHECK(20, a0, 3)
  csrrci a1, mscratch, 1
  CHECK(21, a1, 3)
  csrrsi a2, mscratch, 4
  CHECK(22, a2, 2)
  csrrwi a3, mscratch, 2
  CHECK(23, a3, 6)
  li a0, 0xbad1dea
  csrrw a1, mscratch, a0
  CHECK(24, a1, 2)
  li a0, 0x1dea
  csrrc a0, mscratch, a0
  CHECK(25, a0, 0xbad1dea)
  li a0, 0xbeef
  csrrs a0, mscratch, a0
  CHECK(26, a0, 0xbad0000)
  csrr a0, mscratch
  CHECK(27, a0, 0xbadbeef)
  // Setting nothing in a read-only register is a read.
  csrrs a0, mhartid, x0
  csrrsi a0, mhartid, 0
  csrr a0, mvendorid
  csrr a0, marchid
  csrr a0, mimpid
  csrr a0, misa
  srli a0, a0, 62
  CHECK(28, a0, 2)

  // Jumps: bit 0 of a target is dropped, and two bytes are enough to be aligned.
  .option push
  .option norvc
  .align 2
  la t0, 1f
  jalr t1, t0, 1
1:
  la t0, 1f
  jalr t1, t0, 2
1:
  .option rvc
  c.j fail_here
  c.j 2f
  .option norvc
fail_here:
  li gp, 29
  j fail
2:
  la t0, 1f
  jalr t1, t0, 3
1:
  .option rvc
  c.j fail_here
  c.j 2f
  .option norvc
  j fail_here
2:
  .option pop

  // A jump to nowhere retires, so its link is written; the fetch traps. A load from nowhere changes
  // nothing.
  la t0, fail
  li t1, 1
  slli t1, t1, 63
  xor t0, t0, t1
  la s7, 1f
  li s8, 0
  la s5, 2f
  li s2, -1
  .option push
  .option norvc
  jalr s8, t0
1:
  .option pop
2:
  CHECK(30, s2, 1)
  CHECK_SAME(31, s8, s7)
  li a0, 77
  TRAPS(32, 5, lb a0, (t0))
  CHECK(33, a0, 77)

  // MPP after a return is the lowest mode.
  li t0, 0x1800
  csrs mstatus, t0
  la t0, 1f
  csrw mepc, t0
  mret
1:
  csrr a0, mstatus
  srli a0, a0, 11
  andi a0, a0, 3
  CHECK(34, a0, 0)

  // Protection has entries of four bytes: the lowest address bit can be set.
  csrw pmpcfg0, zero
  li t0, -1
  csrw pmpaddr0, t0
  csrr a0, pmpaddr0
  andi a0, a0, 1
  CHECK(35, a0, 1)

  // No breakpoint can be selected, or it is no breakpoint of the kind that suites know.
  csrr a0, tselect
  csrr a0, tdata1

  // Waiting ends when something is pending, even if it is not taken.
  csrci mstatus, 8
  li s7, 0x02000000
  li t0, 1
  sw t0, 0(s7)
  csrwi mie, 8
  wfi
  sw zero, 0(s7)
  csrwi mie, 0

  // Traps without interrupts go to the base of a vectored handler.
  la t0, aligned_handler
  ori t0, t0, 1
  csrw mtvec, t0
  TRAPS(36, 3, ebreak)
  j pass

  .align 8
aligned_handler:
  j handler

  .align 2
changed:
  .option push
  .option norvc
  li a0, 33
  .option pop
  ret

  .align 12
  .skip 4094
straddle:
  .option push
  .option norvc
  addi a0, a0, 1
  .option pop
  ret
END
