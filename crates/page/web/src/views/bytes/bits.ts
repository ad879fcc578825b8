// Bits of a record: which field they belong to, what they say, how to write them.
// Bit 0 is the lowest bit of the first byte, as in the library.

import type { Field, Finding } from "../../protocol";
import type { Edit } from "../../store";

export type Range = readonly [number, number];

/** For every bit the index of its field, or -1. Where fields overlap, the narrowest has it. */
export function ownersOf(fields: readonly Field[], bytes: number): Int32Array {
  const owners = new Int32Array(bytes * 8).fill(-1);
  const widest = fields.map((_, at) => at).sort((a, b) => width(fields[b]!) - width(fields[a]!));
  for (const at of widest) {
    const [first, end] = fields[at]!.bits;
    owners.fill(at, first, end);
  }
  return owners;
}

export function width(field: Field): number {
  return field.bits[1] - field.bits[0];
}

/** The value of bits, the first one lowest. */
export function valueOf(data: Uint8Array, [first, end]: Range): bigint {
  let value = 0n;
  for (let bit = end - 1; bit >= first; bit--) {
    value = (value << 1n) | BigInt(((data[bit >> 3] ?? 0) >> (bit & 7)) & 1);
  }
  return value;
}

/** What writes `value` into bits of a record that lies at `offset` of the file. */
export function editOf(offset: number, [first, end]: Range, value: bigint): Edit {
  return {
    offset: offset + (first >> 3),
    bit: first & 7,
    length: end - first,
    value: `0x${value.toString(16)}`,
  };
}

/** A value that a hand typed for so many bits, or what is wrong with it. */
export function readValue(text: string, bits: number): bigint | string {
  const word = text.trim().toLowerCase().replaceAll("_", "");
  if (!/^(0x[0-9a-f]+|0b[01]+|[0-9]+)$/.test(word)) return "a number is expected, such as 0x1f";
  const value = BigInt(word);
  return value >> BigInt(bits) ? `it has more than ${bits} bits` : value;
}

/** The bits of a record that a finding is about, or null if it is about others. */
export function findingRange(
  finding: Finding, offset: number | null, bytes: number,
): Range | null {
  if (offset === null) return null;
  const shift = (finding.offset - offset) * 8;
  const [first, end] = [finding.bits[0] + shift, finding.bits[1] + shift];
  return first < bytes * 8 && end > 0 ? [Math.max(first, 0), Math.min(end, bytes * 8)] : null;
}

export function meets(a: Range, b: Range): boolean {
  return a[0] < b[1] && b[0] < a[1];
}

/** `children[1].max_y` belongs to `children[1]`; names without such a dot to none. */
export function groupOf(name: string): string {
  return /^([\w[\].]+)\.\w+$/.exec(name)?.[1] ?? "";
}

/** A hue for a group of fields; neighbours are far apart. */
export function hueOf(group: number): number {
  return Math.round((210 + group * 137.5) % 360);
}
