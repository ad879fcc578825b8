// What is asked: a ray, the ray of a pixel, or a beam; typed, and read back from the state.

import { h } from "../../dom";
import type { Query, Vector } from "../../protocol";
import { single } from "./single";

type Shape = "ray" | "pixel" | "beam";

/** `1, 2.5 -3` as numbers; throws in words what is wrong with it. */
export function parseNumbers(text: string, count: number, what: string): number[] {
  const words = text.split(/[\s,;]+/).filter((word) => word !== "");
  const numbers = words.map(Number);
  if (numbers.length !== count || numbers.some((value) => !Number.isFinite(value))) {
    const form = ["", "a number", "two numbers", "three numbers"][count]!;
    throw new Error(`${what}: ${form} expected, as ${["", "5", "320, 200", "0, 1, -2.5"][count]}`);
  }
  return numbers;
}

/** Name, label and example of what is typed. */
const FIELDS: Readonly<Record<Shape, readonly [string, string, string][]>> = {
  ray: [
    ["origin", "Origin", "0, 0, 5"],
    ["direction", "Direction", "0, 0, -1"],
    ["tmin", "t ≥", "0"],
    ["tmax", "t ≤", "∞"],
  ],
  pixel: [
    ["pixel", "Pixel", "320, 180"],
    ["size", "of a picture of", "640, 360"],
  ],
  beam: [
    ["from_min", "From", "-1, -1, 5"],
    ["from_max", "to", "1, 1, 6"],
    ["to_min", "Ends as", "-1, -1, -6"],
    ["to_max", "to", "1, 1, -5"],
  ],
};

/** A query in a line. */
export function describeQuery(query: Query): string {
  const which = { closest: "Closest hit", any: "Any hit", all: "All hits" }[query.kind];
  const point = (values: readonly number[]) => values.map(single).join(", ");
  if ("ray" in query) {
    return `${which} from ${point(query.ray.origin)} towards ${point(query.ray.direction)}`;
  }
  if ("pixel" in query) {
    return `${which} of pixel ${query.pixel.join(", ")} of ${query.size.join(" × ")}`;
  }
  return `${which} of a beam from ${point(query.beam.from[0])} to ${point(query.beam.to[0])}`;
}

export class QueryForm {
  readonly element: HTMLFormElement;
  private shape: Shape = "ray";
  private readonly tabs: Record<Shape, HTMLButtonElement>;
  private readonly rows: Record<Shape, HTMLElement>;
  private readonly inputs = new Map<string, HTMLInputElement>();
  private readonly kind = h("select", { "aria-label": "Which hits", title: "Which hits" },
    h("option", { value: "closest" }, "closest hit"),
    h("option", { value: "any" }, "any hit"),
    h("option", { value: "all" }, "all hits"));
  private readonly mask = h("input", {
    class: "ray-mask", placeholder: "0xff", "aria-label": "Mask", title: "Mask, as 255 or 0xff",
  });
  private readonly problem = h("p", { class: "error", role: "alert" });

  constructor(ask: (query: Query) => void) {
    const shapes = Object.keys(FIELDS) as Shape[];
    const tab = (shape: Shape) =>
      h("button", { type: "button", class: "quiet", onclick: () => this.choose(shape) },
        shape[0]!.toUpperCase() + shape.slice(1));
    this.tabs = Object.fromEntries(shapes.map((s) => [s, tab(s)])) as typeof this.tabs;
    this.rows = Object.fromEntries(shapes.map((s) => [s, this.row(s)])) as typeof this.rows;
    this.element = h("form", { class: "ray-form" },
      h("div", { class: "ray-line", role: "group", "aria-label": "Shape" },
        ...Object.values(this.tabs), this.kind, h("span", { class: "grow" }),
        h("button", { class: "primary", type: "submit" }, "Walk")),
      ...Object.values(this.rows),
      h("div", { class: "ray-line" }, h("label", { class: "label" }, "mask", this.mask)),
      this.problem);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.problem.textContent = "";
      try {
        ask(this.read());
      } catch (error) {
        this.problem.textContent = (error as Error).message;
      }
    });
    this.choose("ray");
  }

  private row(shape: Shape): HTMLElement {
    const cells = FIELDS[shape].map(([name, label, example]) => {
      const isShort = name === "tmin" || name === "tmax";
      const input = h("input", { placeholder: example, class: isShort ? "is-short" : "" });
      this.inputs.set(name, input);
      return h("label", { class: "label" }, label, input);
    });
    return h("div", { class: "ray-line" }, ...cells);
  }

  private choose(shape: Shape): void {
    this.shape = shape;
    for (const each of Object.keys(FIELDS) as Shape[]) {
      this.rows[each].hidden = each !== shape;
      this.tabs[each].setAttribute("aria-pressed", String(each === shape));
    }
  }

  /** Which shapes a machine takes. */
  allowBeams(isAllowed: boolean): void {
    this.tabs.beam.disabled = !isAllowed;
    this.tabs.beam.title = isAllowed ? "" : "This machine answers rays, not beams";
  }

  private read(): Query {
    const vector = (name: string, label: string) =>
      parseNumbers(this.text(name), 3, label) as Vector;
    const pair = (name: string, label: string) =>
      parseNumbers(this.text(name), 2, label) as [number, number];
    const shared = { kind: this.kind.value as Query["kind"], ...this.readMask() };
    if (this.shape === "pixel") {
      return { ...shared, pixel: pair("pixel", "Pixel"), size: pair("size", "Size") };
    }
    if (this.shape === "beam") {
      const from: [Vector, Vector] = [vector("from_min", "From"), vector("from_max", "From, to")];
      const to: [Vector, Vector] = [vector("to_min", "Ends as"), vector("to_max", "Ends as, to")];
      return { ...shared, beam: { from, to } };
    }
    const range: { tmin?: number; tmax?: number } = {};
    for (const name of ["tmin", "tmax"] as const) {
      const text = this.text(name);
      if (text && text !== "∞") range[name] = parseNumbers(text, 1, name)[0]!;
    }
    const [origin, direction] = [vector("origin", "Origin"), vector("direction", "Direction")];
    return { ...shared, ray: { origin, direction, ...range } };
  }

  private readMask(): { mask?: number } {
    const text = this.mask.value.trim();
    if (text === "") return {};
    const mask = Number(text);
    if (!Number.isInteger(mask) || mask < 0 || mask > 255) {
      throw new Error("Mask: 0 to 255 or 0x0 to 0xff expected");
    }
    return { mask };
  }

  private text(name: string): string {
    return this.inputs.get(name)!.value.trim();
  }

  /** Shows a query that came from elsewhere. */
  show(query: Query): void {
    const put = (name: string, value: unknown) => {
      const text = Array.isArray(value) ? value.map(single).join(", ") : String(value ?? "");
      this.inputs.get(name)!.value = text;
    };
    this.problem.textContent = "";
    this.kind.value = query.kind;
    this.mask.value = query.mask === undefined ? "" : `0x${query.mask.toString(16)}`;
    if ("ray" in query) {
      this.choose("ray");
      for (const name of ["origin", "direction", "tmin", "tmax"] as const) {
        put(name, query.ray[name]);
      }
    } else if ("pixel" in query) {
      this.choose("pixel");
      put("pixel", query.pixel);
      put("size", query.size);
    } else {
      this.choose("beam");
      put("from_min", query.beam.from[0]);
      put("from_max", query.beam.from[1]);
      put("to_min", query.beam.to[0]);
      put("to_max", query.beam.to[1]);
    }
  }
}
