/* One box and one triangle, in FP32. Prints the results and checks them. */
#include "host.h"
#include "xphmg.h"

static const struct rt_ray32 ray = {{0.5f, 0.25f, -3.0f}, {0.0f, 0.0f, 2.0f}, 0.0f, 100.0f};
static const float box[6] = {-1.0f, -1.0f, 1.0f, 1.0f, 2.0f, 4.0f};
static const float triangle[9] = {0, 0, 2, 2, 0, 2, 0, 1, 2};

int main(void) {
  prec_apply(PREC_FP32, 0);

  svm_operand((uint64_t)box, 2);
  struct rt_bbox_result b = rt_bbox(&ray, 0);
  put_text("rt.bbox hit ");
  put_hex(b.hit);
  put_text(" tnear ");
  put_hex(b.tnear);
  put_text(" tfar ");
  put_hex(b.tfar);

  svm_operand((uint64_t)triangle, 2);
  struct rt_tri_result r = rt_tri(&ray, 0);
  put_text("\nrt.tri  hit ");
  put_hex(r.hit);
  put_text(" t ");
  put_hex(r.t);
  put_text(" u ");
  put_hex(r.u);
  put_text(" v ");
  put_hex(r.v);
  put_text("\n");

  /* The box is entered after 2 and left after 3.5, the triangle met after 2.5, at u = v = 0.25. */
  int box_right = b.hit == 1 && (uint32_t)b.tnear == 0x40000000 && (uint32_t)b.tfar == 0x40600000;
  int triangle_right = r.hit == 1 && (uint32_t)r.t == 0x40200000 && (uint32_t)r.u == 0x3e800000 &&
                       (uint32_t)r.v == 0x3e800000;
  return box_right && triangle_right ? 0 : 1;
}
