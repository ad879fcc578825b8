// What there is to draw: triangles and boxes of BLASes, and where instances place them.

import { NO_ENTRY } from "../../outline";
import type { Answer, GeometryArrays } from "../../protocol";
import {
  type Affine, apply, Bounds, compose, corners, IDENTITY, invert, ofBox, type Point, turn,
} from "./affine";

/** A BLAS: its triangles come first, then its boxes. */
export interface Blas {
  triangles: number;
  boxes: number;
  firstPrimitive: number;
  firstTriangle: number;
  firstBox: number;
}

/** Where a BLAS stands: the instance, or null where there are none. */
export interface Place {
  instance: number | null;
  map: Affine;
}

export interface Picked {
  primitive: number;
  instance: number | null;
  t: number;
}

/** What is drawn. */
export class Geometry {
  readonly blases: Blas[] = [];
  readonly primitives: number;
  /** The outline's entry of each instance. */
  readonly instanceEntries: readonly (number | null)[];
  private readonly places: Place[][];
  /** Those that are drawn. */
  private shownPlaces: readonly (readonly Place[])[];
  private readonly extents: Bounds[] = [];

  /** The BLAS of each instance. */
  private readonly levels: number[];
  private readonly arrays: GeometryArrays;

  constructor(answer: Answer<"geometry">) {
    this.arrays = answer.arrays;
    let [primitive, triangle, box] = [0, 0, 0];
    for (const { triangles, boxes } of answer.blases) {
      const first = { firstPrimitive: primitive, firstTriangle: triangle, firstBox: box };
      this.blases.push({ triangles, boxes, ...first });
      primitive += triangles + boxes;
      triangle += triangles;
      box += boxes;
    }
    this.primitives = primitive;
    this.levels = answer.instances.map(({ blas }) => blas);
    this.instanceEntries = answer.instances.map(({ entry }) => entry);
    this.places = this.blases.map(() => []);
    answer.instances.forEach(({ blas }, instance) => {
      const map = this.arrays.transforms.subarray(12 * instance, 12 * instance + 12);
      this.places[blas]?.push({ instance, map });
    });
    if (answer.instances.length === 0 && this.blases.length === 1) {
      this.places[0]!.push({ instance: null, map: IDENTITY });
    }
    this.shownPlaces = this.places;
  }

  /** Leaves instances out whose state is negative. */
  showInstances(states: Int8Array): void {
    const isShown = ({ instance }: Place) => instance === null || states[instance]! >= 0;
    const isAll = states.every((state) => state >= 0);
    this.shownPlaces = isAll ? this.places : this.places.map((all) => all.filter(isShown));
  }

  /** No geometry at all. */
  static none(): Geometry {
    const [floats, words] = [new Float32Array(), new Uint32Array()];
    const arrays = {
      positions: floats, boxes: floats, transforms: floats, ids: words, leaf: words,
    };
    return new Geometry({ primitives: 0, first: 0, count: 0, blases: [], instances: [], arrays });
  }

  /** Where a level is drawn: a BLAS at its instances, the TLAS where it is. */
  placesOf(level: number): readonly Place[] {
    return this.shownPlaces[level] ?? [{ instance: null, map: IDENTITY }];
  }

  positionsOf(blas: number): Float32Array {
    const { firstTriangle, triangles } = this.blases[blas]!;
    return this.arrays.positions.subarray(9 * firstTriangle, 9 * (firstTriangle + triangles));
  }

  /** Lower and upper corners of the procedural boxes of a BLAS. */
  boxesOf(blas: number): Float32Array {
    const { firstBox, boxes } = this.blases[blas]!;
    return this.arrays.boxes.subarray(6 * firstBox, 6 * (firstBox + boxes));
  }

