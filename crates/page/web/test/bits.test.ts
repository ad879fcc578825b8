import assert from "node:assert/strict";
import { test } from "node:test";
import type { Field, Finding } from "../src/protocol";
import {
  editOf, findingRange, groupOf, meets, ownersOf, readValue, valueOf,
} from "../src/views/bytes/bits";

function field(name: string, first: number, end: number): Field {
  const texts = { raw: "", value: "", meaning: "", unit: "", source: "" };
  return { name, bits: [first, end], ...texts, link: null };
}

test("each bit belongs to the narrowest field around it", () => {
  const owners = ownersOf([field("all", 0, 16), field("flag", 3, 4), field("high", 12, 16)], 3);
  assert.equal(owners[0], 0);
  assert.equal(owners[3], 1);
  assert.equal(owners[12], 2);
  assert.equal(owners[16], -1);
  assert.equal(owners.length, 24);
});

test("values are read across bytes, lowest bit first", () => {
  const data = Uint8Array.of(0xf3, 0xa5, 0x0c);
  assert.equal(valueOf(data, [0, 8]), 0xf3n);
  assert.equal(valueOf(data, [4, 16]), 0xa5fn);
  assert.equal(valueOf(data, [14, 20]), 0b110010n);
});

test("an edit says from which byte and bit on", () => {
  assert.deepEqual(editOf(324, [428, 440], 0xabcn), {
    offset: 324 + 53, bit: 4, length: 12, value: "0xabc",
  });
});

test("what is typed has to be a number that fits", () => {
  assert.equal(readValue("0x1f", 5), 31n);
  assert.equal(readValue(" 0b1_0000 ", 5), 16n);
  assert.equal(readValue("0xffffffffffffffff", 64), 0xffffffffffffffffn);
  assert.match(String(readValue("32", 5)), /more than 5 bits/);
  assert.match(String(readValue("-1", 5)), /expected/);
  assert.match(String(readValue("", 5)), /expected/);
});

test("the bits of a finding are counted from its offset, fields' from the record's", () => {
  const finding = { offset: 324, bits: [832, 928] } as Finding;
  assert.deepEqual(findingRange(finding, 324, 128), [832, 928]);
  assert.deepEqual(findingRange(finding, 420, 64), [64, 160]);
  assert.deepEqual(findingRange({ ...finding, bits: [0, 2048] }, 340, 8), [0, 64]);
  assert.equal(findingRange(finding, 448, 128), null);
  assert.equal(findingRange(finding, null, 128), null);
});

test("ranges meet where they share a bit; groups are what is before the last dot", () => {
  assert.ok(meets([0, 8], [7, 9]));
  assert.ok(!meets([0, 8], [8, 9]));
  assert.equal(groupOf("children[1].max_y"), "children[1]");
  assert.equal(groupOf("parent"), "");
  assert.equal(groupOf("bytes, max. of a vertex"), "");
});
