// Which rows of a table are shown, and in what order.

export interface Column {
  title: string;
  /** What its numbers mean, with their unit. */
  about?: string;
  /** What a CSV file holds, and what it sorts by unless it has a rank. */
  value(row: number): number | string;
  rank?(row: number): number;
  /** What is shown, where that is not the value itself. */
  text?(row: number): string;
  /** Least width in pixels, and the share of what is left; 1 unless given. */
  least: number;
  share?: number;
  isNumber?: boolean;
  /** Only in the CSV file and for the filter: there is no room to show it. */
  isExtra?: boolean;
  /** A class for the cell. */
  kind?(row: number): string;
}

export interface Sorting { column: number; isDown: boolean }

export function cellText(column: Column, row: number): string {
  return column.text ? column.text(row) : String(column.value(row));
}

/** Rows with every word of the filter in some cell, sorted; equal ones stay as they were. */
export function orderRows(
  count: number, columns: readonly Column[], filter: string, sorting: Sorting | null,
): number[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const rows: number[] = [];
  for (let row = 0; row < count; row++) {
    if (!words.length || has(columns, row, words)) rows.push(row);
  }
  const column = sorting && columns[sorting.column];
  if (!column) return rows;
  const keys = new Map(rows.map(row => [row, column.rank?.(row) ?? column.value(row)]));
  const sign = sorting.isDown ? -1 : 1;
  return rows.sort((a, b) => sign * compare(keys.get(a)!, keys.get(b)!) || a - b);
}

function has(columns: readonly Column[], row: number, words: readonly string[]): boolean {
  const text = columns.map(column => cellText(column, row)).join(" ").toLowerCase();
  return words.every(word => text.includes(word));
}

/** NaN is less than every number: what is not known does not stand among the worst. */
function compare(a: number | string, b: number | string): number {
  if (typeof a === "string" || typeof b === "string") {
    return String(a).localeCompare(String(b), "en", { numeric: true });
  }
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
  return a - b;
}

/** Indices of the largest values, the largest first; NaN never. */
export function largest(values: ArrayLike<number>, count: number): number[] {
  // A heap of the best so far with the least on top: most values are turned away by one look.
  const heap: number[] = [];
  const at = (place: number) => values[heap[place]!]!;
  const swap = (a: number, b: number) => ([heap[a], heap[b]] = [heap[b]!, heap[a]!]);
  const rise = (place: number) => {
    for (let up = (place - 1) >> 1; place > 0 && at(place) < at(up); up = (place - 1) >> 1) {
      swap(place, up);
      place = up;
    }
  };
  const sink = () => {
    for (let place = 0; ;) {
      let least = place;
      for (const child of [2 * place + 1, 2 * place + 2]) {
        if (child < heap.length && at(child) < at(least)) least = child;
      }
      if (least === place) return;
      swap(place, least);
      place = least;
    }
  };
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!;
    if (Number.isNaN(value)) continue;
    if (heap.length < count) {
      heap.push(index);
      rise(heap.length - 1);
    } else if (value > at(0)) {
      heap[0] = index;
      sink();
    }
  }
  return heap.sort((a, b) => values[b]! - values[a]! || a - b);
}
