// The line at the top: what is open, whether it is sound, who walks it.

import { fill, h } from "./dom";
import { count, plural } from "./format";
import { icon, type IconName } from "./icons";
import type { Actions } from "./actions";
import type { Page } from "./store";

export function mountTopbar(page: Page, actions: Actions): HTMLElement {
  const name = h("h1", { class: "file-name" });
  const verdict = h("button", { class: "verdict", onclick: actions.showFindings });
  const layout = h("span", { class: "layout" });
  const edits = h("span", { class: "edits" });
  const theme = tool("system", "Theme", actions.changeTheme);
  const bar = h("header", { class: "topbar" },
    h("button", { class: "brand quiet", onclick: actions.close, title: "Close the file" },
      "siliray"),
    name, verdict, layout,
    h("span", { class: "space-between" }),
    edits,
    h("button", { class: "goto-button", onclick: actions.goTo, title: "Go to (/)" },
      icon("search"), h("span", {}, "Go to node, byte, primitive"), h("kbd", {}, "/")),
    tool("open", "Open a file (o)", actions.pickFile),
    h("span", { class: "only-open" }, tool("link", "Copy a link to this view", actions.copyLink)),
    theme,
    tool("help", "Help (?)", actions.help),
  );

  const update = () => {
    const { summary, opening, program } = page.state;
    bar.classList.toggle("is-empty", !summary);
    const shown = summary?.name ?? program?.name ?? "";
    name.textContent = opening ? `Opening ${opening} …` : shown;
    name.title = summary ? `${summary.name}\nSHA-256 ${page.state.hash ?? "…"}` : "";
    verdict.hidden = !summary;
    if (!summary) return fill(layout);
    const [lead, text, kind] = verdictOf(summary);
    verdict.className = `verdict ${kind}`;
    fill(verdict, h("span", {}, h("span", { class: "verdict-lead" }, lead), text));
    verdict.title = `${count(summary.nodes)} nodes were checked`;
    fill(layout, formatControl(page, actions), structureControl(page, actions),
      machineControl(page));
  };
  page.on(["summary", "check", "opening", "hash", "program"], update);
  update();
  page.on("machine", () => {
    const select = layout.querySelector<HTMLSelectElement>("select.machine-select");
    if (select && page.state.machine) select.value = page.state.machine;
  });
  page.on("edits", () => {
    const { done: { length: done }, undone } = page.state.edits;
    fill(edits, done + undone > 0 && h("span", { class: "tools" },
      tool("undo", "Undo (Ctrl+Z)", actions.undo, done === 0),
      tool("redo", "Do again (Ctrl+Shift+Z)", actions.redo, undone === 0),
      h("button", { onclick: actions.save, title: "Save the file (Ctrl+S)" },
        icon("save"), done > 0 ? `Save ${plural(done, "edit")}` : "Save")));
  });
  page.on("theme", () => {
    fill(theme, icon(page.state.theme));
    theme.title = `Theme: ${page.state.theme}`;
  });
  return bar;
}

/** What a narrow bar leaves out, what it says, and how good that is. */
function verdictOf(summary: { sound: boolean; errors: number; warnings: number; notes: number }) {
  const { errors, warnings, notes } = summary;
  if (errors) return ["", plural(errors, "error"), "is-error"] as const;
  if (!summary.sound) return ["", "unsound", "is-error"] as const;
  if (warnings) return ["sound, ", plural(warnings, "warning"), "is-warning"] as const;
  return notes ? ["sound, ", plural(notes, "note"), "is-good"] as const
    : ["", "sound", "is-good"] as const;
}

function formatControl(page: Page, actions: Actions): Node {
  const { summary, about, origin } = page.state;
  // An example is about the bytes that it has: in another format there is nothing to see.
  if (summary?.source !== "built" || origin?.kind === "example") {
    return h("span", { class: "chip", title: "As stored in the file" }, summary?.format);
  }
  const select = h("select", {
    "aria-label": "Format", title: "Format that the scene is laid out in",
    onchange: async () => {
      await actions.openAgain({ format: select.value });
      select.value = page.state.summary?.format ?? "";
    },
  });
  const formats = about?.formats.filter(format => format.holds_trees) ?? [];
  for (const { name, summary: text } of formats) {
    select.append(h("option", { value: name, title: text }, name));
  }
  select.value = summary.format;
  return select;
}

function structureControl(page: Page, actions: Actions): Node | null {
  const { summary } = page.state;
  if (!summary || summary.structures.length < 2) return null;
  const select = h("select", {
    "aria-label": "Structure", title: "Structure that the view starts in",
    onchange: () => actions.openAgain({ structure: Number(select.value) }),
  });
  summary.structures.forEach((structure, at) =>
    select.append(h("option", { value: at }, `${structure.level} ${at}`)));
  select.value = String(summary.structure);
  return select;
}

function machineControl(page: Page): Node | null {
  const { summary, about, machine } = page.state;
  if (!summary?.machines.length) return null;
  const select = h("select", {
    class: "machine-select", "aria-label": "Machine", title: "Machine that walks",
    onchange: () => page.set({ machine: select.value }),
  });
  for (const name of summary.machines) {
    const text = about?.machines.find(each => each.name === name)?.summary ?? "";
    select.append(h("option", { value: name, title: text }, name));
  }
  if (machine) select.value = machine;
  return select;
}

function tool(name: IconName, text: string, act: () => void, isOff = false): HTMLButtonElement {
  return h("button", {
    class: "quiet tool", title: text, "aria-label": text, onclick: act, disabled: isOff,
  }, icon(name));
}
