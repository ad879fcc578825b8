# The same two tests in assembly, with the predicate and its branches.
#include "xphmg.h"
  .text
  .globl main
main:
  li t0, PREC_FP32
  csrw CSR_PREC_MODE, t0
  la t1, ray

  # A box: the index in t3 is 0, so the operand is the base itself.
  la t2, box
  csrw CSR_SVMBASE, t2
  csrwi CSR_SVMSCL, 2
  csrwi CSR_SVMIDX, 0
  RT_BBOX(x0, t1, RT_PRED_ONLY)
  BP_F(fail)

  # A triangle: hit, t, u, v in a4 to a7.
  la t2, triangle
  csrw CSR_SVMBASE, t2
  RT_TRI(a4, t1, 0)
  BP_F(fail)
  li a0, 1
  bne a4, a0, fail
  li a0, 0x40200000
  bne a5, a0, fail
  li a0, 0x3e800000
  bne a6, a0, fail
  bne a7, a0, fail

  # The triangle shows the ray its back: culled.
  RT_TRI(x0, t1, RT_CULL_BACK | RT_PRED_ONLY)
  BP_T(fail)
  li a0, 0
  ret
fail:
  li a0, 1
  ret

  .section .rodata
  .align 5
ray:
  .float 0.5, 0.25, -3.0, 0.0, 0.0, 2.0, 0.0, 100.0
box:
  .float -1.0, -1.0, 1.0, 1.0, 2.0, 4.0
triangle:
  .float 0, 0, 2, 2, 0, 2, 0, 1, 2
