// A node, or what is kept beside one: its bytes, and below them its fields.

import { h } from "../../dom";
import type { Field, Finding, NodeRecord } from "../../protocol";
import { findingRange, groupOf, meets, valueOf, type Range } from "./bits";
import { fieldColours, HexGrid } from "./hex";

export interface RecordEvents {
  hover(field: Field | null): void;
  pick(field: Field): void;
  follow(link: string): void;
}

export class RecordView {
  readonly element: HTMLElement;
  private hex: HexGrid;
  private rows: HTMLElement[] = [];

  constructor(
    readonly record: NodeRecord, readonly data: Uint8Array, findings: readonly Finding[],
    private events: RecordEvents,
  ) {
    const { fields, offset } = record;
    const found = findings
      .map(finding => ({ finding, range: findingRange(finding, offset, record.bytes) }))
      .filter((each): each is { finding: Finding; range: Range } => each.range !== null);
    this.hex = new HexGrid(data, offset, fields, {
      hover: at => events.hover(at === null ? null : fields[at]!),
      pick: at => at !== null && events.pick(fields[at]!),
    });
    for (const { finding, range } of found) this.hex.mark([range], finding.severity);
    const colours = fieldColours(fields);
    const body = h("tbody", {});
    let group = "";
    fields.forEach((field, at) => {
      const own = groupOf(field.name);
      if (own && own !== group) {
        body.append(h("tr", { class: "group" }, h("th", { colspan: 2, scope: "rowgroup" }, own)));
      }
      group = own;
      const severity = found.find(each => meets(each.range, field.bits))?.finding.severity;
      const row = this.row(field, own, colours[at]!, severity);
      this.rows.push(row);
      body.append(row);
    });
    this.element = h("section", { class: "record", "aria-label": record.kind }, this.hex.element,
      h("table", { class: "fields" },
        h("thead", {}, h("tr", {}, ...["Field", "Value", "Raw", "Bits"].map(name =>
          h("th", { scope: "col" }, name)))),
        body));
  }

  /** Lights a field up, in the bytes and in the table; null puts out the light. */
  light(field: Field | null): void {
    this.hex.light(field ? [field.bits] : []);
    this.rows.forEach((row, at) =>
      row.classList.toggle("lit", this.record.fields[at] === field));
  }

  lightBits(range: Range, reveals: boolean): void {
    this.hex.light([range]);
    const { fields } = this.record;
    this.rows.forEach((row, at) => row.classList.toggle("lit", meets(fields[at]!.bits, range)));
    const first = fields.find(field => meets(field.bits, range));
    if (reveals && first) this.reveal(first);
  }

  /** Brings a field's row into sight. */
  reveal(field: Field): void {
    this.rows[this.record.fields.indexOf(field)]?.scrollIntoView({ block: "nearest" });
  }

  pin(field: Field | null): void {
    this.rows.forEach((row, at) =>
      row.classList.toggle("is-pinned", this.record.fields[at] === field));
  }

  point(byte: number): void {
    this.hex.point(byte);
  }

  bitsOf(field: Field): bigint {
    return valueOf(this.data, field.bits);
  }

  private row(field: Field, group: string, colour: string, severity?: string): HTMLElement {
    const name = group ? field.name.slice(group.length + 1) : field.name;
    const key = h("span", { class: "key" });
    key.style.background = colour;
    const { link } = field;
    const value = link
      ? h("button", {
        class: "link", title: `Go to ${link}`,
        onclick: (event: Event) => {
          event.stopPropagation();
          this.events.follow(link);
        },
      }, field.value)
      : field.value;
    const row = h("tr", {
      class: severity ?? "", tabindex: 0, title: field.meaning,
      onclick: () => this.events.pick(field),
      onfocus: () => this.events.hover(field),
      onpointerenter: () => this.events.hover(field),
      onpointerleave: () => this.events.hover(null),
      onkeydown: (event: KeyboardEvent) => this.pressed(event, field),
    },
    h("td", { class: "name" }, key, ...breakable(name)),
    h("td", { class: "value" }, value),
    h("td", { class: "raw mono" }, field.raw),
    h("td", { class: "at" }, bitsText(field)));
    return row;
  }

  private pressed(event: KeyboardEvent, field: Field): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      this.rows[this.rows.indexOf(event.currentTarget as HTMLElement) + step]?.focus();
    } else if (event.key === "Enter" && event.target === event.currentTarget) {
      this.events.pick(field);
    }
  }
}

export function bitsText(field: Field): string {
  const [first, end] = field.bits;
  return end - first === 1 ? String(first) : `${first}–${end - 1}`;
}

/** Long names break behind their words. */
function breakable(name: string): (string | Node)[] {
  return name.split(/(?<=_)/).flatMap((word, at) => at ? [h("wbr"), word] : [word]);
}
