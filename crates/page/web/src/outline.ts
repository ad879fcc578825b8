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

export function childrenOf(outline: OutlineArrays, entry: number): number[] {
  const children: number[] = [];
  const end = entry + outline.size[entry]!;
  for (let at = entry + 1; at < end; at += outline.size[at]!) children.push(at);
  return children;
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

/**
 * Where a link of a node leads. Children and the parent come first: below an instance, the same
 * pointer means another structure.
 */
export function linkedEntry(
  outline: OutlineArrays, from: number | null, link: string,
): number | null {
  const pointer = BigInt(link);
  if (from === null) return entryOf(outline, pointer, null);
  const parent = parentOf(outline, from);
  const near = [...childrenOf(outline, from), ...(parent === null ? [] : [parent])];
  const found = near.find(entry => outline.pointer[entry] === pointer);
  return found ?? entryOf(outline, pointer, outline.base[from]!);
}

/** The innermost entry whose bytes hold a byte of the file. */
export function entryAt(outline: OutlineArrays, offset: number): number | null {
  let found: number | null = null;
  for (let entry = 0; entry < outline.offset.length; entry++) {
    const start = outline.offset[entry]!;
    if (start <= offset && offset < start + outline.bytes[entry]!) {
      if (found === null || outline.bytes[entry]! < outline.bytes[found]!) found = entry;
    }
  }
  return found;
}

export function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
