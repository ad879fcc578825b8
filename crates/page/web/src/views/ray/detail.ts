// One step in full: what happened, registers in and out, the children that were tested and why one
// was left out, the stack, the best hit.

import { fill, h } from "../../dom";
import { count } from "../../format";
import type { Ray, Step, Vector } from "../../protocol";
import type { Page } from "../../store";
import { css, VERDICTS } from "../palette";
import { apply, invert, turn } from "../space/affine";
import type { ChildStep, Hit, WalkModel } from "../walk_model";
import { explain } from "./culled";
import { single } from "./single";

type Part = HTMLElement | string | null;

export function fillDetail(
  host: HTMLElement,
  page: Page,
  model: WalkModel,
  step: number,
  go: (step: number) => void,
): void {
  const current = model.walk.steps[step];
  if (!current) return fill(host);
  const text = (model.walk.texts[step] ?? current.event).trim();
  fill(host,
    h("h3", { class: "ray-title mono" }, text),
    ...about(page, model, step, current),
    ...registers(current),
    children(page, model, step, go),
    stack(model.walk.stacks[step] as string[] | undefined),
    best(model.hitAt(step)));
}

/** What is to be said of a step of this kind. */
function about(page: Page, model: WalkModel, number: number, step: Step): Part[] {
  const entry = model.walk.entries[number] ?? null;
  switch (step.event) {
    case "node":
      return [line("node", nodeLink(page, entry, `${step.kind} ${step.pointer}`),
        step.address ? ` at address ${step.address}` : "")];
    case "child":
      return aboutChild(model, step as ChildStep);
    case "instance":
      return [
        line("instance", String(step.instance)),
        ...rayInside(step).map(([name, value]) => line(name, value)),
        line("world to object", ...(step.world_to_object as number[][]).map((row) =>
          h("span", { class: "ray-matrix" }, numbers(row)))),
      ];
    case "refuse":
      return [line("refused", String(step.reason)), hitLine(step.hit as Hit)];
    case "accept":
      return [hitLine(step.hit as Hit)];
    case "primitive":
      return [line("primitive", ids(step as unknown as Hit)),
        line("t", step.t === null ? "none: the query misses it" : String(step.t))];
    case "clock":
      return [line("cycle", count(Number(step.cycle))),
        line("unit", String(step.unit))];
    case "skip":
    case "restart":
      return [line("because", String(step.reason))];
    case "overflow":
      return [line("lost", `${step.lost} of the oldest entries of the stack`)];
    case "walk_back":
      return [line("way", `from ${step.from} to ${step.to}, by parent pointers: `
        + "entries of the stack were lost")];
    default:
      return [];
  }
}

/** The ray in the space of an instance, which beams do not have. */
export function rayInside(step: Step): [string, string][] {
  return ["origin", "direction"].flatMap((name) => {
    const value = step[name] as Vector | null;
    return value ? [[name, numbers(value)] satisfies [string, string]] : [];
  });
}

const FRAME = " The planes are those of the node's own frame.";

function aboutChild(model: WalkModel, child: ChildStep): Part[] {
  const { interval, verdict, min, max } = child;
  const ray = model.walk.ray ?? null;
  const range = {
    tmin: ray?.tmin ?? 0,
    tmax: ray?.tmax ?? Infinity,
    best: model.hitAt(child.step)?.t ?? null,
  };
  const own = ray && besideBox(ray, model, child);
  const why = explain(verdict, interval, own, { min, max }, range);
  return [
    line("verdict", verdictMark(verdict), `: ${VERDICTS[verdict]?.meaning ?? ""}`),
    why ? h("p", { class: "ray-why" }, why + (child.frame ? FRAME : "")) : null,
    line("box", `${numbers(min)} to ${numbers(max)}`),
    line("interval", interval ? `t ${inside(interval)}` : "none"),
  ];
}

/** The ray in the space in which a child's box is. */
function besideBox(
  ray: Ray, model: WalkModel, child: ChildStep,
): { origin: Vector; direction: Vector } | null {
  const inverse = invert(model.mapOf(child));
  return inverse && { origin: apply(inverse, ray.origin), direction: turn(inverse, ray.direction) };
}

