// Renders from small to large, the large heat map in stripes: a first picture is there at once,
// a step or a click is answered in between, and what nobody waits for any more never starts.

import type { Answer, Request } from "../../protocol";
import { figuresOf } from "./figures";
import { ladder, type Size } from "./ladder";

export type Plan = Omit<Request<"render">, "do" | "size">;

export interface Frame {
  plan: Plan;
  size: Size;
  /** Of a heat map, the count of each pixel. */
  counts: Uint32Array | null;
  /** Of other pictures, three bytes a pixel. */
  pixels: Uint8Array | null;
  figures: Record<string, number>;
  /** What the library says about the picture. */
  warnings: readonly string[];
  /** How much is done, 0 to 1. */
  share: number;
}

type Ask = (request: Request<"render">) => Promise<Answer<"render">>;

/** Milliseconds that a stripe should take. */
const STRIPE = 250;

export async function* renderProgressively(
  ask: Ask, plan: Plan, whole: Size,
): AsyncGenerator<Frame> {
  const sizes = ladder(whole);
  const all = sizes.reduce((sum, [width, height]) => sum + width * height, 0);
  const costs: { pixels: number; time: number }[] = [];
  let last: Frame | null = null;
  let done = 0;
  for (const size of sizes) {
    const pixels = size[0] * size[1];
    const begin = performance.now();
    const stripes = last?.counts ? Math.min(stripesFor(pixels, costs), size[1]) : 1;
    const parts: AsyncGenerator<Frame> = stripes > 1 && last
      ? renderStripes(ask, plan, size, stripes, last)
      : renderWhole(ask, plan, size);
    for await (const frame of parts) {
      last = { ...frame, share: (done + frame.share * pixels) / all };
      yield last;
    }
    done += pixels;
    costs.push({ pixels, time: performance.now() - begin });
  }
}

/**
 * How many stripes a picture of so many pixels needs. A request costs something before its first
 * pixel: stripes must not cost more by that than by their pixels.
 */
export function stripesFor(
  pixels: number, costs: readonly { pixels: number; time: number }[],
): number {
  const [a, b] = costs.slice(-2);
  if (!a || !b) return 1;
  const each = Math.max((b.time - a.time) / (b.pixels - a.pixels), 0);
  const before = Math.max(a.time - each * a.pixels, 1);
  const work = each * pixels;
  return Math.max(1, Math.ceil(Math.min(work / STRIPE, work / before)));
}

async function* renderWhole(ask: Ask, plan: Plan, size: Size): AsyncGenerator<Frame> {
  const { arrays: { counts, pixels }, ...answer } =
    await ask({ do: "render", ...plan, size: [...size] });
  const figures = (answer.figures ?? {}) as Record<string, number>;
  yield {
    plan, size, counts: counts ?? null, pixels: counts ? null : pixels, figures,
    warnings: answer.warnings, share: 1,
  };
}

async function* renderStripes(
  ask: Ask, plan: Plan, size: Size, stripes: number, before: Frame,
): AsyncGenerator<Frame> {
  const [width, height] = size;
  const counts = enlarged(before, size);
  for (let stripe = 0; stripe < stripes; stripe++) {
    const row = (k: number) => Math.round((height * k) / stripes);
    const rows: [number, number] = [row(stripe), row(stripe + 1)];
    const { arrays } = await ask({ do: "render", ...plan, size: [...size], rows });
    counts.set(arrays.counts!, rows[0] * width);
    const share = (stripe + 1) / stripes;
    const figures = share === 1 ? { ...figuresOf(counts) } : before.figures;
    yield { plan, size, counts, pixels: null, figures, warnings: before.warnings, share };
  }
}

/** A smaller map in a larger size, until the larger one is there. */
function enlarged({ counts, size }: Frame, [width, height]: Size): Uint32Array {
  const large = new Uint32Array(width * height);
  for (let y = 0; y < height; y++) {
    const from = Math.floor((y * size[1]) / height) * size[0];
    for (let x = 0; x < width; x++) {
      large[y * width + x] = counts![from + Math.floor((x * size[0]) / width)]!;
    }
  }
  return large;
}
