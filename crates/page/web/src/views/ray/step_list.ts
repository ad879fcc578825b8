// The steps of a walk as lines.

import { h } from "../../dom";
import { VirtualList } from "../../list";
import type { Walk } from "../../protocol";
import { css, HIT, VERDICTS } from "../palette";

const ROW = 22;

interface Row extends HTMLElement {
  number: HTMLElement;
  dot: HTMLElement;
  text: HTMLElement;
  step: number;
}

export class StepList {
  readonly element: HTMLElement;
  private readonly list: VirtualList<Row>;
  private readonly title = h("span", { class: "heading" });
  private walk: Walk | null = null;
  private current = -1;
  private difference: number | null = null;

  /** `go` is called with the step that a hand asks for. */
  constructor(private readonly go: (step: number) => void) {
    const fill = (row: Row, step: number) => this.fill(row, step);
    this.list = new VirtualList(ROW, { make: () => this.make(), fill }, {
      role: "listbox", "aria-label": "Steps",
    });
    this.element = h("div", { class: "ray-list" }, this.title, this.list.host);
    this.list.host.addEventListener("keydown", (event) => this.press(event));
  }

  show(walk: Walk | null, title: string, difference: number | null): void {
    this.walk = walk;
    this.difference = difference;
    this.title.textContent = title;
    this.title.hidden = title === "";
    this.current = -1;
    this.list.setRows(walk?.steps.length ?? 0);
  }

  /** Marks a step, and scrolls to where it is seen. */
  mark(step: number): void {
    if (step === this.current) return;
    this.current = step;
    this.list.show(step);
    this.list.mark(step);
  }

  private press(event: KeyboardEvent): void {
    const last = (this.walk?.steps.length ?? 1) - 1;
    const targets: Record<string, number> = {
      ArrowDown: this.current + 1, ArrowUp: this.current - 1,
      PageDown: this.current + this.list.page, PageUp: this.current - this.list.page,
      Home: 0, End: last,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(Math.min(Math.max(target, 0), last));
  }

  private make(): Row {
    const number = h("span", { class: "ray-number" });
    const dot = h("i", { class: "ray-dot" });
    const text = h("span", { class: "ray-text" });
    const element = h("div", { role: "option" }, number, dot, text);
    const row: Row = Object.assign(element, { number, dot, text, step: 0 });
    row.addEventListener("click", () => this.go(row.step));
    return row;
  }

  private fill(row: Row, number: number): void {
    const step = this.walk?.steps[number];
    if (!step) return;
    const colour = step.event === "accept" ? HIT : VERDICTS[String(step.verdict)]?.colour;
    const isCurrent = number === this.current;
    const classes = ["virtual-row", "ray-row", `is-${step.event}`, isCurrent && "is-current",
      number === this.difference && "is-difference"];
    row.className = classes.filter(Boolean).join(" ");
    row.step = number;
    row.setAttribute("aria-selected", String(isCurrent));
    row.number.textContent = String(number);
    row.dot.style.background = colour ? css(colour) : "";
    row.text.textContent = (this.walk?.texts[number] ?? step.event).trimEnd();
    row.text.title = row.text.textContent;
  }
}
