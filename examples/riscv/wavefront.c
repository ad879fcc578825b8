/* The wavefront loop: rays from a queue, hits and misses to two others. The program walks the tree; RT.BBOX
 * tests the four boxes of a tile at once, RT.TRI one triangle. Works in every element format: what the
 * image was made for is put in force, and element bits are only ever compared. */
#include "image.h"

/* Nodes and leaves still to visit; LEAF marks leaves. */
#define STACK 65536
#define LEAF 0x80000000u
static uint32_t stack[STACK];

/* What depends on the element format. */
struct format {
  unsigned bytes;     /* of an element: 1, 2, 4 */
  unsigned tile;      /* bytes of a tile */
  unsigned box_shift; /* log2 of the scale of box indices */
  unsigned box_step;  /* box indices in a tile */
  unsigned shift;     /* log2 of bytes */
  int is_float;
};

static struct format format_in_force(void) {
  uint64_t stat = csr_read(CSR_PREC_STAT);
  unsigned shift = stat >> STAT_EFF_EW_SHIFT & 3;
  unsigned pet = stat >> STAT_EFF_PET_SHIFT & 15;
  return (struct format){
      .bytes = 1u << shift,
      .tile = shift == 2 ? 128 : 64,
      .box_shift = shift + 1,
      .box_step = shift == 0 ? 32 : 16,
      .shift = shift,
      .is_float = pet > PREC_PET_INT16,
  };
}

/* Element bits, sign-extended, as numbers with the same order; both zeros are equal. */
static int64_t order(int64_t bits, const struct format *format) {
  if (!format->is_float || bits >= 0)
    return bits;
  int64_t magnitude = bits & (((int64_t)1 << (8 * format->bytes - 1)) - 1);
  return -magnitude;
}

static uint32_t element(int64_t bits, const struct format *format) {
  return format->bytes == 4 ? (uint32_t)bits : (uint32_t)bits & ((1u << 8 * format->bytes) - 1);
}

static int push_hit(uint32_t ray_id, uint32_t prim, uint32_t leaf, int back, struct rt_tri_result r,
                    const struct format *format) {
  struct rt_queue *queue = job.hits;
  uint32_t next = queue->tail + 1 == queue->cap ? 0 : queue->tail + 1;
  if (next == queue->head)
    return QUEUE_FULL;
  struct rt_hit *hit = (struct rt_hit *)queue->base + queue->tail;
  *hit = (struct rt_hit){ray_id, prim, leaf, (uint32_t)back, element(r.t, format),
                         element(r.u, format), element(r.v, format), 0};
  queue->tail = next;
  return DONE;
}

static int push_miss(uint32_t ray_id) {
  struct rt_queue *queue = job.misses;
  uint32_t next = queue->tail + 1 == queue->cap ? 0 : queue->tail + 1;
  if (next == queue->head)
    return QUEUE_FULL;
  ((struct rt_miss *)queue->base)[queue->tail] = (struct rt_miss){ray_id, 0};
  queue->tail = next;
  return DONE;
}

/* One ray, from its record to an entry in one of the queues. */
static int trace(unsigned char *record, uint32_t ray_id, const struct format *format) {
  const struct image *image = job.image;
  unsigned tiles = image->options & JOB_NODE8 ? 2 : 1;
  unsigned depth = 0;
  int found = 0;
  uint32_t best_prim = 0, best_leaf = 0;
  struct rt_tri_result best = {0, 0, 0, 0};

  stack[depth++] = 0;
  while (depth) {
    uint32_t at = stack[--depth];
    if (!(at & LEAF)) {
      /* Slots are pushed in reverse, so that they are visited in order. */
      for (unsigned tile = tiles; tile-- > 0;) {
        uint64_t number = (uint64_t)at * tiles + tile;
        const uint32_t *words =
            (const uint32_t *)(image->base + number * format->tile + format->tile - 16);
        uint32_t children[4] = {words[0], words[1], words[2], words[3] >> 8};
        unsigned kinds = words[3] & 0xff;
        unsigned lanes = 0;
        for (unsigned slot = 0; slot < 4; slot++) {
          unsigned kind = kinds >> 2 * slot & 3;
          if (kind == 3)
            return BAD_NODE;
          lanes |= (kind != 0) << slot;
        }
        svm_operand(image->base, format->box_shift);
        unsigned hits = rt_bbox4(record, number * format->box_step, lanes);
        for (int slot = 3; slot >= 0; slot--) {
          if (!(hits >> slot & 1))
            continue;
          if (depth == STACK)
            return STACK_FULL;
          stack[depth++] = children[slot] | ((kinds >> 2 * slot & 3) == 2 ? LEAF : 0);
        }
      }
      continue;
    }
    uint32_t leaf = at & ~LEAF;
    const struct rt_range *range = (const struct rt_range *)(image->base + 16 * (uint64_t)leaf);
    uint64_t triangles = range->base ? range->base : image->triangle_base;
    for (uint32_t k = 0; k < range->count; k++) {
      uint32_t prim = range->first + k;
      svm_operand(triangles + 9 * (uint64_t)format->bytes * prim, format->shift);
      struct rt_tri_result r = rt_tri(record, 0);
      if (!r.hit)
        continue;
      if (job.options & JOB_CULL_BACK && !rt_tri_front(record, 0))
        continue;
      if (job.kind == KIND_ALL) {
        int full = push_hit(ray_id, prim, leaf, !rt_tri_front(record, 0), r, format);
        if (full)
          return full;
        found = 1;
        continue;
      }
      int64_t ours = order(r.t, format), theirs = order(best.t, format);
      int is_better = !found || ours < theirs ||
                      (ours == theirs && (prim < best_prim || (prim == best_prim && leaf < best_leaf)));
      if (is_better) {
        found = 1;
        best = r;
        best_prim = prim;
        best_leaf = leaf;
        /* In FP32 t is what the interval is compared with: nothing beyond it can be closer. */
        if (format->bytes == 4)
          ((uint32_t *)record)[7] = (uint32_t)r.t;
      }
      if (job.kind == KIND_ANY)
        goto done;
    }
  }
done:
  if (job.kind == KIND_ALL)
    return found ? DONE : push_miss(ray_id);
  if (!found)
    return push_miss(ray_id);
  svm_operand(job.image->triangle_base + 9 * (uint64_t)format->bytes * best_prim, format->shift);
  return push_hit(ray_id, best_prim, best_leaf, !rt_tri_front(record, 0), best, format);
}

int serve_queues(void) {
  prec_apply(job.image->mode, job.image->alt);
  struct format format = format_in_force();
  struct rt_queue *rays = job.rays;
  unsigned entry = 8 * format.bytes + 8;
  while (rays->head != rays->tail) {
    unsigned char *record = (unsigned char *)rays->base + (uint64_t)entry * rays->head;
    uint32_t ray_id = *(uint32_t *)(record + 8 * format.bytes);
    int status = trace(record, ray_id, &format);
    if (status != DONE)
      return status;
    rays->head = rays->head + 1 == rays->cap ? 0 : rays->head + 1;
  }
  return DONE;
}
