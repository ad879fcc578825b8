// What an example says, above the panels, until it is dismissed.

import { fill, h } from "./dom";
import { icon } from "./icons";
import type { Page } from "./store";

export function mountLesson(page: Page): HTMLElement {
  const host = h("aside", { class: "lesson", "aria-label": "About this example", hidden: true });
  page.on("start", () => {
    const { start } = page.state;
    host.hidden = !start?.text;
    if (!start) return;
    fill(host, h("p", {}, start.text), h("button", {
      class: "quiet tool", "aria-label": "Dismiss", onclick: () => page.set({ start: null }),
    }, icon("close")));
  });
  return host;
}
