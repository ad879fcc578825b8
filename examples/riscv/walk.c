/* One ray after the other, from a queue to two others. The program walks the tree; RT.BBOX tests
 * the boxes of a tile at once, RT.TRI one triangle. Works in every element format: what the image
 * was made for is put in force, and element bits are only ever compared.
 *
 * Near children first. What waits lies on a short stack in local memory; when that is full, the
 * entry that has waited longest is lost. A trail remembers how far each level has come: the number
 * of the child under way, among those that the ray meets in the order of their tnear, and how many
 * there are. It says which level the top of the stack belongs to and, when the stack is empty,
 * whether anything was lost: then the walk begins again at the root and follows the trail. The
 * order does not change on the way. A closer hit shortens the ray, and only children that begin
 * behind it drop out, from the far end.
 *
 * A leaf of a TLAS is an instance: MTX.MUL moves the ray into its space, and the levels of its BLAS
 * follow those of the TLAS. The walk is back in the world as soon as it goes on above them. */
#include "walk.h"
#include "triangle.h"

/* Levels that a tree may have. */
#define LEVELS 65536
static uint8_t trail[LEVELS];

static inline uint8_t step_of(unsigned child, unsigned count) { return child | count << 4; }
static inline int is_last(uint8_t step) { return (step & 15) + 1 >= step >> 4; }

volatile struct walk_counts walk_counts;

/* A ring: `next` is where the next entry goes. */
volatile struct entry *short_stack;
static struct entry stack_in_ram[DEFAULT_STACK];
static unsigned stack_size, next, depth;

static void push(const struct entry *entry) {
  if (depth == stack_size)
    walk_counts.overflows++;
  else
    depth++;
  volatile struct entry *place = short_stack + next;
  place->at = entry->at;
  place->tnear = entry->tnear;
  place->tfar = entry->tfar;
  next = next + 1 == stack_size ? 0 : next + 1;
}

static struct entry pop(void) {
  next = (next ? next : stack_size) - 1;
  depth--;
  volatile struct entry *place = short_stack + next;
  return (struct entry){place->at, place->tnear, place->tfar};
}

/* What the hart has, from the best down. */
static struct {
  unsigned lanes;  /* boxes that one RT.BBOX tests: 8, 4 or 1 */
  int packs;       /* an interval comes in one register */
  int watertight;  /* RT.TRI does it; else the program */
  int transforms;  /* MTX.MUL does it; else the program */
} ladder;

static struct format format;

/* Nodes as they lie in memory. */
static struct {
  unsigned tiles;  /* of a node */
  unsigned stride; /* bytes from one tile to the next */
  unsigned words;  /* where the indices of children are in a tile */
  unsigned width;  /* children of a tile */
  int scattered;   /* the elements of a box do not lie side by side (literal88) */
} nodes;

static void look_around(const struct image *image) {
  uint64_t features = csr_read(CSR_RTCAP);
  uint64_t lanes = rt_lanes(8);
  int is_wide = !!(image->options & JOB_NODE8);
  format = use_format(image->mode, image->alt);
  nodes.tiles = is_wide ? 2 : 1;
  nodes.stride = image->literal ? 128 : format.tile;
  nodes.words = image->literal ? 72 : format.tile - 16;
  nodes.width = image->literal ? 3 : 4;
  nodes.scattered = image->literal && format.bytes < 4;
  ladder.packs = features & RTCAP_PACK_HINT && format.bytes < 4;
  ladder.lanes = features & RTCAP_NODE4 && lanes >= 4 ? 4 : 1;
  if (is_wide && !image->literal && ladder.packs && features & RTCAP_NODE8 && lanes >= 8)
    ladder.lanes = 8;
  ladder.watertight = !!(features & RTCAP_WATERTIGHT);
  ladder.transforms = !!(csr_read(CSR_MTXCAP) & MTXCAP_4X4);
}

