import assert from "node:assert/strict";
import { test } from "node:test";
import { colourOf, shareOf } from "../src/colouring";
import { toCsv } from "../src/csv";
import { savedName } from "../src/edits";
import { bytes, percent, plural } from "../src/format";
import { History } from "../src/history";
import { findings, worstNodes } from "../src/views/tables/contents";
import { geometriesOf } from "../src/views/tables/geometries";
import { largest, orderRows, type Column } from "../src/views/tables/order";
import { kinds, smallOutline } from "./outline";

test("the largest values come first, equal ones in their order, NaN never", () => {
  assert.deepEqual(largest(Float32Array.of(3, NaN, 7, 1, 7, 5), 4), [2, 4, 5, 0]);
  assert.deepEqual(largest([2, 1], 9), [0, 1]);
  // Against sorting, on values of an order that is no order.
  const values = Float64Array.from({ length: 5000 }, (_, at) => (at * 7919) % 4999);
  const sorted = [...values.keys()].sort((a, b) => values[b]! - values[a]! || a - b);
  assert.deepEqual(largest(values, 37), sorted.slice(0, 37));
});

test("rows are filtered by words in any cell and sorted by values, not by their text", () => {
  const names = ["box", "leaf", "Box", "instance"];
  const sizes = [9, 100, NaN, 20];
  const columns: Column[] = [
    { title: "Kind", least: 50, value: row => names[row]! },
    { title: "Size", least: 50, value: row => sizes[row]!, text: row => `${sizes[row]} B` },
  ];
  assert.deepEqual(orderRows(4, columns, "", null), [0, 1, 2, 3]);
  assert.deepEqual(orderRows(4, columns, "box", null), [0, 2]);
  assert.deepEqual(orderRows(4, columns, "b 100", null), [1]);
  assert.deepEqual(orderRows(4, columns, "", { column: 1, isDown: true }), [1, 3, 0, 2]);
  assert.deepEqual(orderRows(4, columns, "", { column: 0, isDown: false }), [0, 2, 3, 1]);
});

test("a column may sort by a rank, and its file has the word", () => {
  const severities = ["warning", "note", "error"] as const;
  const check = { findings: severities.map(severity => ({ severity })), nodes: 3 };
  const { columns, count } = findings({} as never, check as never);
  const [severity] = columns;
  const order = orderRows(count, columns.slice(0, 1), "", { column: 0, isDown: true });
  assert.deepEqual(order.map(row => severity!.value(row)), ["error", "warning", "note"]);
});

test("worst nodes are those that are read, and say of how many", () => {
  const outline = smallOutline();
  const { columns, count, of } = worstNodes({} as never, outline, { kinds } as never, "cost");
  assert.deepEqual([count, of], [6, 6]);
  const heads = columns.map(({ title }) => title);
  assert.deepEqual(heads, ["Node", "Kind", "Depth", "Cost", "Overlap", "Emptiness", "Below"]);
  assert.match(columns[3]!.about!, /^Area of its box as a share/);
});

test("CSV quotes what needs it", () => {
  assert.equal(toCsv(["a", "b"], [["1,5", 'x"y'], ["", "z"]]), 'a,b\r\n"1,5","x""y"\r\n,z\r\n');
});

test("sums of geometries take boxes behind the triangles of their BLAS", () => {
  const positions = Float32Array.from([
    0, 0, 0, 3, 0, 0, 0, 4, 0,
    1, 1, 1, 1, 1, 1, 1, 1, 1,
    0, 0, 5, 0, 2, 5, 2, 0, 5,
  ]);
  const sums = geometriesOf({
    step: 1, primitives: 4, first: 0, count: 4,
    blases: [{ triangles: 2, boxes: 1 }, { triangles: 1, boxes: 0 }],
    instances: [],
    arrays: {
      positions, ids: Uint32Array.of(0, 0, 1, 0, 2, 0, 0, 0), leaf: Uint32Array.of(4, 5, 6, 9),
      boxes: new Float32Array(6), transforms: new Float32Array(),
    },
  });
  assert.deepEqual(sums, [
    { blas: 0, geometry: 0, triangles: 1, boxes: 0, area: 6, first: 0, leaf: 4 },
    { blas: 0, geometry: 1, triangles: 1, boxes: 0, area: 0, first: 0, leaf: 5 },
    { blas: 0, geometry: 2, triangles: 0, boxes: 1, area: 0, first: 0, leaf: 6 },
    { blas: 1, geometry: 0, triangles: 1, boxes: 0, area: 2, first: 0, leaf: 9 },
  ]);
});

test("undo and redo walk a line; a new edit forgets what was undone", () => {
  const history = new History<string>();
  assert.equal(history.back(), null);
  history.push("a");
  history.push("b");
  assert.equal(history.back(), "b");
  assert.equal(history.forth(), "b");
  assert.equal(history.forth(), null);
  history.back();
  history.push("c");
  assert.deepEqual([history.done, history.undone], [2, 0]);
  assert.equal(history.back(), "c");
  assert.equal(history.back(), "a");
});

test("colours go from good to bad; what is not known is good", () => {
  const outline = smallOutline();
  const cost = shareOf(outline, "cost")!;
  assert.equal(cost(0), 1);
  assert.ok(cost(1) > cost(2));
  assert.equal(cost(6), 0);
  assert.equal(shareOf(outline, "emptiness")!(0), 1);
  assert.notDeepEqual(colourOf(outline, "id")(1), colourOf(outline, "id")(2));
  assert.notDeepEqual(colourOf(outline, "severity")(2), colourOf(outline, "severity")(0));
});

test("figures", () => {
  assert.equal(plural(1, "node"), "1 node");
  assert.equal(plural(1234567, "node"), "1,234,567 nodes");
  assert.deepEqual([0, 999, 54468, 123456789].map(bytes), ["0 B", "999 B", "54.5 KB", "123 MB"]);
  assert.deepEqual([0, 0.5, 0.0123, 1e-6, NaN].map(percent),
    ["0 %", "50 %", "1.2 %", "<0.01 %", "–"]);
  assert.equal(savedName("scene.v2.rra", true), "scene.v2-edited.rra");
  assert.equal(savedName("dump", false), "dump");
});
