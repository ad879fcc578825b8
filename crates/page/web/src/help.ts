// The help sheet: every shortcut, by group.

import { openDialog } from "./dialog";
import { h } from "./dom";
import { icon } from "./icons";
import { shortcuts, type Shortcut } from "./keys";

export function openHelp(version: string | undefined): void {
  const groups = new Map<string, Shortcut[]>();
  for (const each of shortcuts()) {
    groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
  }
  const close = h("button", {
    class: "quiet tool", "aria-label": "Close", title: "Close (Escape)",
    onclick: () => dialog.close(),
  }, icon("close"));
  const dialog = openDialog("Help", "sheet-dialog help",
    h("div", { class: "help-head" }, h("h2", {}, "Keys"), close),
    h("div", { class: "key-groups" }, ...[...groups].map(([group, members]) =>
      h("section", {}, h("h3", { class: "heading" }, group),
        h("dl", {}, ...members.flatMap(each => [
          h("dt", {}, ...each.keys.map(key => h("kbd", {}, key))), h("dd", {}, each.text),
        ]))))),
    h("p", { class: "muted" },
      "In the tree: arrows move, open and close; * opens everything below; Enter shows the bytes. ",
      "Tab goes from panel to panel, arrows along tabs; Escape leaves a field. ",
      `siliray ${version ?? ""}: every answer here is computed in this page.`));
}
