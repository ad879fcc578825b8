// The current ray or beam in space: the boxes that were tested at the node of the step, what was
// made of them and where the ray is inside; primitives tested; the best hit.

import type { Vector } from "../../protocol";
import { HIT, type Rgb, VERDICTS } from "../palette";
import type { Hit, WalkModel } from "../walk_model";
import { apply, compose, corners, EDGES, ofBox, type Point } from "./affine";
import type { Geometry } from "./geometry";
import type { ThickLines } from "./thick_lines";

export interface Shape {
  ray: { origin: Vector; direction: Vector; tmin?: number; tmax?: number | null } | null;
  beam: { from: [Vector, Vector]; to: [Vector, Vector] } | null;
}

export interface Scenery {
  geometry: Geometry;
  /** How far a ray without an end is drawn. */
  reach: number;
  isDark: boolean;
}

/** Draws the step into lines that are hidden by surfaces and lines that are not. */
export function drawStep(
  model: WalkModel,
  step: number,
  shape: Shape,
  scenery: Scenery,
  behind: ThickLines,
  over: ThickLines,
): void {
  const hit = model.hitAt(step);
  if (shape.ray) drawRay(shape.ray, hit, scenery, over);
  if (shape.beam) drawBeam(shape.beam, scenery, over);
  drawChildren(model, step, shape, behind, over);
  for (const test of model.soFar(step, "primitive")) {
    const at = test as unknown as Hit;
    drawPrimitive(at, scenery.geometry, at.t === null ? VERDICTS.miss!.colour : HIT, over);
  }
  if (hit) drawPrimitive(hit, scenery.geometry, HIT, over);
}

function drawRay(
  ray: NonNullable<Shape["ray"]>,
  hit: Hit | null,
  { reach, isDark }: Scenery,
  lines: ThickLines,
): void {
  const length = Math.hypot(...ray.direction);
  const end = Math.min(ray.tmax ?? Infinity, reach / length);
  const colour: Rgb = isDark ? [236, 240, 246] : [30, 34, 42];
  const stop = hit ? hit.t : end;
  lines.line(along(ray, ray.tmin ?? 0), along(ray, stop), colour, 1.4);
  if (hit && end > stop) lines.line(along(ray, stop), along(ray, end), colour, 1, 0.25);
  if (hit) {
    lines.dot(along(ray, hit.t), [20, 20, 20], 11);
    lines.dot(along(ray, hit.t), HIT, 8);
  }
}

function along({ origin, direction }: { origin: Vector; direction: Vector }, t: number): Point {
  return [0, 1, 2].map((k) => origin[k]! + t * direction[k]!) as Point;
}

function drawBeam(
  { from, to }: NonNullable<Shape["beam"]>,
  { isDark }: Scenery,
  lines: ThickLines,
): void {
  const colour: Rgb = isDark ? [236, 240, 246] : [30, 34, 42];
  const [first, last] = [corners(ofBox(...from)), corners(ofBox(...to))];
  for (const [a, b] of EDGES) {
    lines.line(first[a]!, first[b]!, colour, 1.6);
    lines.line(last[a]!, last[b]!, colour, 1.6, 0.7);
  }
  first.forEach((corner, k) => lines.line(corner, last[k]!, colour, 1, 0.4));
}

function drawChildren(
  model: WalkModel,
  step: number,
  { ray }: Shape,
  behind: ThickLines,
  over: ThickLines,
): void {
  const current = model.walk.steps[step];
  for (const child of model.childrenAt(step)) {
    const { colour } = VERDICTS[child.verdict] ?? VERDICTS.miss!;
    const isCurrent = child === current;
    const isLater = child.step > step;
    const box = compose(model.mapOf(child), ofBox(child.min, child.max));
    const isMet = child.verdict === "visit";
    behind.box(box, colour, isCurrent ? 3 : isMet ? 1.8 : 1, isLater ? 0.25 : 1);
    if (isCurrent) over.box(box, colour, 1.2, 0.5);
    if (ray && child.interval && !isLater) {
      const [enter, leave] = child.interval;
      if (leave !== null) {
        over.line(along(ray, enter), along(ray, leave), colour, isCurrent ? 5 : 3, 0.85);
      }
    }
  }
}

function drawPrimitive(at: Hit, geometry: Geometry, colour: Rgb, lines: ThickLines): void {
  const found = geometry.locate(at.instance, at.geometry, at.primitive);
  if (!found) return;
  const triangle = geometry.triangle(found.primitive);
  const box = geometry.procedural(found.primitive);
  if (box) lines.box(compose(found.map, box), colour, 2);
  if (!triangle) return;
  const points = triangle.map((corner) => apply(found.map, corner));
  points.forEach((point, k) => lines.line(point, points[(k + 1) % 3]!, colour, 2.2));
}
