// Affine maps as 3×4 matrices, rows one after the other: what instances and oriented nodes have.

export type Affine = ArrayLike<number>;
export type Point = [number, number, number];

export const IDENTITY: Affine = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

/** `map` of a point. */
export function apply(map: Affine, [x, y, z]: ArrayLike<number> & Iterable<number>): Point {
  const row = (r: number) =>
    map[4 * r]! * x! + map[4 * r + 1]! * y! + map[4 * r + 2]! * z! + map[4 * r + 3]!;
  return [row(0), row(1), row(2)];
}

/** `map` of a direction: without its translation. */
export function turn(map: Affine, [x, y, z]: ArrayLike<number> & Iterable<number>): Point {
  const row = (r: number) => map[4 * r]! * x! + map[4 * r + 1]! * y! + map[4 * r + 2]! * z!;
  return [row(0), row(1), row(2)];
}

/** First `inner`, then `outer`. */
export function compose(outer: Affine, inner: Affine): number[] {
  const result: number[] = [];
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 4; c++) {
      let sum = c === 3 ? outer[4 * r + 3]! : 0;
      for (let k = 0; k < 3; k++) sum += outer[4 * r + k]! * inner[4 * k + c]!;
      result.push(sum);
    }
  }
  return result;
}

/** The inverse; null of a map that flattens space. */
export function invert(m: Affine): number[] | null {
  const [a, b, c, d, e, f, g, h, i] = [
    m[0]!, m[1]!, m[2]!, m[4]!, m[5]!, m[6]!, m[8]!, m[9]!, m[10]!,
  ];
  const [A, B, C] = [e * i - f * h, f * g - d * i, d * h - e * g];
  const determinant = a * A + b * B + c * C;
  if (!Number.isFinite(1 / determinant)) return null;
  const s = 1 / determinant;
  const linear = [
    A * s, (c * h - b * i) * s, (b * f - c * e) * s,
    B * s, (a * i - c * g) * s, (c * d - a * f) * s,
    C * s, (b * g - a * h) * s, (a * e - b * d) * s,
  ];
  const shift = (r: number) =>
    -(linear[3 * r]! * m[3]! + linear[3 * r + 1]! * m[7]! + linear[3 * r + 2]! * m[11]!);
  return [0, 1, 2].flatMap((r) => [...linear.slice(3 * r, 3 * r + 3), shift(r)]);
}

/** The map that takes the unit cube to a box. */
export function ofBox(min: ArrayLike<number>, max: ArrayLike<number>): number[] {
  const row = (k: number) => {
    const cells = [0, 0, 0, min[k]!];
    cells[k] = max[k]! - min[k]!;
    return cells;
  };
  return [0, 1, 2].flatMap(row);
}

/** The corners of the image of the unit cube: bit k of the number is coordinate k. */
export function corners(map: Affine): Point[] {
  return Array.from({ length: 8 }, (_, n) => apply(map, [n & 1, (n >> 1) & 1, (n >> 2) & 1]));
}

/** The twelve edges of a box, as numbers of its corners. */
export const EDGES: readonly (readonly [number, number])[] = [
  [0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7],
];

/** A box that grows by what is put into it. */
export class Bounds {
  min: Point = [Infinity, Infinity, Infinity];
  max: Point = [-Infinity, -Infinity, -Infinity];

  add(point: ArrayLike<number>): void {
    for (let k = 0; k < 3; k++) {
      this.min[k] = Math.min(this.min[k]!, point[k]!);
      this.max[k] = Math.max(this.max[k]!, point[k]!);
    }
  }

  /** Points one after the other. */
  addAll(points: Float32Array): void {
    const { min, max } = this;
    for (let k = 0; k < points.length; k += 3) {
      for (let axis = 0; axis < 3; axis++) {
        const value = points[k + axis]!;
        if (value < min[axis]!) min[axis] = value;
        if (value > max[axis]!) max[axis] = value;
      }
    }
  }

  get isEmpty(): boolean {
    return !this.min.every((value, k) => value <= this.max[k]!);
  }

  get middle(): Point {
    return [0, 1, 2].map((k) => (this.min[k]! + this.max[k]!) / 2) as Point;
  }

  get radius(): number {
    return Math.hypot(...[0, 1, 2].map((k) => this.max[k]! - this.min[k]!)) / 2;
  }
}
