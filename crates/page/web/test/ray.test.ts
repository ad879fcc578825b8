import assert from "node:assert/strict";
import { test } from "node:test";
import type { Query, Ray, Step, Summary, Vector, Walk } from "../src/protocol";
import { SHAPES, shapeNames, shapeOf } from "../src/query";
import { initial, type Page } from "../src/store";
import { walkWords } from "../src/views/bytes";
import { answerOf } from "../src/views/ray/answer";
import { crossing, explain } from "../src/views/ray/culled";
import { rayInside } from "../src/views/ray/detail";
import { Losses } from "../src/views/ray/lost";
import { offers } from "../src/views/ray/offers";
import { parseNumbers } from "../src/views/ray/query_form";
import { single } from "../src/views/ray/single";
import { idsText, parsePrimitive } from "../src/views/ray/why";
import { type ChildStep, WalkModel } from "../src/views/walk_model";

const shift = [[1, 0, 0, -10], [0, 1, 0, 0], [0, 0, 1, 0]];
const hit = { t: 4, instance: 7, geometry: 0, primitive: 3 };

/** A root, an instance below it with one node, and back. */
function walk(extra: Partial<Walk> = {}): Walk {
  const child = (slot: number, verdict: string) =>
    ({ event: "child", slot, pointer: "0x1", min: [0, 0, 0], max: [1, 1, 1], verdict });
  const events: object[] = [
    { event: "node", pointer: "0x15", address: "0x80" },
    child(0, "visit"),
    child(1, "miss"),
    { event: "instance", instance: 7, world_to_object: shift },
    { event: "node", pointer: "0x25", address: "0x90" },
    child(0, "visit"),
    { event: "accept", hit },
    { event: "leave" },
    { event: "pop", pointer: null },
    { event: "overflow", lost: 2 },
  ];
  const steps = events.map((event, step) => ({ ...event, step }) as Step);
  const entries = events.map((_, k) => (k === 0 ? 0 : k === 4 ? 9 : null));
  return {
    source: "stored", steps, texts: [], stacks: [], entries, answer: null, error: null, why: null,
    ...extra,
  };
}

test("steps know their node and their instance", () => {
  const model = new WalkModel(walk());
  assert.deepEqual(Array.from(model.nodeAt), [0, 0, 0, 0, 4, 4, 4, 0, 0, 0]);
  assert.deepEqual(Array.from(model.instanceAt), [-1, -1, -1, -1, 7, 7, 7, -1, -1, -1]);
  assert.equal(model.mapAt(5)[3], 10);
  assert.equal(model.mapAt(8)[3], 0);
  assert.deepEqual(model.childrenAt(8).map((child) => child.step), [1, 2]);
  assert.deepEqual(model.childrenAt(4).map((child) => child.step), [5]);
});

test("a clock says for which instance a unit acts", () => {
  const clock = (instance: number | null) => ({ event: "clock", step: 0, instance });
  const node = { event: "node", step: 0 };
  const steps = [clock(null), node, clock(7), node, clock(null), { event: "pop", step: 5 }];
  const model = new WalkModel(walk({ steps }));
  assert.deepEqual(Array.from(model.nodeAt), [-1, 1, -1, 3, 1, 1]);
  assert.deepEqual(Array.from(model.instanceAt), [-1, -1, 7, 7, -1, -1]);
});

test("a walk is searched for hits, nodes and losses", () => {
  const model = new WalkModel(walk());
  assert.equal(model.nextHit(0), 6);
  assert.equal(model.nextHit(6), null);
  assert.equal(model.hitAt(5), null);
  assert.deepEqual(model.hitAt(9), hit);
  assert.equal(model.nextVisit(0, 9), 4);
  assert.equal(model.nextVisit(8, 9), 4);
  assert.equal(model.nextVisit(0, 5), null);
  assert.equal(model.nextLoss(0), 9);
  // What lies behind the best hit is left out, not lost.
  const at = (event: string) => new WalkModel(walk({
    steps: ["node", "skip", "refuse", event].map((each, step) => ({ event: each, step })),
  }));
  assert.equal(at("end").nextLoss(0), null);
  assert.equal(at("restart").nextLoss(0), 3);
  const entered = walk();
  entered.entries[3] = 5;
  assert.equal(new WalkModel(entered).nextVisit(0, 5), 3);
  const why = { node: "0x15", address: "0x80", child: 1 };
  assert.equal(new WalkModel(walk({ why })).nextLoss(0), 2);
});

test("the box of an oriented node's child is turned back", () => {
  const model = new WalkModel(walk());
  const child = { ...model.walk.steps[5], frame: [[0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 1, 0]] };
  const map = model.mapOf(child as unknown as ChildStep);
  assert.deepEqual(Array.from(map, (value) => value + 0), [0, -1, 0, 10, 1, 0, 0, 0, 0, 0, 1, 0]);
});

test("a miss is told by the planes that the ray passes", () => {
  const [min, max]: [Vector, Vector] = [[1, 5, -1], [2, 6, 1]];
  const found = crossing([0, 0, 0], [1, 1, 0], min, max);
  assert.deepEqual(found, { enters: { plane: "y = 5", t: 5 }, leaves: { plane: "x = 2", t: 2 } });
  assert.deepEqual(crossing([0, 0, 3], [1, 1, 0], min, max), { outside: "z = 1" });
  const ray = { origin: [0, 0, 0], direction: [1, 1, 0] } as never;
  const range = { tmin: 0, tmax: Infinity, best: null };
  const text = explain("miss", null, ray, { min, max }, range);
  assert.equal(text, "The ray leaves by x = 2 at t 2 before it enters by y = 5 at t 5.");
  const behind = explain("behind", [5, 6], ray, { min, max }, { ...range, best: 4 });
  assert.equal(behind, "Its box begins at t 5, behind the best hit, at t 4.");
  const culled = explain("culled", [5, 6], ray, { min: [1, 1, -1], max: [2, 2, 1] }, range);
  assert.match(culled, /^Flags .* let nothing below it be hit\.$/);
});

