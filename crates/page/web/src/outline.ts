// Ways through the outline's arrays.

import type { OutlineArrays } from "./protocol";

/** In arrays, an entry that is not there. */
export const NO_ENTRY = 0xffffffff;

export function parentOf(outline: OutlineArrays, entry: number): number | null {
  const parent = outline.parent[entry]!;
  return parent === NO_ENTRY ? null : parent;
}

/** From the root to the entry. */
export function wayTo(outline: OutlineArrays, entry: number): number[] {
  const way: number[] = [];
  for (let at: number | null = entry; at !== null; at = parentOf(outline, at)) way.unshift(at);
  return way;
}

/** The first entry of a node. Without a base, of any structure. */
export function entryOf(
  outline: OutlineArrays, pointer: bigint, base: bigint | null,
): number | null {
  let at = outline.pointer.indexOf(pointer);
  while (at >= 0 && base !== null && outline.base[at] !== base) {
    at = outline.pointer.indexOf(pointer, at + 1);
  }
  return at < 0 ? null : at;
}

/** Where a number stands in an ascending list, or -1. */
export function indexIn(sorted: Uint32Array, wanted: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted ? low : -1;
}

export function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
