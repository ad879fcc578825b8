// What a hand types to go somewhere: `0x15` a node's pointer, `@0x1c80` a byte of the file,
// `1042` or `0:1042` a primitive, `0.1,0.2,0.3` a point.

import type { Vector } from "./protocol";

export type Place =
  | { pointer: bigint }
  | { offset: number }
  | { primitive: number; geometry?: number }
  | { point: Vector };

export function readPlace(text: string): Place | null {
  const word = text.trim();
  const integer = "(?:0x[0-9a-f]+|[0-9]+)";
  const is = (pattern: string) => new RegExp(`^${pattern}$`, "i").test(word);
  if (is("0x[0-9a-f]{1,16}")) return { pointer: BigInt(word) };
  if (is(`@\\s*${integer}`)) return { offset: Number(word.slice(1)) };
  if (is(`#?${integer}`)) return { primitive: Number(word.replace("#", "")) };
  if (is(`#?${integer}:${integer}`)) {
    const [geometry, primitive] = word.replace("#", "").split(":").map(Number);
    return { geometry: geometry!, primitive: primitive! };
  }
  const point = word.split(/[\s,]+/).map(Number);
  if (point.length === 3 && point.every(Number.isFinite)) return { point: point as Vector };
  return null;
}
