import assert from "node:assert/strict";
import test from "node:test";
import { Dropped } from "../src/engine";
import { readPieces } from "../src/outline";
import type { Answer } from "../src/protocol";

/** Answers with pieces of an outline of `entries` entries. */
function pieces(entries: number, most: number) {
  const asked: number[] = [];
  const ask = async ({ first = 0 }: { first?: number }) => {
    asked.push(first);
    const count = Math.min(most, entries - first);
    const numbers = Array.from({ length: count }, (_, at) => first + at);
    const arrays = {
      size: Uint32Array.from(numbers),
      pairs: Float32Array.from(numbers.flatMap(n => [n, -n])),
      pointer: BigUint64Array.from(numbers.map(BigInt)),
    };
    return { entries, first, count, arrays } as unknown as Answer<"outline">;
  };
  return { ask, asked };
}

test("the pieces of an outline make a whole", async () => {
  const { ask, asked } = pieces(10, 4);
  const whole = await readPieces("outline", ask);
  assert.deepEqual(asked, [0, 4, 8]);
  assert.deepEqual([...whole.size], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const { pairs } = whole as unknown as { pairs: Float32Array };
  assert.deepEqual([...pairs.slice(14)], [7, -7, 8, -8, 9, -9]);
  assert.equal(whole.pointer[9], 9n);
});

test("a small outline comes at once, an empty one too", async () => {
  for (const entries of [3, 0]) {
    const { ask, asked } = pieces(entries, 4);
    assert.equal((await readPieces("outline", ask)).size.length, entries);
    assert.deepEqual(asked, [0]);
  }
});

test("pieces of another file are not mixed in", async () => {
  let turn = 0;
  const [first, second] = [pieces(10, 4), pieces(12, 4)];
  const ask: typeof first.ask = request => (turn++ ? second : first).ask(request);
  await assert.rejects(readPieces("outline", ask), Dropped);
});
