import assert from "node:assert/strict";
import { test } from "node:test";
import { ordinal } from "../src/format";
import { inWords, operandsOf } from "../src/views/program/operands";
import { say } from "../src/views/program/last";
import { asFloat, calledAs, changedNames } from "../src/views/program/registers";

test("registers are called as objdump calls them", () => {
  const all = Array.from({ length: 32 }, (_, at) => calledAs(`x${at}`));
  assert.deepEqual(all.slice(0, 12),
    ["zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1"]);
  assert.deepEqual(all.slice(17, 20), ["a7", "s2", "s3"]);
  assert.deepEqual(all.slice(27), ["s11", "t3", "t4", "t5", "t6"]);
  assert.equal(new Set(all).size, 32);
  assert.equal(calledAs("mstatus"), null);
});

test("changed is what has another value, not what is new", () => {
  const before = [["pc", "0x0"], ["x1", "0x5"]] as const;
  const now = [["pc", "0x4"], ["x1", "0x5"], ["x2", "0x1"]] as const;
  assert.deepEqual([...changedNames(before, now)], ["pc"]);
});

test("a float is the lower half of a register", () => {
  assert.equal(asFloat("0x40200000"), 2.5);
  assert.equal(asFloat("0xffffffffbf800000"), -1);
});

test("what an instruction did is said in a line", () => {
  assert.equal(say([{ i: 0, hit: true, values: [1.5, 2] }]), "i 0, hit true, values 1.5; 2");
  assert.equal(say([]), "none");
  assert.equal(say(null), "null");
});

test("operands are told with what their registers hold", () => {
  const registers = [["x8", "0x80001000"], ["x14", "0x2a"], ["f1", "0x0"]] as const;
  assert.deepEqual(operandsOf("a4, -8(s0), cull_back, 0x8", registers), [
    { text: "a4", registers: [["a4", "0x2a"]] },
    { text: "-8(s0)", registers: [["s0", "0x80001000"]] },
    { text: "cull_back", registers: [] },
    { text: "0x8", registers: [] },
  ]);
  assert.deepEqual(operandsOf("", registers), []);
  assert.equal(inWords("0x40200000"), "1075838976 or 2.5");
  assert.equal(inWords("0x2a"), "42");
});

test("ordinals end as they are said", () => {
  assert.deepEqual([1, 2, 3, 4, 11, 12, 22, 113].map(ordinal),
    ["1st", "2nd", "3rd", "4th", "11th", "12th", "22nd", "113th"]);
});