  /** The BLAS that a primitive belongs to. */
  levelOf(primitive: number): number {
    let [low, high] = [0, this.blases.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.blases[middle]!.firstPrimitive <= primitive) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The corners of a triangle in its own space; null for a box. */
  triangle(primitive: number): [Point, Point, Point] | null {
    const blas = this.blases[this.levelOf(primitive)];
    const number = blas ? primitive - blas.firstPrimitive : NaN;
    if (!blas || !(number < blas.triangles)) return null;
    const at = 9 * (blas.firstTriangle + number);
    const corner = (k: number) =>
      Array.from(this.arrays.positions.subarray(at + 3 * k, at + 3 * k + 3)) as Point;
    return [corner(0), corner(1), corner(2)];
  }

  /** The map of the unit cube to a procedural box; null for a triangle. */
  procedural(primitive: number): Affine | null {
    const blas = this.blases[this.levelOf(primitive)];
    const number = blas ? primitive - blas.firstPrimitive - blas.triangles : NaN;
    if (!blas || !(number >= 0)) return null;
    const at = 6 * (blas.firstBox + number);
    const { boxes } = this.arrays;
    return ofBox(boxes.subarray(at, at + 3), boxes.subarray(at + 3, at + 6));
  }

  /** The primitive that a hit names, and where it stands. */
  locate(
    instance: number,
    geometry: number,
    primitive: number,
  ): { primitive: number; map: Affine } | null {
    const number = this.levels[instance] ?? 0;
    const level = this.blases[number];
    if (!level) return null;
    const places = this.placesOf(number);
    const map = (places.find((place) => place.instance === instance) ?? places[0])?.map;
    const end = level.firstPrimitive + level.triangles + level.boxes;
    const { ids } = this.arrays;
    for (let k = level.firstPrimitive; k < end; k++) {
      if (ids[2 * k] === geometry && ids[2 * k + 1] === primitive) {
        return { primitive: k, map: map ?? IDENTITY };
      }
    }
    return null;
  }

  /** Geometry and number of a primitive. */
  idsOf(primitive: number): { geometry: number; primitive: number } {
    const [geometry, number] = this.arrays.ids.subarray(2 * primitive, 2 * primitive + 2);
    return { geometry: geometry!, primitive: number! };
  }

  /** The outline's entry that refers to each primitive first, or `NO_ENTRY`. */
  get leaves(): Uint32Array {
    return this.arrays.leaf;
  }

  leafOf(primitive: number): number | null {
    const leaf = this.leaves[primitive]!;
    return leaf === NO_ENTRY ? null : leaf;
  }

  /** The box of a BLAS in its own space. */
  extent(blas: number): Bounds {
    const known = this.extents[blas];
    if (known) return known;
    const extent = new Bounds();
    extent.addAll(this.positionsOf(blas));
    extent.addAll(this.boxesOf(blas));
    this.extents[blas] = extent;
    return extent;
  }

  /** Makes a box hold everything, where it stands. */
  addTo(bounds: Bounds): void {
    this.blases.forEach((_, number) => {
      const { min, max, isEmpty } = this.extent(number);
      if (isEmpty) return;
      for (const { map } of this.placesOf(number)) {
        for (const corner of corners(compose(map, ofBox(min, max)))) bounds.add(corner);
      }
    });
  }

  /** The first primitive on a ray, of those that `isShown` lets through. */
  pick(origin: Point, direction: Point, isShown: (primitive: number) => boolean): Picked | null {
    let best: Picked | null = null;
    for (let number = 0; number < this.blases.length; number++) {
      for (const { instance, map } of this.placesOf(number)) {
        const inverse = invert(map);
        if (!inverse) continue;
        const ray = new PickRay(apply(inverse, origin), turn(inverse, direction));
        const { min, max } = this.extent(number);
        if (ray.box(min, max) >= (best?.t ?? Infinity)) continue;
        const found = this.pickIn(number, ray, best?.t ?? Infinity, isShown);
        if (found) best = { ...found, instance };
      }
    }
    return best;
  }

  private pickIn(
    number: number,
    ray: PickRay,
    end: number,
    isShown: (primitive: number) => boolean,
  ): { primitive: number; t: number } | null {
    const blas = this.blases[number]!;
    const { positions, boxes } = this.arrays;
    let best: { primitive: number; t: number } | null = null;
    for (let k = 0; k < blas.triangles; k++) {
      const t = ray.triangle(positions, 9 * (blas.firstTriangle + k));
      const primitive = blas.firstPrimitive + k;
      if (t < end && isShown(primitive)) [best, end] = [{ primitive, t }, t];
    }
    for (let k = 0; k < blas.boxes; k++) {
      const at = 6 * (blas.firstBox + k);
      const t = ray.box(boxes.subarray(at, at + 3), boxes.subarray(at + 3, at + 6));
      const primitive = blas.firstPrimitive + blas.triangles + k;
      if (t < end && isShown(primitive)) [best, end] = [{ primitive, t }, t];
    }
    return best;
  }
}

/** A ray of the pointer. What it meets is shown to a person: plain arithmetic is enough. */
class PickRay {
  constructor(
    private readonly o: Point,
    private readonly d: Point,
  ) {}

  /** Where it enters a box; infinity for a miss. */
  box(min: ArrayLike<number>, max: ArrayLike<number>): number {
    let [near, far] = [0, Infinity];
    for (let k = 0; k < 3; k++) {
      const a = (min[k]! - this.o[k]!) / this.d[k]!;
      const b = (max[k]! - this.o[k]!) / this.d[k]!;
      near = Math.max(near, Math.min(a, b));
      far = Math.min(far, Math.max(a, b));
    }
    return near <= far ? near : Infinity;
  }

  /** Where it meets the triangle whose nine coordinates begin at `at`; infinity for a miss. */
  triangle(p: Float32Array, at: number): number {
    const [ox, oy, oz] = this.o;
    const [dx, dy, dz] = this.d;
    const [ax, ay, az] = [p[at]!, p[at + 1]!, p[at + 2]!];
    const e1x = p[at + 3]! - ax;
    const e1y = p[at + 4]! - ay;
    const e1z = p[at + 5]! - az;
    const e2x = p[at + 6]! - ax;
    const e2y = p[at + 7]! - ay;
    const e2z = p[at + 8]! - az;
    const px = dy * e2z - dz * e2y;
    const py = dz * e2x - dx * e2z;
    const pz = dx * e2y - dy * e2x;
    const inverse = 1 / (e1x * px + e1y * py + e1z * pz);
    const [sx, sy, sz] = [ox - ax, oy - ay, oz - az];
    const u = (sx * px + sy * py + sz * pz) * inverse;
    if (!(u >= 0 && u <= 1)) return Infinity;
    const qx = sy * e1z - sz * e1y;
    const qy = sz * e1x - sx * e1z;
    const qz = sx * e1y - sy * e1x;
    const v = (dx * qx + dy * qy + dz * qz) * inverse;
    if (!(v >= 0 && u + v <= 1)) return Infinity;
    const t = (e2x * qx + e2y * qy + e2z * qz) * inverse;
    return t > 0 ? t : Infinity;
  }
}
