// Shares as bars: how much of each limit is used, where time went.

import { h } from "../../dom";
import { css, type Rgb } from "../palette";
import type { Limit, Run, SimAbout } from "./answer";
import { COLOURS } from "./plot";
import { STATES, swatch } from "./timeline";

/** Counters that say where the issue slots of traversal units went. */
const ISSUES: readonly [string, string, Rgb][] = [
  ["issue_used", "tests", [0, 158, 115]],
  ["bubbles_partial", "few siblings", [240, 228, 66]],
  ["bubbles_dependency", "waiting for results", [213, 94, 0]],
  ["bubbles_result_queue", "result queue full", [204, 121, 167]],
  ["bubbles_empty", "no block", [127, 135, 146]],
];

/** Limits, the one that holds the machine up first. */
export function limits(runs: readonly Run[], about: SimAbout): HTMLElement {
  const [first] = runs;
  const names = Object.entries(first!.row.bounds).sort((a, b) => a[1] - b[1]);
  const meters = names.map(([name]) => {
    const known = about.limits.find((limit) => limit.name === name);
    const bars = runs.map(({ row }, k) => {
      const bound = row.bounds[name];
      const used = bound ? row.blocks_per_cycle / bound : 0;
      const value = bound ? `${Math.round(100 * used)} % of ${bound.toPrecision(3)}` : "–";
      return bar(used, value, COLOURS[k]!);
    });
    const isFirst = name === first!.row.bound;
    return h("div", { class: isFirst ? "machine-meter is-first" : "machine-meter" },
      h("span", { class: "machine-name" }, name), h("div", {}, ...bars),
      h("small", { class: "muted" }, meaning(known)));
  });
  return h("div", {}, ...meters);
}

function meaning(limit: Limit | undefined): string {
  if (!limit) return "";
  return limit.meaning + (limit.widened_by ? `; widened by ${limit.widened_by}` : "");
}

function bar(share: number, value: string, colour: Rgb): HTMLElement {
  const filled = h("i");
  filled.style.width = `${Math.min(100 * share, 100)}%`;
  filled.style.background = css(colour);
  return h("div", { class: "machine-bar" }, h("span", {}, filled), h("b", {}, value));
}

/** Where the time of slots and the issue slots of units went: one bar a run. */
export function whereTimeWent(runs: readonly Run[], about: SimAbout): HTMLElement {
  const states = Object.entries(STATES).map(([name, colour]) => {
    const known = about.states.find((state) => state.name === name);
    return { counter: `state_${name}`, name, colour, meaning: known?.meaning ?? "" };
  });
  const issues = ISSUES.map(([counter, name, colour]) => {
    const known = about.counters.find((each) => each.name === counter);
    return { counter, name, colour, meaning: known?.meaning ?? "" };
  });
  return h("div", {},
    h("p", { class: "heading" }, "Time of slots"), stacked(runs, states),
    h("p", { class: "heading" }, "Issue slots of traversal units"), stacked(runs, issues));
}

interface Part { counter: string; name: string; colour: Rgb; meaning: string }

function stacked(runs: readonly Run[], parts: readonly Part[]): HTMLElement {
  const rows = runs.map(({ row }) => {
    const counts = parts.map(({ counter }) => row.counters[counter] ?? 0);
    const whole = Math.max(counts.reduce((a, b) => a + b, 0), 1);
    const pieces = parts.map((part, k) => {
      const share = counts[k]! / whole;
      const text = `${part.name} ${(100 * share).toFixed(1)} %: ${part.meaning}`;
      const piece = h("i", { title: text }, share > 0.07 ? `${Math.round(100 * share)} %` : "");
      piece.style.flexGrow = String(share);
      piece.style.background = css(part.colour);
      return piece;
    });
    return h("div", { class: "machine-stacked" }, ...pieces);
  });
  const legend = parts.map(({ colour, name, meaning: title }) => {
    const mark = swatch(colour, name);
    mark.title = title;
    return mark;
  });
  return h("div", {}, ...rows, h("p", { class: "machine-legend" }, ...legend));
}
