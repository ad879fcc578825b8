// Which entries of the outline are rows: what is open, or what a filter lets through.

import type { OutlineArrays } from "../../protocol";

/** What the outline is narrowed to. */
export interface Filter {
  /** Index into the kinds; null for all. */
  kind: number | null;
  hasFinding: boolean;
  /** The first digits of a pointer or an address. */
  text: string;
}

export const noFilter: Filter = { kind: null, hasFinding: false, text: "" };

export function isEmpty(filter: Filter): boolean {
  return filter.kind === null && !filter.hasFinding && filter.text.trim() === "";
}

/** The rows of a tree in which `isOpen` says whose children are shown. */
export function openRows(outline: OutlineArrays, isOpen: Uint8Array): Uint32Array {
  const rows: number[] = [];
  const { size } = outline;
  for (let entry = 0; entry < size.length; entry += isOpen[entry] ? 1 : size[entry]!) {
    rows.push(entry);
  }
  return Uint32Array.from(rows);
}

/** Opens levels from the root on, as long as about a screen of rows is not exceeded. */
export function openTop(outline: OutlineArrays, isOpen: Uint8Array): void {
  const screen = 48;
  const counts: number[] = [];
  for (const depth of outline.depth) counts[depth] = (counts[depth] ?? 0) + 1;
  let rows = 1;
  let open = 0;
  while (open + 1 < counts.length && (open === 0 || rows + counts[open + 1]! <= screen)) {
    rows += counts[++open]!;
  }
  for (let entry = 0; entry < isOpen.length; entry++) {
    isOpen[entry] = outline.depth[entry]! < open ? 1 : 0;
  }
}

/** Entries that the filter lets through, without what is around them. */
export function filteredRows(outline: OutlineArrays, filter: Filter): Uint32Array {
  const rows = new Uint32Array(outline.size.length);
  const matches = textFilter(outline, filter.text.trim().toLowerCase());
  let count = 0;
  for (let entry = 0; entry < rows.length; entry++) {
    if (filter.kind !== null && outline.kind[entry] !== filter.kind) continue;
    if (filter.hasFinding && !outline.severity[entry]) continue;
    if (!matches || matches(entry)) rows[count++] = entry;
  }
  return rows.slice(0, count);
}

/** Opens everything above an entry; true if something was closed. */
export function reveal(outline: OutlineArrays, isOpen: Uint8Array, entry: number): boolean {
  let changed = false;
  let at = outline.parent[entry]!;
  while (at < isOpen.length) {
    changed ||= !isOpen[at];
    isOpen[at] = 1;
    at = outline.parent[at]!;
  }
  return changed;
}

function textFilter(outline: OutlineArrays, text: string): ((entry: number) => boolean) | null {
  if (!text) return null;
  const digits = text.replace(/^0x/, "");
  if (!/^[0-9a-f]{1,16}$/.test(digits)) return () => false;
  const wanted = BigInt(`0x${digits}`);
  const limit = 16n ** BigInt(digits.length);
  // A hex number begins with the digits if it equals them once enough digits are cut off.
  const begins = (value: bigint) => {
    let rest = value;
    while (rest >= limit) rest >>= 4n;
    return rest === wanted;
  };
  return entry => begins(outline.pointer[entry]!) || begins(outline.address[entry]!);
}
