// From a small picture to the one that is asked for, so that the first is there at once.

export type Size = readonly [number, number];

/** Pixels of the first picture, at most. */
const FIRST = 80 * 45;

/** Sizes to render one after the other; each has about four times the pixels of the one before. */
export function ladder([width, height]: Size): Size[] {
  const sizes: Size[] = [[width, height]];
  for (let part = 2; ; part *= 2) {
    const [last] = sizes;
    if (last![0] * last![1] <= FIRST) return sizes;
    const next: Size = [Math.ceil(width / part), Math.ceil(height / part)];
    sizes.unshift(next);
  }
}
