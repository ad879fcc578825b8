/* Printing through the host interface. */
#ifndef HOST_H
#define HOST_H
#include <stdint.h>

extern volatile uint64_t tohost;

static inline void put_char(char c) {
  tohost = (uint64_t)1 << 56 | (uint64_t)1 << 48 | (unsigned char)c;
}

static inline void put_text(const char *text) {
  while (*text)
    put_char(*text++);
}

static inline void put_hex(uint32_t value) {
  for (int shift = 28; shift >= 0; shift -= 4)
    put_char("0123456789abcdef"[value >> shift & 15]);
}

#endif
