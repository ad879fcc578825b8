// Sums over the primitives of each geometry.

import { NO_ENTRY } from "../../outline";
import type { Answer } from "../../protocol";

export interface GeometrySum {
  blas: number;
  geometry: number;
  triangles: number;
  boxes: number;
  /** Of its triangles, in the space of its BLAS. */
  area: number;
  /** The number of its first primitive, and the entry that holds it, if one does. */
  first: number;
  leaf: number | null;
}

/** Where only every so manieth primitive is known, each stands for those around it. */
export function geometriesOf({ step = 1, blases, arrays }: Answer<"geometry">): GeometrySum[] {
  const sums: GeometrySum[] = [];
  let primitive = 0;
  let triangle = 0;
  blases.forEach(({ triangles, boxes }, blas) => {
    const own = new Map<number, GeometrySum>();
    for (let at = 0; at < triangles + boxes; at++, primitive++) {
      const geometry = arrays.ids[2 * primitive]!;
      const number = arrays.ids[2 * primitive + 1]!;
      let sum = own.get(geometry);
      if (!sum) {
        sum = { blas, geometry, triangles: 0, boxes: 0, area: 0, first: Infinity, leaf: null };
        own.set(geometry, sum);
      }
      if (number < sum.first) {
        const leaf = arrays.leaf[primitive]!;
        Object.assign(sum, { first: number, leaf: leaf === NO_ENTRY ? null : leaf });
      }
      if (at < triangles) {
        sum.triangles += step;
        sum.area += step * triangleArea(arrays.positions, 9 * triangle++);
      } else sum.boxes += step;
    }
    sums.push(...[...own.values()].sort((a, b) => a.geometry - b.geometry));
  });
  return sums;
}

function triangleArea(positions: Float32Array, at: number): number {
  const edge = (corner: number, axis: number) =>
    positions[at + 3 * corner + axis]! - positions[at + axis]!;
  const [ax, ay, az] = [edge(1, 0), edge(1, 1), edge(1, 2)];
  const [bx, by, bz] = [edge(2, 0), edge(2, 1), edge(2, 2)];
  return Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx) / 2;
}
