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

/** Fills `paint`: for each primitive a texel, which is 0 where it is hidden. */
export function paintPrimitives(paint: Uint32Array, geometry: Geometry, how: Painting): void {
  const { outline, selection, colourOf } = how;
  const isShown = outline && shownEntries(outline, how);
  const from = selection || Infinity;
  const to = selection && outline ? selection + outline.size[selection]! : Infinity;
  const [plain, accent] = [texel(PLAIN), texel(ACCENT)];
  const { leaves } = geometry;
  for (let k = 0; k < paint.length; k++) {
    const leaf = leaves[k]!;
    if (isShown && !isShown[leaf]) paint[k] = 0;
    else if (leaf >= from && leaf < to) paint[k] = accent;
    else paint[k] = colourOf ? texel(colourOf(leaf)) : plain;
  }
}

/** Four bytes in the order of memory: red, green, blue, opaque. */
function texel([r, g, b]: Rgb): number {
  return (r | (g << 8) | (b << 16) | (255 << 24)) >>> 0;
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
