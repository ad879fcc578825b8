// An order in which every part of a list is spread over all of it, so that the first tenth of many
// triangles already shows the whole shape.

/** A step that visits each of `count` places once, and neighbours far apart. */
export function stepFor(count: number): number {
  let step = Math.max(1, Math.round(count * 0.618034));
  while (divisor(step, count) > 1) step += 1;
  return step;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

/** Copies records of `length` elements in that order. */
export function shuffled<T extends Float32Array | Uint32Array>(from: T, length: number, to: T): T {
  const count = from.length / length;
  const step = stepFor(count);
  for (let slot = 0, at = 0; slot < count; slot++) {
    for (let k = 0; k < length; k++) to[slot * length + k] = from[at * length + k]!;
    at += step;
    while (at >= count) at -= count;
  }
  return to;
}