/* Four boxes, and those of the next tile where eight are tested at once. */
static unsigned test_boxes(const void *record, uint64_t base, uint64_t index, unsigned there,
                           struct rt_interval *intervals) {
  unsigned bits = 8 * format.bytes;
  svm_operand(base, format.box_shift);
  if (ladder.lanes == 8)
    return rt_bbox8_packed(record, index, format.box_step, there, bits, intervals);
  if (ladder.lanes == 4 && ladder.packs)
    return rt_bbox4_packed(record, index, there, bits, intervals);
  if (ladder.lanes == 4)
    return rt_bbox4(record, index, there, intervals);
  unsigned hits = 0;
  for (unsigned slot = 0; slot < 4; slot++) {
    if (!(there >> slot & 1))
      continue;
    struct rt_bbox_result box = rt_bbox(record, index + 3 * slot);
    intervals[slot] = (struct rt_interval){(int64_t)box.tnear, (int64_t)box.tfar};
    hits |= (unsigned)box.hit << slot;
  }
  return hits;
}

unsigned char literal_boxes[3 * 6 * 2] __attribute__((aligned(64)));

static uint64_t gathered(uint64_t tile) {
  for (unsigned k = 0; k < 18; k++) {
    uint32_t slot = ((const uint32_t *)tile)[k];
    if (format.bytes == 1)
      literal_boxes[k] = (unsigned char)slot;
    else
      ((uint16_t *)literal_boxes)[k] = (uint16_t)slot;
  }
  return (uint64_t)literal_boxes;
}

/* The children that the ray meets, near first, slots in order where they begin together; how many,
 * or -1 if the node is none. */
static int children_met(uint64_t base, uint32_t node, const void *record, struct entry *met) {
  int64_t keys[8];
  int count = 0;
  walk_counts.nodes++;
  for (unsigned first = 0; first < nodes.tiles; first += ladder.lanes == 8 ? 2 : 1) {
    uint64_t number = (uint64_t)node * nodes.tiles + first;
    uint64_t tile = base + number * nodes.stride;
    uint32_t at[8];
    unsigned there = 0, slots = ladder.lanes == 8 ? 8 : 4;
    for (unsigned slot = 0; slot < slots; slot++) {
      const uint32_t *words =
          (const uint32_t *)(tile + slot / 4 * (uint64_t)nodes.stride + nodes.words);
      unsigned kind = words[3] >> 2 * (slot % 4) & 3;
      if (kind == 0 || slot % 4 >= nodes.width)
        continue;
      if (kind == 3)
        return -1;
      at[slot] = (slot % 4 == 3 ? words[3] >> 8 : words[slot % 4]) | (kind == 2 ? LEAF : 0);
      there |= 1u << slot;
      walk_counts.boxes++;
    }
    struct rt_interval intervals[8];
    unsigned hits = nodes.scattered
                        ? test_boxes(record, gathered(tile), 0, there, intervals)
                        : test_boxes(record, base, number * format.box_step, there, intervals);
    for (unsigned slot = 0; slot < slots; slot++) {
      if (!(hits >> slot & 1))
        continue;
      int64_t key = order(intervals[slot].tnear, &format);
      int place = count++;
      for (; place > 0 && keys[place - 1] > key; place--) {
        keys[place] = keys[place - 1];
        met[place] = met[place - 1];
      }
      keys[place] = key;
      met[place] = (struct entry){at[slot], (uint32_t)intervals[slot].tnear,
                                  (uint32_t)intervals[slot].tfar};
    }
  }
  return count;
}

/* What a hit is. */
struct found {
  uint32_t instance, prim, leaf;
  int back;
  struct rt_tri_result r;
};

static int push_hit(uint32_t ray_id, const struct found *found) {
  struct rt_queue *queue = job.hits;
  uint32_t after = queue->tail + 1 == queue->cap ? 0 : queue->tail + 1;
  if (after == queue->head)
    return QUEUE_FULL;
  struct rt_hit *hit = (struct rt_hit *)queue->base + queue->tail;
  const struct rt_tri_result *r = &found->r;
  *hit = (struct rt_hit){ray_id,
                         found->prim,
                         found->leaf,
                         (uint32_t)found->back,
                         element(r->t, &format),
                         element(r->u, &format),
                         element(r->v, &format),
                         found->instance};
  queue->tail = after;
  return DONE;
}

