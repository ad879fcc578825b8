// Counts as colours, the same as in the library's pictures.

import { ramp, type Rgb } from "../palette";

export type Pixels = Uint8ClampedArray<ArrayBuffer>;

const single = Math.fround;

/** The colour of a count on a scale that ends with `brightest`. */
export function colourOf(count: number, brightest: number): Rgb {
  return ramp(single(single(count) / single(brightest)));
}

/** Counts as pixels of four bytes. */
export function paintCounts(counts: Uint32Array, brightest: number): Pixels {
  const known = new Map<number, Rgb>();
  const pixels = new Uint8ClampedArray(4 * counts.length);
  counts.forEach((count, k) => {
    const shown = Math.min(count, brightest);
    let colour = known.get(shown);
    if (!colour) known.set(shown, (colour = colourOf(shown, brightest)));
    pixels[4 * k] = colour[0];
    pixels[4 * k + 1] = colour[1];
    pixels[4 * k + 2] = colour[2];
    pixels[4 * k + 3] = 255;
  });
  return pixels;
}

/** Pixels of three bytes as pixels of four. */
export function widen(pixels: Uint8Array): Pixels {
  const wide = new Uint8ClampedArray((4 * pixels.length) / 3).fill(255);
  for (let k = 0; k < pixels.length / 3; k++) {
    wide[4 * k] = pixels[3 * k]!;
    wide[4 * k + 1] = pixels[3 * k + 1]!;
    wide[4 * k + 2] = pixels[3 * k + 2]!;
  }
  return wide;
}

/** How many pixels have a count in each of `steps` equal steps; the last has what is beyond. */
export function histogram(counts: Uint32Array, brightest: number, steps: number): number[] {
  const found = new Array<number>(steps).fill(0);
  for (const count of counts) {
    found[Math.min(steps - 1, Math.floor((count * steps) / brightest))]! += 1;
  }
  return found;
}
