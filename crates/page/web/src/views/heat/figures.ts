// The figures of a heat map, for maps that came in stripes: the same as the library's.

export interface HeatFigures {
  brightest: number;
  least: number;
  median: number;
  mean: number;
  percentile_99: number;
  most: number;
}

export function figuresOf(counts: Uint32Array): HeatFigures {
  const sorted = counts.slice().sort();
  const at = (share: number) => sorted[Math.round((sorted.length - 1) * share)]!;
  const sum = sorted.reduce((a, b) => a + b, 0);
  return {
    brightest: Math.max(1, roundUp(at(0.998))),
    least: at(0),
    median: at(0.5),
    mean: sum / sorted.length,
    percentile_99: at(0.99),
    most: at(1),
  };
}

/** The next number that reads well on a scale: 1, 2, 3, 4, 5, 6 or 8 times a power of ten. */
export function roundUp(count: number): number {
  for (let power = 1; ; power *= 10) {
    const fit = [1, 2, 3, 4, 5, 6, 8].find((step) => step * power >= count);
    if (fit !== undefined) return fit * power;
  }
}
