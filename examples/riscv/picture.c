/* A picture of an FP32 image, printed as PPM: camera rays go into the ray queue, serve_queues()
 * answers them, hits come back through the hit queue. A pixel depends on its ray and on which
 * triangle was hit, on nothing else: two programs that find the same hits print the same bytes. */
#include "host.h"
#include "image.h"

#ifndef WIDTH
#define WIDTH 160
#define HEIGHT 120
#endif

/* Where to look from; to be loaded at this symbol, else the whole scene is framed. */
struct view {
  float eye[3], target[3];
  float half; /* tangent of half the vertical field of view; 0: frame the scene */
} view;

/* Rays under way. One entry of a ring is never used. */
#define BATCH 1024
struct ray_entry {
  struct rt_ray32 ray;
  uint32_t id, zero;
};
static struct ray_entry ray_entries[BATCH];
static struct rt_hit hit_entries[BATCH];
static struct rt_miss miss_entries[BATCH];
static struct rt_queue rays = {0, 0, BATCH, 0, (uint64_t)ray_entries};
static struct rt_queue hits = {0, 0, BATCH, 0, (uint64_t)hit_entries};
static struct rt_queue misses = {0, 0, BATCH, 0, (uint64_t)miss_entries};

static unsigned char pixels[HEIGHT][WIDTH][3];

static float dot(const float *a, const float *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const float *a, const float *b, float *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalise(float *a) {
  float length = __builtin_sqrtf(dot(a, a));
  for (int k = 0; k < 3; k++)
    a[k] = a[k] / length;
}

/* Looks at the middle of the root's boxes from far enough away to see all of them. */
static void frame_scene(void) {
  float min[3] = {3e38f, 3e38f, 3e38f}, max[3] = {-3e38f, -3e38f, -3e38f};
  unsigned tiles = job.image->options & JOB_NODE8 ? 2 : 1;
  for (unsigned tile = 0; tile < tiles; tile++) {
    const float *boxes = (const float *)(job.image->base + 128 * tile);
    unsigned kinds = ((const uint32_t *)boxes)[job.image->literal ? 21 : 31] & 0xff;
    for (unsigned slot = 0; slot < 4; slot++, kinds >>= 2, boxes += 6) {
      for (int k = 0; k < 3 && (kinds & 3); k++) {
        min[k] = boxes[k] < min[k] ? boxes[k] : min[k];
        max[k] = boxes[3 + k] > max[k] ? boxes[3 + k] : max[k];
      }
    }
  }
  static const float toward[3] = {0.48f, 0.36f, 0.8f};
  float size[3] = {max[0] - min[0], max[1] - min[1], max[2] - min[2]};
  float radius = 0.5f * __builtin_sqrtf(dot(size, size));
  for (int k = 0; k < 3; k++) {
    view.target[k] = 0.5f * (min[k] + max[k]);
    view.eye[k] = view.target[k] + 2.2f * radius * toward[k];
  }
  view.half = 0.5f;
}

static float right[3], up[3], forward[3];

static void look(void) {
  if (view.half == 0.0f)
    frame_scene();
  static const float upright[3] = {0.0f, 1.0f, 0.0f};
  for (int k = 0; k < 3; k++)
    forward[k] = view.target[k] - view.eye[k];
  normalise(forward);
  cross(forward, upright, right);
  normalise(right);
  cross(right, forward, up);
}

/* The direction through the middle of a pixel; not normalised. */
static void through(uint32_t pixel, float *direction) {
  float x = (2.0f * (float)(pixel % WIDTH) + 1.0f - (float)WIDTH) / (float)HEIGHT * view.half;
  float y = ((float)HEIGHT - 2.0f * (float)(pixel / WIDTH) - 1.0f) / (float)HEIGHT * view.half;
  for (int k = 0; k < 3; k++)
    direction[k] = forward[k] + right[k] * x + up[k] * y;
}

static void push_ray(uint32_t pixel) {
  struct ray_entry *entry = ray_entries + rays.tail;
  for (int k = 0; k < 3; k++)
    entry->ray.origin[k] = view.eye[k];
  through(pixel, entry->ray.direction);
  entry->ray.tmin = 0.0f;
  entry->ray.tmax = 3.4e38f;
  entry->id = pixel;
  rays.tail = (rays.tail + 1) % BATCH;
}

/* The normal as a colour, the darker the more the surface turns away. */
static void shade(const struct rt_hit *hit) {
  const float *stored = (const float *)(job.image->triangle_base + 36 * (uint64_t)hit->prim);
  float corners[9];
  for (int k = 0; k < 9; k++)
    corners[k] = stored[k];
  if (has_instances(job.image)) {
    const float *row = instances(job.image)[hit->instance].object_to_world;
    for (int k = 0; k < 9; k++)
      corners[k] = dot(row + k % 3 * 4, stored + k / 3 * 3) + row[k % 3 * 4 + 3];
  }
  float a[3], b[3], normal[3], direction[3];
  for (int k = 0; k < 3; k++) {
    a[k] = corners[3 + k] - corners[k];
    b[k] = corners[6 + k] - corners[k];
  }
  cross(a, b, normal);
  normalise(normal);
  through(hit->ray_id, direction);
  normalise(direction);
  float facing = dot(normal, direction);
  float light = 0.25f + 0.75f * (facing < 0.0f ? -facing : facing);
  unsigned char *pixel = pixels[hit->ray_id / WIDTH][hit->ray_id % WIDTH];
  for (int k = 0; k < 3; k++) {
    float toward_us = facing < 0.0f ? normal[k] : -normal[k];
    pixel[k] = (unsigned char)(light * (127.5f + 127.5f * toward_us));
  }
}

int picture(void) {
  job.image = (const struct image *)IMAGE;
  job.rays = &rays;
  job.hits = &hits;
  job.misses = &misses;
  job.kind = KIND_CLOSEST;
  static const char magic[8] = {'S', 'I', 'L', 'I', 'X', 'P', 'H', 'M'};
  for (int k = 0; k < 8; k++) {
    if (job.image->magic[k] != magic[k]) {
      put_text("there is no image at 0x81000000: siliray run … --load scene.xphmg@0x81000000\n");
      return NO_IMAGE;
    }
  }
  prec_apply(job.image->mode, job.image->alt);
  if ((csr_read(CSR_PREC_STAT) >> STAT_EFF_PET_SHIFT & 15) != PREC_PET_FP32) {
    put_text("a picture needs an FP32 image: siliray build … --format xphmg-fp32\n");
    return NO_IMAGE;
  }
  look();
  uint32_t pixel = 0;
  while (pixel < WIDTH * HEIGHT) {
    for (unsigned k = 0; k < BATCH - 1 && pixel < WIDTH * HEIGHT; k++)
      push_ray(pixel++);
    int status = serve_queues();
    if (status != DONE)
      return status;
    for (; hits.head != hits.tail; hits.head = (hits.head + 1) % BATCH)
      shade(hit_entries + hits.head);
    misses.head = misses.tail;
  }
  put_text("P6 ");
  put_number(WIDTH);
  put_char(' ');
  put_number(HEIGHT);
  put_text(" 255\n");
  put_bytes(pixels, sizeof pixels);
  return DONE;
}
