#include "triangle.h"

union single {
  uint32_t bits;
  float number;
};

/* Exponent and fraction bits of a floating format, and its largest finite number. */
struct shape {
  int exponent, fraction;
  uint32_t largest;
};

static struct shape shape_of(unsigned pet) {
  switch (pet) {
  case PREC_PET_BF16:
    return (struct shape){8, 7, 0x7f7f};
  case PREC_PET_FP16:
    return (struct shape){5, 10, 0x7bff};
  case PET_E4M3:
    return (struct shape){4, 3, 0x7e};
  case PET_E5M2:
    return (struct shape){5, 2, 0x7b};
  default:
    return (struct shape){8, 23, 0x7f7fffff};
  }
}

static int is_integer(const struct format *format) { return format->pet <= PREC_PET_INT16; }

/* The number that an element stands for. */
static float widen(int64_t bits, const struct format *format) {
  if (is_integer(format))
    return (float)bits * format->scale;
  struct shape shape = shape_of(format->pet);
  unsigned sign = bits < 0;
  uint32_t magnitude = element(bits, format) & ((1u << (8 * format->bytes - 1)) - 1);
  int bias = (1 << (shape.exponent - 1)) - 1;
  /* The fields of a single with the exponent of the format, moved to where it belongs: exact. */
  union single wide = {magnitude << (23 - shape.fraction)};
  if (magnitude > shape.largest)
    wide.bits |= 0x7f800000; /* infinity, or NaN */
  else if (shape.exponent != 8) {
    union single power = {(uint32_t)(254 - bias) << 23};
    wide.number *= power.number;
  }
  wide.bits |= sign << 31;
  return wide.number;
}

/* The nearest element, even on a tie. */
static int64_t narrow(float number, const struct format *format) {
  union single wide = {.number = number};
  if (is_integer(format)) {
    int64_t nearest, most = format->bytes == 1 ? 127 : 32767;
    __asm__("fcvt.w.s %0, %1, rne" : "=r"(nearest) : "f"(number / format->scale));
    return nearest > most ? most : nearest < -most - 1 ? -most - 1 : nearest;
  }
  struct shape shape = shape_of(format->pet);
  if (shape.fraction == 23)
    return (int32_t)wide.bits;
  int lowest = 2 - (1 << (shape.exponent - 1)); /* exponent of the smallest normal number */
  uint32_t magnitude = wide.bits & 0x7fffffff;
  int exponent = (int)(magnitude >> 23) - 127;
  uint32_t fraction = magnitude & 0x7fffff;
  if (exponent == -127)
    exponent = -126;
  else
    fraction |= 0x800000;
  int below = exponent < lowest ? lowest - exponent : 0;
  int drop = 23 - shape.fraction + below;
  uint32_t code = 0;
  if (drop < 32) {
    uint32_t half = (1u << (drop - 1)) - 1;
    code = (fraction + half + (fraction >> drop & 1)) >> drop;
    if (!below)
      code += (uint32_t)(exponent - lowest) << shape.fraction;
  }
  if (code > shape.largest)
    code = format->saturates ? shape.largest : shape.largest + 1;
  int64_t sign = wide.bits >> 31 ? -((int64_t)1 << (8 * format->bytes - 1)) : 0;
  return sign | code;
}

static float size(float x) { return x < 0.0f ? -x : x; }

/* A NaN anywhere ends in one of the comparisons, none of which it passes. */
struct sided_result watertight_triangle(const void *record, const void *corners,
                                        const struct format *format) {
  static const struct sided_result miss;
  float ray[8], vertex[3][3];
  for (int k = 0; k < 8; k++)
    ray[k] = widen(element_at((const char *)record + k * format->bytes, format), format);
  for (int k = 0; k < 9; k++)
    vertex[k / 3][k % 3] =
        widen(element_at((const char *)corners + k * format->bytes, format), format);
  const float *origin = ray, *d = ray + 3;
  float tmin = ray[6], tmax = ray[7];

  float x = size(d[0]), y = size(d[1]), z = size(d[2]);
  int kz = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
  int kx = (kz + 1) % 3, ky = (kz + 2) % 3;
  if (d[kz] < 0.0f) {
    int other = kx;
    kx = ky;
    ky = other;
  }
  if (d[kz] == 0.0f)
    return miss;
  float sx = d[kx] / d[kz], sy = d[ky] / d[kz], sz = 1.0f / d[kz];
  float px[3], py[3], depth[3];
  for (int corner = 0; corner < 3; corner++) {
    float from[3];
    for (int k = 0; k < 3; k++)
      from[k] = vertex[corner][k] - origin[k];
    px[corner] = from[kx] - sx * from[kz];
    py[corner] = from[ky] - sy * from[kz];
    depth[corner] = from[kz];
  }
  float u = px[2] * py[1] - py[2] * px[1];
  float v = px[0] * py[2] - py[0] * px[2];
  float w = px[1] * py[0] - py[1] * px[0];
  if (u == 0.0f || v == 0.0f || w == 0.0f) {
    u = (float)((double)px[2] * (double)py[1] - (double)py[2] * (double)px[1]);
    v = (float)((double)px[0] * (double)py[2] - (double)py[0] * (double)px[2]);
    w = (float)((double)px[1] * (double)py[0] - (double)py[1] * (double)px[0]);
  }
  if ((u < 0.0f || v < 0.0f || w < 0.0f) && (u > 0.0f || v > 0.0f || w > 0.0f))
    return miss;
  float det = u + v + w;
  if (det == 0.0f)
    return miss;
  float t = (u * (sz * depth[0]) + v * (sz * depth[1]) + w * (sz * depth[2])) / det;
  float b = v / det, c = w / det;
  if (!(tmin <= tmax && tmin <= t && t <= tmax && b == b && c == c))
    return miss;
  return (struct sided_result){
      {1, narrow(t, format), narrow(b, format), narrow(c, format)}, det < 0.0f};
}
