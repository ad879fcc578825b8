// The steps of a walk as lines. Only those that can be seen are elements: a walk may have a hundred
// thousand.

import { fill, h } from "../../dom";
import type { Walk } from "../../protocol";
import { css, HIT, VERDICTS } from "../palette";

const ROW = 22;

export class StepList {
  readonly element: HTMLElement;
  private readonly sheet = h("div", { class: "ray-sheet" });
  private readonly scroll: HTMLElement;
  private readonly title = h("span", { class: "heading" });
  private walk: Walk | null = null;
  private current = -1;
  private difference: number | null = null;

  /** `go` is called with the step that a hand asks for. */
  constructor(private readonly go: (step: number) => void) {
    this.scroll = h("div", {
      class: "scroll ray-scroll", tabindex: 0, role: "listbox", "aria-label": "Steps",
    }, this.sheet);
    this.element = h("div", { class: "ray-list" }, this.title, this.scroll);
    this.scroll.addEventListener("scroll", () => this.draw());
    this.scroll.addEventListener("keydown", (event) => this.press(event));
    new ResizeObserver(() => this.draw()).observe(this.scroll);
  }

  show(walk: Walk | null, title: string, difference: number | null): void {
    this.walk = walk;
    this.difference = difference;
    this.title.textContent = title;
    this.title.hidden = title === "";
    this.sheet.style.height = `${ROW * (walk?.steps.length ?? 0)}px`;
    this.current = -1;
    this.draw();
  }

  /** Marks a step, and scrolls to where it is seen. */
  mark(step: number): void {
    if (step === this.current) return;
    this.current = step;
    const { scroll } = this;
    const top = ROW * step;
    const isSeen = top >= scroll.scrollTop && top + ROW <= scroll.scrollTop + scroll.clientHeight;
    if (!isSeen) scroll.scrollTop = top - scroll.clientHeight / 2;
    this.draw();
  }

  private press(event: KeyboardEvent): void {
    const page = Math.floor(this.scroll.clientHeight / ROW) - 1;
    const last = (this.walk?.steps.length ?? 1) - 1;
    const targets: Record<string, number> = {
      ArrowDown: this.current + 1, ArrowUp: this.current - 1,
      PageDown: this.current + page, PageUp: this.current - page, Home: 0, End: last,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(Math.min(Math.max(target, 0), last));
  }

  private draw(): void {
    const { walk, scroll } = this;
    if (!walk || scroll.clientHeight === 0) return fill(this.sheet);
    const first = Math.max(0, Math.floor(scroll.scrollTop / ROW) - 4);
    const end = Math.min(walk.steps.length, first + Math.ceil(scroll.clientHeight / ROW) + 8);
    const rows: HTMLElement[] = [];
    for (let step = first; step < end; step++) rows.push(this.row(walk, step));
    fill(this.sheet, ...rows);
  }

  private row(walk: Walk, number: number): HTMLElement {
    const step = walk.steps[number]!;
    const dot = h("i", { class: "ray-dot" });
    const colour = step.event === "accept" ? HIT : VERDICTS[String(step.verdict)]?.colour;
    if (colour) dot.style.background = css(colour);
    const isCurrent = number === this.current;
    const classes = ["ray-row", isCurrent && "is-current",
      number === this.difference && "is-difference", `is-${step.event}`];
    const row = h("div", {
      class: classes.filter(Boolean).join(" "), role: "option", "aria-selected": isCurrent,
      onclick: () => this.go(number),
    }, h("span", { class: "ray-number" }, number), dot,
      h("span", { class: "ray-text" }, (walk.texts[number] ?? step.event).trimEnd()));
    row.style.top = `${ROW * number}px`;
    return row;
  }
}
