// The help sheet: every shortcut, by group.

import { openDialog } from "./dialog";
import { h } from "./dom";
import { icon } from "./icons";
import { shortcuts, type Shortcut } from "./keys";

type Line = Pick<Shortcut, "keys" | "text">;

/** What the part of the page does that has the focus. */
const LISTS: readonly Line[] = [
  { keys: ["↑", "↓"], text: "Move by a row, a field, a step or an instruction" },
  { keys: ["PageUp", "PageDown", "Home", "End"], text: "Move far" },
  { keys: ["→", "←"], text: "Tree: open, close, go in and out. Tabs: the next, the one before" },
  { keys: ["*"], text: "Tree: open everything below" },
  { keys: ["Enter"], text: "Tree: show the bytes. Bytes: pick the field. Heat: step the ray" },
  { keys: ["↑", "↓", "←", "→"], text: "Picture: move over pixels, with Shift by ten. Space: move" },
  { keys: ["w", "a", "s", "d", "q", "e"], text: "Space: fly, with Shift faster" },
  { keys: ["Alt+Click"], text: "Space: send a ray from the eye" },
  { keys: ["+", "-", "←", "→", "Home"], text: "Timeline: zoom, move, show all" },
];

export function openHelp(version: string | undefined): void {
  const groups = new Map<string, readonly Line[]>();
  for (const each of shortcuts()) {
    groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
  }
  groups.set("In lists", LISTS);
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
      "Tab goes from part to part; Escape leaves a field, closes this sheet and stops work. ",
      `siliray ${version ?? ""}: every answer here is computed in this page.`));
}
