// A table that sorts by a click on a column's head, filters by words, and saves itself as CSV.

import { toCsv } from "../../csv";
import { fill, h } from "../../dom";
import { download } from "../../edits";
import { count, plural } from "../../format";
import { icon } from "../../icons";
import { rowHeight, VirtualList } from "../../list";
import { cellText, orderRows, type Column, type Sorting } from "./order";

export interface Content {
  columns: Column[];
  count: number;
  /** Rows that there would be, if only some are here. */
  of?: number;
  pick(row: number): void;
  /** What the table says when it has no rows. */
  none: string;
  sorting?: Sorting;
}

type Row = HTMLElement & { at: number };

let tables = 0;

export class DataTable {
  readonly element: HTMLElement;
  private content: Content | null = null;
  private rows: number[] = [];
  private sorting: Sorting | null = null;
  private current = -1;
  private head = h("div", { class: "table-head", role: "row", id: `table-head-${tables++}` });
  private note = h("p", { class: "hint" });
  private list: VirtualList<Row>;
  private found = h("span", { class: "muted" });
  private filter = h("input", {
    type: "search", class: "grow", placeholder: "Filter rows", "aria-label": "Filter rows",
    oninput: () => this.order(),
  });

  /** `lead` stands in front of the filter. */
  constructor(lead: Node, private fileName: () => string) {
    this.list = new VirtualList<Row>(rowHeight(26), {
      make: () => this.makeRow(),
      fill: (row, index) => this.fillRow(row, index),
    }, {
      class: "virtual table-rows", role: "grid", "aria-label": "Rows", "aria-owns": this.head.id,
    });
    this.list.host.addEventListener("keydown", event => this.pressed(event));
    const save = h("button", { class: "quiet", onclick: () => this.save(), title: "Save as CSV" },
      icon("save"), "CSV");
    this.element = h("div", { class: "data-table" },
      h("div", { class: "bar" }, lead, this.filter, this.found, save),
      this.note,
      h("div", { class: "table-body" },
        h("div", { class: "table-inner" }, this.head, this.list.host)));
  }

  show(content: Content): void {
    const isSame = this.content?.columns.map(column => column.title).join()
      === content.columns.map(column => column.title).join();
    this.content = content;
    if (!isSame) {
      this.sorting = content.sorting ?? null;
      this.filter.value = "";
    }
    this.current = -1;
    const shown = shownOf(content);
    const columns = shown.map(({ least, share = 1 }) => `minmax(${least}px, ${share}fr)`);
    const least = shown.reduce((sum, column) => sum + column.least, 20);
    this.element.style.setProperty("--columns", columns.join(" "));
    this.element.style.setProperty("--least", `${least}px`);
    this.order();
  }

  /** Words in place of the table, such as why there is none, and what may help. */
  say(text: string, kind = "", again?: () => void): void {
    this.content = null;
    this.rows = [];
    fill(this.note, text, again && " ",
      again && h("button", { class: "link", onclick: again }, "Read again"));
    this.note.className = `hint ${kind}`;
    this.note.hidden = false;
    fill(this.head);
    this.found.textContent = "";
    this.list.setRows(0);
  }

  private order(): void {
    const { content } = this;
    if (!content) return;
    this.rows = orderRows(content.count, content.columns, this.filter.value, this.sorting);
    const { of } = content;
    const cut = of === undefined || of <= content.count ? "" : ` of ${count(of)}`;
    this.found.textContent = `${plural(this.rows.length, "row")}${cut}`;
    this.found.title = cut ? `The worst ${count(content.count)} are listed` : "";
    this.note.hidden = this.rows.length > 0;
    this.note.className = "hint";
    this.note.textContent = content.count ? "No row has these words." : content.none;
    const heads = this.rows.length ? shownOf(content) : [];
    fill(this.head, ...heads.map((column, at) => this.headCell(column, at)));
    this.list.setRows(this.rows.length);
    this.list.host.setAttribute("aria-rowcount", String(this.rows.length + 1));
  }

  private headCell(column: Column, at: number): HTMLElement {
    const isSorted = this.sorting?.column === at;
    const direction = this.sorting?.isDown ? "descending" : "ascending";
    return h("button", {
      class: `column-head ${column.isNumber ? "number" : ""}`, role: "columnheader",
      "aria-sort": isSorted ? direction : "none", title: column.about,
      onclick: () => {
        // Numbers are looked at from the largest down, words from A on.
        const isDown = isSorted ? !this.sorting!.isDown : Boolean(column.isNumber);
        this.sorting = { column: at, isDown };
        this.order();
      },
    }, column.title);
  }

  private makeRow(): Row {
    const row: Row = Object.assign(h("div", { class: "table-row", role: "row" }), { at: 0 });
    row.addEventListener("click", () => this.pick(row.at));
    return row;
  }

  private fillRow(row: Row, index: number): void {
    const { content } = this;
    const at = this.rows[index];
    if (!content || at === undefined) return;
    row.at = index;
    row.classList.toggle("is-selected", index === this.current);
    row.setAttribute("aria-selected", String(index === this.current));
    row.setAttribute("aria-rowindex", String(index + 2));
    fill(row, ...shownOf(content).map(column => {
      const text = cellText(column, at);
      const kind = `${column.isNumber ? "number" : ""} ${column.kind?.(at) ?? ""}`;
      return h("span", { class: `cell ${kind}`, role: "gridcell", title: text }, text);
    }));
  }

  private pick(index: number): void {
    const row = this.rows[index];
    if (row === undefined) return;
    this.current = index;
    this.list.show(index);
    this.list.mark(index);
    this.content?.pick(row);
  }

  private pressed(event: KeyboardEvent): void {
    const { current, list, rows: { length } } = this;
    const places: Record<string, number> = {
      ArrowDown: current + 1, ArrowUp: current - 1, PageDown: current + list.page,
      PageUp: current - list.page, Home: 0, End: length - 1,
    };
    const place = places[event.key];
    if (place === undefined) return;
    event.preventDefault();
    this.pick(Math.max(0, Math.min(place, length - 1)));
  }

  private save(): void {
    const { content } = this;
    if (!content) return;
    const cells = this.rows.map(row => content.columns.map(column => String(column.value(row))));
    const titles = content.columns.map(column => column.title);
    download(toCsv(titles, cells), this.fileName(), "text/csv");
  }
}

function shownOf({ columns }: Content): Column[] {
  return columns.filter(column => !column.isExtra);
}
