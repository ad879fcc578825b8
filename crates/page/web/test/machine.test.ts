import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf, readRun } from "../src/views/machine/answer";
import {
  combinations, parseSecond, parseSettings, parseSweep, refuseBoth,
} from "../src/views/machine/form";

test("settings, sweeps and second configurations are read, or refused in words", () => {
  assert.deepEqual(parseSettings(" slots=64, l0_mshrs=16 "), ["slots=64", "l0_mshrs=16"]);
  assert.throws(() => parseSettings("slots 64"), /slots: KEY=VALUE expected/);
  const slots = { key: "slots", values: ["8", "16", "32"] };
  const units = { key: "units", values: ["1", "2"] };
  assert.deepEqual(parseSweep("slots = 8, 16,32"), [slots]);
  assert.deepEqual(parseSweep("slots=8 16,32; units=1,2"), [slots, units]);
  assert.deepEqual(parseSweep("  "), []);
  assert.throws(() => parseSweep("slots=8"), /slots=8: KEY=A,B,C expected/);
  const many = Array.from({ length: 15 }, (_, k) => k).join(",");
  assert.throws(() => parseSweep(`slots=${many} units=${many}`), /225 runs, expected at most 200/);
  assert.deepEqual(combinations([units, { key: "l", values: ["a", "b"] }]),
    [["units=1", "l=a"], ["units=1", "l=b"], ["units=2", "l=a"], ["units=2", "l=b"]]);
  assert.deepEqual(combinations([]), [[]]);
  const first = { config: "patent", set: ["slots=8"] };
  assert.deepEqual(parseSecond("deep", first, ["patent", "deep"]), { config: "deep", set: [] });
  assert.deepEqual(parseSecond("units=2", first, []), {
    config: "patent", set: ["slots=8", "units=2"],
  });
  assert.equal(parseSecond("", first, []), null);
  assert.throws(() => refuseBoth(first, [slots]), /only one of them expected/);
  refuseBoth(null, [slots]);
  refuseBoth(first, []);
});

test("a run is read with its samples and events, where there are some", () => {
  const row = { config: { slots: 32 }, config_name: "patent", settings: { units: "2" } };
  const arrays = { cycle: new Float64Array(2), event_slot: new Uint16Array(1) };
  const run = readRun({
    runs: [row], series: [{ slots: 64 }], timeline: { cut: true, states: ["free"] }, arrays,
  });
  assert.equal(nameOf(run), "patent, units=2");
  assert.equal(run.slots, 64);
  assert.equal(run.timeline?.slots, 32);
  assert.ok(run.timeline?.isCut);
  const bare = readRun({ runs: [row], timeline: null, arrays: {} });
  assert.deepEqual([bare.slots, bare.samples, bare.timeline], [32, null, null]);
});
