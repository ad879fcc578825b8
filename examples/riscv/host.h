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

static inline void put_number(unsigned value) {
  if (value > 9)
    put_number(value / 10);
  put_char('0' + value % 10);
}

/* One request instead of one store for each byte. */
static inline void put_bytes(const void *bytes, uint64_t size) {
  static volatile uint64_t request[4] __attribute__((aligned(64)));
  request[0] = 64; /* write */
  request[1] = 1;
  request[2] = (uint64_t)bytes;
  request[3] = size;
  __asm__ volatile("fence" ::: "memory");
  tohost = (uint64_t)request;
}

#endif
