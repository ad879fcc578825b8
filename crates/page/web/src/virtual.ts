// The arithmetic of a list of which only the visible rows exist.
//
// Browsers limit how high an element can be (about 17 million pixels in Firefox), which a million
// rows exceed. Beyond `MOST_PIXELS` the scroll bar is therefore scaled: its ends are the list's
// ends, and a pixel of it is more than a pixel of rows. `top` counts rows, not pixels, so that the
// wheel still moves by rows.

const MOST_PIXELS = 8_000_000;

export interface Extent {
  rows: number;
  rowHeight: number;
  /** Pixels that can be seen. */
  height: number;
}

/** How high the element that scrolls has to be. */
export function contentHeight(extent: Extent): number {
  return Math.min(extent.rows * extent.rowHeight, Math.max(MOST_PIXELS, extent.height));
}

export function isScaled(extent: Extent): boolean {
  return contentHeight(extent) < extent.rows * extent.rowHeight;
}

/** The last place of the list's top, in rows, with fractions. */
export function lastTop(extent: Extent): number {
  return Math.max(0, extent.rows - extent.height / extent.rowHeight);
}

/** The row at the top, with fractions, when the element is scrolled by `scrollTop`. */
export function topAt(extent: Extent, scrollTop: number): number {
  const way = contentHeight(extent) - extent.height;
  return way <= 0 ? 0 : clamp((scrollTop / way) * lastTop(extent), 0, lastTop(extent));
}

/** How far to scroll so that `top` is at the top. */
export function scrollTopOf(extent: Extent, top: number): number {
  const way = contentHeight(extent) - extent.height;
  const last = lastTop(extent);
  return last <= 0 ? 0 : (clamp(top, 0, last) / last) * way;
}

/** First row and end of what is at least partly visible. */
export function visibleRows(extent: Extent, top: number): [number, number] {
  const first = Math.floor(clamp(top, 0, lastTop(extent)));
  const end = Math.ceil(top + extent.height / extent.rowHeight);
  return [first, Math.min(extent.rows, end)];
}

/** The nearest top at which a row is whole, with some rows around it if it was out of sight. */
export function topToShow(extent: Extent, top: number, row: number): number {
  const seen = extent.height / extent.rowHeight;
  if (row >= top && row + 1 <= top + seen) return top;
  const isFar = row < top - 1 || row > top + seen;
  const wanted = isFar ? row - seen / 3 : row < top ? row : row + 1 - seen;
  return clamp(wanted, 0, lastTop(extent));
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}
