/* siliray for C: is this acceleration structure sound, and what does hardware make of it?
 *
 * docs/c.md is the guide. Every call returns a status; SILIRAY_STATUS_OK is 0. An optional last
 * argument takes the reason in words. Nothing here is global: a context holds everything, and any
 * number of threads may use one at a time.
 *
 * Made by cbindgen from crates/capi; do not edit. */

#ifndef SILIRAY_H
#define SILIRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What an image and one object of each kind over it take at most, in bytes for each byte that the
// context was given for them, unpacked: of images and of the scene that they are compared with.
// What is made twice is held twice, until it is released.
#define SILIRAY_MOST_GROWTH 16

// What they take beyond that: lists of bounded length, texts, threads.
#define SILIRAY_FREE_BYTES (32 << 20)

// An offset that is none: the structure lies outside the input.
#define SILIRAY_NOWHERE UINT64_MAX

// The bytes are those of a file.
#define SILIRAY_FILE 0

// The bytes are raw memory: addresses are offsets into them.
#define SILIRAY_RAW 1

// Bytes of the text of an error, the zero at its end among them.
#define SILIRAY_ERROR_TEXT 508

// The first hit.
#define SILIRAY_CLOSEST 0

// Any hit.
#define SILIRAY_ANY 1

// Every primitive's hit, in order.
#define SILIRAY_ALL 2

// How bad a finding is.
enum siliray_severity
#ifdef __cplusplus
  : int32_t
#endif // __cplusplus
 {
  // A habit of a writer that does no harm.
  SILIRAY_SEVERITY_NOTE = 0,
  // Safe to walk, but lossy or odd.
  SILIRAY_SEVERITY_WARNING = 1,
  // Unsafe to walk.
  SILIRAY_SEVERITY_ERROR = 2,
};
#ifndef __cplusplus
typedef int32_t siliray_severity;
#endif // __cplusplus

// How a call ended.
enum siliray_status
#ifdef __cplusplus
  : int32_t
#endif // __cplusplus
 {
  // As asked.
  SILIRAY_STATUS_OK = 0,
  // A pointer that must lead somewhere is null.
  SILIRAY_STATUS_NULL_POINTER = 1,
  // A pointer to a record is not aligned like one.
  SILIRAY_STATUS_MISALIGNED = 2,
  // A size is zero, or more than the context takes.
  SILIRAY_STATUS_SIZE = 3,
  // A text is not UTF-8.
  SILIRAY_STATUS_TEXT = 4,
  // The id was released, or never given.
  SILIRAY_STATUS_STALE_ID = 5,
  // The id names something else: a report where an image is asked for.
  SILIRAY_STATUS_WRONG_KIND = 6,
  // The list is not that long.
  SILIRAY_STATUS_INDEX = 7,
  // There is no format or machine of that name.
  SILIRAY_STATUS_UNKNOWN_NAME = 8,
  // What was asked makes no sense together.
  SILIRAY_STATUS_OPTION = 9,
  // The bytes cannot be taken apart; a check of them says where.
  SILIRAY_STATUS_BROKEN = 10,
  // The image is not safe to walk; a check of it says why.
  SILIRAY_STATUS_UNSOUND = 11,
  // The format has no such thing.
  SILIRAY_STATUS_UNSUPPORTED = 12,
  // There is no structure at that place.
  SILIRAY_STATUS_NO_STRUCTURE = 13,
  // The machine has no answer.
  SILIRAY_STATUS_NO_ANSWER = 14,
  // The scene cannot be read.
  SILIRAY_STATUS_SCENE = 15,
  // There is not enough memory, or there are no more threads or ids.
  SILIRAY_STATUS_EXHAUSTED = 16,
  // A defect of siliray. The context can still be used.
  SILIRAY_STATUS_DEFECT = 17,
};
#ifndef __cplusplus
typedef int32_t siliray_status;
#endif // __cplusplus

// Everything that a program has opened. Any number of threads may use it.
typedef struct siliray_context siliray_context;

