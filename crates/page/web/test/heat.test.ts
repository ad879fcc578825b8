import assert from "node:assert/strict";
import { test } from "node:test";
import { fovIn } from "../src/field_of_view";
import type { Answer, Request } from "../src/protocol";
import { colourOf, histogram, paintCounts, widen } from "../src/views/heat/colours";
import { figuresOf, roundUp } from "../src/views/heat/figures";
import { ladder } from "../src/views/heat/ladder";
import { type Frame, renderProgressively, stripesFor } from "../src/views/heat/progressive";

test("sizes grow to the one that is asked for, from a small one", () => {
  assert.deepEqual(ladder([640, 360]), [[80, 45], [160, 90], [320, 180], [640, 360]]);
  assert.deepEqual(ladder([48, 48]), [[48, 48]]);
  assert.deepEqual(ladder([333, 100]).at(0), [84, 25]);
});

test("colours of counts are those of the library", () => {
  assert.deepEqual(colourOf(0, 40), [22, 11, 57]);
  assert.deepEqual(colourOf(40, 40), [253, 240, 150]);
  assert.deepEqual(colourOf(400, 40), [253, 240, 150]);
  assert.deepEqual(colourOf(20, 40), [20, 143, 139]);
  assert.deepEqual(colourOf(7, 40), [44, 51, 122]);
  assert.deepEqual(Array.from(paintCounts(Uint32Array.of(0, 99), 40)),
    [22, 11, 57, 255, 253, 240, 150, 255]);
  const wide = Array.from(widen(Uint8Array.of(1, 2, 3, 4, 5, 6)));
  assert.deepEqual(wide, [1, 2, 3, 255, 4, 5, 6, 255]);
});

test("figures of a map are those of the library", () => {
  const counts = Uint32Array.from({ length: 1001 }, (_, k) => (k * 10) % 1001);
  const figures = figuresOf(counts);
  assert.deepEqual(figures, {
    brightest: 1000, least: 0, median: 500, mean: 500, percentile_99: 990, most: 1000,
  });
  assert.deepEqual([0, 1, 9, 61, 700, 801].map(roundUp), [1, 1, 10, 80, 800, 1000]);
  assert.deepEqual(histogram(Uint32Array.of(0, 9, 10, 25, 99), 20, 2), [2, 3]);
});

test("a picture that takes long comes in stripes, unless each costs much before it begins", () => {
  const costs = (before: number, each: number) =>
    [1000, 4000].map((pixels) => ({ pixels, time: before + each * pixels }));
  assert.equal(stripesFor(16000, costs(5, 0.01)), 1);
  assert.equal(stripesFor(16000, costs(5, 0.1)), 7);
  assert.equal(stripesFor(16000, costs(800, 0.1)), 2);
  assert.equal(stripesFor(1e6, costs(5, 1)), 4000);
  assert.equal(stripesFor(16000, []), 1);
});

test("stripes put together are the map", async context => {
  const asked: unknown[] = [];
  let clock = 0;
  context.mock.method(performance, "now", () => clock);
  const ask = async (request: Request<"render">) => {
    const { size, rows } = request as { size: [number, number]; rows?: [number, number] };
    asked.push(rows ?? size);
    clock += rows ? 0 : (size[0] * size[1]) / 300;
    const [from, to] = rows ?? [0, size[1]];
    const [first, length] = [from * size[0], (to - from) * size[0]];
    const counts = Uint32Array.from({ length }, (_, k) => first + k);
    const figures = { brightest: 1 };
    return { what: "boxes", figures, arrays: { counts } } as unknown as Answer<"render">;
  };
  const frames: Frame[] = [];
  const plan = { machine: "reference", what: "boxes" };
  for await (const frame of renderProgressively(ask, plan, [640, 360])) frames.push(frame);
  const last = frames.at(-1)!;
  assert.ok(asked.length > 5, `${asked.length} requests`);
  assert.deepEqual(last.size, [640, 360]);
  assert.equal(last.share, 1);
  assert.ok(last.counts!.every((count, k) => count === k));
  assert.equal(last.figures.most, 640 * 360 - 1);
});

test("a narrow picture sees as much to the sides as one of 4 to 3", () => {
  const wide = (aspect: number) => aspect * Math.tan((fovIn(aspect, 40) * Math.PI) / 360);
  assert.equal(fovIn(4 / 3, 40).toFixed(6), "40.000000");
  assert.equal(fovIn(2, 40).toFixed(6), "40.000000");
  assert.ok(Math.abs(wide(0.5) - wide(4 / 3)) < 1e-12);
});
