// What is asked, as rows of numbers: for the form and for the address, where a query is a line of
// text: `closest:0,1,5:0,0,-1`, `any:px:120,80:640,360`, `all:beam:0,0,0:1,1,1:5,0,0:6,1,1`. Behind
// a ray there may be `:tmin,tmax`; `&255` is a mask, and `!` asks for exact leaves.

import type { Query, Shape, Vector } from "./protocol";

const kinds = ["closest", "any", "all"] as const;

export type ShapeName = "ray" | "pixel" | "beam" | "sphere" | "frustum";

/** One row of numbers. */
export interface Part {
  label: string;
  count: 1 | 2 | 3;
  /** What stands there where nothing is given; without it, something must be. */
  otherwise?: readonly number[];
  example: string;
}

type Rows = readonly (readonly number[])[];

interface ShapeForm {
  /** Its name in an address; a ray needs none. */
  word: string;
  title: string;
  parts: readonly Part[];
  /** The rows of a query of this shape; null for one of another shape. */
  rows(query: Query): Rows | null;
  query(rows: Rows): Shape;
}

const part = (label: string, count: Part["count"], example: string): Part =>
  ({ label, count, example });

export const SHAPES: Readonly<Record<ShapeName, ShapeForm>> = {
  ray: {
    word: "",
    title: "Ray",
    parts: [
      part("Origin", 3, "0, 0, 5"), part("Direction", 3, "0, 0, -1"),
      { ...part("t from, to", 2, "0, ∞"), otherwise: [0, Infinity] },
    ],
    rows: query => {
      if (!("ray" in query)) return null;
      const { origin, direction, tmin = 0, tmax } = query.ray;
      return [origin, direction, [tmin, tmax ?? Infinity]];
    },
    query: ([origin, direction, range]) => {
      const [tmin, tmax] = range as [number, number];
      const bounds = { ...(tmin !== 0 && { tmin }), ...(tmax !== Infinity && { tmax }) };
      return { ray: { origin: vector(origin), direction: vector(direction), ...bounds } };
    },
  },
  pixel: {
    word: "px",
    title: "Pixel",
    parts: [part("Pixel", 2, "320, 180"), part("of a picture of", 2, "640, 360")],
    rows: query => "pixel" in query ? [query.pixel, query.size] : null,
    query: ([pixel, size]) => ({
      pixel: pixel as [number, number], size: size as [number, number],
    }),
  },
  beam: {
    word: "beam",
    title: "Beam",
    parts: [
      part("From", 3, "-1, -1, 5"), part("to", 3, "1, 1, 6"),
      part("Ends as", 3, "-1, -1, -6"), part("to", 3, "1, 1, -5"),
    ],
    rows: query => "beam" in query ? [...query.beam.from, ...query.beam.to] : null,
    query: ([a, b, c, d]) => ({
      beam: { from: [vector(a), vector(b)], to: [vector(c), vector(d)] },
    }),
  },
  sphere: {
    word: "sphere",
    title: "Sphere",
    parts: [part("Centre", 3, "0, 1, 0"), part("Radius", 1, "2.5")],
    rows: query => "sphere" in query ? [query.sphere.centre, [query.sphere.radius]] : null,
    query: ([centre, radius]) => ({ sphere: { centre: vector(centre), radius: radius![0]! } }),
  },
  frustum: {
    word: "frustum",
    title: "Frustum",
    parts: [
      part("Eye", 3, "0, 1, 3"), part("Looks at", 3, "0, 1, 0"),
      { ...part("Degrees high", 1, "40"), otherwise: [40] },
      { ...part("Wide to high", 1, "1.333"), otherwise: [4 / 3] },
      { ...part("Depth from, to", 2, "0, ∞"), otherwise: [0, Infinity] },
    ],
    rows: query => {
      if (!("frustum" in query)) return null;
      const { eye, target, fov, aspect, near, far } = query.frustum;
      return [eye, target, [fov], [aspect], [near, far]];
    },
    query: ([eye, target, fov, aspect, depths]) => ({
      frustum: {
        eye: vector(eye), target: vector(target), fov: fov![0]!, aspect: aspect![0]!,
        near: depths![0]!, far: depths![1]!,
      },
    }),
  },
};

export const shapeNames = Object.keys(SHAPES) as ShapeName[];

export function isUsual(row: readonly number[], { otherwise }: Part): boolean {
  return otherwise !== undefined && row.every((value, k) => value === otherwise[k]);
}

function vector(row: readonly number[] | undefined): Vector {
  return row as Vector;
}

export function shapeOf(query: Query): { name: ShapeName; rows: Rows } {
  for (const name of shapeNames) {
    const rows = SHAPES[name].rows(query);
    if (rows) return { name, rows };
  }
  throw new Error("a query of no shape");
}

export function queryToText(query: Query): string {
  const mask = query.mask === undefined ? "" : `&${query.mask}`;
  const exact = query.exact ? "!" : "";
  const { name, rows } = shapeOf(query);
  const { word, parts } = SHAPES[name];
  let end = rows.length;
  while (end > 0 && isUsual(rows[end - 1]!, parts[end - 1]!)) end--;
  const words = [query.kind, word, ...rows.slice(0, end)].filter(each => each !== "");
  return words.join(":") + mask + exact;
}

export function queryFromText(text: string): Query | null {
  const isExact = text.endsWith("!");
  const [body, mask] = text.replace(/!$/, "").split("&");
  const [kind, ...words] = (body ?? "").split(":");
  const isKnown = kinds.find(each => each === kind);
  const name = shapeNames.find(each => SHAPES[each].word === words[0]) ?? "ray";
  const { parts, query } = SHAPES[name];
  const given = name === "ray" ? words : words.slice(1);
  const rows = parts.map(({ count, otherwise }, k) =>
    given[k] === undefined ? otherwise ?? null : numbers(given[k], count));
  if (!isKnown || given.length > parts.length) return null;
  if (!rows.every((row): row is number[] => row !== null)) return null;
  const shared = { ...(mask && { mask: Number(mask) }), ...(isExact && { exact: true }) };
  return { kind: isKnown, ...shared, ...query(rows) } as Query;
}

function numbers(word: string, count: number): number[] | null {
  const found = word.split(",").map(Number);
  return found.length === count && !found.some(Number.isNaN) ? found : null;
}
