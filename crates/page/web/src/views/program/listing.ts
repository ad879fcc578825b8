// The instructions of a program; one of them is next, one may be picked.

import { fill, h } from "../../dom";
import { rowHeight, VirtualList } from "../../list";
import type { ProgramLine } from "../../protocol";

type Row = HTMLElement & { at: number };

export class Listing {
  readonly element: HTMLElement;
  private lines: ProgramLine[] = [];
  /** Lines of the source, to be shown instead of what they were assembled to. */
  private source: readonly string[] | null = null;
  private next = -1;
  private pick = -1;
  private list: VirtualList<Row>;

  constructor() {
    this.list = new VirtualList<Row>(rowHeight(22), {
      make: () => this.makeRow(),
      fill: (row, index) => this.fillRow(row, index),
    }, { class: "virtual listing mono", role: "listbox", "aria-label": "Instructions" });
    this.list.host.addEventListener("keydown", event => this.pressed(event));
    this.element = this.list.host;
  }

  show(lines: ProgramLine[]): void {
    this.lines = lines;
    this.next = -1;
    this.pick = -1;
    this.list.setRows(lines.length);
  }

  /** Shows the text of the source, or the disassembly without one. */
  showSource(source: readonly string[] | null): void {
    this.source = source;
    this.list.redraw();
  }

  /** Marks the instruction that is next. */
  mark(address: string): void {
    this.next = this.lines.findIndex(line => line.address === address);
    if (this.next >= 0) this.list.show(this.next);
    this.list.redraw();
  }

  /** The line that is next, if it is in the listing. */
  get nextLine(): ProgramLine | null {
    return this.lines[this.next] ?? null;
  }

  /** The address of the picked line. */
  get picked(): string | null {
    return this.lines[this.pick]?.address ?? null;
  }

  private makeRow(): Row {
    const row: Row = Object.assign(h("div", { class: "line", role: "option" }), { at: 0 });
    row.addEventListener("click", () => this.choose(row.at));
    return row;
  }

  private fillRow(row: Row, index: number): void {
    const line = this.lines[index];
    if (!line) return;
    row.at = index;
    row.classList.toggle("is-next", index === this.next);
    row.classList.toggle("is-selected", index === this.pick);
    row.setAttribute("aria-selected", String(index === this.pick));
    const written = line.line ? this.source?.[line.line - 1]?.trim() : undefined;
    row.title = written === undefined ? line.word : `${line.mnemonic} ${line.operands}`;
    fill(row,
      h("span", { class: "muted" }, line.address.replace(/^0x/, "")),
      ...written === undefined ? [
        h("span", { class: "mnemonic" }, line.mnemonic),
        h("span", {}, line.operands),
        line.label && h("span", { class: "note" }, line.label),
      ] : [h("span", {}, written)]);
  }

  private choose(index: number): void {
    this.pick = Math.max(0, Math.min(index, this.lines.length - 1));
    this.list.show(this.pick);
    this.list.mark(this.pick);
  }

  private pressed(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    this.choose((this.pick < 0 ? this.next : this.pick) + step);
  }
}
