// The colour of a node, the same in the tree and in space.

import type { OutlineArrays } from "./protocol";
import type { Colouring } from "./store";
import { isDark } from "./theme";
import { ofId, ramp, SEVERITIES, type Rgb } from "./views/palette";

/** A function from an entry of the outline to its colour. */
export function colourOf(outline: OutlineArrays, colouring: Colouring): (entry: number) => Rgb {
  const share = shareOf(outline, colouring);
  if (share) {
    const onGround = rampOn(isDark());
    return entry => onGround(share(entry));
  }
  if (colouring === "severity") return entry => SEVERITIES[outline.severity[entry] ?? 0]!;
  return ofId;
}

/** The part of the ramp that can be told from the ground. */
export function rampOn(isDark: boolean): (share: number) => Rgb {
  const [least, most] = isDark ? [0.3, 1] : [0.08, 0.86];
  return share => ramp(least! + (most! - least!) * share);
}

/** What is behind the colour: from 0, good, to 1, bad; null where the colour is only a name. */
export function shareOf(
  outline: OutlineArrays, colouring: Colouring,
): ((entry: number) => number) | null {
  switch (colouring) {
    case "depth": {
      const deepest = Math.max(1, outline.depth.reduce((a, b) => Math.max(a, b), 0));
      return entry => outline.depth[entry]! / deepest;
    }
    case "cost": {
      // Costs fall by orders of magnitude from the root down: a logarithm keeps leaves apart.
      const most = outline.cost.reduce((a, b) => Math.max(a, b), 0) || 1;
      return entry => clamp(1 + Math.log10(Math.max(outline.cost[entry]!, 1e-9) / most) / 4);
    }
    case "overlap": return entry => clamp(outline.overlap[entry]!);
    case "emptiness": return entry => 1 - clamp(outline.fill[entry]!);
    default: return null;
  }
}

function clamp(value: number): number {
  return value > 0 ? Math.min(value, 1) : 0;
}
