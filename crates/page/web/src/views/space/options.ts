// What the space view shows: the controls above it.

import { h } from "../../dom";
import { type Colouring, colourings, type Page } from "../../store";
import type { Axis } from "./cameras";
import type { Wanted } from "./shown";
import { type Style, STYLES } from "./surfaces";

export interface SpaceOptions {
  style: Style;
  depths: [number, number];
  levels: Wanted["levels"];
  /** Whether triangles have the colour of their leaf. */
  paints: boolean;
  flies: boolean;
  up: Axis;
  /** Whether a click sends a ray instead of selecting. */
  casts: boolean;
}

export interface Actions {
  changed(): void;
  fit(): void;
  home(): void;
}

const LEVELS: Readonly<Record<Wanted["levels"], string>> = {
  both: "TLAS and BLAS",
  tlas: "TLAS",
  blas: "BLAS",
  none: "no boxes",
};

const COLOURS = Object.fromEntries(colourings.map((name) => [name, `By ${name}`])) as
  Record<Colouring, string>;

const LOOKS: Readonly<Record<Style, string>> = {
  solid: "Solid",
  edges: "Solid, edges",
  wire: "Wireframe",
  none: "No triangles",
};

/** The controls; `refresh` shows what was changed from elsewhere. */
export function makeOptions(
  page: Page,
  options: SpaceOptions,
  { changed, fit, home }: Actions,
): { bar: HTMLElement; refresh(deepest: number): void } {
  const set = (patch: Partial<SpaceOptions>) => {
    Object.assign(options, patch);
    changed();
  };
  const style = choice("How triangles are drawn", STYLES, LOOKS, (value) => set({ style: value }));
  const levels = choice("Which boxes are drawn", Object.keys(LEVELS) as Wanted["levels"][], LEVELS,
    (value) => set({ levels: value }));
  const up = choice("Which way is up", ["x", "y", "z"], { x: "X up", y: "Y up", z: "Z up" },
    (value) => set({ up: value as Axis }));
  const colour = choice("Colour by", colourings, COLOURS,
    (value) => page.set({ colouring: value }));
  const [from, to] = ["Least depth", "Greatest depth"].map((label, end) =>
    h("input", {
      type: "number", min: 0, class: "space-depth", "aria-label": label, title: label,
      onchange: (event: Event) => {
        const depths: [number, number] = [...options.depths];
        depths[end] = Math.max(0, Math.trunc(Number((event.target as HTMLInputElement).value)));
        if (depths[0] > depths[1]) depths[1 - end] = depths[end]!;
        set({ depths });
      },
    }),
  ) as [HTMLInputElement, HTMLInputElement];
  const paints = toggle("Paint", "Give triangles the colour of their leaf", () =>
    set({ paints: !options.paints }));
  const flies = toggle("Fly", "Drag to look, W A S D Q E to move, Shift faster", () =>
    set({ flies: !options.flies }));
  const casts = toggle("Cast", "A click sends a ray from the eye (or Alt and click)", () =>
    set({ casts: !options.casts }));
  const isolate = toggle("Isolate", "Draw only the selected subtree (i)", () => isolateNode(page));
  const hide = h("button", {
    class: "quiet", title: "Do not draw the selected subtree (h)", onclick: () => hideNode(page),
  }, "Hide");
  const all = h("button", {
    class: "quiet", title: "Draw everything again",
    onclick: () => page.set({ hidden: new Set(), isolated: null }),
  }, "Show all");
  const group = (label: string, ...parts: HTMLElement[]) =>
    h("span", { class: "space-group", role: "group", "aria-label": label }, ...parts);
  const more = h("div", { class: "space-more" },
    group("Boxes", levels, h("span", { class: "label" }, "depth", from, "–", to)),
    group("Colour", colour, paints),
    group("Subtree", isolate, hide, all),
    group("Camera", up, flies, casts));
  const open = h("button", {
    class: "quiet space-open", "aria-expanded": "false", title: "More about what is drawn",
    onclick: () => {
      const isOpen = more.classList.toggle("is-open");
      open.setAttribute("aria-expanded", String(isOpen));
    },
  }, "Options");
  const bar = h("div", { class: "bar space-bar" },
    group("View", style,
      h("button", { class: "quiet", title: "Fit the selection, or all (f)", onclick: fit }, "Fit"),
      h("button", { class: "quiet", title: "Back to the first view", onclick: home }, "Home")),
    open, more);
  const refresh = (deepest: number) => {
    const { state } = page;
    style.value = options.style;
    levels.value = options.levels;
    up.value = options.up;
    colour.value = state.colouring;
    from.max = to.max = String(deepest);
    from.value = String(options.depths[0]);
    to.value = String(Math.min(options.depths[1], deepest));
    const press = (button: HTMLElement, isOn: boolean) =>
      button.setAttribute("aria-pressed", String(isOn));
    press(paints, options.paints);
    press(flies, options.flies);
    press(casts, options.casts);
    press(isolate, state.isolated !== null);
    isolate.toggleAttribute("disabled", state.selection === null && state.isolated === null);
    hide.toggleAttribute("disabled", state.selection === null);
    all.toggleAttribute("disabled", state.isolated === null && state.hidden.size === 0);
  };
  return { bar, refresh };
}

export function isolateNode(page: Page): void {
  const { isolated, selection } = page.state;
  page.set({ isolated: isolated === null ? selection : null });
}

export function hideNode(page: Page): void {
  const { hidden, selection } = page.state;
  if (selection === null) return;
  const next = new Set(hidden);
  if (!next.delete(selection)) next.add(selection);
  page.set({ hidden: next });
}

function choice<T extends string>(
  label: string,
  values: readonly T[],
  names: Readonly<Record<T, string>>,
  act: (value: T) => void,
): HTMLSelectElement {
  return h("select", {
    "aria-label": label, title: label,
    onchange: (event: Event) => act((event.target as HTMLSelectElement).value as T),
  }, ...values.map((value) => h("option", { value }, names[value])));
}

function toggle(text: string, title: string, act: () => void): HTMLButtonElement {
  return h("button", { class: "quiet", title, "aria-pressed": "false", onclick: act }, text);
}
