// Reads bytes from the console and prints the next letter for each, until q; then prints two
// million bytes at once.
#include "test.h"
BEGIN
  la t0, tohost
  la t1, fromhost
again:
  li t2, 1 << 56
  sd t2, 0(t0)
1:
  ld a0, 0(t1)
  beqz a0, 1b
  sd zero, 0(t1)
  andi a0, a0, 255
  li t3, 'q'
  beq a0, t3, much
  addi a0, a0, 1
  li t2, 0x0101 << 48
  or a0, a0, t2
  sd a0, 0(t0)
  j again
much:
  la t2, request
  li t3, 10
2:
  li t4, 64
  sd t4, 0(t2)
  sd t2, 0(t0)
  addi t3, t3, -1
  bnez t3, 2b
  j pass

  .data
  .align 6
request:
  .dword 64, 1, 0x80000000, 2000000
END