test("a ray is shown within an instance, and none of a beam", () => {
  const step = { event: "instance", step: 3, origin: [1, 2, 3], direction: [0, 0, -1] };
  assert.deepEqual(rayInside(step), [["origin", "1, 2, 3"], ["direction", "0, 0, -1"]]);
  assert.deepEqual(rayInside({ ...step, origin: null, direction: null }), []);
});

test("what a walk has found, in words", () => {
  const found = (hits: object[]) => answerOf(walk({ answer: { hits } }));
  assert.equal(found([]), "no hit");
  assert.equal(found([hit]), "1 hit at t 4");
  assert.equal(found([hit, hit]), "2 hits, first at t 4");
  assert.equal(answerOf(walk({ nothing: "the mask is 0" })), "no hit: the mask is 0");
  assert.equal(answerOf(walk({ error: "the walk is stuck" })), "the walk is stuck");
  const state = { ...initial, summary: { machines: ["gpurt"] } as never };
  const query = { kind: "closest", ray: {} } as never;
  assert.equal(walkWords(state), "no ray is asked about");
  assert.equal(walkWords({ ...state, query, walk: walk({ answer: { hits: [hit] } }) }),
    "1 hit at t 4");
  assert.equal(walkWords({ ...state, summary: { machines: [] } as never }),
    "no machine walks an unsound file");
});

test("what is typed is read, or refused in words", () => {
  const { ray, pixel } = SHAPES;
  const [origin, , range] = ray.parts;
  assert.deepEqual(parseNumbers("1, -2.5  3e2", origin!), [1, -2.5, 300]);
  assert.throws(() => parseNumbers("1, 2", origin!), /Origin: three numbers expected/);
  assert.throws(() => parseNumbers("1, 2, inf", origin!), /Origin: three numbers expected/);
  assert.throws(() => parseNumbers("1, x", pixel.parts[0]!), /Pixel: two numbers/);
  assert.deepEqual(parseNumbers(" ", range!), [0, Infinity]);
  assert.deepEqual(parseNumbers("0.5 ∞", range!), [0.5, Infinity]);
  assert.deepEqual(parsePrimitive("300"), { primitive: 300 });
  const three = { instance: 2, geometry: 0, primitive: 300 };
  assert.deepEqual(parsePrimitive("2 : 0:300"), three);
  assert.equal(idsText(three), "2:0:300");
  assert.equal(idsText({ primitive: 300 }), "300");
  assert.throws(() => parsePrimitive("a:1"), /expected/);
  assert.throws(() => parsePrimitive(""), /expected/);
});

test("what a ray meets before the closest hit of its walk is lost", async () => {
  const arrays = {
    positions: Float32Array.from([-1, -1, 3, 1, -1, 3, 0, 2, 3, -1, -1, 7, 1, -1, 7, 0, 2, 7]),
    ids: Uint32Array.from([0, 4, 0, 5]), leaf: new Uint32Array(2), boxes: new Float32Array(),
    transforms: new Float32Array(),
  };
  const geometry = async () => ({ blases: [{ triangles: 2, boxes: 0 }], instances: [], arrays });
  const state = { summary: { triangles: 2 }, revision: 0 };
  const losses = new Losses({ state, geometry } as unknown as Page);
  const ray = { origin: [0, 0, 0], direction: [0, 0, 2] } as Ray;
  const query: Query = { kind: "closest", ray };
  const found = (t: number, change: object = {}) =>
    losses.find(query, walk({ ray: { ...ray, ...change }, answer: { hits: [{ ...hit, t }] } }));
  assert.deepEqual(await found(3.5), { geometry: 0, primitive: 4, t: 1.5 });
  assert.equal(await found(1.5), null);
  assert.equal(await found(3.5, { tmin: 2 }), null);
  assert.equal(await found(3.5, { tmax: 1 }), null);
  assert.equal(await losses.find({ ...query, mask: 1 }, walk({ ray })), null);
});

test("one query of each shape is offered, within what there is", () => {
  const camera = { name: "", eye: [0, 1, 9], target: [0, 1, 0], up: [0, 1, 0], fov: 35 };
  const bounds = { min: [-2, 0, -1], max: [2, 1, 1] };
  const found = offers({ cameras: [camera], bounds } as unknown as Summary);
  assert.deepEqual(found.map((query) => shapeOf(query).name).sort(), [...shapeNames].sort());
  const ray = found.find((query) => "ray" in query);
  assert.deepEqual(ray, { kind: "closest", ray: { origin: [0, 1, 9], direction: [0, 0, -9] } });
  assert.equal(offers({ cameras: [], bounds: null } as unknown as Summary).length, 1);
});

test("floats have no more digits than tell them apart", () => {
  assert.equal(single(Math.fround(0.1)), "0.1");
  assert.equal(single(Math.fround(2.6460233)), "2.6460233");
  assert.equal(single(Infinity), "∞");
});
