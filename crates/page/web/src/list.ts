// A list of any length: rows are made once and filled anew as they come into sight.

import { h } from "./dom";
import {
  contentHeight, isScaled, lastTop, scrollTopOf, topAt, topToShow, visibleRows, type Extent,
} from "./virtual";

export interface RowMaker<Row extends HTMLElement> {
  /** Makes an empty row. */
  make(): Row;
  /** Fills a row with what stands at `index`. */
  fill(row: Row, index: number): void;
}

/** Rows are high enough for the finger where that is what points. */
export function rowHeight(pixels: number): number {
  return matchMedia("(pointer: coarse)").matches ? Math.max(pixels, 34) : pixels;
}

let lists = 0;

export class VirtualList<Row extends HTMLElement> {
  readonly host: HTMLElement;
  private content = h("div", { class: "virtual-content", role: "presentation" });
  private pool: Row[] = [];
  private extent: Extent;
  private top = 0;
  /** Set while the list scrolls itself: a scaled scroll bar cannot tell the exact row. */
  private isOwnScroll = false;
  private frame = 0;
  /** Rows have ids, so that the list can say which one is active. */
  private readonly name = `list-${lists++}`;
  /** The row to show once the list itself can be seen. */
  private wanted: number | null = null;

  constructor(rowHeight: number, private maker: RowMaker<Row>, attributes: object = {}) {
    this.extent = { rows: 0, rowHeight, height: 0 };
    this.host = h("div", { class: "virtual", tabindex: 0, ...attributes }, this.content);
    this.host.addEventListener("scroll", () => this.scrolled());
    this.host.addEventListener("wheel", event => this.wheeled(event), { passive: false });
    new ResizeObserver(() => this.resized()).observe(this.host);
  }

  setRows(rows: number): void {
    this.extent = { ...this.extent, rows };
    this.content.style.height = `${contentHeight(this.extent)}px`;
    this.top = Math.min(this.top, lastTop(this.extent));
    this.scrollHost();
    this.draw();
  }

  /** Scrolls so that a row can be seen. */
  show(row: number): void {
    if (!this.extent.height) {
      this.wanted = row;
      return;
    }
    const top = topToShow(this.extent, this.top, row);
    if (top !== this.top) this.scrollTo(top);
  }

  /** Tells screen readers which row is the active one, and fills the visible rows anew. */
  mark(row: number | null): void {
    if (row === null) this.host.removeAttribute("aria-activedescendant");
    else this.host.setAttribute("aria-activedescendant", `${this.name}-${row}`);
    this.redraw();
  }

  /** Rows that fit, for PageUp and PageDown. */
  get page(): number {
    return Math.max(1, Math.floor(this.extent.height / this.extent.rowHeight) - 1);
  }

  /** Fills the visible rows anew, at the next frame. */
  redraw(): void {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  private resized(): void {
    const height = this.host.clientHeight;
    if (!height || height === this.extent.height) return;
    this.extent = { ...this.extent, height };
    this.setRows(this.extent.rows);
    if (this.wanted !== null) this.show(this.wanted);
    this.wanted = null;
  }

  private scrollTo(top: number): void {
    this.top = Math.max(0, Math.min(top, lastTop(this.extent)));
    this.scrollHost();
    this.draw();
  }

  private scrollHost(): void {
    const wanted = scrollTopOf(this.extent, this.top);
    if (Math.abs(this.host.scrollTop - wanted) < 0.5) return;
    this.isOwnScroll = true;
    this.host.scrollTop = wanted;
  }

  private scrolled(): void {
    if (this.isOwnScroll) this.isOwnScroll = false;
    else this.top = topAt(this.extent, this.host.scrollTop);
    this.draw();
  }

  private wheeled(event: WheelEvent): void {
    if (!isScaled(this.extent) || event.ctrlKey) return;
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? this.extent.rowHeight : 1;
    this.scrollTo(this.top + (event.deltaY * pixels) / this.extent.rowHeight);
  }

  private draw(): void {
    if (!this.extent.height) return;
    const [first, end] = visibleRows(this.extent, this.top);
    while (this.pool.length < end - first) {
      const row = this.maker.make();
      row.classList.add("virtual-row");
      row.style.height = `${this.extent.rowHeight}px`;
      this.pool.push(row);
      this.content.append(row);
    }
    // Where the top row lies: at the scrolled place, less the hidden part of it.
    const start = this.host.scrollTop - (this.top - first) * this.extent.rowHeight;
    this.pool.forEach((row, at) => {
      const index = first + at;
      row.hidden = index >= end;
      if (row.hidden) return;
      row.id = `${this.name}-${index}`;
      row.style.transform = `translateY(${start + at * this.extent.rowHeight}px)`;
      this.maker.fill(row, index);
    });
  }
}