/** Registers of an instruction. */
function registers(step: Step): Part[] {
  const tables = (["inputs", "outputs"] as const).map((side) => {
    const values = Object.entries((step[side] ?? {}) as Record<string, string>);
    if (values.length === 0) return null;
    const rows = values.map(([name, value]) =>
      h("tr", {}, h("th", {}, name), h("td", { class: "mono" }, value, asFloat(name, value))));
    return h("div", {}, h("p", { class: "heading" }, side === "inputs" ? "In" : "Out"),
      h("table", { class: "ray-registers" }, h("tbody", {}, ...rows)));
  });
  const shown = tables.filter((table) => table !== null);
  return shown.length === 0 ? [] : [h("div", { class: "ray-columns" }, ...shown)];
}

const FLOATS = /^(origin|direction|extent|inv|tmin|tmax|t$|t_|barycentric|distance)/;

/** A register that holds a float, also as a number. */
function asFloat(name: string, value: string): HTMLElement | null {
  if (!FLOATS.test(name) || !/^0x[0-9a-f]{1,8}$/.test(value)) return null;
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, Number(value));
  return h("span", { class: "muted" }, `  ${single(view.getFloat32(0))}`);
}

function children(
  page: Page, model: WalkModel, step: number, go: (step: number) => void,
): Part {
  const tested = model.childrenAt(step);
  if (tested.length === 0) return null;
  const rows = tested.map((child) => {
    const entry = model.walk.entries[child.step] ?? null;
    const interval = child.interval ? inside(child.interval) : "–";
    const row = h("tr", {
      class: child.step === step ? "is-current" : child.step > step ? "is-later" : "",
      onclick: () => go(child.step),
    }, h("td", { class: "number" }, child.slot), h("td", {}, nodeLink(page, entry, child.pointer)),
      h("td", {}, verdictMark(child.verdict)), h("td", { class: "mono" }, interval));
    return row;
  });
  return h("div", {}, h("p", { class: "heading" }, "Children of this node"),
    h("table", { class: "ray-children" },
      h("thead", {}, h("tr", {}, ...["slot", "node", "verdict", "t inside"].map((name) =>
        h("th", {}, name)))),
      h("tbody", {}, ...rows)));
}

function inside([enter, leave]: readonly [number, number | null]): string {
  return leave === null ? `from ${single(enter)}` : `${single(enter)} to ${single(leave)}`;
}

function stack(entries: string[] | undefined): Part {
  if (!entries) return null;
  const parts = entries.map((entry, k) =>
    h("span", { class: k === entries.length - 1 ? "ray-chip is-top" : "ray-chip" }, String(entry)));
  return h("div", {}, h("p", { class: "heading" }, `Stack, ${entries.length}`),
    h("p", { class: "ray-stack mono" }, ...(parts.length ? parts : ["empty"])));
}

function best(hit: Hit | null): Part {
  return hit && h("div", {}, h("p", { class: "heading" }, "Best hit so far"), hitLine(hit));
}

function hitLine(hit: Hit): HTMLElement {
  const where = hit.u === undefined ? "" : `, u ${single(hit.u)}, v ${single(hit.v ?? 0)}`;
  return line("hit", `t ${single(hit.t)}${where}: ${ids(hit)}`);
}

function ids({ instance, geometry, primitive }: Hit): string {
  return `instance ${instance}, geometry ${geometry}, primitive ${primitive}`;
}

export function verdictMark(verdict: string): HTMLElement {
  const dot = h("i", { class: "ray-dot" });
  dot.style.background = css((VERDICTS[verdict] ?? VERDICTS.miss!).colour);
  return h("span", { class: "ray-verdict" }, dot, verdict);
}

/** A node as a link, if the outline has it. */
export function nodeLink(page: Page, entry: number | null, text: string): HTMLElement {
  if (entry === null) return h("span", { class: "mono" }, text);
  const act = (event: Event) => {
    event.stopPropagation();
    page.select(entry);
  };
  return h("button", { class: "link mono", title: "Select this node", onclick: act }, text);
}

function line(name: string, ...parts: (HTMLElement | string)[]): HTMLElement {
  const label = h("span", { class: "muted" }, name);
  return h("p", { class: "ray-fact" }, label, h("span", {}, ...parts));
}

function numbers(values: readonly number[]): string {
  return values.map(single).join(", ");
}
