// Heat: the rendered picture, maps of what each pixel costs, and pixels that are lost.

import { fill, h } from "../dom";
import { download } from "../edits";
import { Dropped } from "../engine";
import { fovIn } from "../field_of_view";
import { capital, count } from "../format";
import { icon } from "../icons";
import type { Answer, Camera, Query, Request } from "../protocol";
import type { Page } from "../store";
import { isWalkable, unsoundHint } from "../unsound";
import { paintCounts, widen } from "./heat/colours";
import type { Size } from "./heat/ladder";
import { PictureCanvas } from "./heat/picture";
import { type Frame, renderProgressively } from "./heat/progressive";
import { ScaleChart } from "./heat/scale_chart";

const SIZES: readonly Size[] = [[320, 180], [640, 360], [960, 540], [1280, 720]];
/** How long the camera rests before a new picture begins, in milliseconds. */
const REST = 200;

/** What heat maps count, of one pixel's ray. */
const COUNTED: Readonly<Record<string, string>> = {
  boxes: "boxes tested", triangles: "triangles tested", nodes: "nodes opened",
  blocks: "blocks fetched", bytes: "bytes fetched", cycles: "cycles waited",
};

function counted(measure: string): string {
  return COUNTED[measure] ?? measure;
}

/** What a pixel of a map of losses says. */
const LOSSES = [
  ["hits", "rgb(150 150 150)", "pixels with something in them"],
  ["lost", "rgb(235 40 30)", "lost: something is there, and the machine sees nothing or what lies "
    + "behind"],
  ["wrong", "rgb(250 210 40)", "wrong: the machine sees what is not there"],
] as const;

export function mount(host: HTMLElement, page: Page): void {
  host.classList.add("heat-view");
  new HeatView(host, page);
}

function button(text: string, style: string, act: () => void): HTMLButtonElement {
  return h("button", { class: style, onclick: act }, text);
}

class HeatView {
  private readonly picture = new PictureCanvas({
    over: (pixel) => this.over(pixel),
    take: (pixel) => this.take(pixel),
  });
  private readonly chart = new ScaleChart();
  private readonly what = this.chooser("What is shown");
  private readonly size = this.chooser("Size in pixels");
  private readonly camera = this.chooser("Camera");
  private readonly scale = h("input", {
    type: "number", min: 1, class: "heat-scale", placeholder: "auto",
    title: "The count with the brightest colour: fix it to compare maps",
    oninput: () => this.show(),
  });
  private readonly scaleLabel = h("label", { class: "label" }, "Brightest at", this.scale);
  private readonly start = button("Render", "", () => void this.render());
  private readonly stop = button("Cancel", "", () => this.cancel());
  private readonly save = h("button", {
    class: "quiet tool", title: "Save the picture", "aria-label": "Save the picture",
    onclick: () => this.download(),
  }, icon("save"));
  private readonly unsound: HTMLElement;
  private readonly body: HTMLElement;
  private readonly progress = h("i", { class: "heat-progress" });
  private readonly value = h("p", { class: "heat-value", role: "status" });
  private readonly figures = h("div", { class: "heat-figures" });
  private readonly legend = h("div", { class: "heat-legend" });
  private frame: Frame | null = null;
  private asked = "";
  /** Whether a hand has chosen what is shown. */
  private isChosen = false;
  private run = 0;
  private began = 0;
  private timer = 0;

  constructor(host: HTMLElement, private readonly page: Page) {
    fill(this.size, h("option", { value: "" }, "fits"),
      ...SIZES.map((size) => h("option", { value: size }, size.join(" × "))));
    this.isBusy(null);
    this.unsound = unsoundHint(page);
    this.body = h("div", { class: "heat-body" }, this.picture.element,
      h("aside", { class: "heat-side" }, this.value, this.legend, this.chart.canvas,
        this.scaleLabel, this.figures));
    host.append(
      h("div", { class: "bar" }, this.what, this.camera, this.size,
        h("span", { class: "grow" }), this.start, this.stop, this.save),
      this.progress, this.unsound, this.body);
    page.on(["summary", "about", "machine"], () => this.fillChoices());
    page.on("start", () => this.begin());
    page.on(["summary", "shown", "camera", "revision", "machine"], () => this.soon());
    page.on("theme", () => this.chart.draw());
    this.over(null);
    this.fillChoices();
    this.soon();
  }

