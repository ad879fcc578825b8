// Queries to begin with: one of each shape, in the middle of the file.

import type { Query, Summary, Vector } from "../../protocol";

/** The size of a picture whose middle pixel is offered. */
const SIZE: [number, number] = [640, 360];

export function offers({ cameras, bounds }: Summary): Query[] {
  const kind = "closest" as const;
  const found: Query[] = [{ kind, pixel: [SIZE[0] / 2, SIZE[1] / 2], size: SIZE }];
  const camera = cameras[0];
  if (camera) {
    const { eye, target, fov } = camera;
    const direction = round(target.map((value, k) => value - eye[k]!));
    found.push({ kind, ray: { origin: round(eye), direction } });
    const shape = { fov, aspect: 4 / 3, near: 0, far: Infinity };
    found.push({ kind, frustum: { eye: round(eye), target: round(target), ...shape } });
  }
  if (!bounds) return found;
  const { min, max } = bounds;
  const at = (x: number, y: number, z: number) =>
    round([x, y, z].map((share, k) => min[k]! + share * (max[k]! - min[k]!)));
  found.push({
    kind,
    beam: {
      from: [at(0.45, 0.45, 0.95), at(0.55, 0.55, 1)],
      to: [at(0.45, 0.45, 0), at(0.55, 0.55, 0.05)],
    },
  });
  const size = Math.hypot(...min.map((value, k) => max[k]! - value));
  const [radius] = round([size / 8]);
  found.push({ kind, sphere: { centre: at(0.5, 0.5, 0.5), radius: radius! } });
  return found;
}

/** Four digits are enough to begin with, and can be read. */
function round(values: readonly number[]): Vector {
  return values.map((value) => Number(value.toPrecision(4))) as Vector;
}
