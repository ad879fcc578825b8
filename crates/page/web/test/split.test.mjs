// A module that was split does what the whole does, and loads its second part when it is needed.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  constant, KIND, list, name, number, OP, Reader, readSections, SECTION, sized, writeSections,
} from "../split/binary.mjs";
import { marking, split } from "../split/split.mjs";

const I32 = 0x7f;
const [ADD, MULTIPLY] = [0x6a, 0x6c];
const local = [OP.localGet, 0];

/**
 * Function 0 is imported. `once(x) = x + 3`, `often(x)` goes through slot 2 of the table; slot 1
 * holds `square`, slot 2 `cube`, which is `x * square(x)`. `twin` is `square` once more, and
 * `direct(x) = tell(twin(x)) + 1000`.
 */
function wholeModule() {
  const bodies = [
    [...local, ...constant(3), ADD],
    [...local, ...constant(2), OP.callIndirect, 0, 0],
    [...local, ...local, MULTIPLY],
    [...local, ...local, OP.call, 3, MULTIPLY],
    [...local, ...local, MULTIPLY],
    [...local, OP.call, 5, OP.call, 0, ...constant(1000), ADD],
  ];
  const exported = (text, kind, index) => [...name(text), kind, index];
  return writeSections(new Map([
    [SECTION.type, list([[0x60, 1, I32, 1, I32]])],
    [SECTION.import, list([[...name("siliray"), ...name("tell"), KIND.function, 0]])],
    [SECTION.function, list(bodies.map(() => [0]))],
    [SECTION.table, list([[0x70, 1, 3, 3]])],
    [SECTION.memory, list([[0, 1]])],
    [SECTION.global, list([[I32, 1, ...constant(7), OP.end]])],
    [SECTION.export, list([
      exported("memory", KIND.memory, 0), exported("once", KIND.function, 1),
      exported("often", KIND.function, 2), exported("direct", KIND.function, 6),
    ])],
    [SECTION.element, list([[0, ...constant(1), OP.end, ...list([[3], [4]])]])],
    [SECTION.code, list(bodies.map(body => sized([0, ...body, OP.end])))],
  ]));
}

const tell = value => value ^ 0x55;

function runWhole(bytes) {
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), { siliray: { tell } }).exports;
}

/** Both parts, of which the second comes when it is asked for. */
function run({ first, second }) {
  let loads = 0;
  const more = () => {
    loads += 1;
    new WebAssembly.Instance(new WebAssembly.Module(second), { siliray: exports });
  };
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(first), {
    siliray: { more, tell },
  });
  return { exports, loads: () => loads };
}

test("any cut of a module answers as the whole does", () => {
  const bytes = wholeModule();
  const whole = runWhole(bytes);
  for (let cut = 0; cut < 128; cut += 2) {
    const { exports, loads } = run(split(bytes, index => (cut >> index) & 1));
    assert.equal(exports.once(4), whole.once(4));
    assert.equal(loads(), 0);
    for (const value of [5, -3, 11]) {
      assert.equal(exports.often(value), whole.often(value), `cut ${cut}`);
      assert.equal(exports.direct(value), whole.direct(value), `cut ${cut}`);
    }
    const isWhole = (cut & 0b0010000) && (cut & 0b0101000);
    assert.equal(loads(), isWhole ? 0 : 1, `cut ${cut}`);
  }
});

test("functions that are the same are kept once", () => {
  const { first } = split(wholeModule(), () => true);
  // What makes ready, and five of six.
  const bodies = new Reader(readSections(first).get(SECTION.code)).number();
  assert.equal(bodies, 6);
});

test("marks say which functions have run", () => {
  const { module, marks, count } = marking(wholeModule());
  const exports = runWhole(module);
  assert.equal(exports.often(2), 8);
  const ran = new Uint8Array(exports.memory.buffer, marks, count);
  assert.deepEqual([...ran], [0, 0, 1, 1, 1, 0, 0]);
});

test("numbers of any size are written as they are read", () => {
  for (const value of [0, 1, 127, 128, 16_383, 16_384, 2 ** 31]) {
    assert.equal(new Reader(number(value)).number(), value);
  }
});
