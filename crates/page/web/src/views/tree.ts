// The hierarchy as an outline: every node a row, however many there are.

import { colourOf } from "../colouring";
import { fill, h } from "../dom";
import { count, percent, plural } from "../format";
import { fillLegend } from "../legend";
import { rowHeight, VirtualList } from "../list";
import { hex, indexIn, parentOf } from "../outline";
import type { Calls, OutlineArrays } from "../protocol";
import { readPlace } from "../place";
import { CANCELLED, colourings, type Page, type State } from "../store";
import { css } from "./palette";
import { fillRow, makeRow, type TreeRow } from "./tree/row";
import {
  filteredRows, isEmpty, noFilter, openRows, openTop, reveal, type Filter,
} from "./tree/rows";

export function mount(host: HTMLElement, page: Page): void {
  new TreeView(host, page);
}

class TreeView {
  private isOpen = new Uint8Array();
  private rows: Uint32Array = new Uint32Array();
  private filter: Filter = { ...noFilter };
  private colour: (entry: number) => string = () => "transparent";
  private list: VirtualList<TreeRow>;
  private found = h("span", { class: "found muted" });
  private kinds = h("select", {
    "aria-label": "Kind", onchange: () => this.narrow({
      kind: this.kinds.value === "" ? null : Number(this.kinds.value),
    }),
  });
  private legend = h("p", { class: "tree-legend muted" });
  private colouring = h("select", {
    onchange: () => this.page.set({ colouring: this.colouring.value as State["colouring"] }),
  }, ...colourings.map(name => h("option", { value: name }, name)));

  constructor(host: HTMLElement, private page: Page) {
    this.list = new VirtualList(rowHeight(24), {
      make: () => makeRow(this),
      fill: (row, index) => this.fillRow(row, index),
    }, { class: "virtual tree-rows", role: "tree", "aria-label": "Nodes" });
    this.list.host.addEventListener("keydown", event => this.pressed(event));
    this.list.host.addEventListener("pointerleave", () => page.set({ hover: null }));
    const again = h("button", { class: "link", onclick: () => void page.readAgain() },
      "Read again");
    const unread = h("p", { class: "hint", hidden: true }, CANCELLED, " ", again);
    host.append(this.controls(), unread, this.list.host);
    page.on("outline", () => this.renew());
    page.on(["outline", "isUnread"], () => {
      unread.hidden = !page.state.isUnread || page.state.outline !== null;
    });
    page.on(["colouring", "theme"], () => this.recolour());
    page.on("selection", () => this.showSelection());
    page.on(["hover", "hidden", "isolated"], () => this.list.redraw());
  }

  pick(entry: number): void {
    this.page.select(entry);
    this.list.host.focus({ preventScroll: true });
  }

  toggle(entry: number): void {
    this.isOpen[entry] = this.isOpen[entry] ? 0 : 1;
    this.setRows();
  }

  hover(entry: number): void {
    this.page.set({ hover: entry });
  }

  private controls(): HTMLElement {
    const text = h("input", {
      type: "search", class: "grow", placeholder: "0x15  @byte  #id",
      title: "First digits of a pointer or an address; @ and a byte; # and a primitive",
      "aria-label": "Filter by pointer, address, byte or primitive", spellcheck: "false",
      oninput: () => this.narrow({ text: text.value }),
    });
    const findings = h("button", {
      class: "quiet", "aria-pressed": "false", title: "Only nodes with findings",
      onclick: () => {
        const hasFinding = !this.filter.hasFinding;
        findings.setAttribute("aria-pressed", String(hasFinding));
        this.narrow({ hasFinding });
      },
    }, "Findings");
    return h("div", { class: "tree-controls" },
      h("div", { class: "bar" }, text, this.kinds),
      h("div", { class: "bar thin" },
        h("label", { class: "label" }, "Colour", this.colouring), findings,
        h("span", { class: "between" }), this.found),
      this.legend);
  }

  private renew(): void {
    const { outline, summary } = this.page.state;
    if (!outline || !summary) {
      this.rows = new Uint32Array();
      return this.list.setRows(0);
    }
    if (this.isOpen.length !== outline.size.length) {
      this.isOpen = new Uint8Array(outline.size.length);
      openTop(outline, this.isOpen);
    }
    fill(this.kinds, h("option", { value: "" }, "All kinds"),
      ...summary.kinds.map((kind, at) => h("option", { value: at }, kind)));
    this.kinds.value = this.filter.kind === null ? "" : String(this.filter.kind);
    this.recolour();
    this.setRows();
    this.showSelection();
  }

  private recolour(): void {
    const { outline, colouring } = this.page.state;
    this.colouring.value = colouring;
    fillLegend(this.legend, colouring);
    if (!outline) return;
    const colour = colourOf(outline, colouring);
    this.colour = entry => css(colour(entry));
    this.list.redraw();
  }