static int push_miss(uint32_t ray_id) {
  struct rt_queue *queue = job.misses;
  uint32_t after = queue->tail + 1 == queue->cap ? 0 : queue->tail + 1;
  if (after == queue->head)
    return QUEUE_FULL;
  ((struct rt_miss *)queue->base)[queue->tail] = (struct rt_miss){ray_id, 0};
  queue->tail = after;
  return DONE;
}

/* One ray, and the best hit so far. */
struct search {
  unsigned char *world;  /* its record */
  unsigned char *record; /* in the space at hand */
  uint64_t base;         /* of the tree there */
  uint32_t instance;
  uint32_t ray_id;
  int is_hit;
  struct found best;
};

static struct sided_result test_triangle(const void *record, uint64_t corners) {
  walk_counts.triangles++;
  if (!ladder.watertight)
    return watertight_triangle(record, (const void *)corners, &format);
  svm_operand(corners, format.shift);
  struct sided_result sided = {rt_tri(record, 0), 0};
  if (sided.result.hit)
    sided.back = !rt_tri_front(record, 0);
  return sided;
}

/* Smaller ids win where t is the same. */
static int comes_before(const struct found *ours, const struct found *theirs) {
  int64_t t = order(ours->r.t, &format), other = order(theirs->r.t, &format);
  if (t != other)
    return t < other;
  if (ours->instance != theirs->instance)
    return ours->instance < theirs->instance;
  if (ours->prim != theirs->prim)
    return ours->prim < theirs->prim;
  return ours->leaf < theirs->leaf;
}

/* The triangles of a leaf; whether the walk goes on, in *status if not. */
static int visit_leaf(struct search *search, uint32_t leaf, int *status) {
  const struct rt_range *range = (const struct rt_range *)(search->base + 16 * (uint64_t)leaf);
  uint64_t triangles = range->base ? range->base : job.image->triangle_base;
  walk_counts.leaves++;
  for (uint32_t k = 0; k < range->count; k++) {
    uint32_t prim = range->first + k;
    struct sided_result sided =
        test_triangle(search->record, triangles + 9 * (uint64_t)format.bytes * prim);
    if (!sided.result.hit || (job.options & JOB_CULL_BACK && sided.back))
      continue;
    struct found found = {search->instance, prim, leaf, sided.back, sided.result};
    if (job.kind == KIND_ALL) {
      *status = push_hit(search->ray_id, &found);
      if (*status)
        return 0;
      search->is_hit = 1;
      continue;
    }
    if (!search->is_hit || comes_before(&found, &search->best)) {
      search->is_hit = 1;
      search->best = found;
      /* In FP32 t is what the interval is compared with: nothing beyond it can be closer. */
      if (format.bytes == 4) {
        ((uint32_t *)search->record)[7] = (uint32_t)found.r.t;
        ((uint32_t *)search->world)[7] = (uint32_t)found.r.t;
      }
    }
    if (job.kind == KIND_ANY)
      return 0;
  }
  return 1;
}

/* To the world. */
static void leave(struct search *search) {
  search->record = search->world;
  search->base = job.image->base;
  search->instance = 0;
}

/* Into the space of an instance, by the index of its record: (o, 1) and (d, 0) through its matrix,
 * between the same bounds. Images with instances have FP32 elements. */
