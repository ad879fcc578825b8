/* The unit test of a driver: what its encoder writes is sound, and rays find it. */
#include "encoder.h"

#include <math.h>
#include <siliray.h>
#include <stdio.h>
#include <string.h>

static int failures;

#define EXPECT(condition)                                                                          \
   do {                                                                                            \
      if (!(condition)) {                                                                          \
         fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition);                  \
         failures++;                                                                               \
      }                                                                                            \
   } while (0)

#define CALL(call)                                                                                 \
   do {                                                                                            \
      if ((call) != SILIRAY_STATUS_OK) {                                                           \
         fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, error.text);                \
         failures++;                                                                               \
      }                                                                                            \
   } while (0)

static siliray_error error;

static const float triangles[3][9] = {
   {0.0f, 0.0f, 5.0f, 4.0f, 0.0f, 5.0f, 0.0f, 3.0f, 5.5f},
   {-7.25f, 1.0f, 2.0f, -6.0f, 1.5f, 2.0f, -6.5f, 2.0f, 1.0f},
   {10.0f, 10.0f, 9.0f, 11.0f, 10.0f, 9.0f, 10.0f, 12.0f, 8.0f},
};

/* Raw memory at address 0. */
static siliray_id read_memory(siliray_context *context, const uint8_t *memory, size_t size)
{
   siliray_reading raw = {.name = "toy", .kind = SILIRAY_RAW, .root = ENCODER_ROOT};
   siliray_id image = 0;
   CALL(siliray_image_read(context, memory, size, &raw, &image, &error));
   return image;
}

/* How often a rule is broken. */
static unsigned broken(siliray_context *context, siliray_id report, const char *rule)
{
   siliray_summary summary = {0};
   CALL(siliray_report_summary(context, report, &summary, &error));
   unsigned count = 0;
   for (size_t n = 0; n < summary.findings; n++) {
      siliray_finding finding;
      CALL(siliray_report_finding(context, report, n, &finding, &error));
      if (strcmp(finding.rule, rule) == 0)
         count += finding.count;
      else if (finding.severity != SILIRAY_SEVERITY_NOTE)
         fprintf(stderr, "%s\n", finding.line);
   }
   return count;
}

