// What every slot did and when: a line for each slot, a colour for each state. The wheel zooms,
// dragging moves, pointing tells.

import { fill, h } from "../../dom";
import { count } from "../../format";
import { css, type Rgb } from "../palette";
import type { Run } from "./answer";

/** The states by their meaning, in colours that differ in lightness too. */
export const STATES: Readonly<Record<string, Rgb>> = {
  free: [127, 135, 146],
  ready: [240, 228, 66],
  fetch: [213, 94, 0],
  launched: [0, 158, 115],
  drain: [86, 180, 233],
  done: [204, 121, 167],
};

const MARGIN = 34;
const AXIS = 18;

type Timeline = NonNullable<Run["timeline"]>;

export class SlotChart {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", {
    class: "machine-slots", tabindex: 0, role: "img",
    "aria-label": "What each slot did over time. + and - zoom, arrow keys move.",
  });
  private readonly told = h("p", { class: "machine-told muted", role: "status" });
  private readonly row: number;
  /** The cycles that are shown. */
  private range: [number, number];
  private readonly end: number;
  private pressed: { x: number; range: [number, number] } | null = null;

  constructor(private readonly timeline: Timeline) {
    const { event_end } = timeline.events;
    this.end = event_end.reduce((a, b) => Math.max(a, b), 1);
    this.range = [0, this.end];
    this.row = Math.min(Math.max(Math.floor(320 / timeline.slots), 2), 12);
    this.element = h("div", {}, legend(timeline.states), this.canvas, this.told);
    this.tell(null);
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => this.zoomAt(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      this.pressed = { x: event.offsetX, range: [...this.range] };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", () => (this.pressed = null));
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("keydown", (event) => this.press(event));
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  private get width(): number {
    return Math.max(this.canvas.clientWidth - MARGIN, 1);
  }

  private cycleAt(x: number): number {
    const [from, to] = this.range;
    return from + ((x - MARGIN) / this.width) * (to - from);
  }

  private zoomAt(event: WheelEvent): void {
    if (!event.ctrlKey && !event.shiftKey && document.activeElement !== this.canvas) return;
    event.preventDefault();
    this.zoom(Math.exp(event.deltaY * 0.002), this.cycleAt(event.offsetX));
  }

  private zoom(factor: number, around: number): void {
    const [from, to] = this.range;
    const span = Math.min(Math.max((to - from) * factor, 20), this.end);
    const share = (around - from) / (to - from);
    this.moveTo(around - share * span, span);
  }

  private moveTo(from: number, span: number): void {
    const start = Math.min(Math.max(from, 0), this.end - span);
    this.range = [start, start + span];
    this.draw();
  }

  private press(event: KeyboardEvent): void {
    const [from, to] = this.range;
    const span = to - from;
    const acts: Record<string, () => void> = {
      "+": () => this.zoom(0.6, from + span / 2),
      "-": () => this.zoom(1 / 0.6, from + span / 2),
      ArrowLeft: () => this.moveTo(from - span / 5, span),
      ArrowRight: () => this.moveTo(from + span / 5, span),
      Home: () => this.moveTo(0, this.end),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  private point(event: PointerEvent): void {
    const { pressed } = this;
    if (pressed) {
      const [from, to] = pressed.range;
      const shift = ((pressed.x - event.offsetX) / this.width) * (to - from);
      return this.moveTo(from + shift, to - from);
    }
    this.tell(this.find(Math.floor(event.offsetY / this.row), this.cycleAt(event.offsetX)));
  }

  /** The event of a slot at a cycle. */
  private find(slot: number, cycle: number): number | null {
    const { event_slot, event_start, event_end } = this.timeline.events;
    for (let k = 0; k < event_slot.length; k++) {
      if (event_slot[k] === slot && event_start[k]! <= cycle && event_end[k]! > cycle) return k;
    }
    return null;
  }

  private tell(found: number | null): void {
    const { events, states, isCut } = this.timeline;
    if (found === null) {
      const cut = isCut ? " The events are cut: ask fewer queries for all." : "";
      return fill(this.told, `Click, then turn the wheel to zoom; drag to move.${cut}`);
    }
    const [start, end] = [events.event_start[found]!, events.event_end[found]!];
    const cycles = count(end - start);
    fill(this.told, `slot ${events.event_slot[found]}: ${states[events.event_state[found]!]} for `
      + `${cycles} cycles from ${count(start)}, query ${events.event_job[found]}`);
  }

  draw(): void {
    const { canvas, timeline, row } = this;
    const wide = canvas.clientWidth;
    if (wide === 0) return;
    const ratio = Math.min(devicePixelRatio, 2);
    const tall = row * timeline.slots + AXIS;
    canvas.style.height = `${tall}px`;
    [canvas.width, canvas.height] = [wide * ratio, tall * ratio];
    const pen = canvas.getContext("2d")!;
    pen.scale(ratio, ratio);
    const [from, to] = this.range;
    const scale = this.width / (to - from);
    const { event_slot, event_state, event_start, event_end } = timeline.events;
    const gap = row > 4 ? 1 : 0;
    const colours = timeline.states.map((name) => css(STATES[name] ?? STATES.free!));
    for (let k = 0; k < event_slot.length; k++) {
      const [start, end] = [event_start[k]!, event_end[k]!];
      if (end < from || start > to) continue;
      const x = MARGIN + Math.max((start - from) * scale, 0);
      const right = MARGIN + Math.min((end - from) * scale, this.width);
      pen.fillStyle = colours[event_state[k]!]!;
      pen.fillRect(x, event_slot[k]! * row, Math.max(right - x, 0.6), row - gap);
    }
    this.drawAxis(pen, wide, tall);
  }

  private drawAxis(pen: CanvasRenderingContext2D, wide: number, tall: number): void {
    const style = getComputedStyle(this.canvas);
    pen.fillStyle = style.getPropertyValue("--muted");
    pen.font = `11px ${style.fontFamily}`;
    pen.textBaseline = "bottom";
    const [from, to] = this.range;
    const parts = wide > 500 ? 6 : 3;
    for (let k = 0; k <= parts; k++) {
      pen.textAlign = k === 0 ? "left" : k === parts ? "right" : "center";
      const cycle = Math.round(from + ((to - from) * k) / parts);
      pen.fillText(count(cycle), MARGIN + (this.width * k) / parts, tall - 1);
    }
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const { slots } = this.timeline;
    const step = Math.max(1, Math.ceil(slots / 8));
    for (let slot = 0; slot < slots; slot += step) {
      pen.fillText(String(slot), MARGIN - 6, (slot + 0.5) * this.row);
    }
  }
}

function legend(states: readonly string[]): HTMLElement {
  return h("p", { class: "machine-legend" },
    ...states.filter((name) => name !== "free").map((name) => swatch(STATES[name]!, name)));
}

export function swatch(colour: Rgb, name: string): HTMLElement {
  const dot = h("i", { class: "machine-dot" });
  dot.style.background = css(colour);
  return h("span", {}, dot, name);
}
