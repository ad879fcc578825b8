// One row of the outline.

import { h } from "../../dom";
import { icon } from "../../icons";

export interface RowContent {
  entry: number;
  /** Steps to indent by. */
  depth: number;
  /** Depth as it is told to screen readers: the root has 1. */
  level: number;
  /** Null for a row without children. */
  isOpen: boolean | null;
  isFlat: boolean;
  isSelected: boolean;
  isHovered: boolean;
  isHidden: boolean;
  colour: string;
  slot: number | null;
  kind: string;
  pointer: string;
  state: number;
  severity: number;
  figure: string;
}

export type TreeRow = HTMLElement & { parts: Parts };

interface Parts {
  entry: number;
  twisty: HTMLElement;
  swatch: HTMLElement;
  slot: HTMLElement;
  kind: HTMLElement;
  pointer: HTMLElement;
  state: HTMLElement;
  figure: HTMLElement;
}

const severities = ["", "note", "warning", "error"];
const states = ["", "again", "outside"];
const stateTexts = [
  "", "It stands above already: what is below it is shown there",
  "The pointer leads out of the file, or to nothing",
];

/** Deep trees stop to indent there: rows stay legible. */
const MOST_STEPS = 24;

export function makeRow(
  view: { pick(entry: number): void; toggle(entry: number): void; hover(entry: number): void },
): TreeRow {
  const parts: Parts = {
    entry: 0,
    twisty: h("span", { class: "twisty" }, icon("closed")),
    swatch: h("span", { class: "swatch" }),
    slot: h("span", { class: "slot" }),
    kind: h("span", { class: "kind" }),
    pointer: h("span", { class: "pointer mono" }),
    state: h("span", { class: "state" }),
    figure: h("span", { class: "figure" }),
  };
  const row = h("div", { class: "tree-row", role: "treeitem" },
    parts.twisty, parts.swatch, parts.slot, parts.kind, parts.pointer, parts.state, parts.figure);
  row.addEventListener("click", event => {
    if (parts.twisty.contains(event.target as Node)) view.toggle(parts.entry);
    else view.pick(parts.entry);
  });
  row.addEventListener("dblclick", () => view.toggle(parts.entry));
  row.addEventListener("pointerenter", () => view.hover(parts.entry));
  return Object.assign(row, { parts });
}

export function fillRow(row: TreeRow, content: RowContent): void {
  const { parts } = row;
  parts.entry = content.entry;
  row.style.paddingLeft = `${6 + Math.min(content.depth, MOST_STEPS) * 12}px`;
  row.className = [
    "tree-row virtual-row",
    content.isSelected && "is-selected",
    content.isHovered && "is-hovered",
    content.isHidden && "is-hidden",
    severities[content.severity],
  ].filter(Boolean).join(" ");
  row.setAttribute("aria-level", String(content.level));
  row.setAttribute("aria-selected", String(content.isSelected));
  if (content.isOpen === null) row.removeAttribute("aria-expanded");
  else row.setAttribute("aria-expanded", String(content.isOpen));
  parts.twisty.classList.toggle("is-leaf", content.isOpen === null || content.isFlat);
  parts.swatch.style.background = content.colour;
  parts.slot.textContent = content.slot === null ? "" : String(content.slot);
  parts.kind.textContent = content.kind;
  parts.pointer.textContent = content.pointer;
  parts.state.textContent = severities[content.severity] || states[content.state] || "";
  parts.state.title = content.severity ? "The worst of what the check has found here"
    : stateTexts[content.state] ?? "";
  parts.figure.textContent = content.figure;
}
