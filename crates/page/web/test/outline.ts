// A small outline for tests: a root with two boxes and a leaf; below the first box a leaf and an
// instance, whose child has the same pointer as the root, in another structure.

import type { Outline } from "../src/protocol";

export const kinds = ["box", "instance", "primitive"];

export function smallOutline(): Outline {
  const rows: [depth: number, kind: number, parent: number, size: number, pointer: bigint,
    base: bigint][] = [
    [0, 0, 0xffffffff, 7, 0x15n, 0n],
    [1, 0, 0, 4, 0x25n, 0n],
    [2, 2, 1, 1, 0x30n, 0n],
    [2, 1, 1, 2, 0x46n, 0n],
    [3, 0, 3, 1, 0x15n, 0x3000n],
    [1, 0, 0, 1, 0x2515n, 0n],
    [1, 2, 0, 1, 0x70n, 0n],
  ];
  const column = (at: number) => rows.map(row => Number(row[at]));
  return {
    depth: Uint16Array.from(column(0)),
    slot: new Uint16Array(rows.length),
    kind: Uint8Array.from(column(1)),
    state: Uint8Array.from([0, 0, 0, 0, 0, 0, 2]),
    parent: Uint32Array.from(column(2)),
    size: Uint32Array.from(column(3)),
    pointer: BigUint64Array.from(rows.map(row => row[4])),
    base: BigUint64Array.from(rows.map(row => row[5])),
    address: BigUint64Array.from(rows.map(row => row[5] + row[4] * 8n)),
    bounds: new Float32Array(rows.length * 6),
    level: new Uint32Array(rows.length),
    cost: Float32Array.from([1, 0.5, 0.1, 0.2, 0.15, 0.3, NaN]),
    overlap: new Float32Array(rows.length),
    fill: new Float32Array(rows.length),
    severity: Uint8Array.from([0, 0, 3, 0, 0, 1, 0]),
    oriented: {
      entry: new Uint32Array(), bounds: new Float32Array(), frame: new Uint32Array(),
      frames: new Float32Array(),
    },
  };
}
