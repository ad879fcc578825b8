// Which nodes' boxes are drawn, and where.

import { indexIn } from "../../outline";
import type { Outline, OutlineArrays } from "../../protocol";
import { type Affine, compose, ofBox } from "./affine";
import type { Geometry } from "./geometry";
import { withinLevels } from "./instances";

/** Most boxes that are drawn at once. */
export const MOST_BOXES = 60_000;

export interface Wanted {
  /** Depths in the outline, both included. */
  depths: readonly [number, number];
  levels: "both" | "tlas" | "blas" | "none";
  isolated: number | null;
  hidden: ReadonlySet<number>;
}

/**
 * The box of an entry in the space of its level, turned as it is tested; null where it is unknown.
 */
export function boxOf(outline: Outline, entry: number): Affine | null {
  const { oriented } = outline;
  const turned = indexIn(oriented.entry, entry);
  if (turned < 0) return boxAt(outline.bounds, entry);
  const box = boxAt(oriented.bounds, turned);
  const frame = 12 * oriented.frame[turned]!;
  return box && compose(oriented.frames.subarray(frame, frame + 12), box);
}

function boxAt(bounds: Float32Array, number: number): Affine | null {
  const box = bounds.subarray(6 * number, 6 * number + 6);
  return box.length === 6 && box.every(Number.isFinite) ? ofBox(box, box.subarray(3)) : null;
}

/**
 * Entries whose boxes are wanted, and how many boxes they are in space: of too many only those of
 * the depths from the root on that can all be drawn, and the first of the next depth.
 */
export function wantedEntries(
  outline: Outline,
  geometry: Geometry,
  wanted: Wanted,
): { entries: number[]; boxes: number } {
  const { depth, level, size, state, bounds } = outline;
  const [from, to] = wanted.depths;
  const tlas = geometry.blases.length;
  // A BLAS stands in the outline once, below the first of its instances: which of its places are
  // drawn is for the instances to say, not for what lies above it there.
  const within = withinLevels(geometry, { outline, selection: null, ...wanted });
  const isHiddenAbove = (entry: number) =>
    level[entry] === tlas && isLeftOut(outline, wanted, entry);
  const isIn = (entry: number) => depth[entry]! >= from && state[entry] === 0
    && !Number.isNaN(bounds[6 * entry]!) && !isHiddenAbove(entry)
    && geometry.placesOf(level[entry]!).length > 0;
  const isLevel = (entry: number) =>
    wanted.levels === "both" || (wanted.levels === "tlas") === (level[entry] === tlas);
  const each = (end: number, act: (entry: number, boxes: number) => void) => {
    if (wanted.levels === "none") return;
    walkShown(outline, within, (entry) => {
      const isWanted = isIn(entry) && isLevel(entry);
      if (isWanted) act(entry, geometry.placesOf(level[entry]!).length);
      return depth[entry]! < end ? entry + 1 : entry + size[entry]!;
    });
  };
  const counts: number[] = [];
  each(to, (entry, boxes) => (counts[depth[entry]!] = (counts[depth[entry]!] ?? 0) + boxes));
  let [wholeDepths, whole] = [0, 0];
  while (wholeDepths < counts.length && whole + (counts[wholeDepths] ?? 0) <= MOST_BOXES) {
    whole += counts[wholeDepths++] ?? 0;
  }
  const [entries, last]: [number[], number[]] = [[], []];
  let room = MOST_BOXES - whole;
  each(Math.min(wholeDepths, to), (entry, boxes) => {
    if (depth[entry]! < wholeDepths) entries.push(entry);
    else if (room > 0) {
      last.push(entry);
      room -= boxes;
    }
  });
  return { entries: [...entries, ...last], boxes: counts.reduce((sum, count) => sum + count, 0) };
}

/** Whether an entry lies below a hidden one, or not below the isolated one. */
function isLeftOut(
  { size }: OutlineArrays,
  { isolated, hidden }: Pick<Wanted, "isolated" | "hidden">,
  entry: number,
): boolean {
  const isBelow = (root: number) => entry >= root && entry < root + size[root]!;
  return (isolated !== null && !isBelow(isolated)) || [...hidden].some(isBelow);
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
  outline: Outline,
  geometry: Geometry,
  entries: readonly number[],
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
