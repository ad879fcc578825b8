// Why a child was left out, in words: the planes between which the ray passes its box by.

import type { Vector } from "../../protocol";
import { single } from "./single";

const AXES = ["x", "y", "z"];

export interface Slab {
  /** Which plane, as `y = 1.25`. */
  plane: string;
  t: number;
}

/**
 * The plane by which a ray enters a box last and the one by which it leaves first. Computed by
 * plain division: where both are equal, the machine's own rounding decides.
 */
export function crossing(
  origin: Vector,
  direction: Vector,
  min: Vector,
  max: Vector,
): { enters: Slab; leaves: Slab } | { outside: string } {
  let enters: Slab = { plane: "", t: -Infinity };
  let leaves: Slab = { plane: "", t: Infinity };
  for (let k = 0; k < 3; k++) {
    const [o, d, low, high] = [origin[k]!, direction[k]!, min[k]!, max[k]!];
    const plane = (value: number) => `${AXES[k]} = ${single(value)}`;
    if (d === 0) {
      const passed = o < low ? low : o > high ? high : null;
      if (passed !== null) return { outside: plane(passed) };
      continue;
    }
    const [near, far] = d > 0 ? [low, high] : [high, low];
    const [a, b] = [(near - o) / d, (far - o) / d];
    if (a > enters.t) enters = { plane: plane(near), t: a };
    if (b < leaves.t) leaves = { plane: plane(far), t: b };
  }
  return { enters, leaves };
}

export interface Range {
  tmin: number;
  tmax: number;
  /** The best hit when the child was tested. */
  best: number | null;
}

/** What the verdict on a child means for this ray. */
export function explain(
  verdict: string,
  interval: readonly [number, number | null] | null,
  ray: { origin: Vector; direction: Vector } | null,
  { min, max }: { min: Vector; max: Vector },
  { tmin, tmax, best }: Range,
): string {
  if (verdict === "masked") return "The query's mask and the child's have no bit in common.";
  if (verdict === "culled") {
    return "Flags of the query, or of the instance, let nothing below it be hit.";
  }
  if (verdict === "behind" && interval) {
    const isHit = best !== null && best < tmax;
    const end = isHit ? `the best hit, at t ${single(best)}` : `the end, t ${tmax}`;
    return `Its box begins at t ${single(interval[0])}, behind ${end}.`;
  }
  if (!ray || verdict === "visit") return "";
  const found = crossing(ray.origin, ray.direction, min, max);
  if ("outside" in found) {
    return `The ray runs along the plane ${found.outside}, outside of the box.`;
  }
  const { enters, leaves } = found;
  if (leaves.t < tmin) {
    return `The box ends before the ray begins: by ${leaves.plane} at t ${single(leaves.t)}.`;
  }
  if (enters.t > tmax) {
    return `The box begins behind the end: by ${enters.plane} at t ${single(enters.t)}.`;
  }
  const order = leaves.t < enters.t ? "before" : "as";
  return `The ray leaves by ${leaves.plane} at t ${single(leaves.t)} ${order} it enters by `
    + `${enters.plane} at t ${single(enters.t)}.`;
}
