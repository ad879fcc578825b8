// Ways through the outline's arrays.

import { Dropped } from "./engine";
import type {
  Answer, Arrays, BoxArrays, OutlineArrays, Request, TypedArray, Verb,
} from "./protocol";

/** In arrays, an entry that is not there. */
export const NO_ENTRY = 0xffffffff;

type Ask<V extends Verb> = (
  request: Request<V>, options?: { room: ArrayBuffer },
) => Promise<Answer<V>>;

/** Where the boxes of all entries are, which takes room: only where they are drawn. */
export async function readBoxes(
  ask: <V extends Verb>(...words: Parameters<Ask<V>>) => ReturnType<Ask<V>>,
): Promise<BoxArrays> {
  const { bounds } = await readPieces("bounds", ask<"bounds">);
  const { arrays: oriented } = await ask({ do: "frames" });
  return { bounds, oriented };
}

/** Arrays about all entries, which come piece by piece. */
export async function readPieces<V extends "outline" | "bounds">(
  verb: V, ask: Ask<V>,
): Promise<Arrays<V>> {
  const asked = (first?: number) => ({ do: verb, ...(first && { first }) }) as Request<V>;
  let piece = await ask(asked());
  const { entries, count } = piece;
  if (count === entries) return piece.arrays;
  const listOf = (arrays: object) => Object.entries(arrays) as [string, TypedArray][];
  const whole = Object.fromEntries(listOf(piece.arrays).map(([name, part]) => {
    const Whole = part.constructor as new (length: number) => TypedArray;
    return [name, new Whole(part.length / count * entries)];
  }));
  for (;;) {
    const { first, count, arrays } = piece;
    for (const [name, part] of listOf(arrays)) {
      (whole[name] as { set(part: TypedArray, at: number): void })
        .set(part, part.length / count * first);
    }
    if (first + count >= entries) return whole as unknown as Arrays<V>;
    // All arrays of a piece lie in one buffer, which has been read.
    const room = listOf(arrays)[0]![1].buffer as ArrayBuffer;
    piece = await ask(asked(first + count), { room });
    if (piece.entries !== entries || piece.count === 0) throw new Dropped();
  }
}

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
