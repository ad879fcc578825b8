/* The encoder of a toy driver for GFX12: what its unit test is about. */
#ifndef ENCODER_H
#define ENCODER_H

#include <stddef.h>
#include <stdint.h>

/* Most triangles of a structure, and bytes of one: a box node, and a node for each triangle. */
#define ENCODER_TRIANGLES 8
#define ENCODER_BYTES(triangles) (128 * (1 + (size_t)(triangles)))

/* The pointer of the first node. */
#define ENCODER_ROOT 5

/* Writes a structure of triangles, nine floats each. */
void encode(const float (*triangles)[9], unsigned count, uint8_t *memory);

#endif
