// The frame around the views.

import { h } from "./dom";
import { panels, type Page, type PanelName } from "./store";
import { mount as bytes } from "./views/bytes";
import { mount as heat } from "./views/heat";
import { mount as machine } from "./views/machine";
import { mount as ray } from "./views/ray";
import { mount as space } from "./views/space";
import { mount as tables } from "./views/tables";
import { mount as tree } from "./views/tree";

const views: Record<PanelName, (host: HTMLElement, page: Page) => void> = {
  tree, space, heat, machine, tables, bytes, ray,
};

export function mountShell(host: HTMLElement, page: Page): void {
  for (const name of panels) {
    const panel = h("section", { class: `panel ${name}` });
    host.append(panel);
    views[name](panel, page);
  }
}
