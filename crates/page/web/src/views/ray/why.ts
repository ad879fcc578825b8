// "Why is this primitive missed?": the question, and the answer with its node as a link.

import { fill, h } from "../../dom";
import type { Page } from "../../store";
import type { Primitive, Walk } from "../../protocol";
import { nodeLink } from "./detail";
import { single } from "./single";

/** `300`, `0:300` or `2:0:300`: primitive, geometry and instance, the last one first to go. */
export function parsePrimitive(text: string): Primitive {
  const numbers = text.trim().split(/\s*:\s*/).map((word) => (word === "" ? NaN : Number(word)));
  if (numbers.length > 3 || numbers.some((value) => !Number.isInteger(value) || value < 0)) {
    throw new Error("PRIMITIVE, GEOMETRY:PRIMITIVE or INSTANCE:GEOMETRY:PRIMITIVE expected");
  }
  const [primitive, geometry, instance] = numbers.reverse();
  return {
    primitive: primitive!,
    ...(geometry !== undefined && { geometry }),
    ...(instance !== undefined && { instance }),
  };
}

/** The ids as `parsePrimitive` reads them. */
export function idsText({ instance, geometry, primitive }: Primitive): string {
  return [instance, geometry, primitive].filter((id) => id !== undefined).join(":");
}

export class WhyForm {
  readonly element: HTMLElement;
  private readonly input = h("input", {
    placeholder: "geometry:primitive", "aria-label": "Primitive that is missed",
    title: "PRIMITIVE, GEOMETRY:PRIMITIVE or INSTANCE:GEOMETRY:PRIMITIVE",
  });
  private readonly answer = h("p", { class: "ray-answer", role: "status" });

  constructor(
    private readonly page: Page,
    private readonly ask: (missed: Primitive) => void,
    private readonly goToLoss: () => void,
  ) {
    const form = h("form", { class: "ray-line" },
      h("label", { class: "label" }, "Why is it missed?", this.input),
      h("button", { type: "submit" }, "Ask"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      try {
        ask(parsePrimitive(this.input.value));
      } catch (error) {
        fill(this.answer, h("span", { class: "error" }, (error as Error).message));
      }
    });
    this.element = h("div", { class: "ray-missed" }, form, this.answer);
    page.on("picked", () => {
      const { picked } = page.state;
      this.input.value = picked ? idsText(picked) : "";
    });
  }

  /** Says what a walk has lost, and offers to ask about it. */
  tellLoss(missed: Primitive, t: number): void {
    this.input.value = idsText(missed);
    const text = `The walk loses primitive ${missed.primitive}, at t ${single(t)}. `;
    fill(this.answer, h("span", { class: "warning" }, text),
      h("button", { class: "link", onclick: () => this.ask(missed) }, "Why?"));
  }

  show(walk: Walk | null): void {
    const why = walk?.why as
      | { accepted: boolean; node: string | null; entry?: number | null; text: string }
      | null
      | undefined;
    if (!why) return fill(this.answer);
    const link = why.node ? nodeLink(this.page, why.entry ?? null, why.node) : null;
    const go = why.node
      ? h("button", { class: "link", onclick: this.goToLoss }, "go to this step")
      : null;
    fill(this.answer, h("span", { class: why.accepted ? "good" : "warning" }, why.text),
      link && " — node ", link, go && ", ", go);
  }
}