// How a context works. All zeros are the usual way.
typedef struct {
  // Threads that share the work of a call; 0: as many as the processor has.
  uint32_t threads;
  // Zero.
  uint32_t reserved;
  // Most bytes of one input; 0: 4 GiB.
  uint64_t most_bytes;
} siliray_context_options;

// The reason in words.
typedef struct {
  // How the call ended: a siliray_status.
  int32_t status;
  // Why, in UTF-8, cut where it is too long; empty if all is well.
  char text[SILIRAY_ERROR_TEXT];
} siliray_error;

// A thing that a context holds.
typedef uint64_t siliray_id;

// A structure: the node itself is record 0, and what lies beside it and belongs to it follows.
// Texts live until the description is released.
typedef struct {
  // What it is.
  const char *kind;
  // As its parent names it.
  uint64_t pointer;
  // Where it lies in memory.
  uint64_t address;
  // Where it lies in the input, or SILIRAY_NOWHERE.
  uint64_t offset;
  // How many bytes it has.
  size_t bytes;
  // How many fields.
  size_t fields;
} siliray_record;

// A field of a structure.
typedef struct {
  // Its name, as in `children[3].min_x`.
  const char *name;
  // Its bits, from the structure's first byte on: the first one.
  uint32_t first_bit;
  // The one behind the last.
  uint32_t end_bit;
  // What stands there.
  uint64_t raw;
  // That in words; empty where nothing reads it.
  const char *value;
  // What the field is for.
  const char *meaning;
  // Whether it leads to another structure.
  bool is_link;
  // The pointer of that.
  uint64_t link;
} siliray_field;

// How the image in some bytes is found. All zeros: a file whose bytes say what it is.
typedef struct {
  // What texts call it, and by whose ending it is known if its bytes do not tell; null: "image".
  const char *name;
  // The format of raw memory; null: "gfx12".
  const char *format;
  // Raw memory: who wrote it, for formats that drivers lay out each in its own way; null: what
  // the memory shows.
  const char *writer;
  // SILIRAY_FILE or SILIRAY_RAW.
  uint32_t kind;
  // Of a file with several structures: 0: start in the largest, 1: in `structure`.
  uint32_t starts_in_structure;
  // The number of a structure.
  size_t structure;
  // Raw memory: where box nodes count from.
  uint64_t base;
  // Raw memory: where other nodes count from; the same number if there is one base.
  uint64_t primitive_base;
  // Raw memory: the pointer of the first node.
  uint64_t root;
  // Raw memory: where its first byte lies; instances name their structures by address.
  uint64_t address;
} siliray_reading;

// What an image is.
typedef struct {
  // The name of its format.
  const char *format;
  // Bytes of all its memory.
  uint64_t bytes;
  // The pointer of its first node.
  uint64_t root;
  // Where box nodes count from.
  uint64_t base;
  // Structures of a file that holds several; otherwise 0.
  size_t structures;
  // The one that it starts in.
  size_t structure;
} siliray_image_info;

// A structure of a file that holds several.
typedef struct {
  // "TLAS" or "BLAS"; lives until the image is released.
  const char *level;
  // Where it lies in memory.
  uint64_t address;
  // Where it lies in the file.
  uint64_t offset;
  // Bytes of it.
  size_t bytes;
  // Primitives or instances, as its header says.
  uint32_t primitives;
  // Box nodes.
  uint32_t boxes;
  // Nodes of primitives or instances.
  uint32_t leaves;
} siliray_file_structure;

// The ray of an instruction.
typedef struct {
  // The largest parameter that boxes are tested against.
  float extent;
  // Where the ray starts.
  float origin[3];
  // Where it goes.
  float direction[3];
} siliray_ray_operands;

// Operands of image_bvh64_intersect_ray.
typedef struct {
  // The node: an address divided by eight, a type, and flags on GFX11.
  uint64_t node;
  // The ray.
  siliray_ray_operands ray;
  // What boxes are tested with: 1 / direction, rounded as the caller likes.
  float inverse[3];
} siliray_bvh64_operands;

// Operands of image_bvh8_intersect_ray.
typedef struct {
  // The base: an address divided by eight, and flags.
  uint64_t base;
  // The node, counted from there.
  uint32_t node;
  // The ray's instance mask, eight bits.
  uint32_t mask;
  // The ray.
  siliray_ray_operands ray;
} siliray_bvh8_operands;

