// What stands out among the boxes: the selected node with its children, the node under the pointer,
// and nodes of which the check has found something.

import type { Outline } from "../../protocol";
import type { SelectedNode } from "../../store";
import { ACCENT, type Rgb, SEVERITIES } from "../palette";
import { type Affine, Bounds, compose, corners, ofBox } from "./affine";
import type { Geometry, Place } from "./geometry";
import { boxOf } from "./shown";
import type { ThickLines } from "./thick_lines";

/** Places at which a node is marked; the others of its instances are left out. */
const MOST_PLACES = 64;
/** Nodes with findings that are marked. */
export const MOST_FINDINGS = 200;

export interface Marked {
  outline: Outline;
  geometry: Geometry;
  selection: number | null;
  node: SelectedNode | null;
  hover: number | null;
  /** The instance that was clicked last. */
  instance: number | null;
}

export function drawMarks(marked: Marked, behind: ThickLines, over: ThickLines): void {
  drawNodes(marked, behind, over);
  drawFindings(marked, behind);
}

function drawNodes(marked: Marked, behind: ThickLines, over: ThickLines): void {
  const { outline, selection, node, hover } = marked;
  if (hover !== null && hover !== selection) {
    const box = boxOf(outline, hover);
    const at = box ? places(marked, hover) : [];
    for (const { map } of at) behind.box(compose(map, box!), ACCENT, 1.5);
  }
  if (selection === null) return;
  const box = boxOf(outline, selection);
  places(marked, selection).forEach(({ map }, k) => {
    const alpha = k === 0 ? 1 : 0.4;
    // The root holds everything: marked like others it would only be in the way.
    const isRoot = selection === 0;
    if (node && !isRoot) drawChildren(node, map, behind, alpha);
    if (!box) return;
    behind.box(compose(map, box), ACCENT, isRoot ? 1.5 : 2.6, alpha);
    if (k === 0 && !isRoot) over.box(compose(map, box), ACCENT, 1.2, 0.45);
  });
}

/** Children as they are tested: in the frame of an oriented node. */
function drawChildren(node: SelectedNode, map: Affine, lines: ThickLines, alpha: number): void {
  const frame = node.frame ? compose(map, node.frame.flat()) : map;
  const colour: Rgb = node.frame ? [230, 159, 0] : [86, 180, 233];
  for (const { min, max } of node.children) {
    if (min && max) lines.box(compose(frame, ofBox(min, max)), colour, 1.3, 0.9 * alpha);
  }
}

function drawFindings({ outline, geometry }: Marked, lines: ThickLines): void {
  for (const entry of foundEntries(outline).first) {
    const box = boxOf(outline, entry);
    const place = geometry.placesOf(outline.level[entry]!)[0];
    if (!box || !place) continue;
    lines.box(compose(place.map, box), SEVERITIES[outline.severity[entry]!]!, 2);
  }
}

/** Marks are drawn at every move of the pointer, and an outline may have millions of entries. */
const known = new WeakMap<Outline, { first: number[]; count: number }>();

/** The nodes that are marked, and how many there are in all. */
function foundEntries(outline: Outline): { first: number[]; count: number } {
  const kept = known.get(outline);
  if (kept) return kept;
  const found = { first: [] as number[], count: 0 };
  outline.severity.forEach((severity, entry) => {
    if (severity < 2) return;
    if (found.count++ < MOST_FINDINGS) found.first.push(entry);
  });
  known.set(outline, found);
  return found;
}

/** Nodes with errors and warnings. */
export function countFound(outline: Outline): number {
  return foundEntries(outline).count;
}

/** Where an entry stands, the clicked instance first. */
function places({ outline, geometry, instance }: Marked, entry: number): Place[] {
  const all = geometry.placesOf(outline.level[entry]!);
  const first = all.filter((place) => place.instance === instance);
  const others = all.filter((place) => place.instance !== instance);
  return [...first, ...others].slice(0, MOST_PLACES);
}

/** The box of an entry in the world, where it is marked first; null where it is unknown. */
export function boundsOf(marked: Marked, entry: number): Bounds | null {
  const box = boxOf(marked.outline, entry);
  const place = places(marked, entry)[0];
  if (!box || !place) return null;
  const bounds = new Bounds();
  for (const corner of corners(compose(place.map, box))) bounds.add(corner);
  return bounds;
}
