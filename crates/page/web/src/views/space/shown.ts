// Which nodes' boxes are drawn, and where.

import type { OutlineArrays } from "../../protocol";
import type { Colouring } from "../../store";
import { type Affine, compose, ofBox } from "./affine";
import type { Geometry } from "./geometry";

/** Most boxes that are drawn at once. */
export const MOST_BOXES = 60_000;

export interface Wanted {
  /** Depths in the outline, both included. */
  depths: readonly [number, number];
  levels: "both" | "tlas" | "blas" | "none";
  isolated: number | null;
  hidden: ReadonlySet<number>;
}

/** The box of an entry in the space of its level; null where it is unknown. */
export function boxOf(outline: OutlineArrays, entry: number): Affine | null {
  const box = outline.bounds.subarray(6 * entry, 6 * entry + 6);
  return box.length === 6 && box.every(Number.isFinite) ? ofBox(box, box.subarray(3)) : null;
}

/**
 * Entries whose boxes are wanted, and how many boxes they are in space; the highest first if these
 * are too many.
 */
export function wantedEntries(
  outline: OutlineArrays,
  geometry: Geometry,
  wanted: Wanted,
): { entries: Uint32Array; boxes: number } {
  const { depth, level, size, state, bounds } = outline;
  const [from, to] = wanted.depths;
  const tlas = geometry.blases.length;
  const found: number[] = [];
  let boxes = 0;
  const isIn = (entry: number) =>
    depth[entry]! >= from && state[entry] === 0 && !Number.isNaN(bounds[6 * entry]!);
  const isLevel = (entry: number) =>
    wanted.levels === "both" || (wanted.levels === "tlas") === (level[entry] === tlas);
  if (wanted.levels !== "none") {
    walkShown(outline, wanted, (entry) => {
      if (isIn(entry) && isLevel(entry)) {
        found.push(entry);
        boxes += geometry.placesOf(level[entry]!).length;
      }
      return depth[entry]! < to ? entry + 1 : entry + size[entry]!;
    });
  }
  if (boxes > MOST_BOXES) found.sort((a, b) => depth[a]! - depth[b]! || a - b);
  return { entries: Uint32Array.from(found), boxes };
}

/** Calls `visit` with entries that are not hidden; it says with which to go on. */
export function walkShown(
  outline: OutlineArrays,
  { isolated, hidden }: Pick<Wanted, "isolated" | "hidden">,
  visit: (entry: number) => number,
): void {
  const { size } = outline;
  const start = isolated ?? 0;
  const end = isolated === null ? size.length : start + size[start]!;
  for (let entry = start; entry < end; ) {
    entry = hidden.has(entry) ? entry + size[entry]! : visit(entry);
  }
}

/** Adds the boxes of entries at every place of their level, at most `most`. */
export function place(
  outline: OutlineArrays,
  geometry: Geometry,
  entries: Uint32Array,
  most: number,
  add: (map: Affine, entry: number) => void,
): void {
  let count = 0;
  for (const entry of entries) {
    const box = boxOf(outline, entry);
    if (!box) continue;
    for (const { map } of geometry.placesOf(outline.level[entry]!)) {
      if (count++ >= most) return;
      add(compose(map, box), entry);
    }
  }
}

/** What the two ends of the ramp stand for. */
export const SCALES: Readonly<Record<Colouring, readonly [string, string] | null>> = {
  depth: ["root", "deepest"],
  cost: ["a ten-thousandth of the largest", "largest"],
  overlap: ["apart from its siblings", "inside them"],
  fill: ["full", "empty"],
  id: null,
  severity: null,
};
