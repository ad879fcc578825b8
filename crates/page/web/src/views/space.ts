// Space: triangles, boxes of nodes, the selection and the walk, seen by a camera.

import { colourOf } from "../colouring";
import { fill, h } from "../dom";
import { Dropped } from "../engine";
import { count, ordinal } from "../format";
import { shortcut } from "../keys";
import { fillLegend } from "../legend";
import { readBoxes } from "../outline";
import type { Outline, OutlineArrays, Vector } from "../protocol";
import { CANCELLED, type Origin, type Page } from "../store";
import { isDark } from "../theme";
import { Bounds, corners } from "./space/affine";
import { BoxLines } from "./space/box_lines";
import { Cameras } from "./space/cameras";
import { Geometry, type Picked } from "./space/geometry";
import {
  boundsOf, countFound, drawMarks, type Marked, MOST_FINDINGS,
} from "./space/highlight";
import { hideNode, isolateNode, makeOptions, type SpaceOptions } from "./space/options";
import { drawStep } from "./space/overlay";
import { instanceStates, withinLevels } from "./space/instances";
import { paintPrimitives } from "./space/paint";
import { boxOf, MOST_BOXES, place, wantedEntries } from "./space/shown";
import { Stage } from "./space/stage";
import { Surfaces } from "./space/surfaces";
import { ThickLines } from "./space/thick_lines";
import { WalkModel } from "./walk_model";

export function mount(host: HTMLElement, page: Page): void {
  host.classList.add("space-view");
  let view: SpaceView | null = null;
  shortcut("Space", "Fit the view to the selection", ["f"], () => view?.fit());
  shortcut("Space", "Nearer", ["+", "="], () => view?.zoom(1.25));
  shortcut("Space", "Farther", ["-"], () => view?.zoom(0.8));
  shortcut("Space", "Isolate the selected subtree, or show all", ["i"], () => isolateNode(page));
  shortcut("Space", "Hide the selected subtree, or show it", ["h"], () => hideNode(page));
  // Drawing in space takes memory: not before it is seen.
  const stop = page.on("shown", () => {
    if (!page.state.shown.has("space")) return;
    stop();
    const field = h("div", { class: "space-field" });
    try {
      view = new SpaceView(host, field, page, new Stage(field));
    } catch {
      const text = "Space needs WebGL 2, which this browser does not offer.";
      host.append(h("p", { class: "hint" }, text));
    }
  });
}

/** Milliseconds that finding what is under the pointer may take, while it only hovers. */
const HOVER_BUDGET = 12;

/** Primitives that take noticeably long to colour. */
const MANY = 100_000;

class SpaceView {
  private readonly options: SpaceOptions = {
    style: "solid", depths: [0, 2], levels: "both", paints: false, flies: false, up: "y",
    casts: false,
  };
  private readonly boxes = new BoxLines(0.75);
  private readonly behind = new ThickLines(false);
  private readonly over = new ThickLines(true);
  private readonly message = h("p", { class: "space-message", role: "status" });
  private readonly legend = h("p", { class: "space-legend" });
  private readonly panel;
  private readonly cameras: Cameras;
  private scenery: Geometry | null = null;
  private surfaces: Surfaces | null = null;
  /** The outline that was drawn last; with its boxes, once these are there. */
  private drawn: OutlineArrays | null = null;
  private outline: Outline | null = null;
  private origin: Origin | null = null;
  private instance: number | null = null;
  private model: WalkModel | null = null;
  /** What is to be said about the geometry as a whole. */
  private note = "";
  private deepest = 0;
  private hoverCost = 0;
  private timer = 0;

  constructor(
    host: HTMLElement,
    field: HTMLElement,
    private readonly page: Page,
    private readonly stage: Stage,
  ) {
    this.panel = makeOptions(page, this.options, {
      changed: () => this.optionsChanged(),
      fit: () => this.fit(),
      home: () => this.cameras.home(),
    });
    field.append(this.message, this.legend);
    host.append(this.panel.bar, field);
    stage.canvas.setAttribute("aria-label", "The scene in space: drag to turn, click to select");
    // What was handed to the graphics card is not kept here.
    stage.canvas.addEventListener("webglcontextrestored", () => {
      this.drawn = null;
      void this.load();
    });
    stage.scene.add(this.boxes.object, this.behind.object, this.over.object);
    stage.onDraw((width, height) => {
      this.behind.resize(width, height);
      this.over.resize(width, height);
    });
    this.cameras = new Cameras(stage, page);
    this.listenToPointer();
    this.listenToPage();
    this.panel.refresh(0);
    void this.load();
  }

  private listenToPage(): void {
    const { page } = this;
    page.on(["summary", "revision", "outline", "shown"], () => void this.load());
    page.on("selection", () => {
      this.paintSoon();
      this.mark();
      this.panel.refresh(this.deepest);
    });
    page.on(["isolated", "hidden", "colouring"], () => this.optionsChanged());
    page.on(["node", "hover", "step", "walk"], () => this.mark());
    page.on("theme", () => {
      this.fillBoxes();
      this.mark();
    });
  }

