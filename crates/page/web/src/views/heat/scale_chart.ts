// The scale of a heat map: how many pixels have which count, in the colours of the map.

import { h } from "../../dom";
import { css } from "../palette";
import { colourOf, histogram } from "./colours";

const STEPS = 64;
const HEIGHT = 84;
const RAMP = 14;
/** Room for the numbers below. */
const TICKS = 20;

export class ScaleChart {
  readonly canvas = h("canvas", {
    class: "heat-chart", role: "img", "aria-label": "How many pixels have which count",
  });
  private counts: Uint32Array | null = null;
  private brightest = 1;
  private marked: number | null = null;

  constructor() {
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  show(counts: Uint32Array, brightest: number): void {
    this.counts = counts;
    this.brightest = brightest;
    this.draw();
  }

  /** Marks the count under the pointer. */
  mark(count: number | null): void {
    this.marked = count;
    this.draw();
  }

  draw(): void {
    const { canvas, counts, brightest } = this;
    const width = canvas.clientWidth;
    if (!counts || width === 0) return;
    const ratio = Math.min(devicePixelRatio, 2);
    canvas.width = width * ratio;
    canvas.height = (HEIGHT + RAMP + TICKS) * ratio;
    const pen = canvas.getContext("2d")!;
    pen.scale(ratio, ratio);
    const style = getComputedStyle(canvas);
    const bars = histogram(counts, brightest, STEPS);
    // Most pixels often share few counts: heights are logarithms, so that the others are seen.
    const most = Math.log1p(Math.max(...bars, 1));
    const step = width / STEPS;
    bars.forEach((pixels, k) => {
      pen.fillStyle = css(colourOf((k + 0.5) * (brightest / STEPS), brightest));
      const tall = (Math.log1p(pixels) / most) * (HEIGHT - 2);
      pen.fillRect(k * step, HEIGHT - tall, Math.max(step - 1, 1), tall);
      pen.fillRect(k * step, HEIGHT + 3, step + 0.5, RAMP);
    });
    this.drawTicks(pen, width, style);
    if (this.marked === null) return;
    const x = Math.min(this.marked / brightest, 1) * width;
    pen.fillStyle = style.color;
    pen.fillRect(Math.min(x, width - 2) - 1, 0, 2, HEIGHT + RAMP + 3);
  }

  private drawTicks(
    pen: CanvasRenderingContext2D, width: number, style: CSSStyleDeclaration,
  ): void {
    pen.fillStyle = style.color;
    pen.font = `12px ${style.fontFamily}`;
    pen.textBaseline = "top";
    const parts = width > 240 ? 4 : 2;
    for (let k = 0; k <= parts; k++) {
      const value = (this.brightest * k) / parts;
      const isEnd = k === parts;
      pen.textAlign = k === 0 ? "left" : isEnd ? "right" : "center";
      const text = Number(value.toPrecision(3)).toLocaleString("en") + (isEnd ? "+" : "");
      pen.fillText(text, (width * k) / parts, HEIGHT + RAMP + 6);
    }
  }
}
