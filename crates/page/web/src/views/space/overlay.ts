// The current ray or beam in space: the boxes that were tested at the node of the step, what was
// made of them and where the ray is inside; primitives tested; the best hit.

import type { Ray, Vector } from "../../protocol";
import { HIT, type Rgb, VERDICTS } from "../palette";
import type { Hit, WalkModel } from "../walk_model";
import { apply, compose, ofBox, type Point } from "./affine";
import type { Geometry } from "./geometry";
import { ofBeam, ofVolume } from "./shapes";
import type { ThickLines } from "./thick_lines";

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
  scenery: Scenery,
  behind: ThickLines,
  over: ThickLines,
): void {
  const hit = model.hitAt(step);
  const { ray, beam, volume } = model.walk;
  if (ray) drawRay(ray, hit, scenery, over);
  const colour = inkOf(scenery);
  const shape = volume ? ofVolume(volume, scenery.reach) : [];
  for (const [from, to] of shape) over.line(from, to, colour, 1.6);
  for (const [from, to] of beam ? ofBeam(beam) : []) {
    over.line(from, to, colour, volume ? 1 : 1.6, volume ? 0.3 : 0.8);
  }
  drawChildren(model, step, behind, over);
  for (const test of model.soFar(step, "primitive")) {
    const at = test as unknown as Hit;
    drawPrimitive(at, scenery.geometry, at.t === null ? VERDICTS.miss!.colour : HIT, over);
  }
  if (hit) drawPrimitive(hit, scenery.geometry, HIT, over);
}

function inkOf({ isDark }: Scenery): Rgb {
  return isDark ? [236, 240, 246] : [30, 34, 42];
}

function drawRay(ray: Ray, hit: Hit | null, scenery: Scenery, lines: ThickLines): void {
  const length = Math.hypot(...ray.direction);
  const end = Math.min(ray.tmax ?? Infinity, scenery.reach / length);
  const colour = inkOf(scenery);
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

function drawChildren(
  model: WalkModel, step: number, behind: ThickLines, over: ThickLines,
): void {
  const { ray } = model.walk;
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