  /** Fetches what is to be drawn, once for each file and only when it can be seen. */
  private async load(): Promise<void> {
    const { page } = this;
    const { summary, outline, shown } = page.state;
    if (!summary) return this.clear();
    if (!outline || !shown.has("space")) return;
    if (outline === this.drawn) return this.stage.draw();
    this.drawn = outline;
    try {
      const [geometry, boxes] = await Promise.all([
        this.geometry(), readBoxes((piece, room) => page.ask(piece, room)),
      ]);
      if (this.drawn === outline) this.show(geometry, { ...outline, ...boxes });
    } catch (error) {
      if (this.drawn !== outline) return;
      this.drawn = null;
      page.report(error);
      if (!(error instanceof Dropped)) return;
      const again = h("button", { class: "link", onclick: () => void this.load() }, "Read again");
      fill(this.message, CANCELLED, " ", again);
    }
  }

  /** Boxes can be drawn where an unsound file has no geometry. */
  private async geometry(): Promise<Geometry> {
    try {
      const answer = await this.page.geometry();
      const { step = 1 } = answer;
      this.note = step > 1
        ? `Every ${ordinal(step)} triangle is drawn: there are too many for all.` : "";
      return new Geometry(answer);
    } catch (error) {
      if (error instanceof Dropped) throw error;
      this.note = (error as Error).message;
      return Geometry.none();
    }
  }

  private clear(): void {
    this.drawn = this.outline = null;
    this.scenery = null;
    this.stage.backdrop.scene.clear();
    this.stage.backdrop.parts = null;
    this.surfaces?.dispose();
    this.surfaces = null;
    this.mark();
    this.stage.redraw();
  }

  private show(geometry: Geometry, outline: Outline): void {
    const { drawn } = this;
    this.clear();
    [this.drawn, this.outline, this.scenery] = [drawn, outline, geometry];
    this.deepest = outline.depth.reduce((a, b) => Math.max(a, b), 0);
    this.surfaces = new Surfaces(geometry);
    this.stage.backdrop.scene.add(this.surfaces.object);
    this.stage.backdrop.parts = this.surfaces;
    this.stage.extent = this.extentOf(geometry);
    if (this.origin !== this.page.state.origin) this.begin();
    this.optionsChanged();
  }

  /** What there is in all: as the file says, as its root says, or as its triangles lie. */
  private extentOf(geometry: Geometry): Bounds | null {
    const { outline } = this;
    const { summary } = this.page.state;
    const extent = new Bounds();
    const { bounds } = summary!;
    const root = outline && boxOf(outline, 0);
    if (bounds) [bounds.min, bounds.max].forEach((point) => extent.add(point));
    else if (root) corners(root).forEach((corner) => extent.add(corner));
    else geometry.addTo(extent);
    return extent.isEmpty ? null : extent;
  }

  /** The first view of a file. */
  private begin(): void {
    const { summary } = this.page.state;
    this.origin = this.page.state.origin;
    const up = (summary!.up ?? [0, 1, 0]).map(Math.abs);
    this.options.up = (["x", "y", "z"] as const)[up.indexOf(Math.max(...up))]!;
    this.instance = null;
    this.cameras.begin(this.options.up);
    // An example is about its node: from the file's own camera that may be a speck.
    const { start, selection } = this.page.state;
    if (start?.panel !== "space" || selection === null || selection !== start.entry) return;
    const depth = this.outline!.depth[selection]!;
    this.options.depths = [depth, depth + 1];
    this.fit();
  }

  private optionsChanged(): void {
    const { options } = this;
    if (this.surfaces) this.surfaces.style = options.style;
    this.cameras.use(options.flies, options.up);
    this.panel.refresh(this.deepest);
    this.paint();
    this.fillBoxes();
    this.mark();
  }

  /** Colours of many triangles wait until what was selected is told. */
  private paintSoon(): void {
    clearTimeout(this.timer);
    const wait = (this.scenery?.primitives ?? 0) > MANY ? 150 : 0;
    this.timer = window.setTimeout(() => this.paint(), wait);
  }

  private paint(): void {
    const { scenery: geometry, outline, surfaces, options } = this;
    const { selection, colouring, isolated, hidden } = this.page.state;
    if (!geometry || !surfaces) return;
    const colour = options.paints && outline ? colourOf(outline, colouring) : null;
    const choice = outline && { outline, selection, isolated, hidden };
    const states = choice ? instanceStates(geometry, choice) : new Int8Array();
    geometry.showInstances(states);
    surfaces.markInstances(states);
    const within = choice ? withinLevels(geometry, choice)
      : { outline, selection, isolated, hidden };
    paintPrimitives(surfaces.paint, geometry, { ...within, colourOf: colour });
    surfaces.painted();
    this.stage.redraw();
  }

