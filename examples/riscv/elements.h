/* Elements of the format in force: their order, and what they are in FP32. */
#ifndef ELEMENTS_H
#define ELEMENTS_H
#include "xphmg.h"

#define PET_E4M3 10
#define PET_E5M2 11

struct format {
  unsigned pet;       /* which one: PREC_PET_… or PET_… */
  unsigned bytes;     /* of an element: 1, 2, 4 */
  unsigned shift;     /* log2 of bytes */
  unsigned tile;      /* bytes from one tile to the next */
  unsigned box_shift; /* log2 of the scale of box indices */
  unsigned box_step;  /* box indices in a tile */
  unsigned saturates; /* what is too large becomes the largest number */
  float scale;        /* of an integer's last bit */
};

/* Puts a format in force. */
static inline struct format use_format(uint32_t mode, uint32_t alt) {
  prec_apply(mode, alt);
  uint64_t stat = csr_read(CSR_PREC_STAT);
  unsigned shift = stat >> STAT_EFF_EW_SHIFT & 3;
  int scale = (mode & PREC_Q) && alt >> 30 & 1 ? (int32_t)(alt << 19) >> 28 : 0;
  union { uint32_t bits; float number; } power = {(uint32_t)(127 + scale) << 23};
  return (struct format){
      .pet = stat >> STAT_EFF_PET_SHIFT & 15,
      .bytes = 1u << shift,
      .shift = shift,
      .tile = shift == 2 ? 128 : 64,
      .box_shift = shift + 1,
      .box_step = shift == 0 ? 32 : 16,
      .saturates = stat >> 22 & 1,
      .scale = power.number,
  };
}

/* Element bits, sign-extended, as numbers with the same order; both zeros are equal. */
static inline int64_t order(int64_t bits, const struct format *format) {
  if (format->pet <= PREC_PET_INT16 || bits >= 0)
    return bits;
  int64_t magnitude = bits & (((int64_t)1 << (8 * format->bytes - 1)) - 1);
  return -magnitude;
}

/* The element at an address, sign-extended. */
static inline int64_t element_at(const void *place, const struct format *format) {
  switch (format->shift) {
  case 0:
    return *(const int8_t *)place;
  case 1:
    return *(const int16_t *)place;
  default:
    return *(const int32_t *)place;
  }
}

/* The element alone, without what it was extended by. */
static inline uint32_t element(int64_t bits, const struct format *format) {
  return format->bytes == 4 ? (uint32_t)bits : (uint32_t)bits & ((1u << 8 * format->bytes) - 1);
}

#endif
