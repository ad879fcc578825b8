// A test program: numbered checks, each ends the program with its number if it fails.
// gp holds the number, s2 to s4 what the last trap left in mcause, mtval and mepc.

#define CHECK(number, register, value) \
  li gp, number;                       \
  li t6, value;                        \
  bne register, t6, fail

#define CHECK_SAME(number, a, b) \
  li gp, number;                 \
  bne a, b, fail

// Runs one instruction that must trap with that cause; s3 and s4 are for the caller to look at.
#define TRAPS(number, cause, ...) \
  li gp, number;                  \
  li s2, -1;                      \
  la s5, 7f;                      \
  __VA_ARGS__;                    \
7:                                \
  li t6, cause;                   \
  bne s2, t6, fail

#define BEGIN              \
  .section .text.init;     \
  .globl _start;           \
_start:                    \
  la t0, handler;          \
  csrw mtvec, t0;          \
  j main;                  \
  .align 2;                \
handler:                   \
  csrr s2, mcause;         \
  csrr s3, mtval;          \
  csrr s4, mepc;           \
  csrw mepc, s5;           \
  li t5, 0x1800;           \
  csrs mstatus, t5;        \
  mret;                    \
fail:                      \
  slli a0, gp, 1;          \
  ori a0, a0, 1;           \
  j finish;                \
pass:                      \
  li a0, 1;                \
finish:                    \
  la t0, tohost;           \
  sw a0, 0(t0);            \
  sw zero, 4(t0);          \
1: j 1b;                   \
main:

#define END                \
  j pass;                  \
  .section .tohost,"aw";   \
  .align 6;                \
  .globl tohost;           \
tohost: .dword 0;          \
  .size tohost, 8;         \
  .align 6;                \
  .globl fromhost;         \
fromhost: .dword 0;        \
  .size fromhost, 8;       \
  .data;                   \
  .align 6;                \
data:                      \
  .dword 0x1122334455667788, 0x99aabbccddeeff00, 0, 0, 0, 0, 0, 0

// User mode at the next instruction, with all of memory open to it.
#define TO_USER                \
  li t0, -1;                   \
  csrw pmpaddr0, t0;           \
  li t0, 0x1f;                 \
  csrw pmpcfg0, t0;            \
  li t0, 0x1800;               \
  csrc mstatus, t0;            \
  la t0, 6f;                   \
  csrw mepc, t0;               \
  mret;                        \
6:
