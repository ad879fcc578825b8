// What slots did and what units held, and when: a line for each slot or place of a unit. The wheel
// zooms, dragging moves, pointing tells.

import { fill, h } from "../../dom";
import { count } from "../../format";
import { css, type Rgb } from "../palette";
import type { Timeline } from "./answer";
import { COLOURS } from "./plot";

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

/** Spans of time in rows. */
export interface Track {
  /** What there is, for a reader of the screen. */
  about: string;
  rows: number;
  row: ArrayLike<number>;
  colour: ArrayLike<number>;
  start: Uint32Array;
  end: Uint32Array;
  colours: readonly Rgb[];
  /** What the colours mean; nothing where they only tell neighbours apart. */
  names: readonly string[];
  isCut: boolean;
  tell(span: number): string;
}

/** What every slot did: a colour for each state. */
export function slotTrack({ slots, isCut, states, events }: Timeline): Track {
  const { event_slot, event_state, event_job } = events;
  return {
    about: "What each slot did over time",
    rows: slots,
    row: event_slot,
    colour: event_state,
    start: events.event_start,
    end: events.event_end,
    colours: states.map((name) => STATES[name] ?? STATES.free!),
    names: states,
    isCut,
    tell: (k) => `slot ${event_slot[k]}: ${states[event_state[k]!]}, query ${event_job[k]}`,
  };
}

/** What every traversal unit held: blocks, in the colours of their slots. */
export function unitTrack({ isCut, events }: Timeline): Track {
  const { held_unit, held_place, held_slot, held_block } = events;
  const places = held_place.reduce((a, b) => Math.max(a, b), 0) + 1;
  const units = held_unit.reduce((a, b) => Math.max(a, b), 0) + 1;
  return {
    about: "What each place of the traversal units held over time",
    rows: units * places,
    row: held_unit.map((unit, k) => unit * places + held_place[k]!),
    colour: held_slot.map((slot) => slot % COLOURS.length),
    start: events.held_start,
    end: events.held_end,
    colours: COLOURS,
    names: [],
    isCut,
    tell: (k) => `unit ${held_unit[k]}, place ${held_place[k]}: block ${held_block[k]} `
      + `of slot ${held_slot[k]}`,
  };
}

export class TrackChart {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly told = h("p", { class: "machine-told muted", role: "status" });
  private readonly row: number;
  /** The cycles that are shown. */
  private range: [number, number];
  private readonly end: number;
  private pressed: { x: number; range: [number, number] } | null = null;

  constructor(private readonly track: Track) {
    this.canvas = h("canvas", {
      class: "machine-slots", tabindex: 0, role: "img",
      "aria-label": `${track.about}. + and - zoom, arrow keys move.`,
    });
    this.end = track.end.reduce((a, b) => Math.max(a, b), 1);
    this.range = [0, this.end];
    this.row = Math.min(Math.max(Math.floor(320 / track.rows), 2), 12);
    this.element = h("div", {}, legend(track), this.canvas, this.told);
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

  /** The span in a row at a cycle. */
  private find(row: number, cycle: number): number | null {
    const { track } = this;
    for (let k = 0; k < track.row.length; k++) {
      if (track.row[k] === row && track.start[k]! <= cycle && track.end[k]! > cycle) return k;
    }
    return null;
  }

  private tell(found: number | null): void {
    const { track } = this;
    if (found === null) {
      const cut = track.isCut ? " The events are cut: ask fewer queries for all." : "";
      return fill(this.told, `Click, then turn the wheel to zoom; drag to move.${cut}`);
    }
    const [start, end] = [track.start[found]!, track.end[found]!];
    fill(this.told,
      `${track.tell(found)}, for ${count(end - start)} cycles from ${count(start)}`);
  }

  draw(): void {
    const { canvas, track, row } = this;
    const wide = canvas.clientWidth;
    if (wide === 0) return;
    const ratio = Math.min(devicePixelRatio, 2);
    const tall = row * track.rows + AXIS;
    canvas.style.height = `${tall}px`;
    [canvas.width, canvas.height] = [wide * ratio, tall * ratio];
    const pen = canvas.getContext("2d")!;
    pen.scale(ratio, ratio);
    const [from, to] = this.range;
    const scale = this.width / (to - from);
    const gap = row > 4 ? 1 : 0;
    const colours = track.colours.map((colour) => css(colour));
    for (let k = 0; k < track.row.length; k++) {
      const [start, end] = [track.start[k]!, track.end[k]!];
      if (end < from || start > to) continue;
      const x = MARGIN + Math.max((start - from) * scale, 0);
      const right = MARGIN + Math.min((end - from) * scale, this.width);
      pen.fillStyle = colours[track.colour[k]!]!;
      pen.fillRect(x, track.row[k]! * row, Math.max(right - x, 0.6), row - gap);
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
    const { rows } = this.track;
    const step = Math.max(1, Math.ceil(rows / 8), Math.ceil(12 / this.row));
    for (let row = 0; row < rows; row += step) {
      pen.fillText(String(row), MARGIN - 6, (row + 0.5) * this.row);
    }
  }
}

function legend({ names, colours }: Track): HTMLElement | null {
  const marks = names.map((name, k) => name !== "free" && swatch(colours[k]!, name));
  return names.length > 0 ? h("p", { class: "machine-legend" }, ...marks) : null;
}

export function swatch(colour: Rgb, name: string): HTMLElement {
  const dot = h("i", { class: "machine-dot" });
  dot.style.background = css(colour);
  return h("span", {}, dot, name);
}