// What an instruction writes.
typedef struct {
  // The result registers; image_bvh64_intersect_ray has four, and the others are 0.
  uint32_t vdst[10];
  // The origin: changed only by an instance that is entered.
  float origin[3];
  // The direction: changed only by an instance that is entered.
  float direction[3];
  // Whether the descriptor makes the answer useless: a bit that the instruction needs is wrong.
  bool is_useless;
} siliray_registers;

// Operands of image_bvh_dual_intersect_ray.
typedef struct {
  // The base: an address divided by eight, and flags.
  uint64_t base;
  // The nodes, counted from there; 0xFFFFFFFF: none.
  uint32_t nodes[2];
  // The ray's instance mask, eight bits.
  uint32_t mask;
  // The ray.
  siliray_ray_operands ray;
} siliray_dual_operands;

// Operands of the instruction of an image's format.
typedef struct {
  // The nodes, counted from the bases of the image. The second is for
  // image_bvh_dual_intersect_ray; 0xFFFFFFFF: none.
  uint32_t nodes[2];
  // The ray's instance mask, eight bits; GFX10.3 and GFX11 have none.
  uint32_t mask;
  // Flags of the base pointer, from its bit 54 on; GFX10.3 has none.
  uint32_t flags;
  // The ray.
  siliray_ray_operands ray;
  // Four words of a resource descriptor; null: as drivers set them.
  const uint32_t *resource;
} siliray_operands;

// What else is known of an update. Zeros: nothing.
typedef struct {
  // The scene that the update was given, or 0.
  siliray_id scene;
  // The image of before, read again after an update into another one, or 0.
  siliray_id old;
  // The image that the same update made in another run, or 0.
  siliray_id twice;
} siliray_update;

// A report in numbers.
typedef struct {
  // Nodes that were looked at.
  uint64_t nodes;
  // Errors, listed or not.
  uint64_t errors;
  // Warnings, listed or not.
  uint64_t warnings;
  // Notes, listed or not.
  uint64_t notes;
  // Findings in the list: the worst of every rule first, 1,000 of a rule at most and one that
  // stands for the rest.
  size_t findings;
} siliray_summary;

// One finding. Texts live until the report is released.
typedef struct {
  // How bad it is: a siliray_severity.
  int32_t severity;
  // How many findings it stands for.
  uint32_t count;
  // The rule that is broken.
  const char *rule;
  // Byte of the input.
  uint64_t offset;
  // The bits at fault, from that byte on: the first one.
  uint32_t first_bit;
  // The one behind the last.
  uint32_t end_bit;
  // The place in words.
  const char *place;
  // What is there.
  const char *found;
  // What should be there.
  const char *expected;
  // All of it in one line, as `siliray check` prints it.
  const char *line;
} siliray_finding;

// A structure of an image.
typedef struct {
  // Whether it holds instances.
  bool is_tlas;
  // Where it lies in memory.
  uint64_t address;
  // How many figures there are of it.
  size_t figures;
} siliray_structure;

// A figure. The driver's own come first, in the driver's order.
typedef struct {
  // The driver's name of it; lives until the statistics are released.
  const char *name;
  // Whether the driver counts it.
  bool is_drivers;
  // The driver's number; 0 where it has none.
  uint64_t count;
  // The same as a float, and what the driver leaves out.
  double value;
} siliray_figure;

// A ray. One whose numbers make no sense hits nothing; docs/law.md says which.
typedef struct {
  // Where it starts.
  float origin[3];
  // Where it goes.
  float direction[3];
  // The smallest parameter of a hit.
  float tmin;
  // The largest one.
  float tmax;
  // Instances are seen whose mask has one of these eight bits; 0 sees nothing.
  uint32_t mask;
  // What is left out: ray flags, numbered as in Vulkan and DXR.
  uint32_t flags;
  // SILIRAY_CLOSEST, SILIRAY_ANY or SILIRAY_ALL.
  uint32_t kind;
} siliray_ray;