  private chooser(label: string): HTMLSelectElement {
    return h("select", {
      "aria-label": label, title: label,
      onchange: () => {
        this.isChosen = true;
        this.fillMeasures();
        void this.render();
      },
    });
  }

  private get machine(): string {
    const { machine, summary } = this.page.state;
    return machine ?? summary?.default_machine ?? "";
  }

  private fillChoices(): void {
    const { summary } = this.page.state;
    const cameras = summary?.cameras ?? [];
    const view = this.camera.value || "space";
    fill(this.camera, h("option", { value: "space" }, "from space"),
      ...cameras.map(({ name }, k) =>
        h("option", { value: k }, `from ${name || "its camera"}`)));
    this.camera.value = view === "space" || cameras[Number(view)] ? view : "space";
    this.fillMeasures();
    const canWalk = isWalkable(this.page.state);
    this.unsound.hidden = canWalk;
    this.body.hidden = this.start.disabled = this.save.disabled = !canWalk;
  }

  private fillMeasures(): void {
    const { about } = this.page.state;
    const machine = about?.machines.find(({ name }) => name === this.machine);
    const measures = machine?.measures ?? [];
    const chosen = this.what.value;
    const option = (value: string, text: string) => h("option", { value }, text);
    fill(this.what, option("picture", "Picture"),
      ...measures.map((name) => option(name, capital(counted(name)))),
      option("losses", "Lost pixels"));
    const isOffered = ["picture", "losses", ...measures].includes(chosen);
    this.what.value = this.isChosen && isOffered ? chosen : (measures[0] ?? "picture");
  }

  /** Shows what an example is about. */
  private begin(): void {
    const what = (this.page.state.start as { what?: string } | null)?.what;
    if (!what) return;
    this.isChosen = true;
    this.what.value = what;
  }

