import assert from "node:assert/strict";
import { test } from "node:test";
import {
  contentHeight, isScaled, lastTop, scrollTopOf, topAt, topToShow, visibleRows,
} from "../src/virtual";

const short = { rows: 100, rowHeight: 24, height: 600 };
const long = { rows: 3_000_000, rowHeight: 24, height: 590 };

test("a short list scrolls pixel by pixel", () => {
  assert.equal(contentHeight(short), 2400);
  assert.ok(!isScaled(short));
  assert.equal(topAt(short, 0), 0);
  assert.equal(topAt(short, 36), 1.5);
  assert.equal(scrollTopOf(short, 1.5), 36);
  assert.deepEqual(visibleRows(short, 1.5), [1, 27]);
});

test("a list that fits does not scroll", () => {
  const few = { rows: 3, rowHeight: 24, height: 600 };
  assert.equal(lastTop(few), 0);
  assert.equal(topAt(few, 50), 0);
  assert.deepEqual(visibleRows(few, 0), [0, 3]);
  assert.deepEqual(visibleRows({ ...few, rows: 0 }, 0), [0, 0]);
});

test("a scroll bar is scaled where elements cannot be high enough; its ends are the list's", () => {
  assert.ok(isScaled(long));
  assert.ok(contentHeight(long) < 17_000_000);
  assert.equal(topAt(long, 0), 0);
  const end = contentHeight(long) - long.height;
  assert.equal(topAt(long, end), lastTop(long));
  assert.equal(visibleRows(long, lastTop(long))[1], long.rows);
});

test("every row of a scaled list can be brought to the top", () => {
  for (const row of [0, 1, 2, 999_999, 1_000_000, 2_718_281]) {
    assert.ok(Math.abs(topAt(long, scrollTopOf(long, row)) - row) < 1e-6);
  }
});

test("showing a row scrolls no further than needed", () => {
  assert.equal(topToShow(short, 10, 12), 10);
  assert.equal(topToShow(short, 10, 9), 9);
  assert.equal(topToShow(short, 10, 35), 11);
  const far = topToShow(short, 0, 60);
  assert.ok(far < 60 && far + 25 > 61);
  assert.equal(topToShow(short, 0, 99), lastTop(short));
});
