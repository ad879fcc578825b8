// What is walked with, as lines: the first and the last box of a beam and what joins them, a
// sphere by three circles, a frustum by its edges.

import type { FrustumAxes, Vector, Volume, WalkedBeam } from "../../protocol";
import { corners, EDGES, ofBox, type Point } from "./affine";

export type Segment = readonly [Point, Point];

/** Straight lines that make a circle. */
const CHORDS = 48;

/** A volume; `reach` ends one that has no end. */
export function ofVolume(volume: Volume, reach: number): Segment[] {
  if ("frustum" in volume) return ofFrustum(volume.frustum, reach);
  return ofSphere(volume.sphere.centre, volume.sphere.radius);
}

export function ofBeam({ from, to }: WalkedBeam): Segment[] {
  const first = corners(ofBox(...from));
  if (!to) return edges(first);
  const last = corners(ofBox(...to));
  const joined = first.map((corner, k) => [corner, last[k]!] as const);
  return [...edges(first), ...edges(last), ...joined];
}

function edges(box: readonly Point[]): Segment[] {
  return EDGES.map(([a, b]) => [box[a]!, box[b]!] as const);
}

function ofSphere(centre: Vector, radius: number): Segment[] {
  return [0, 1, 2].flatMap((axis) => {
    const at = (k: number): Point => {
      const angle = (2 * Math.PI * k) / CHORDS;
      const point: Point = [...centre];
      point[(axis + 1) % 3]! += radius * Math.cos(angle);
      point[(axis + 2) % 3]! += radius * Math.sin(angle);
      return point;
    };
    return Array.from({ length: CHORDS }, (_, k) => [at(k), at(k + 1)] as const);
  });
}

/** Its sections near and far, and what joins them. */
function ofFrustum(
  { eye, forward, right, up, near, far }: FrustumAxes, reach: number,
): Segment[] {
  const section = (depth: number): Point[] => [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) =>
    eye.map((value, k) =>
      value + depth * (forward[k]! + x! * right[k]! + y! * up[k]!)) as Point);
  const [first, last] = [section(near), section(Math.min(far ?? Infinity, reach))];
  const around = (points: Point[]) =>
    points.map((point, k) => [point, points[(k + 1) % 4]!] as const);
  const joined = first.map((point, k) => [point, last[k]!] as const);
  return [...around(first), ...around(last), ...joined];
}