  private fillBoxes(): void {
    const { scenery: geometry, outline, options } = this;
    const { selection, colouring, isolated, hidden } = this.page.state;
    if (!geometry || !outline) return;
    geometry.showInstances(instanceStates(geometry, { outline, selection, isolated, hidden }));
    const wanted = { depths: options.depths, levels: options.levels, isolated, hidden };
    const { entries, boxes } = wantedEntries(outline, geometry, wanted);
    const colour = colourOf(outline, colouring);
    this.boxes.start(Math.min(boxes, MOST_BOXES));
    place(outline, geometry, entries, MOST_BOXES, (map, entry) =>
      this.boxes.add(map, colour(entry)));
    this.boxes.finish();
    const cut = boxes > MOST_BOXES
      ? `The first ${count(this.boxes.count)} of ${count(boxes)} boxes are drawn, from the root `
        + "on: narrow the depths, or isolate a subtree."
      : "";
    const found = countFound(outline);
    const unmarked = found > MOST_FINDINGS
      ? `The first ${count(MOST_FINDINGS)} of ${count(found)} nodes with findings are marked.` : "";
    this.say([this.note, cut, unmarked].filter(Boolean).join(" "));
    this.legend.hidden = this.boxes.count === 0 && !options.paints;
    fillLegend(this.legend, colouring);
    this.panel.refresh(this.deepest);
    this.stage.draw();
  }

  private get marked(): Marked | null {
    const { selection, node, hover } = this.page.state;
    const { scenery: geometry, outline, instance } = this;
    return geometry && outline && { outline, geometry, selection, node, hover, instance };
  }

  private mark(): void {
    this.behind.start();
    this.over.start();
    const { marked } = this;
    if (marked) {
      drawMarks(marked, this.behind, this.over);
      this.markStep(marked.geometry);
    }
    this.behind.finish();
    this.over.finish();
    this.stage.draw();
  }

  private markStep(geometry: Geometry): void {
    const { walk, step } = this.page.state;
    if (!walk) return;
    if (this.model?.walk !== walk) this.model = new WalkModel(walk);
    const reach = 3 * (this.stage.extent?.radius ?? 1);
    const scenery = { geometry, reach, isDark: isDark() };
    drawStep(this.model, step, scenery, this.behind, this.over);
  }

  fit(): void {
    const { selection } = this.page.state;
    const { marked } = this;
    const bounds = (marked && selection !== null && boundsOf(marked, selection)) ?? null;
    const all = bounds ?? this.stage.extent;
    if (all) this.cameras.fit(all);
  }

  /** Brings the camera as much nearer to what it looks at. */
  zoom(factor: number): void {
    this.cameras.zoom(factor);
  }

  private listenToPointer(): void {
    const { canvas } = this.stage;
    let pressed: PointerEvent | null = null;
    canvas.addEventListener("pointerdown", (event) => {
      pressed = event.isPrimary && event.button === 0 ? event : null;
    });
    canvas.addEventListener("pointerup", (event) => {
      const from = pressed;
      pressed = null;
      const way = from ? Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) : 9;
      if (way < 5) this.click(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons === 0 && event.pointerType === "mouse") this.hover(event);
    });
    canvas.addEventListener("pointerleave", () => this.page.set({ hover: null }));
  }

  private pick(event: PointerEvent): Picked | null {
    const { scenery: geometry, surfaces, options } = this;
    if (!geometry || !surfaces || options.style === "none") return null;
    const { origin, direction } = this.stage.rayAt(event);
    return geometry.pick(origin, direction, (primitive) => surfaces.paint[primitive] !== 0);
  }

  private click(event: PointerEvent): void {
    if (this.options.casts || event.altKey) return this.cast(event);
    const picked = this.pick(event);
    this.instance = picked?.instance ?? null;
    if (!picked || !this.scenery) return this.page.select(null);
    const { geometry, primitive } = this.scenery.idsOf(picked.primitive);
    const leaf = this.scenery.leafOf(picked.primitive);
    if (leaf !== null) this.page.select(leaf);
    const { instance } = picked;
    this.page.set({ picked: { ...(instance !== null && { instance }), geometry, primitive } });
    const of = instance === null ? "" : `instance ${instance}, `;
    this.say(`${of}geometry ${geometry}, primitive ${primitive}`);
    this.mark();
  }

  private cast(event: PointerEvent): void {
    const { origin, direction } = this.stage.rayAt(event);
    const single = (point: Vector) => point.map(Math.fround) as Vector;
    const ray = { origin: single(origin), direction: single(direction) };
    this.page.set({ query: { kind: this.page.state.query?.kind ?? "closest", ray }, step: 0 });
    this.page.show("ray");
  }

  private hover(event: PointerEvent): void {
    if (this.hoverCost > HOVER_BUDGET) return;
    const start = performance.now();
    const picked = this.pick(event);
    this.hoverCost = performance.now() - start;
    this.page.set({ hover: picked && this.scenery!.leafOf(picked.primitive) });
  }

  private say(text: string): void {
    fill(this.message, text);
  }
}
