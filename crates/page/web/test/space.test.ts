import assert from "node:assert/strict";
import { test } from "node:test";
import { readGeometry, spread } from "../src/drawn";
import type { Answer } from "../src/protocol";
import type { Point } from "../src/views/space/affine";
import { apply, Bounds, compose, corners, invert, ofBox, turn } from "../src/views/space/affine";
import { unitCube } from "../src/views/space/cubes";
import { Geometry } from "../src/views/space/geometry";
import { countFound } from "../src/views/space/highlight";
import { instanceStates, withinLevels } from "../src/views/space/instances";
import { paintPrimitives } from "../src/views/space/paint";
import { ofBeam, ofVolume } from "../src/views/space/shapes";
import { boxOf, MOST_BOXES, place, type Wanted, wantedEntries } from "../src/views/space/shown";
import { smallOutline } from "./outline";

const skew = [2, 0.5, 0, 3, 0, -1, 0.25, 7, 0.125, 0, 4, -2];

function near(left: ArrayLike<number>, right: ArrayLike<number>): void {
  assert.equal(left.length, right.length);
  Array.from(left).forEach((value, k) => assert.ok(Math.abs(value - right[k]!) < 1e-9, `${left}`));
}

test("a map and its inverse cancel out, in both orders", () => {
  const back = invert(skew)!;
  near(compose(back, skew), [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);
  near(compose(skew, back), [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);
  near(apply(back, apply(skew, [5, -3, 2])), [5, -3, 2]);
});

test("a map that flattens space has no inverse, and directions do not move", () => {
  assert.equal(invert([1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0]), null);
  near(turn([1, 0, 0, 9, 0, 1, 0, 9, 0, 0, 1, 9], [1, 2, 3]), [1, 2, 3]);
});

test("corners of a box are its own", () => {
  const found = corners(ofBox([1, 2, 3], [4, 6, 8]));
  near(found[0]!, [1, 2, 3]);
  near(found[1]!, [4, 2, 3]);
  near(found[6]!, [1, 6, 8]);
  const bounds = new Bounds();
  assert.ok(bounds.isEmpty);
  found.forEach((corner) => bounds.add(corner));
  near(bounds.middle, [2.5, 4, 5.5]);
  near([bounds.radius], [Math.hypot(3, 4, 5) / 2]);
});

/** Two BLASes: a triangle in each and a box in the second, which stands twice. */
function scenery(entries = [0, 0, 0]): Geometry {
  const shift = (x: number) => [1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0];
  return new Geometry({
    primitives: 3, first: 0, count: 3,
    blases: [{ triangles: 1, boxes: 0 }, { triangles: 1, boxes: 1 }],
    instances: [0, 1, 1].map((blas, k) => ({
      blas, entry: entries[k]!, custom_index: 0, mask: 255, sbt_offset: 0, flags: 0,
    })),
    arrays: {
      positions: Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1, 2, 0, -1, 0, 2, -1]),
      ids: Uint32Array.from([0, 0, 3, 8, 3, 9]),
      boxes: Float32Array.from([5, 5, 5, 6, 6, 6]),
      leaf: Uint32Array.from([2, 4, 6]),
      transforms: Float32Array.from([...shift(0), ...shift(10), ...shift(20)]),
    },
  });
}

test("pointing finds the nearest primitive and its instance", () => {
  const geometry = scenery();
  const all = () => true;
  const down: Point = [0, 0, -1];
  const first = geometry.pick([0.2, 0.3, 5], down, all)!;
  assert.deepEqual([first.primitive, first.instance, first.t], [0, 0, 5]);
  const placed = geometry.pick([20.5, 0.5, 5], down, all)!;
  assert.deepEqual([placed.primitive, placed.instance, placed.t], [1, 2, 6]);
  const box = geometry.pick([15.5, 5.5, 9], down, all)!;
  assert.deepEqual([box.primitive, box.instance, box.t], [2, 1, 3]);
  assert.equal(geometry.pick([0.2, 0.3, 5], down, (primitive) => primitive !== 0), null);
  assert.equal(geometry.pick([0.9, 0.9, 5], down, all), null);
});

