/* RT.TRI in the program's own arithmetic, for harts whose RT.TRI is not watertight: Woop, Benthin
 * and Wald's test, operation by operation as a watertight RT.TRI does it, to nearest even. */
#ifndef TRIANGLE_H
#define TRIANGLE_H
#include "elements.h"

/* A result of RT.TRI, and whether the back was seen. */
struct sided_result {
  struct rt_tri_result result;
  int back;
};

struct sided_result watertight_triangle(const void *record, const void *corners,
                                        const struct format *format);

#endif
