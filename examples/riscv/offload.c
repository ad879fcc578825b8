/* The same queues, handed to the offload: one descriptor, one fence. Where the offload cannot do
 * it, or would do it otherwise, the program walks by itself: a job knows no instances, and what
 * else it needs is in RTCAP. */
#include "walk.h"

static struct rt_descriptor descriptor __attribute__((aligned(8)));

int serve_queues(void) {
  const struct image *image = job.image;
  uint64_t needed = RTCAP_DESCQ | RTCAP_WATERTIGHT;
  needed |= image->options & JOB_NODE8 ? RTCAP_NODE8 : RTCAP_NODE4;
  if ((csr_read(CSR_RTCAP) & needed) != needed || has_instances(image))
    return walk_queues();
  prec_apply(image->mode, image->alt);
  descriptor.bvh_base = image->base;
  descriptor.rayq_desc = (uint64_t)job.rays;
  descriptor.hitq_desc = (uint64_t)job.hits;
  descriptor.missq_desc = (uint64_t)job.misses;
  descriptor.tri_buf = image->triangle_base;
  descriptor.opts = image->options | job.options | (job.kind == KIND_ANY ? JOB_ANY_HIT : 0);
  uint64_t ticket = xsubmit_rt(&descriptor);
  if (!ticket)
    return REFUSED;
  xfence_wait(ticket);
  /* A job that met an error stops early: bit 3 of EVENTS. */
  return csr_read(CSR_XMEM_EVENTS) & EVENT_DMA_ERR ? BAD_NODE : DONE;
}
