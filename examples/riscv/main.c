/* Start of wavefront.elf and offload.elf. A host that has filled in `job` gets its queues served;
 * without one the program renders a picture of the image that was loaded at IMAGE. */
#include "image.h"

struct job job;

int main(void) { return job.image ? serve_queues() : picture(); }
