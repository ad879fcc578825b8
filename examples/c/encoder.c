/* One box node over up to eight triangles, as GFX12 reads it: docs/layout/gfx12.md has the bits. */
#include "encoder.h"

#include <math.h>
#include <string.h>

enum { NODE_BITS = 1024, VERTICES_BIT = 52, IDS_BIT = 352, ID_BITS = 3, PAIR_BITS = 29 };

static void put_bits(uint8_t *node, unsigned bit, unsigned width, uint32_t value)
{
   for (unsigned n = 0; n < width; n++, bit++) {
      uint8_t mask = (uint8_t)(1u << (bit % 8));
      node[bit / 8] = (uint8_t)((node[bit / 8] & ~mask) | ((value >> n & 1) ? mask : 0));
   }
}

static void put_float(uint8_t *node, unsigned bit, float value)
{
   uint32_t word;
   memcpy(&word, &value, sizeof(word));
   put_bits(node, bit, 32, word);
}

static void encode_triangle(const float *vertices, uint32_t id, uint8_t *node)
{
   for (unsigned axis = 0; axis < 3; axis++)
      put_bits(node, 5 * axis, 5, 31); /* 32 bits a component */
   put_bits(node, 32, 5, ID_BITS);
   put_bits(node, 42, 10, IDS_BIT);
   for (unsigned n = 0; n < 9; n++)
      put_float(node, VERTICES_BIT + 32 * n, vertices[n]);
   put_bits(node, IDS_BIT, ID_BITS, id);
   /* The range ends here; triangle 0 is opaque and has the vertices 0, 1, 2. */
   put_bits(node, NODE_BITS - PAIR_BITS, PAIR_BITS, 1u | (2u | (0x210u << 2)) << 15);
}

static float least(const float *vertices, unsigned axis)
{
   return fminf(vertices[axis], fminf(vertices[axis + 3], vertices[axis + 6]));
}

static float most(const float *vertices, unsigned axis)
{
   return fmaxf(vertices[axis], fmaxf(vertices[axis + 3], vertices[axis + 6]));
}

/* The exponent of a span that 4096 quanta cover. */
static int exponent_of(float span)
{
   int exponent;
   frexpf(span, &exponent);
   return exponent < -100 ? -100 : exponent;
}

void encode(const float (*triangles)[9], unsigned count, uint8_t *memory)
{
   memset(memory, 0, ENCODER_BYTES(count));
   uint8_t *box = memory;
   put_bits(box, 32, 32, 0x10); /* the first triangle lies 128 bytes from here */
   put_bits(box, 64, 32, 0xFFFFFFFF);
   put_bits(box, 220, 3, count - 1);
   put_bits(box, 224, 7, 0x7F);
   for (unsigned n = 0; n < count; n++) {
      unsigned child = 256 + 96 * n;
      put_bits(box, child + 24, 4, 5); /* opaque triangles alone */
      put_bits(box, child + 56, 8, 0xFF);
      put_bits(box, child + 92, 4, 1);
      encode_triangle(triangles[n], n, memory + 128 * (n + 1));
   }
   static const unsigned min_bits[3] = {0, 12, 32}, max_bits[3] = {44, 64, 76};
   for (unsigned axis = 0; axis < 3; axis++) {
      float origin = INFINITY, end = -INFINITY;
      for (unsigned n = 0; n < count; n++) {
         origin = fminf(origin, least(triangles[n], axis));
         end = fmaxf(end, most(triangles[n], axis));
      }
      int exponent = exponent_of(end - origin);
      put_float(box, 96 + 32 * axis, origin);
      put_bits(box, 192 + 8 * axis, 8, (uint32_t)(exponent + 127));
      double quantum = ldexp(1.0, exponent - 12);
      for (unsigned n = 0; n < count; n++) {
         double low = floor((least(triangles[n], axis) - (double)origin) / quantum);
         double high = ceil((most(triangles[n], axis) - (double)origin) / quantum) - 1;
         unsigned child = 256 + 96 * n;
         put_bits(box, child + min_bits[axis], 12, (uint32_t)fmin(low, 4095));
         put_bits(box, child + max_bits[axis], 12, (uint32_t)fmax(high, fmin(low, 4095)));
      }
   }
}
