import assert from "node:assert/strict";
import { test } from "node:test";
import { entryOf, indexIn, parentOf, wayTo } from "../src/outline";
import { filteredRows, noFilter, openRows, openTop, reveal } from "../src/views/tree/rows";
import { smallOutline } from "./outline";

const outline = smallOutline();

test("rows are what is open", () => {
  const isOpen = new Uint8Array(7);
  assert.deepEqual([...openRows(outline, isOpen)], [0]);
  isOpen[0] = 1;
  assert.deepEqual([...openRows(outline, isOpen)], [0, 1, 5, 6]);
  isOpen[3] = 1;
  assert.deepEqual([...openRows(outline, isOpen)], [0, 1, 5, 6]);
  isOpen[1] = 1;
  assert.deepEqual([...openRows(outline, isOpen)], [0, 1, 2, 3, 4, 5, 6]);
});

test("at first as many levels are open as fill a screen, and always the root", () => {
  const isOpen = new Uint8Array(7);
  openTop(outline, isOpen);
  assert.deepEqual([...isOpen], [1, 1, 1, 1, 0, 1, 1]);
  const wide = { ...outline, depth: Uint16Array.of(0, 1, ...Array(60).fill(2), 3) };
  const few = new Uint8Array(63);
  openTop(wide, few);
  assert.deepEqual([...few.slice(0, 3), few[62]], [1, 0, 0, 0]);
  const broad = { ...outline, depth: Uint16Array.of(0, ...Array(60).fill(1)) };
  const all = new Uint8Array(61);
  openTop(broad, all);
  assert.equal(all[0], 1);
});

test("revealing opens what is above, and says whether that changed anything", () => {
  const isOpen = new Uint8Array(7);
  assert.ok(reveal(outline, isOpen, 4));
  assert.deepEqual([...isOpen], [1, 1, 0, 1, 0, 0, 0]);
  assert.ok(!reveal(outline, isOpen, 4));
});

test("the row of an entry is found, or -1", () => {
  const rows = Uint32Array.of(0, 1, 5, 6);
  assert.deepEqual([0, 1, 2, 5, 6, 7].map(entry => indexIn(rows, entry)), [0, 1, -1, 2, 3, -1]);
  assert.equal(indexIn(new Uint32Array(), 0), -1);
});

test("filters go by kind, by finding, and by the first digits of a pointer", () => {
  const by = (change: object) => [...filteredRows(outline, { ...noFilter, ...change })];
  assert.deepEqual(by({ kind: 2 }), [2, 6]);
  assert.deepEqual(by({ hasFinding: true }), [2, 5]);
  assert.deepEqual(by({ text: "0x25" }), [1, 5]);
  assert.deepEqual(by({ text: "25", kind: 1 }), []);
  assert.deepEqual(by({ text: "zebra" }), []);
});

test("the way from the root, and back", () => {
  assert.deepEqual(wayTo(outline, 4), [0, 1, 3, 4]);
  assert.equal(parentOf(outline, 4), 3);
  assert.equal(parentOf(outline, 0), null);
});

test("below an instance, the same pointer is another node", () => {
  assert.equal(entryOf(outline, 0x15n, null), 0);
  assert.equal(entryOf(outline, 0x15n, 0x3000n), 4);
  assert.equal(entryOf(outline, 0x99n, null), null);
});