test("a hit's ids lead to the primitive and to where it stands", () => {
  const geometry = scenery();
  const found = geometry.locate(2, 3, 9)!;
  assert.equal(found.primitive, 2);
  assert.equal(found.map[3], 20);
  assert.equal(geometry.locate(2, 3, 7), null);
  assert.deepEqual(geometry.idsOf(1), { geometry: 3, primitive: 8 });
  assert.equal(geometry.triangle(2), null);
  near(geometry.procedural(2)!, ofBox([5, 5, 5], [6, 6, 6]));
});

test("boxes are chosen by depth, level and subtree, and stand at every instance", () => {
  const outline = smallOutline();
  const geometry = scenery();
  outline.level.set([2, 2, 2, 2, 1, 2, 2]);
  outline.bounds.fill(1);
  outline.bounds.set([NaN], 6 * 5);
  const both: Wanted = { depths: [0, 3], levels: "both", isolated: null, hidden: new Set() };
  const entries = (change: Partial<Wanted>) =>
    Array.from(wantedEntries(outline, geometry, { ...both, ...change }).entries);
  assert.deepEqual(entries({}), [0, 1, 2, 3, 4]);
  assert.equal(wantedEntries(outline, geometry, both).boxes, 6);
  assert.deepEqual(entries({ depths: [1, 2] }), [1, 2, 3]);
  assert.deepEqual(entries({ levels: "blas" }), [4]);
  assert.deepEqual(entries({ levels: "none" }), []);
  assert.deepEqual(entries({ isolated: 3 }), [3, 4]);
  assert.deepEqual(entries({ hidden: new Set([1]) }), [0, 4]);
  assert.equal(boxOf(outline, 5), null);
  const drawn: number[] = [];
  place(outline, geometry, [4, 0], 2, (map) => drawn.push(map[3]!));
  assert.deepEqual(drawn, [11, 21]);
});

test("a BLAS is drawn where its instances are, wherever it stands in the outline", () => {
  const outline = smallOutline();
  outline.level.set([2, 2, 2, 2, 1, 2, 2]);
  outline.bounds.fill(1);
  // The second BLAS stands below entry 3 in the outline, and at entries 3 and 5 in space.
  const geometry = scenery([2, 3, 5]);
  const entries = (isolated: number | null, ...hidden: number[]) => {
    const choice = { outline, selection: null, isolated, hidden: new Set(hidden) };
    geometry.showInstances(instanceStates(geometry, choice));
    const wanted: Wanted = { ...choice, depths: [0, 3], levels: "both" };
    return Array.from(wantedEntries(outline, geometry, wanted).entries);
  };
  assert.deepEqual(entries(5), [4, 5]);
  assert.deepEqual(entries(2), [2]);
  assert.deepEqual(entries(null, 3), [0, 1, 2, 4, 5]);
  assert.deepEqual(entries(null, 3, 5), [0, 1, 2]);
});

test("of too many boxes those of whole depths are drawn, and some of the next", () => {
  const outline = smallOutline();
  outline.bounds.fill(1);
  outline.level.fill(9);
  const geometry = scenery();
  const places = Array.from({ length: MOST_BOXES - 3 }, () => geometry.placesOf(9)[0]!);
  const many = { blases: geometry.blases, instanceEntries: [], placesOf: (level: number) =>
    level === 7 ? places : geometry.placesOf(level) } as unknown as Geometry;
  outline.level[3] = 7;
  const wanted: Wanted = { depths: [0, 9], levels: "both", isolated: null, hidden: new Set() };
  const { entries, boxes } = wantedEntries(outline, many, wanted);
  assert.equal(boxes, MOST_BOXES - 3 + 5);
  assert.deepEqual(entries, [0, 1, 5, 2, 3]);
  let drawn = 0;
  place(outline, many, entries, MOST_BOXES, () => drawn++);
  assert.equal(drawn, MOST_BOXES);
});

