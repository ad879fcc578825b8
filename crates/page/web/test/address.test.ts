import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, isMeant, readAddress } from "../src/address";
import { isProgram } from "../src/opening";
import type { Query, Ray, Summary } from "../src/protocol";
import { readPlace } from "../src/place";
import { queryFromText, queryToText } from "../src/query";
import { initial } from "../src/store";
import { smallOutline } from "./outline";

const hash = "0123456789abcdef".repeat(4);
const summary = {
  name: "Würfel & Co.rra", format: "gfx12", source: "stored",
  structure: 1, structures: [{}, {}],
} as unknown as Summary;

test("a link names file, node, query, step, machine and panel, and is read back", () => {
  const query: Query = {
    kind: "any", mask: 3, ray: { origin: [0, 1.5, -2e-7], direction: [1, 0, 0], tmax: 9 },
  };
  const text = addressOf({
    ...initial, summary, hash, origin: { kind: "file", name: summary.name },
    outline: smallOutline(),
    selection: 4, query, walk: {} as never, step: 12, machine: "gpurt", panel: "ray",
  });
  assert.deepEqual(readAddress(`#${text}`), {
    file: "0123456789abcdef",
    origin: { kind: "file", name: summary.name },
    format: null,
    structure: 1,
    node: { pointer: 0x15n, base: 0x3000n },
    query,
    step: 12,
    machine: "gpurt",
    panel: "ray",
  });
  assert.ok(isMeant(readAddress(text), hash));
  assert.ok(!isMeant(readAddress(text), "f".repeat(64)));
});

test("a pixel becomes its ray, which needs no camera, and may have no end", () => {
  const ray: Ray = { origin: [0, 0, 5], direction: [0, 0, -1] };
  const link = (walked: Ray) => readAddress(addressOf({
    ...initial, summary, origin: { kind: "file", name: "a" },
    query: { kind: "closest", pixel: [3, 4], size: [64, 32] }, walk: { ray: walked } as never,
  })).query;
  assert.deepEqual(link({ ...ray, tmin: 0, tmax: null }), { kind: "closest", ray });
  const part = { ...ray, tmin: 1, tmax: 9 };
  assert.deepEqual(link(part), { kind: "closest", ray: part });
});

test("a built-in scene is named with its size", () => {
  const origin = { kind: "builtin", name: "forest", triangles: 5000 } as const;
  assert.deepEqual(readAddress(addressOf({ ...initial, summary, origin })).origin, origin);
});

test("nonsense in a link is passed over", () => {
  const address = readAddress("#node=banana&query=fast:1,2&step=-4&panel=kitchen&structure=x");
  assert.deepEqual(Object.values(address).filter(value => value !== null), []);
});

test("queries of every kind survive", () => {
  const queries: Query[] = [
    { kind: "closest", ray: { origin: [1, 2, 3], direction: [0.1, -0.25, 1e-9] } },
    { kind: "all", ray: { origin: [1, 2, 3], direction: [0, 0, 1], tmin: 0.5 } },
    { kind: "any", pixel: [10, 20], size: [640, 360] },
    { kind: "all", mask: 255, beam: { from: [[0, 0, 0], [1, 1, 1]], to: [[5, 0, 0], [6, 1, 1]] } },
    { kind: "all", mask: 7, exact: true, sphere: { centre: [0, 1, -2], radius: 2.5 } },
    {
      kind: "any",
      frustum: { eye: [0, 1, 3], target: [0, 1, 0], fov: 35, aspect: 1.5, near: 0, far: Infinity },
    },
  ];
  for (const query of queries) assert.deepEqual(queryFromText(queryToText(query)), query);
});

test("programs are told by their first bytes or by their name", () => {
  const text = new TextEncoder().encode("# as");
  assert.ok(isProgram("a.out", Uint8Array.of(0x7f, 0x45, 0x4c, 0x46)));
  assert.ok(isProgram("walk.s", text));
  assert.ok(!isProgram("walk.rra", text));
  assert.ok(!isProgram("empty", new Uint8Array()));
});

test("places that a hand types", () => {
  assert.deepEqual(readPlace("0x15"), { pointer: 0x15n });
  assert.deepEqual(readPlace(" @0x1c80 "), { offset: 0x1c80 });
  assert.deepEqual(readPlace("@324"), { offset: 324 });
  assert.deepEqual(readPlace("1042"), { primitive: 1042 });
  assert.deepEqual(readPlace("2:1042"), { geometry: 2, primitive: 1042 });
  assert.deepEqual(readPlace("0.1, -2, 3e1"), { point: [0.1, -2, 30] });
  assert.equal(readPlace("show heat"), null);
});
