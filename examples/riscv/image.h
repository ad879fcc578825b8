/* An image of tiles as siliray's encoder places it in memory (crates/xphmg, tiles/header.rs). */
#ifndef IMAGE_H
#define IMAGE_H
#include "xphmg.h"

struct image {
  char magic[8];
  uint32_t mode, alt, options, nodes, ranges, triangles;
  uint64_t base, triangle_base, names;
  uint32_t flattened;
  uint8_t literal;
  uint8_t blases[3]; /* how many; none if there is one level */
};
XPHMG_AT(struct image, mode, 8);
XPHMG_AT(struct image, base, 32);
XPHMG_AT(struct image, literal, 60);
_Static_assert(sizeof(struct image) == 64, "image");

/* Whether node 0 is the root of a TLAS, whose leaves name instances. */
static inline int has_instances(const struct image *image) {
  return image->blases[0] | image->blases[1] | image->blases[2];
}

/* An instance (crates/xphmg, tiles/instance.rs): the matrix is what mtx.ld loads by rows. */
struct instance {
  float world_to_object[16], object_to_world[12];
  uint32_t blas, custom_index;
  uint64_t base; /* of its BLAS */
};
XPHMG_AT(struct instance, blas, 112);
XPHMG_AT(struct instance, base, 120);
_Static_assert(sizeof(struct instance) == 128, "instance");

/* All of them, behind the nodes of the TLAS: tiles of FP32 elements have 128 bytes. */
static inline const struct instance *instances(const struct image *image) {
  uint64_t tiles = (uint64_t)image->nodes * (image->options & JOB_NODE8 ? 2 : 1);
  return (const struct instance *)(image->base + 128 * tiles);
}

/* Where siliray's encoder places images, and --load puts them. */
#define IMAGE 0x81000000

/* What the host asks for: it fills this in before the program starts. */
struct job {
  const struct image *image;
  struct rt_queue *rays, *hits, *misses;
  uint32_t kind;    /* KIND_… */
  uint32_t options; /* JOB_CULL_BACK */
  uint32_t stack;   /* entries of the short stack; 0: DEFAULT_STACK */
  uint32_t zero;
};
XPHMG_AT(struct job, rays, 8);
XPHMG_AT(struct job, kind, 32);
XPHMG_AT(struct job, stack, 40);
_Static_assert(sizeof(struct job) == 48, "job");

extern struct job job;

/* Answers all rays of job.rays; an exit code. One program each has its own. */
int serve_queues(void);

/* Renders the image at IMAGE; an exit code. */
int picture(void);

#define KIND_CLOSEST 0
#define KIND_ANY 1
#define KIND_ALL 2

#define DEFAULT_STACK 16

/* Exit codes. */
#define DONE 0
#define BAD_NODE 2     /* a reserved child */
#define TOO_DEEP 3     /* more levels than the trail has room for */
#define QUEUE_FULL 4
#define REFUSED 5      /* the offload did not take the job */
#define NO_IMAGE 6     /* nothing to make a picture of */

#endif