test("a box in a frame is turned with it", () => {
  const outline = {
    ...smallOutline(),
    oriented: {
      entry: Uint32Array.of(2),
      bounds: Float32Array.of(0, 0, 0, 2, 1, 1),
      frame: Uint32Array.of(1),
      frames: Float32Array.from([...skew, 0, -1, 0, 5, 1, 0, 0, 0, 0, 0, 1, 0]),
    },
  };
  near(corners(boxOf(outline, 2)!)[1]!, [5, 2, 0]);
  near(corners(boxOf(outline, 1)!)[7]!, [0, 0, 0]);
});

test("primitives of a subtree that is hidden are not painted, selected ones stand out", () => {
  const geometry = scenery();
  const paint = new Uint32Array(3);
  const how = { outline: smallOutline(), selection: 4, isolated: null, colourOf: null };
  paintPrimitives(paint, geometry, { ...how, hidden: new Set([1]) });
  assert.deepEqual([paint[0], paint[1]], [0, 0]);
  assert.equal(paint[2]! >>> 24, 255);
  paintPrimitives(paint, geometry, { ...how, hidden: new Set() });
  assert.equal(paint[0]! >>> 24, 255);
  assert.notEqual(paint[0], paint[1]);
  assert.equal(paint[0], paint[2]);
});

test("the whole is as large as what stands in it", () => {
  const whole = new Bounds();
  scenery().addTo(whole);
  assert.deepEqual([whole.min, whole.max], [[0, 0, -1], [26, 6, 6]]);
});

test("neighbours get slots far apart, and each slot is given once", () => {
  for (const count of [0, 1, 2, 7, 100, 4099]) {
    const slotOf = spread(count);
    const slots = Array.from({ length: count }, (_, k) => slotOf(k));
    assert.deepEqual([...slots].sort((a, b) => a - b), [...Array(count).keys()]);
    const first = slots.filter((slot, k) => k < count / 2 && slot < count / 5);
    assert.ok(count < 100 || Math.abs(first.length * 10 - count) < 0.2 * count);
  }
});

test("geometry comes in pieces, and every primitive keeps what belongs to it", async () => {
  const blases = [[5, 2], [0, 1], [3, 0]].map(([triangles, boxes]) =>
    ({ triangles: triangles!, boxes: boxes! }));
  const isBox = [5, 6, 7];
  const piece = (first: number, count: number): Answer<"geometry"> => {
    const own = Array.from({ length: count }, (_, k) => first + k);
    const rows = (numbers: number[], length: number) =>
      numbers.flatMap((n) => Array.from({ length }, (_, k) => 100 * n + k));
    const boxes = own.filter((n) => isBox.includes(n));
    return {
      primitives: 11, first, count, blases: first ? [] : blases, instances: [],
      arrays: {
        positions: Float32Array.from(rows(own.filter((n) => !isBox.includes(n)), 9)),
        ids: Uint32Array.from(own.flatMap((n) => [7, n])),
        boxes: Float32Array.from(rows(boxes, 6)),
        leaf: Uint32Array.from(own, (n) => 50 + n),
        transforms: new Float32Array(),
      },
    };
  };
  const asked: (number | undefined)[] = [];
  const answer = await readGeometry(async ({ first }) => {
    asked.push(first);
    return piece(first ?? 0, Math.min(4, 11 - (first ?? 0)));
  }, 99);
  assert.deepEqual(asked, [undefined, 4, 8]);
  const geometry = new Geometry(answer);
  const seen = Array.from({ length: 11 }, (_, primitive) => {
    const { primitive: number } = geometry.idsOf(primitive);
    assert.equal(geometry.leafOf(primitive), 50 + number);
    const triangle = geometry.triangle(primitive);
    assert.equal(triangle === null, isBox.includes(number));
    if (triangle) assert.equal(triangle[0][0], 100 * number);
    else near([geometry.procedural(primitive)![3]!], [100 * number]);
    return number;
  });
  assert.deepEqual(seen.sort((a, b) => a - b), [...Array(11).keys()]);
});

