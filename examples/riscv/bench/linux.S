# Start of a program under an operating system: main, exit.
  .globl _start
_start:
  call main
  li a7, 93
  ecall