static void test_sound(siliray_context *context, const uint8_t *memory, size_t size)
{
   static const uint32_t indices[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
   siliray_id image = read_memory(context, memory, size), scene = 0, report = 0;
   CALL(siliray_scene_triangles(context, triangles[0], 9, indices, 3, &scene, &error));
   CALL(siliray_check(context, image, scene, &report, &error));
   siliray_summary summary = {0};
   CALL(siliray_report_summary(context, report, &summary, &error));
   EXPECT(broken(context, report, "") == 0);
   EXPECT(summary.errors == 0 && summary.warnings == 0 && summary.nodes == 4);
   CALL(siliray_release(context, report, &error));
   CALL(siliray_release(context, scene, &error));
   CALL(siliray_release(context, image, &error));
   EXPECT(siliray_release(context, image, NULL) == SILIRAY_STATUS_STALE_ID);
}

/* A box that is a quantum too small loses hits, and the check says in which child. */
static void test_small_box(siliray_context *context, const uint8_t *memory, size_t size)
{
   uint8_t damaged[ENCODER_BYTES(ENCODER_TRIANGLES)];
   memcpy(damaged, memory, size);
   damaged[32] += 64; /* min_x of the first child */
   siliray_id image = read_memory(context, damaged, size), report = 0;
   CALL(siliray_check(context, image, 0, &report, &error));
   EXPECT(broken(context, report, "contained") > 0);
   CALL(siliray_release(context, report, &error));
   CALL(siliray_release(context, image, &error));
}

static void test_node(siliray_context *context, siliray_id image)
{
   siliray_id description = 0;
   CALL(siliray_describe(context, image, ENCODER_ROOT, &description, &error));
   siliray_record record = {0};
   CALL(siliray_description_record(context, description, 0, &record, &error));
   EXPECT(strcmp(record.kind, "box") == 0 && record.bytes == 128 && record.fields > 8);
   uint64_t children = 0, links = 0;
   for (size_t n = 0; n < record.fields; n++) {
      siliray_field field;
      CALL(siliray_description_field(context, description, 0, n, &field, &error));
      if (strcmp(field.name, "child_count") == 0)
         children = field.raw + 1;
      links += field.is_link;
   }
   EXPECT(children == 3 && links >= 3);
   CALL(siliray_release(context, description, &error));
}

static void test_ray(siliray_context *context, siliray_id image)
{
   siliray_ray ray = {.origin = {1, 1, 0}, .direction = {0, 0, 1}, .tmax = INFINITY, .mask = 0xFF};
   siliray_id walk = 0;
   CALL(siliray_walk(context, image, "gfx12-radv", &ray, 100, &walk, &error));
   siliray_answer answer = {0};
   CALL(siliray_walk_answer(context, walk, &answer, &error));
   EXPECT(answer.hits == 1 && answer.steps > 3 && answer.left_out == 0);
   siliray_hit hit = {0};
   CALL(siliray_walk_hit(context, walk, 0, &hit, &error));
   EXPECT(hit.primitive == 0 && fabsf(hit.t - (5.0f + 0.5f / 3)) < 1e-5f);
   siliray_step step;
   CALL(siliray_walk_step(context, walk, 0, &step, &error));
   EXPECT(strcmp(step.event, "node") == 0 && step.json[0] == '{');
   CALL(siliray_release(context, walk, &error));
}

/* The instruction itself, on the driver's own memory: it names the child that the ray meets. */
static void test_instruction(const uint8_t *memory, size_t size)
{
   /* What RADV passes: no bound, sorting, pointer flags, compressed nodes. */
   static const uint32_t resource[4] = {0, 0x80100000, 0xFFFFFFFF, 0x81E803FF};
   siliray_bvh8_operands operands = {
      .node = ENCODER_ROOT,
      .mask = 0xFF,
      .ray = {.extent = INFINITY, .origin = {1, 1, 0}, .direction = {0, 0, 1}},
   };
   siliray_registers registers = {0};
   CALL(siliray_image_bvh8_intersect_ray(memory, size, 0, resource, &operands, &registers, &error));
   EXPECT(!registers.is_useless && registers.vdst[0] == 0x10 && registers.vdst[1] == 0xFFFFFFFF);
}

/* The same by the id of the image: its format says which instruction. */
static void test_instruction_on_image(siliray_context *context, siliray_id image)
{
   siliray_operands operands = {
      .nodes = {ENCODER_ROOT, 0xFFFFFFFF},
      .mask = 0xFF,
      .ray = {.extent = INFINITY, .origin = {1, 1, 0}, .direction = {0, 0, 1}},
   };
   siliray_registers registers = {0};
   CALL(siliray_intersect(context, image, &operands, &registers, &error));
   EXPECT(!registers.is_useless && registers.vdst[0] == 0x10 && registers.vdst[1] == 0xFFFFFFFF);
   operands.nodes[0] = 0xFFFFF5; /* far beyond the memory */
   EXPECT(siliray_intersect(context, image, &operands, &registers, NULL) ==
          SILIRAY_STATUS_NO_STRUCTURE);
}

static void test_statistics(siliray_context *context, siliray_id image)
{
   siliray_id statistics = 0;
   siliray_structure structure = {0};
   CALL(siliray_stats(context, image, &statistics, &error));
   CALL(siliray_stats_structure(context, statistics, 0, &structure, &error));
   EXPECT(!structure.is_tlas && structure.figures > 0);
   for (size_t n = 0; n < structure.figures; n++) {
      siliray_figure figure;
      CALL(siliray_stats_figure(context, statistics, 0, n, &figure, &error));
      EXPECT(figure.name[0] != 0);
   }
   EXPECT(siliray_stats_structure(context, statistics, 1, &structure, NULL) ==
          SILIRAY_STATUS_INDEX);
   CALL(siliray_release(context, statistics, &error));
}

/* An update may move triangles and boxes; a mask that it forgets is named. */
static void test_update(siliray_context *context, const uint8_t *memory, size_t size)
{
   float moved[3][9];
   memcpy(moved, triangles, sizeof(moved));
   moved[0][0] -= 2;
   uint8_t good[ENCODER_BYTES(3)], bad[ENCODER_BYTES(3)];
   encode((const float(*)[9])moved, 3, good);
   memcpy(bad, good, size);
   bad[39] = 0; /* the mask of the first child */
   siliray_id before = read_memory(context, memory, size);
   siliray_id after = read_memory(context, good, size);
   siliray_id wrong = read_memory(context, bad, size), report = 0;
   siliray_summary summary = {0};
   CALL(siliray_check_update(context, before, after, NULL, &report, &error));
   CALL(siliray_report_summary(context, report, &summary, &error));
   EXPECT(summary.errors == 0);
   CALL(siliray_release(context, report, &error));
   CALL(siliray_check_update(context, before, wrong, NULL, &report, &error));
   EXPECT(broken(context, report, "update_same") == 1);
}

int main(void)
{
   uint8_t memory[ENCODER_BYTES(3)];
   encode(triangles, 3, memory);
   siliray_context *context = NULL;
   siliray_context_options options = {.threads = 2};
   CALL(siliray_context_new(&options, &context, &error));
   siliray_id image = read_memory(context, memory, sizeof(memory));
   test_sound(context, memory, sizeof(memory));
   test_small_box(context, memory, sizeof(memory));
   test_node(context, image);
   test_ray(context, image);
   test_instruction(memory, sizeof(memory));
   test_instruction_on_image(context, image);
   test_statistics(context, image);
   test_update(context, memory, sizeof(memory));
   CALL(siliray_context_free(&context, &error));
   EXPECT(context == NULL && siliray_context_free(&context, NULL) == SILIRAY_STATUS_NULL_POINTER);
   return failures > 0;
}
