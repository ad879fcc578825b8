// What is asked: a ray, the ray of a pixel, a beam, a sphere or a frustum; typed, and read back
// from the state.

import { h } from "../../dom";
import type { Query } from "../../protocol";
import { isUsual, SHAPES, shapeNames, shapeOf, type Part, type ShapeName } from "../../query";
import { single } from "./single";

const WORDS = ["", "a number", "two numbers", "three numbers"];

/** `1, 2.5 -3` as numbers, `∞` for no end; throws in words what is wrong with it. */
export function parseNumbers(text: string, { label, count, otherwise, example }: Part): number[] {
  const words = text.split(/[\s,;]+/).filter((word) => word !== "");
  if (otherwise && (words.length === 0 || text === example)) return [...otherwise];
  const hasEnd = otherwise?.includes(Infinity) ?? false;
  const isEnd = (word: string) => /^(∞|inf(inity)?)$/i.test(word);
  const numbers = words.map((word) => (isEnd(word) ? Infinity : Number(word)));
  const isWrong = (value: number) => Number.isNaN(value) || (!hasEnd && !Number.isFinite(value));
  if (numbers.length !== count || numbers.some(isWrong)) {
    throw new Error(`${label}: ${WORDS[count]} expected, as ${example}`);
  }
  return numbers;
}

/** A query in a line. */
export function describeQuery(query: Query): string {
  const which = { closest: "Closest hit", any: "Any hit", all: "All hits" }[query.kind];
  const { name, rows } = shapeOf(query);
  const [a, b] = rows.map((row) => row.map(single).join(", "));
  switch (name) {
    case "ray": return `${which} from ${a} towards ${b}`;
    case "pixel": return `${which} of pixel ${a} of ${b!.replace(", ", " × ")}`;
    case "beam": return `${which} of a beam from ${a} to ${rows[2]!.map(single).join(", ")}`;
    case "sphere": return `${which} of a sphere around ${a}, radius ${b}`;
    case "frustum": return `${which} of a frustum from ${a} towards ${b}`;
  }
}

/** Shapes that only machines with beams take. */
const VOLUMES: readonly ShapeName[] = ["beam", "sphere", "frustum"];

/** The mask of a query that says nothing of it. */
const EVERY = "0xff";

interface Row { element: HTMLElement; inputs: HTMLInputElement[] }

export class QueryForm {
  readonly element: HTMLFormElement;
  private shape: ShapeName = "ray";
  private readonly tabs = new Map<ShapeName, HTMLButtonElement>();
  private readonly rows = new Map<ShapeName, Row>();
  private readonly kind = h("select", { "aria-label": "Which hits", title: "Which hits" },
    h("option", { value: "closest" }, "closest hit"),
    h("option", { value: "any" }, "any hit"),
    h("option", { value: "all" }, "all hits"));
  private readonly mask = h("input", {
    class: "ray-mask", value: EVERY, "aria-label": "Mask", title: "Mask, as 255 or 0xff",
  });
  private readonly exact = h("input", { type: "checkbox" });
  private readonly exactLabel = h("label", {
    class: "label", title: "What is met is the primitive itself, not only its box",
  }, this.exact, "exact");
  private readonly problem = h("p", { class: "error", role: "alert" });

  constructor(ask: (query: Query) => void) {
    for (const name of shapeNames) {
      const choose = () => this.choose(name);
      const button = { type: "button", class: "quiet", onclick: choose };
      this.tabs.set(name, h("button", button, SHAPES[name].title));
      this.rows.set(name, makeRow(name));
    }
    this.element = h("form", { class: "ray-form" },
      h("div", { class: "ray-shapes", role: "group", "aria-label": "Shape" },
        ...this.tabs.values()),
      ...Array.from(this.rows.values(), ({ element }) => element),
      h("div", { class: "ray-line" },
        this.kind, h("label", { class: "label" }, "mask", this.mask), this.exactLabel,
        h("span", { class: "grow" }),
        h("button", { class: "primary", type: "submit" }, "Walk")),
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

  private choose(shape: ShapeName): void {
    this.shape = shape;
    for (const name of shapeNames) {
      this.rows.get(name)!.element.hidden = name !== shape;
      this.tabs.get(name)!.setAttribute("aria-pressed", String(name === shape));
    }
    this.exactLabel.hidden = !VOLUMES.includes(shape);
  }

  /** Which shapes a machine takes. */
  allowBeams(isAllowed: boolean): void {
    for (const name of VOLUMES) {
      const tab = this.tabs.get(name)!;
      tab.disabled = !isAllowed;
      tab.title = isAllowed ? "" : "This machine answers rays, not beams";
    }
  }

  private read(): Query {
    const { parts, query } = SHAPES[this.shape];
    const { inputs } = this.rows.get(this.shape)!;
    const rows = parts.map((part, k) => parseNumbers(inputs[k]!.value, part));
    const exact = VOLUMES.includes(this.shape) && this.exact.checked ? { exact: true } : {};
    return { kind: this.kind.value, ...this.readMask(), ...exact, ...query(rows) } as Query;
  }

  private readMask(): { mask?: number } {
    const text = this.mask.value.trim();
    if (text === "" || text === EVERY) return {};
    const mask = Number(text);
    if (!Number.isInteger(mask) || mask < 0 || mask > 255) {
      throw new Error("Mask: 0 to 255 or 0x0 to 0xff expected");
    }
    return { mask };
  }

  /** Shows a query that came from elsewhere. */
  show(query: Query): void {
    this.problem.textContent = "";
    this.kind.value = query.kind;
    this.exact.checked = query.exact === true;
    this.mask.value = query.mask === undefined ? EVERY : `0x${query.mask.toString(16)}`;
    const { name } = shapeOf(query);
    this.choose(name);
    this.fill(query);
  }

  /** Shows queries to begin with: they are easier to change than an empty form is to fill. */
  offer(queries: readonly Query[]): void {
    for (const query of queries) this.fill(query);
  }

  /** Writes a query into the fields of its shape. */
  private fill(query: Query): void {
    const { name, rows } = shapeOf(query);
    const { parts } = SHAPES[name];
    rows.forEach((row, k) => {
      const text = isUsual(row, parts[k]!) ? parts[k]!.example : row.map(single).join(", ");
      this.rows.get(name)!.inputs[k]!.value = text;
    });
  }
}

function makeRow(shape: ShapeName): Row {
  const inputs = SHAPES[shape].parts.map(({ example, otherwise }) =>
    h("input", otherwise ? { value: example } : { placeholder: example }));
  const cells = SHAPES[shape].parts.map(({ label, count }, k) =>
    h("label", { class: count === 3 ? "label" : "label is-short" }, label, inputs[k]));
  return { element: h("div", { class: "ray-fields" }, ...cells), inputs };
}
