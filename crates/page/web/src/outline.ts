// Ways through the outline's arrays.

import type { OutlineArrays } from "./protocol";

export const NO_PARENT = 0xffffffff;

export function parentOf(outline: OutlineArrays, entry: number): number | null {
  const parent = outline.parent[entry]!;
  return parent === NO_PARENT ? null : parent;
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

export function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
