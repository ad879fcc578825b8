// What selecting, hiding and isolating above the instances means: whole instances are marked or
// left out. A BLAS may stand in many places, of which only some lie below the node.

import type { OutlineArrays } from "../../protocol";
import type { Geometry } from "./geometry";
import type { Wanted } from "./shown";

export interface Choice extends Pick<Wanted, "isolated" | "hidden"> {
  outline: OutlineArrays;
  selection: number | null;
}

/** Of each instance: 1 it is selected, 0 as it is, -1 it is not drawn. */
export function instanceStates(geometry: Geometry, choice: Choice): Int8Array {
  const { selection, isolated, hidden } = aboveInstances(geometry, choice);
  const { size } = choice.outline;
  const isBelow = (entry: number, root: number) => entry >= root && entry < root + size[root]!;
  return Int8Array.from(geometry.instanceEntries, (entry) => {
    if (entry === null) return 0;
    if (isolated !== null && !isBelow(entry, isolated)) return -1;
    if ([...hidden].some((root) => isBelow(entry, root))) return -1;
    return selection !== null && isBelow(entry, selection) ? 1 : 0;
  });
}

/** The part of a choice that is about nodes above instances; the root is everything. */
function aboveInstances(geometry: Geometry, choice: Choice): Omit<Choice, "outline"> {
  const isAbove = (entry: number | null): entry is number =>
    entry !== null && entry > 0 && isTop(geometry, choice.outline, entry);
  const { selection, isolated, hidden } = choice;
  return {
    selection: isAbove(selection) ? selection : null,
    isolated: isAbove(isolated) ? isolated : null,
    hidden: new Set([...hidden].filter(isAbove)),
  };
}

/** The rest of it: nodes within BLASes. */
export function withinLevels<T extends Choice>(geometry: Geometry, choice: T): T {
  const { selection, isolated, hidden } = aboveInstances(geometry, choice);
  return {
    ...choice,
    selection: selection === null ? choice.selection : null,
    isolated: isolated === null ? choice.isolated : null,
    hidden: new Set([...choice.hidden].filter((entry) => !hidden.has(entry))),
  };
}

function isTop({ blases, instanceEntries }: Geometry, outline: OutlineArrays, entry: number) {
  return instanceEntries.length > 0 && outline.level[entry] === blases.length;
}
