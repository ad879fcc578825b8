// What the colours of nodes mean, in the same words wherever they are used.

import { rampOn } from "./colouring";
import { fill, h } from "./dom";
import type { Colouring } from "./store";
import { isDark } from "./theme";
import { css, SEVERITIES } from "./views/palette";

interface Meaning {
  /** What the number of a node says, with its unit. */
  text: string;
  /** What the two ends of the ramp stand for, if there is one. */
  ends: readonly [string, string] | null;
}

export const MEANINGS: Readonly<Record<Colouring, Meaning>> = {
  depth: { text: "Nodes above it, up to the root", ends: ["root", "deepest"] },
  cost: {
    text: "Area of its box as a share of the largest box of its structure: how likely a ray is to "
      + "come there",
    ends: ["a ten-thousandth of the largest", "largest"],
  },
  overlap: {
    text: "Share of its box, by area, that lies in the box of a sibling: the largest of them",
    ends: ["apart from its siblings", "inside them"],
  },
  emptiness: {
    text: "Share of places for children or primitives that it leaves empty, of the most that a "
      + "node of its kind has in this file",
    ends: ["full", "empty"],
  },
  id: { text: "Number in the order of the tree", ends: null },
  severity: { text: "The worst of what the check has found there", ends: null },
};

/** Shows what the colours mean. */
export function fillLegend(legend: HTMLElement, colouring: Colouring): void {
  const { text, ends } = MEANINGS[colouring];
  legend.title = `${text}.`;
  const swatch = (colour: string) => {
    const dot = h("i", { class: "legend-dot" });
    dot.style.background = colour;
    return dot;
  };
  if (ends) {
    const strip = h("i", { class: "legend-ramp" });
    const onGround = rampOn(isDark());
    const stops = Array.from({ length: 9 }, (_, k) => css(onGround(k / 8)));
    strip.style.background = `linear-gradient(90deg, ${stops.join(", ")})`;
    fill(legend, h("span", {}, ends[0]), strip, h("span", {}, ends[1]));
  } else if (colouring === "severity") {
    const names = ["none", "note", "warning", "error"];
    fill(legend, ...names.flatMap((name, k) => [swatch(css(SEVERITIES[k]!)), name]));
  } else fill(legend, "a colour for each node");
}