// How a walk ended. Texts live until the walk is released.
typedef struct {
  // The machine that walked.
  const char *machine;
  // How many hits it found.
  size_t hits;
  // How many steps are kept.
  size_t steps;
  // How many steps came after those.
  uint64_t left_out;
} siliray_answer;

// A hit.
typedef struct {
  // Parameter of the ray.
  float t;
  // Weight of the triangle's second corner.
  float u;
  // Weight of its third corner.
  float v;
  // Which instance.
  uint32_t instance;
  // Which geometry.
  uint32_t geometry;
  // Which primitive.
  uint32_t primitive;
} siliray_hit;

// A step of a walk.
typedef struct {
  // What happened: "node", "child", "push", ...
  const char *event;
  // That in words.
  const char *text;
  // All of it as one JSON object, whose keys docs/json.md explains.
  const char *json;
} siliray_step;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Makes a context. `options` may be null: the usual way.
siliray_status siliray_context_new(const siliray_context_options *options,
                                   siliray_context **context,
                                   siliray_error *error);

// Frees a context and all that it holds, ends its threads, and sets the variable to null. No other
// thread may use the context any more; copies of the pointer lead nowhere.
siliray_status siliray_context_free(siliray_context **context, siliray_error *error);

// Releases what an id names. Calls that are at work on it finish; texts that it gave are gone.
siliray_status siliray_release(const siliray_context *context, siliray_id id, siliray_error *error);

// Describes a node of an image of any bytes, by the pointer that names it.
siliray_status siliray_describe(const siliray_context *context,
                                siliray_id image,
                                uint64_t pointer,
                                siliray_id *description,
                                siliray_error *error);

// A record of a description, by number. Record 0 is always there; SILIRAY_STATUS_INDEX ends the
// list.
siliray_status siliray_description_record(const siliray_context *context,
                                          siliray_id description,
                                          size_t index,
                                          siliray_record *record,
                                          siliray_error *error);

// A field of a record, both by number.
siliray_status siliray_description_field(const siliray_context *context,
                                         siliray_id description,
                                         size_t record,
                                         size_t index,
                                         siliray_field *field,
                                         siliray_error *error);

// Takes a copy of an image's bytes in, which may be broken: `siliray_check` then says where.
// `reading` may be null: the bytes are a file that says what it is.
siliray_status siliray_image_read(const siliray_context *context,
                                  const void *bytes,
                                  size_t size,
                                  const siliray_reading *reading,
                                  siliray_id *image,
                                  siliray_error *error);

// What an image is.
siliray_status siliray_image_about(const siliray_context *context,
                                   siliray_id image,
                                   siliray_image_info *about,
                                   siliray_error *error);

// A structure of an image's file, by number: the number that a reading may start in.
// SILIRAY_STATUS_INDEX ends the list, which is empty where a file holds one structure only.
siliray_status siliray_image_structure(const siliray_context *context,
                                       siliray_id image,
                                       size_t index,
                                       siliray_file_structure *structure,
                                       siliray_error *error);

// `image_bvh64_intersect_ray` of GFX10.3 (`generation` 10) and GFX11 (11) on `size` bytes of
// memory from `address` on. `resource` has four words; `vdst` takes four. Nothing is allocated.
siliray_status siliray_image_bvh64_intersect_ray(uint32_t generation,
                                                 const void *memory,
                                                 size_t size,
                                                 uint64_t address,
                                                 const uint32_t *resource,
                                                 const siliray_bvh64_operands *operands,
                                                 uint32_t *vdst,
                                                 siliray_error *error);

// `image_bvh8_intersect_ray` of GFX12 on `size` bytes of memory from `address` on. `resource` has
// four words. Nothing is allocated.
siliray_status siliray_image_bvh8_intersect_ray(const void *memory,
                                                size_t size,
                                                uint64_t address,
                                                const uint32_t *resource,
                                                const siliray_bvh8_operands *operands,
                                                siliray_registers *registers,
                                                siliray_error *error);

