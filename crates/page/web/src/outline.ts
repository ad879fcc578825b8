// Ways through the outline's arrays.

import { Dropped } from "./engine";
import type { Answer, Outline, OutlineArrays, Request, TypedArray, Verb } from "./protocol";

/** In arrays, an entry that is not there. */
export const NO_ENTRY = 0xffffffff;

type Ask<V extends Verb = "outline"> = (
  request: Request<V>, options?: { room: ArrayBuffer },
) => Promise<Answer<V>>;

/** The outline, with the frames of its oriented boxes. */
export async function readOutline(
  ask: <V extends Verb>(...words: Parameters<Ask<V>>) => ReturnType<Ask<V>>,
): Promise<Outline> {
  const arrays = await askOutline(ask);
  const { arrays: oriented } = await ask({ do: "frames" });
  return { ...arrays, oriented };
}

/** The whole outline, which comes piece by piece. */
export async function askOutline(ask: Ask): Promise<OutlineArrays> {
  let piece = await ask({ do: "outline" });
  const { entries, count } = piece;
  if (count === entries) return piece.arrays;
  const names = Object.keys(piece.arrays) as (keyof OutlineArrays)[];
  const whole = Object.fromEntries(names.map(name => {
    const part: TypedArray = piece.arrays[name];
    const Whole = part.constructor as new (length: number) => TypedArray;
    return [name, new Whole(part.length / count * entries)];
  })) as unknown as OutlineArrays;
  for (;;) {
    const { first, count, arrays } = piece;
    for (const name of names) {
      const part = arrays[name];
      (whole[name] as { set(part: TypedArray, at: number): void })
        .set(part, part.length / count * first);
    }
    if (first + count >= entries) return whole;
    // All arrays of a piece lie in one buffer, which has been read.
    const room = arrays.size.buffer as ArrayBuffer;
    piece = await ask({ do: "outline", first: first + count }, { room });
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