test("what is walked with is drawn by its edges, as far as it goes", () => {
  const from: [Point, Point] = [[0, 0, 0], [1, 1, 1]];
  const beam = ofBeam({ from, to: [[5, 0, 0], [6, 1, 1]], leaf: "exact" });
  assert.equal(beam.length, 32);
  assert.deepEqual(beam.at(-1), [[1, 1, 1], [6, 1, 1]]);
  assert.equal(ofBeam({ from, to: null, leaf: "exact" }).length, 12);
  const sphere = ofVolume({ sphere: { centre: [1, 2, 3], radius: 0.5 } }, 9).flat();
  for (const [x, y, z] of sphere) near([Math.hypot(x - 1, y - 2, z - 3)], [0.5]);
  const axes = { eye: [0, 0, 5], forward: [0, 0, -1], right: [0.5, 0, 0], up: [0, 0.25, 0] };
  const frustum = ofVolume({ frustum: { ...axes, near: 1, far: null } } as never, 4);
  assert.deepEqual(frustum[0], [[-0.5, -0.25, 4], [0.5, -0.25, 4]]);
  assert.deepEqual(frustum[6], [[2, 1, 1], [-2, 1, 1]]);
});

test("above instances, whole instances are selected, hidden and isolated", () => {
  const outline = smallOutline();
  outline.level.set([2, 2, 2, 2, 1, 2, 2]);
  const geometry = scenery([2, 3, 6]);
  const all = { outline, selection: null, isolated: null, hidden: new Set<number>() };
  const states = (change: object) => [...instanceStates(geometry, { ...all, ...change })];
  assert.deepEqual(states({ selection: 1 }), [1, 1, 0]);
  assert.deepEqual(states({ selection: 0 }), [0, 0, 0]);
  assert.deepEqual(states({ selection: 4 }), [0, 0, 0]);
  assert.deepEqual(states({ isolated: 3, selection: 3 }), [-1, 1, -1]);
  assert.deepEqual(states({ hidden: new Set([3, 6]) }), [0, -1, -1]);
  const within = withinLevels(geometry, { ...all, selection: 4, hidden: new Set([3, 4]) });
  assert.deepEqual([within.selection, [...within.hidden]], [4, [4]]);
  assert.equal(withinLevels(geometry, { ...all, selection: 1 }).selection, null);
  geometry.showInstances(Int8Array.of(0, -1, 1));
  assert.deepEqual(geometry.placesOf(1).map(({ instance }) => instance), [2]);
});

test("the cube has twelve triangles, and edges only where it has edges", () => {
  const { positions, corners } = unitCube();
  assert.equal(positions.length, 12 * 9);
  assert.equal(corners.length, 12 * 9);
  const at = (list: number[], corner: number) => list.slice(3 * corner, 3 * corner + 3);
  let edges = 0;
  for (let triangle = 0; triangle < 12; triangle++) {
    for (let opposite = 0; opposite < 3; opposite++) {
      const [a, b] = [1, 2].map(k => 3 * triangle + (opposite + k) % 3) as [number, number];
      // An edge is where the share of the corner opposite to it is 0 at both of its ends.
      if (at(corners, a)[opposite] !== 0 || at(corners, b)[opposite] !== 0) continue;
      const [from, to] = [at(positions, a), at(positions, b)];
      assert.equal(from.filter((value, axis) => value !== to[axis]).length, 1);
      edges++;
    }
  }
  assert.equal(edges, 24);
});

test("nodes with findings are counted beyond those that are marked", () => {
  const severity = Uint8Array.from({ length: 450 }, (_, k) => k % 2 ? 3 : 1);
  assert.equal(countFound({ ...smallOutline(), severity }), 225);
});
