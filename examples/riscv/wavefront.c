/* The wavefront loop: rays from a queue, hits and misses to two others, and the program walks. */
#include "walk.h"

int serve_queues(void) { return walk_queues(); }