// `image_bvh_dual_intersect_ray` of GFX12 on `size` bytes of memory from `address` on. `resource`
// has four words. Nothing is allocated.
siliray_status siliray_image_bvh_dual_intersect_ray(const void *memory,
                                                    size_t size,
                                                    uint64_t address,
                                                    const uint32_t *resource,
                                                    const siliray_dual_operands *operands,
                                                    siliray_registers *registers,
                                                    siliray_error *error);

// The instruction of an image's format on a node of it: image_bvh64_intersect_ray,
// image_bvh8_intersect_ray or image_bvh_dual_intersect_ray. The image may be unsound; a node
// outside of it is SILIRAY_STATUS_NO_STRUCTURE, since hardware would answer as for a miss.
siliray_status siliray_intersect(const siliray_context *context,
                                 siliray_id image,
                                 const siliray_operands *operands,
                                 siliray_registers *registers,
                                 siliray_error *error);

// Checks an image; `scene` is what it should hold, or 0. Bytes that cannot be taken apart have a
// report too, with one error.
siliray_status siliray_check(const siliray_context *context,
                             siliray_id image,
                             siliray_id scene,
                             siliray_id *report,
                             siliray_error *error);

// Checks what an update did to an image. `known` may be null.
siliray_status siliray_check_update(const siliray_context *context,
                                    siliray_id before,
                                    siliray_id after,
                                    const siliray_update *known,
                                    siliray_id *report,
                                    siliray_error *error);

// A report in numbers.
siliray_status siliray_report_summary(const siliray_context *context,
                                      siliray_id report,
                                      siliray_summary *summary,
                                      siliray_error *error);

// One finding of a report, by number.
siliray_status siliray_report_finding(const siliray_context *context,
                                      siliray_id report,
                                      size_t index,
                                      siliray_finding *finding,
                                      siliray_error *error);

// Reads a scene from the bytes of a mesh file; `name` is what it is called, with its ending.
siliray_status siliray_scene_read(const siliray_context *context,
                                  const char *name,
                                  const void *bytes,
                                  size_t size,
                                  siliray_id *scene,
                                  siliray_error *error);

// Makes a scene of triangles: three floats for each vertex, three indices for each triangle. It is
// one geometry, and has no instances.
siliray_status siliray_scene_triangles(const siliray_context *context,
                                       const float *positions,
                                       size_t vertices,
                                       const uint32_t *indices,
                                       size_t triangle_count,
                                       siliray_id *scene,
                                       siliray_error *error);

// Counts the structures of an image that is safe to walk.
siliray_status siliray_stats(const siliray_context *context,
                             siliray_id image,
                             siliray_id *statistics,
                             siliray_error *error);

// A structure, by number; SILIRAY_STATUS_INDEX ends the list.
siliray_status siliray_stats_structure(const siliray_context *context,
                                       siliray_id statistics,
                                       size_t index,
                                       siliray_structure *structure,
                                       siliray_error *error);

// A figure of a structure, both by number.
siliray_status siliray_stats_figure(const siliray_context *context,
                                    siliray_id statistics,
                                    size_t structure,
                                    size_t index,
                                    siliray_figure *figure,
                                    siliray_error *error);

// A status in words; never null, whatever the number.
const char *siliray_status_text(int status);

// The version of the library, as in "0.1.0".
const char *siliray_version(void);

// Walks an image that is safe to walk. `machine` names who walks, or is null: the usual one. The
// first `most_steps` steps are kept.
siliray_status siliray_walk(const siliray_context *context,
                            siliray_id image,
                            const char *machine,
                            const siliray_ray *ray,
                            size_t most_steps,
                            siliray_id *walk,
                            siliray_error *error);

// How a walk ended.
siliray_status siliray_walk_answer(const siliray_context *context,
                                   siliray_id walk,
                                   siliray_answer *answer,
                                   siliray_error *error);

// A hit of a walk, by number.
siliray_status siliray_walk_hit(const siliray_context *context,
                                siliray_id walk,
                                size_t index,
                                siliray_hit *hit,
                                siliray_error *error);

// A step of a walk, by number.
siliray_status siliray_walk_step(const siliray_context *context,
                                 siliray_id walk,
                                 size_t index,
                                 siliray_step *step,
                                 siliray_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SILIRAY_H */
