// A line between two columns that can be moved, with the pointer or with the arrow keys.

import { h } from "./dom";

const LEAST = 200;
const KEY_STEP = 24;

/** Sets the custom property `name` of `main`; `sign` is 1 for a column on the left. */
export function splitter(main: HTMLElement, name: string, sign: 1 | -1): HTMLElement {
  const line = h("div", {
    class: "splitter", role: "separator", tabindex: 0, "aria-orientation": "vertical",
    "aria-label": "Width of the column", "aria-valuenow": sign > 0 ? 300 : 432,
    "aria-valuemin": LEAST,
  });
  const column = () =>
    (sign > 0 ? line.previousElementSibling : line.nextElementSibling) as HTMLElement;
  const resize = (width: number) => {
    const most = main.clientWidth - 2 * LEAST;
    const pixels = Math.round(Math.max(LEAST, Math.min(width, most)));
    main.style.setProperty(name, `${pixels}px`);
    line.setAttribute("aria-valuenow", String(pixels));
  };
  line.addEventListener("pointerdown", down => {
    const start = column().offsetWidth;
    const move = (event: PointerEvent) => resize(start + sign * (event.clientX - down.clientX));
    line.setPointerCapture(down.pointerId);
    line.addEventListener("pointermove", move);
    line.addEventListener("lostpointercapture",
      () => line.removeEventListener("pointermove", move), { once: true });
  });
  line.addEventListener("keydown", event => {
    const step = { ArrowLeft: -KEY_STEP, ArrowRight: KEY_STEP }[event.key];
    if (!step) return;
    event.preventDefault();
    resize(column().offsetWidth + sign * step);
  });
  line.addEventListener("dblclick", () => main.style.removeProperty(name));
  return line;
}
