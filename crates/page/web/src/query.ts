// A query as a line of text, for the address: `closest:0,1,5:0,0,-1`, `any:px:120,80:640,360`,
// `all:beam:0,0,0:1,1,1:5,0,0:6,1,1`. Behind a ray there may be `:tmin,tmax`; `&255` is a mask.

import type { Query, Vector } from "./protocol";

const kinds = ["closest", "any", "all"] as const;

export function queryToText(query: Query): string {
  const mask = query.mask === undefined ? "" : `&${query.mask}`;
  return [query.kind, ...parts(query)].join(":") + mask;
}

function parts(query: Query): (string | Vector | number[])[] {
  if ("beam" in query) return ["beam", ...query.beam.from, ...query.beam.to];
  if ("pixel" in query) return ["px", query.pixel, query.size];
  const { origin, direction, tmin, tmax } = query.ray;
  const range = tmin === undefined && tmax === undefined ? [] : [[tmin ?? 0, tmax ?? Infinity]];
  return [origin, direction, ...range];
}

export function queryFromText(text: string): Query | null {
  const [body, mask] = text.split("&");
  const [kind, ...words] = (body ?? "").split(":");
  const isKnown = kinds.find(each => each === kind);
  if (!isKnown) return null;
  const shared = { kind: isKnown, ...(mask && { mask: Number(mask) }) };
  if (words[0] === "beam") {
    const corners = words.slice(1).map(word => numbers(word, 3));
    const [a, b, c, d] = corners as (Vector | null)[];
    return a && b && c && d ? { ...shared, beam: { from: [a, b], to: [c, d] } } : null;
  }
  if (words[0] === "px") {
    const [pixel, size] = words.slice(1).map(word => numbers(word, 2)) as [number, number][];
    return pixel && size ? { ...shared, pixel, size } : null;
  }
  const origin = numbers(words[0], 3) as Vector | null;
  const direction = numbers(words[1], 3) as Vector | null;
  if (!origin || !direction) return null;
  const range = numbers(words[2], 2);
  const tmax = range && Number.isFinite(range[1]) ? { tmax: range[1]! } : {};
  return { ...shared, ray: { origin, direction, ...(range && { tmin: range[0]!, ...tmax }) } };
}

function numbers(word: string | undefined, count: number): number[] | null {
  const found = word?.split(",").map(Number) ?? [];
  return found.length === count && !found.some(Number.isNaN) ? found : null;
}
