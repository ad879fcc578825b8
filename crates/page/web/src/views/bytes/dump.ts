// Bytes of the file that belong to no node, a page of them.

import { h } from "../../dom";
import { count } from "../../format";
import { HexGrid } from "./hex";

export const PAGE_BYTES = 256;

export interface DumpPage { offset: number; of: number; data: Uint8Array }

/** Where the page begins that holds a byte. */
export function pageStart(offset: number): number {
  return Math.max(0, offset - (offset % PAGE_BYTES));
}

export function dumpView(
  page: DumpPage, asked: number, go: (offset: number) => void,
): HTMLElement {
  const grid = new HexGrid(page.data, page.offset, [], { hover: () => {}, pick: () => {} });
  const turn = (text: string, to: number) => h("button", {
    class: "quiet", disabled: to < 0 || to >= page.of, onclick: () => go(to),
  }, text);
  queueMicrotask(() => grid.point(asked - page.offset));
  return h("section", { class: "record" },
    h("p", { class: "hint" },
      `Byte 0x${asked.toString(16)} of ${count(page.of)} belongs to no node.`),
    grid.element,
    h("div", { class: "bar" },
      turn("Earlier", page.offset - PAGE_BYTES), turn("Later", page.offset + PAGE_BYTES)));
}
