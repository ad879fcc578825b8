// Bytes in hex, with a strip of eight bits under each in the colour of the field that they are in.
// The highest bit is on the left, as it is in the digits.

import { h } from "../../dom";
import type { Field } from "../../protocol";
import { groupOf, hueOf, meets, ownersOf, type Range } from "./bits";

export interface HexEvents {
  /** The field under the pointer, or null. */
  hover(field: number | null): void;
  pick(field: number | null, bit: number): void;
}

/** More bytes than anybody reads at once; the rest is a dump away. */
export const MOST_BYTES = 1024;

export class HexGrid {
  readonly element: HTMLElement;
  private bits: HTMLElement[] = [];
  private cells: HTMLElement[] = [];
  private lit: number[] = [];
  private owners: Int32Array;

  constructor(
    private data: Uint8Array, offset: number | null, fields: readonly Field[], events: HexEvents,
  ) {
    const shown = Math.min(data.length, MOST_BYTES);
    this.owners = ownersOf(fields, data.length);
    this.element = h("div", { class: "hex mono", role: "img", "aria-label": `${shown} bytes` });
    const colours = fieldColours(fields);
    for (let at = 0; at < shown; at++) {
      if (at % 8 === 0) this.element.append(label(offset, at));
      this.element.append(this.cell(at, colours));
    }
    this.listen(events);
  }

  /** Lights the bits of fields up. */
  light(ranges: readonly Range[]): void {
    for (const bit of this.lit) this.bits[bit]?.classList.remove("lit");
    this.cells.forEach(cell => cell.classList.remove("lit"));
    this.lit = [];
    for (const [first, end] of ranges) {
      for (let bit = first; bit < Math.min(end, this.bits.length); bit++) {
        this.bits[bit]?.classList.add("lit");
        this.cells[bit >> 3]?.classList.add("lit");
        this.lit.push(bit);
      }
    }
    this.element.classList.toggle("has-lit", this.lit.length > 0);
  }

  mark(ranges: readonly Range[], kind: string): void {
    this.cells.forEach((cell, at) => {
      if (ranges.some(range => meets(range, [at * 8, at * 8 + 8]))) cell.classList.add(kind);
    });
  }

  /** Brings a byte into sight and marks it as the one that was asked for. */
  point(at: number): void {
    this.cells[at]?.classList.add("asked");
    this.cells[at]?.scrollIntoView({ block: "nearest" });
  }

  private cell(at: number, colours: readonly string[]): HTMLElement {
    const cell = h("span", { class: "byte" });
    for (let bit = at * 8 + 7; bit >= at * 8; bit--) {
      const mark = h("i", { "data-bit": bit });
      const owner = this.owners[bit]!;
      if (owner >= 0) mark.style.setProperty("--field", colours[owner]!);
      this.bits[bit] = mark;
      cell.append(mark);
    }
    cell.append(h("b", {}, this.data[at]!.toString(16).padStart(2, "0")));
    this.cells[at] = cell;
    return cell;
  }

  private listen(events: HexEvents): void {
    const bitOf = (event: Event) => Number((event.target as HTMLElement).dataset?.["bit"] ?? NaN);
    const ownerOf = (bit: number) => {
      const owner = this.owners[bit] ?? -1;
      return owner < 0 ? null : owner;
    };
    this.element.addEventListener("pointerover", event => {
      const bit = bitOf(event);
      events.hover(Number.isNaN(bit) ? null : ownerOf(bit));
    });
    this.element.addEventListener("pointerleave", () => events.hover(null));
    this.element.addEventListener("click", event => {
      const bit = bitOf(event);
      if (!Number.isNaN(bit)) events.pick(ownerOf(bit), bit);
    });
  }
}

function label(offset: number | null, at: number): HTMLElement {
  const isSecond = at % 16 === 8;
  const text = ((offset ?? 0) + at).toString(16).padStart(6, "0");
  return h("span", { class: `hex-offset ${isSecond ? "second" : ""}` }, text);
}

/** One hue a group, two shades of it in turn, so that neighbours in a group differ. */
export function fieldColours(fields: readonly Field[]): string[] {
  const groups = new Map<string, number>();
  return fields.map((field, at) => {
    const group = groupOf(field.name) || field.name;
    if (!groups.has(group)) groups.set(group, groups.size);
    return `hsl(${hueOf(groups.get(group)!)} 58% ${at % 2 ? 46 : 60}%)`;
  });
}
