// What can be drawn, read piece by piece. The triangles of a BLAS are kept in an order in which
// every part is spread over all, so that the first tenth of many already shows the whole shape:
// here and on the graphics card, so that nobody needs them twice.

import { Dropped } from "./engine";
import type { Answer, GeometryArrays, Request } from "./protocol";

type Ask = (
  request: Request<"geometry">, options?: { room: ArrayBuffer },
) => Promise<Answer<"geometry">>;

/** The geometry of the file; of more than `most` primitives only some. */
export async function readGeometry(ask: Ask, most: number): Promise<Answer<"geometry">> {
  let piece = await ask({ do: "geometry", most });
  const { primitives, blases } = piece;
  const triangles = blases.reduce((sum, blas) => sum + blas.triangles, 0);
  const arrays: GeometryArrays = {
    positions: new Float32Array(9 * triangles),
    ids: new Uint32Array(2 * primitives),
    boxes: new Float32Array(6 * (primitives - triangles)),
    leaf: new Uint32Array(primitives),
    transforms: piece.arrays.transforms.slice(),
  };
  const whole = { ...piece, arrays };
  for (;;) {
    const { first, count } = piece;
    put(piece, blases, arrays);
    if (first + count >= primitives) return whole;
    // All arrays of a piece lie in one buffer, which has been read.
    const room = piece.arrays.leaf.buffer as ArrayBuffer;
    piece = await ask({ do: "geometry", most, first: first + count }, { room });
    if (piece.primitives !== primitives || piece.count === 0) throw new Dropped();
  }
}

/** Puts what a piece holds where it is kept. */
function put(
  { first, count, arrays: from }: Answer<"geometry">, blases: Answer<"geometry">["blases"],
  to: GeometryArrays,
): void {
  let [start, before, triangle, box, boxesBefore] = [0, 0, 0, 0, 0];
  for (const { triangles, boxes } of blases) {
    const end = start + triangles + boxes;
    const slotOf = spread(triangles);
    for (let k = Math.max(first, start) - start; start + k < Math.min(first + count, end); k++) {
      const slot = k < triangles ? slotOf(k) : k;
      to.leaf[start + slot] = from.leaf[start + k - first]!;
      copy(from.ids, start + k - first, to.ids, start + slot, 2);
      if (k < triangles) copy(from.positions, triangle++, to.positions, before + slot, 9);
      else copy(from.boxes, box++, to.boxes, boxesBefore + k - triangles, 6);
    }
    [start, before, boxesBefore] = [end, before + triangles, boxesBefore + boxes];
  }
}

function copy<T extends Float32Array | Uint32Array>(
  from: T, at: number, to: T, place: number, length: number,
): void {
  for (let k = 0; k < length; k++) to[place * length + k] = from[at * length + k]!;
}

/** One of `count` slots for each of as many numbers, those of neighbours far apart. */
export function spread(count: number): (k: number) => number {
  const step = stepFor(count);
  return k => (k * step) % count;
}

/** A step that visits each of `count` places once. */
function stepFor(count: number): number {
  let step = Math.max(1, Math.round(count * 0.618034));
  while (divisor(step, count) > 1) step += 1;
  return step;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
