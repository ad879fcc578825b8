// The colour of every primitive: plain or its leaf's, the selected ones marked, hidden ones gone.

import type { OutlineArrays } from "../../protocol";
import { ACCENT, type Rgb } from "../palette";
import type { Geometry } from "./geometry";
import { walkShown, type Wanted } from "./shown";

const PLAIN: Rgb = [196, 201, 208];

export interface Painting extends Pick<Wanted, "isolated" | "hidden"> {
  outline: OutlineArrays | null;
  selection: number | null;
  /** The colour of an entry, where primitives have it. */
  colourOf: ((entry: number) => Rgb) | null;
}

export function paintPrimitives(paint: Uint8Array, geometry: Geometry, how: Painting): void {
  const { outline, selection, colourOf } = how;
  const isShown = outline && shownEntries(outline, how);
  const from = selection ?? Infinity;
  const to = selection === null || !outline ? Infinity : selection + outline.size[selection]!;
  for (let k = 0; k < geometry.primitives; k++) {
    const leaf = geometry.leafOf(k);
    const isSelected = leaf >= from && leaf < to && selection !== 0;
    const colour = isSelected ? ACCENT : (colourOf?.(leaf) ?? PLAIN);
    paint[4 * k] = colour[0];
    paint[4 * k + 1] = colour[1];
    paint[4 * k + 2] = colour[2];
    paint[4 * k + 3] = isShown && !isShown[leaf] ? 0 : 255;
  }
}

/** 1 for each entry that is drawn; null if all are. */
function shownEntries(
  outline: OutlineArrays,
  how: Pick<Wanted, "isolated" | "hidden">,
): Uint8Array | null {
  if (how.isolated === null && how.hidden.size === 0) return null;
  const shown = new Uint8Array(outline.size.length);
  walkShown(outline, how, (entry) => {
    shown[entry] = 1;
    return entry + 1;
  });
  return shown;
}