static void enter(struct search *search, uint32_t index) {
  static float local[8];
  const struct image *image = job.image;
  const struct instance *instance = (const struct instance *)(image->base + 16 * (uint64_t)index);
  const float *ray = (const float *)search->world;
  float from[8] = {ray[0], ray[1], ray[2], 1.0f, ray[3], ray[4], ray[5], 0.0f}, to[8];
  if (ladder.transforms) {
    mtx_ld(instance->world_to_object, MTX_SHAPE(4, 4) | MTX_LD_ROWMAJOR);
    mtx_mul(to, from, MTX_SHAPE(4, 4) | MTX_COUNT(2));
  } else {
    for (int k = 0; k < 8; k++) {
      const float *row = instance->world_to_object + 4 * (k % 4), *v = from + k / 4 * 4;
      to[k] = row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3] * v[3];
    }
  }
  for (int k = 0; k < 3; k++) {
    local[k] = to[k];
    local[3 + k] = to[4 + k];
  }
  local[6] = ray[6];
  local[7] = ray[7];
  walk_counts.leaves++;
  walk_counts.instances++;
  search->record = (unsigned char *)local;
  search->base = instance->base;
  search->instance = (uint32_t)(instance - instances(image));
}

/* Walks a ray to its end; an exit code. */
static int walk(struct search *search) {
  const void *tmax = search->world + 7 * format.bytes;
  int is_instanced = has_instances(job.image);
  uint32_t at = 0;
  unsigned level = 0;  /* of the node at hand: its children are steps of the trail there */
  unsigned inside = 0; /* the level of the BLAS's root; 0 in the world */
  int guided = -1;     /* the last level at which a restart follows the trail */
  int status = DONE;
  next = depth = 0;
  for (;;) {
    if (at & LEAF && is_instanced && !inside) {
      enter(search, at & ~LEAF);
      inside = level;
      at = 0;
      continue;
    }
    if (at & LEAF) {
      if (!visit_leaf(search, at & ~LEAF, &status))
        return status;
    } else {
      struct entry met[8];
      if (level == LEVELS)
        return TOO_DEEP;
      int count = children_met(search->base, at, search->record, met);
      if (count < 0)
        return BAD_NODE;
      int child = (int)level <= guided ? trail[level] & 15 : 0;
      if (child < count) {
        trail[level++] = step_of(child, count);
        for (int other = count - 1; other > child; other--)
          push(met + other);
        at = met[child].at;
        continue;
      }
    }
    /* Nothing below: the next of the deepest level that has one. */
    guided = -1;
    for (;;) {
      while (level && is_last(trail[level - 1]))
        level--;
      if (!level)
        return DONE;
      trail[level - 1]++;
      int is_lost = !depth;
      struct entry entry = {0, 0, 0};
      if (is_lost) {
        walk_counts.restarts++;
        guided = level - 1;
        level = 0;
      } else {
        entry = pop();
      }
      if (inside && level <= inside) {
        leave(search);
        inside = 0;
      }
      if (is_lost || order((int32_t)entry.tnear, &format) <=
                         order(element_at(tmax, &format), &format)) {
        at = entry.at;
        break;
      }
    }
  }
}

/* One ray, from its record to an entry in one of the queues. */
static int trace(unsigned char *record, uint32_t ray_id) {
  struct search search = {.world = record, .ray_id = ray_id};
  leave(&search);
  int status = walk(&search);
  if (status != DONE)
    return status;
  if (!search.is_hit)
    return push_miss(ray_id);
  return job.kind == KIND_ALL ? DONE : push_hit(ray_id, &search.best);
}

int walk_queues(void) {
  look_around(job.image);
  stack_size = job.stack ? job.stack : DEFAULT_STACK;
  void *local = 0;
  if (csr_read(CSR_XMEM_CAP) & XMEM_CAP_LDS)
    local = xlds_alloc(stack_size * sizeof(struct entry));
  if (!local && stack_size > DEFAULT_STACK)
    stack_size = DEFAULT_STACK;
  short_stack = local ? local : stack_in_ram;
  struct rt_queue *rays = job.rays;
  unsigned entry = 8 * format.bytes + 8;
  int status = DONE;
  while (rays->head != rays->tail && status == DONE) {
    unsigned char *record = (unsigned char *)rays->base + (uint64_t)entry * rays->head;
    status = trace(record, *(uint32_t *)(record + 8 * format.bytes));
    if (status == DONE)
      rays->head = rays->head + 1 == rays->cap ? 0 : rays->head + 1;
  }
  if (local)
    xlds_free(local);
  return status;
}