  /** Renders a moment after the last change, and only if it is seen. */
  private soon(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      if (this.page.state.shown.has("heat") && this.key() !== this.asked) void this.render();
    }, REST);
  }

  private get view(): Camera | null {
    const { camera, summary } = this.page.state;
    if (this.camera.value === "space") return camera ?? summary?.cameras[0] ?? null;
    return summary?.cameras[Number(this.camera.value)] ?? null;
  }

  private key(): string {
    const choices = [this.machine, this.what.value, this.size.value];
    return JSON.stringify([this.page.state.revision, this.view, ...choices]);
  }

  /** Renders from small to large; a newer rendering ends an older one between two requests. */
  private async render(): Promise<void> {
    const run = ++this.run;
    const { machine } = this;
    if (!this.page.state.summary || !machine) return;
    this.asked = this.key();
    const view = this.view;
    const isSpace = this.camera.value === "space";
    const { value: wanted } = this.size;
    const size = wanted ? (wanted.split(",").map(Number) as unknown as Size) : this.picture.fit;
    const camera = view && isSpace ? { ...view, fov: fovIn(size[0] / size[1], view.fov) } : view;
    const plan = { machine, what: this.what.value, ...(camera && { camera }) };
    this.isBusy(0.02);
    this.began = performance.now();
    try {
      const ask = (request: Request<"render">) => this.ask(request);
      for await (const frame of renderProgressively(ask, plan, size)) {
        if (run !== this.run) return;
        if (!this.page.state.shown.has("heat")) {
          this.asked = "";
          break;
        }
        this.frame = frame;
        this.show();
        this.isBusy(frame.share);
      }
    } catch (error) {
      if (run === this.run && !(error instanceof Dropped)) this.say((error as Error).message);
    }
    if (run === this.run) this.isBusy(null);
  }

  private cancel(): void {
    this.run += 1;
    this.isBusy(null);
    void this.page.cancel();
  }

  private ask(request: Request<"render">): Promise<Answer<"render">> {
    return this.page.ask(request, { instead: "heat" });
  }

  private isBusy(share: number | null): void {
    const isRunning = share !== null && share < 1;
    this.stop.hidden = !isRunning;
    this.start.hidden = isRunning;
    this.progress.style.width = `${100 * (share ?? 0)}%`;
    this.progress.hidden = !isRunning;
  }

  private get brightest(): number {
    const fixed = Number(this.scale.value);
    return Math.max(1, fixed > 0 ? fixed : (this.frame?.figures.brightest ?? 1));
  }

  private show(): void {
    if (!this.frame) return;
    const { size, counts, pixels } = this.frame;
    const { brightest } = this;
    const shown = counts ? paintCounts(counts, brightest) : widen(pixels!);
    this.picture.show({ size, pixels: shown });
    this.chart.canvas.hidden = this.scaleLabel.hidden = counts === null;
    if (counts) this.chart.show(counts, brightest);
    this.showLegend();
    this.showFigures();
  }

  private showLegend(): void {
    const { plan, figures } = this.frame!;
    if (plan.what !== "losses") {
      const text = `${capital(counted(plan.what))} by the ray of a pixel`;
      return fill(this.legend, plan.what === "picture" ? "" : text);
    }
    fill(this.legend, ...LOSSES.map(([name, colour, text]) => {
      const dot = h("i", { class: "heat-dot" });
      dot.style.background = colour;
      const pixels = h("b", {}, count(figures[name] ?? 0));
      return h("p", { class: "heat-loss" }, dot, pixels, h("span", { class: "muted" }, text));
    }));
  }

  private showFigures(): void {
    const { plan, size, figures, share } = this.frame!;
    const names: [string, string][] = [["least", "least"], ["median", "median"], ["mean", "mean"],
      ["percentile_99", "99 % within"], ["most", "most"]];
    const rows = names.filter(([key]) => figures[key] !== undefined).map(([key, name]) => {
      const value = figures[key]!.toLocaleString("en", { maximumFractionDigits: 1 });
      return h("p", {}, h("span", { class: "muted" }, name), h("b", {}, value));
    });
    const time = count(performance.now() - this.began);
    const so = share < 1 ? "so far" : "in all";
    const warnings = this.frame!.warnings.map((text) => h("p", { class: "warning" }, text));
    fill(this.figures, ...rows, ...warnings, h("p", { class: "heat-time muted" },
      `${size.join(" × ")} by ${plan.machine}, ${time} ms ${so}`));
  }

  private over(pixel: [number, number] | null): void {
    if (!this.frame || !pixel) {
      this.chart.mark(null);
      return this.say("Point at a pixel for its value; click it to step its ray.");
    }
    const { plan, size, counts } = this.frame;
    const at = `pixel ${pixel.join(", ")}`;
    const found = counts?.[pixel[1] * size[0] + pixel[0]];
    this.chart.mark(found ?? null);
    if (found === undefined) this.say(at);
    else fill(this.value, h("b", {}, count(found)), ` ${counted(plan.what)}, ${at}`);
  }

  private take(pixel: [number, number]): void {
    if (!this.frame) return;
    const { size, plan: { camera } } = this.frame;
    const query: Query = {
      kind: "closest", pixel, size: [...size], ...(camera && { camera }),
    };
    this.page.set({ query, walk: null, step: 0 });
    this.page.show("ray");
  }

  private download(): void {
    const { summary } = this.page.state;
    const name = `${summary?.name ?? "picture"}-${this.what.value}.png`;
    this.picture.canvas.toBlob((blob) => blob && download(blob, name.replaceAll("/", "-")));
  }

  private say(text: string): void {
    fill(this.value, h("span", { class: "muted" }, text));
  }
}
