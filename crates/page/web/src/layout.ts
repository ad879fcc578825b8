// Where panels are: three columns with tabs on a screen, one panel at a time on a phone.

import { h } from "./dom";
import { panels, type Page, type PanelName } from "./store";
import { splitter } from "./splitter";

export const titles: Record<PanelName, string> = {
  tree: "Tree", space: "Space", heat: "Heat", machine: "Traversal unit", tables: "Tables",
  program: "Program",
  bytes: "Bytes", ray: "Ray",
};

const columns: readonly (readonly PanelName[])[] = [
  ["tree"], ["space", "heat", "machine", "tables", "program"], ["bytes", "ray"],
];

/** What has nothing to show for a file without a tree. */
const needTree: readonly PanelName[] = ["heat", "machine", "ray"];

/** A program needs no file, and nothing else goes without one. */
export function isOffered(name: PanelName, { summary, program }: Page["state"]): boolean {
  if (name === "program") return program !== null;
  return summary !== null && (summary.holds_trees || !needTree.includes(name));
}

type Mount = (host: HTMLElement, page: Page) => void;

export function mountLayout(page: Page, views: Record<PanelName, Mount>): HTMLElement {
  const isPhone = matchMedia("(max-width: 760px)");
  const hosts = {} as Record<PanelName, HTMLElement>;
  for (const name of panels) {
    hosts[name] = h("section", {
      class: `panel ${name}`, id: `panel-${name}`, role: "tabpanel", "aria-label": titles[name],
      tabindex: -1,
    });
    views[name](hosts[name], page);
  }
  const tabs: HTMLButtonElement[] = [];
  const tabList = (names: readonly PanelName[], kind: string) => {
    const list = h("div", { class: `tabs ${kind}`, role: "tablist" });
    for (const name of names) {
      const tab = h("button", {
        class: "tab", role: "tab", "data-panel": name, "aria-controls": `panel-${name}`,
        onclick: () => page.show(name),
      }, titles[name]);
      tabs.push(tab);
      list.append(tab);
    }
    list.addEventListener("keydown", event => moveAlong(list, event as KeyboardEvent));
    return list;
  };
  const main = h("main", { class: "columns" });
  const groups = columns.map(names => {
    const group = h("div", { class: `column ${names[0]}-column` }, tabList(names, "inner"));
    group.append(...names.map(name => hosts[name]));
    return group;
  });
  main.append(
    groups[0]!, splitter(main, "--left", 1), groups[1]!, splitter(main, "--right", -1), groups[2]!,
  );
  const footer = h("nav", { class: "phone-tabs", "aria-label": "Panels" },
    tabList(panels, "outer"));

  const front = columns.map(names => names[0]!);
  const update = () => {
    const { panel } = page.state;
    const offers = (name: PanelName) => isOffered(name, page.state);
    const column = columns.findIndex(names => names.includes(panel));
    front[column] = panel;
    const inFront = columns.map((names, at) =>
      offers(front[at]!) ? front[at]! : names.find(offers) ?? null);
    const only = inFront[column] ?? inFront.find(name => name !== null) ?? null;
    const seen = isPhone.matches ? [only] : inFront;
    const shown = new Set(seen.filter((name): name is PanelName => name !== null));
    for (const name of panels) hosts[name].hidden = !shown.has(name);
    groups.forEach((group, at) => (group.hidden = !columns[at]!.some(name => shown.has(name))));
    main.classList.toggle("is-single", groups.some(group => group.hidden));
    for (const tab of tabs) {
      const name = tab.dataset["panel"] as PanelName;
      tab.hidden = !offers(name);
      tab.setAttribute("aria-selected", String(shown.has(name)));
      tab.tabIndex = shown.has(name) ? 0 : -1;
    }
    page.set({ shown });
  };
  page.on(["panel", "summary", "program"], update);
  isPhone.addEventListener("change", update);
  update();
  return h("div", { class: "work" }, main, footer);
}

function moveAlong(list: HTMLElement, event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const tabs = [...list.querySelectorAll<HTMLButtonElement>(".tab:not([hidden])")];
  const at = tabs.indexOf(document.activeElement as HTMLButtonElement);
  const next = tabs[(at + step + tabs.length) % tabs.length];
  event.preventDefault();
  next?.click();
  next?.focus();
}