  private narrow(change: Partial<Filter>): void {
    this.filter = { ...this.filter, ...change };
    this.setRows();
    this.showSelection();
    const place = /^[#@]/.test(this.filter.text) ? readPlace(this.filter.text) : null;
    if (place && ("primitive" in place || "offset" in place)) this.find(place);
  }

  /** Only the library knows where a primitive or a byte is: rows follow its answer. */
  private async find(place: Calls["find"]["takes"]): Promise<void> {
    const { text } = this.filter;
    try {
      const { ways } = await this.page.ask({ do: "find", ...place },
        { urgency: 1, instead: "tree-find" });
      if (this.filter.text !== text) return;
      const leaves = new Set(ways.map(way => way.at(-1)!));
      this.rows = Uint32Array.from(leaves).sort();
      this.showRows();
      if (this.rows[0] !== undefined) this.page.select(this.rows[0]);
    } catch (error) {
      this.page.report(error);
    }
  }

  private setRows(): void {
    const { outline } = this.page.state;
    if (!outline) return;
    this.rows = isEmpty(this.filter)
      ? openRows(outline, this.isOpen) : filteredRows(outline, this.filter);
    this.showRows();
  }

  private showRows(): void {
    const all = this.page.state.outline?.size.length ?? 0;
    this.found.textContent = isEmpty(this.filter)
      ? plural(all, "node") : `${count(this.rows.length)} found`;
    this.list.setRows(this.rows.length);
  }

  private showSelection(): void {
    const { outline, selection } = this.page.state;
    if (!outline || selection === null) return this.list.redraw();
    if (isEmpty(this.filter) && reveal(outline, this.isOpen, selection)) this.setRows();
    const row = indexIn(this.rows, selection);
    if (row >= 0) this.list.show(row);
    this.list.mark(row < 0 ? null : row);
  }

  private fillRow(row: TreeRow, index: number): void {
    const { outline, summary, selection, hover, colouring, hidden, isolated } = this.page.state;
    const entry = this.rows[index];
    if (!outline || !summary || entry === undefined) return;
    const parent = parentOf(outline, entry);
    fillRow(row, {
      entry,
      depth: isEmpty(this.filter) ? outline.depth[entry]! : 0,
      level: outline.depth[entry]! + 1,
      isOpen: outline.size[entry]! > 1 ? this.isOpen[entry] === 1 : null,
      isFlat: !isEmpty(this.filter),
      isSelected: entry === selection,
      isHovered: entry === hover,
      isHidden: hidden.has(entry) || (isolated !== null && !isWithin(outline, entry, isolated)),
      colour: this.colour(entry),
      slot: parent === null ? null : outline.slot[entry]!,
      kind: summary.kinds[outline.kind[entry]!] ?? "",
      pointer: hex(outline.pointer[entry]!),
      state: outline.state[entry]!,
      severity: outline.severity[entry]!,
      figure: figure(outline, entry, colouring),
    });
  }

  private pressed(event: KeyboardEvent): void {
    const { outline, selection } = this.page.state;
    if (!outline || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = selection === null ? -1 : indexIn(this.rows, selection);
    const go = (to: number) => {
      const entry = this.rows[Math.max(0, Math.min(to, this.rows.length - 1))];
      if (entry !== undefined) this.page.select(entry);
    };
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(row + 1),
      ArrowUp: () => go(row - 1),
      PageDown: () => go(row + this.list.page),
      PageUp: () => go(row - this.list.page),
      Home: () => go(0),
      End: () => go(this.rows.length - 1),
      ArrowRight: () => selection !== null && this.stepIn(outline, selection, row, go),
      ArrowLeft: () => selection !== null && this.stepOut(outline, selection),
      "*": () => selection !== null && this.openAll(outline, selection),
      Enter: () => this.page.show("bytes"),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  }

  private stepIn(
    outline: OutlineArrays, entry: number, row: number, go: (to: number) => void,
  ): void {
    if (outline.size[entry] === 1) return;
    if (!this.isOpen[entry] && isEmpty(this.filter)) this.toggle(entry);
    else go(row + 1);
  }

  private stepOut(outline: OutlineArrays, entry: number): void {
    if (this.isOpen[entry] && outline.size[entry]! > 1) return this.toggle(entry);
    const parent = parentOf(outline, entry);
    if (parent !== null) this.page.select(parent);
  }

  private openAll(outline: OutlineArrays, entry: number): void {
    this.isOpen.fill(1, entry, entry + outline.size[entry]!);
    this.setRows();
  }
}

function isWithin(outline: OutlineArrays, entry: number, root: number): boolean {
  return entry >= root && entry < root + outline.size[root]!;
}

function figure(outline: OutlineArrays, entry: number, colouring: State["colouring"]): string {
  switch (colouring) {
    case "cost": return percent(outline.cost[entry]!);
    case "overlap": return percent(outline.overlap[entry]!);
    case "emptiness": return percent(1 - outline.fill[entry]!);
    case "id": return String(entry);
    default: {
      const below = outline.size[entry]! - 1;
      return below ? count(below) : "";
    }
  }
}
