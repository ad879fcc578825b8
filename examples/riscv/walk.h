/* The walk that a program does by itself. */
#ifndef WALK_H
#define WALK_H
#include "image.h"

/* Answers all rays of job.rays; an exit code. */
int walk_queues(void);

/* Something that waits: a node or, with LEAF, the index of a TriRange or an instance, and when the
 * ray is in its box, as elements. */
struct entry {
  uint32_t at, tnear, tfar;
};
_Static_assert(sizeof(struct entry) == 12, "entry");

#define LEAF 0x80000000u

/* What the host may watch. It reads the counts when the program has ended, and follows the stack
 * by what is stored and loaded there. */
struct walk_counts {
  uint32_t nodes, boxes, leaves, triangles, overflows, restarts, instances;
};
_Static_assert(sizeof(struct walk_counts) == 28, "walk_counts");

extern volatile struct walk_counts walk_counts;
extern volatile struct entry *short_stack;

/* The elements of a literal tile's boxes, side by side: RT.BBOX reads no others. */
extern unsigned char literal_boxes[3 * 6 * 2];

#endif
