// What views say that need a machine, of a file that none can walk.

import { h } from "./dom";
import type { Page } from "./store";

export function isWalkable({ summary }: Page["state"]): boolean {
  return summary?.machines.length !== 0;
}

export function unsoundHint(page: Page): HTMLElement {
  const show = () => {
    page.set({ table: "findings" });
    page.show("tables");
  };
  return h("p", { class: "hint" }, "This file is not sound, so no machine can walk it. ",
    h("button", { class: "link", onclick: show }, "The findings"), " say why.");
}
