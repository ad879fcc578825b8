// The frame around the views: bars, panels, sheets, keys, and the address.

import type { Actions } from "./actions";
import { addressOf } from "./address";
import { listenToDrops, pickFile } from "./drop";
import { Edits } from "./edits";
import { openGoTo } from "./goto";
import { openHelp } from "./help";
import { isOffered, mountLayout, titles } from "./layout";
import { mountLesson } from "./lesson";
import { listenToKeys, shortcut } from "./keys";
import type { Opening } from "./opening";
import { parentOf } from "./outline";
import { ask } from "./question";
import { mountStatusbar } from "./statusbar";
import { colourings, panels, withoutFile, type PanelName, type Store } from "./store";
import { listenToTheme, nextTheme } from "./theme";
import { mountTopbar } from "./topbar";
import { mount as bytes } from "./views/bytes";
import { mount as heat } from "./views/heat";
import { mount as machine } from "./views/machine";
import { mount as program } from "./views/program";
import { exampleName, exampleText } from "./views/program/example";
import { mount as ray } from "./views/ray";
import { mount as space } from "./views/space";
import { mount as tables } from "./views/tables";
import { mount as tree } from "./views/tree";
import { mountWelcome } from "./welcome";

export function mountShell(host: HTMLElement, page: Store, opening: Opening): void {
  const edits = new Edits(page);
  opening.mayLose = async () => page.state.edits.isSaved || ask(unsaved, "Discard them", "Stay");
  addEventListener("beforeunload", event => {
    if (!page.state.edits.isSaved) event.preventDefault();
  });
  page.edit = edit => edits.apply(edit);
  const actions = actionsOf(page, opening, edits);
  registerKeys(page, actions);
  const welcome = mountWelcome(page, actions);
  const views = { tree, space, heat, machine, tables, program, bytes, ray };
  const work = mountLayout(page, views);
  host.append(
    mountTopbar(page, actions), mountLesson(page), welcome, work, mountStatusbar(page),
    listenToDrops(file => opening.take(file.name, file)),
  );
  const update = () => {
    const { summary, program } = page.state;
    const isOpen = summary !== null || program !== null;
    welcome.hidden = isOpen;
    work.hidden = !isOpen;
    const name = summary?.name ?? program?.name;
    document.title = name ? `${name} – siliray` : "siliray";
  };
  page.on(["summary", "program"], update);
  update();
  listenToTheme(page);
  listenToKeys(document);
  writeAddress(page);
}

/** What is asked before edits are lost. */
const unsaved = "The edits of this file are not saved.";

function actionsOf(page: Store, opening: Opening, edits: Edits): Actions {
  return {
    pickFile: () => pickFile(file => opening.take(file.name, file)),
    openBuiltin: (name, layout) => opening.builtin(name, layout),
    openExample: name => opening.example(name),
    openProgram: () => opening.program(exampleName, new Blob([exampleText])),
    openAgain: change => opening.again(change),
    close: async () => {
      if (!await opening.mayLose()) return;
      page.set({ ...withoutFile, summary: null, origin: null, program: null });
    },
    goTo: () => openGoTo(page),
    help: () => openHelp(page.state.about?.version),
    copyLink: () => copyLink(page),
    changeTheme: () => page.set({ theme: nextTheme(page.state.theme) }),
    showFindings: () => {
      page.set({ table: "findings" });
      page.show("tables");
    },
    undo: () => edits.undo(),
    redo: () => edits.redo(),
    save: () => edits.save(),
  };
}

function registerKeys(page: Store, actions: Actions): void {
  panels.forEach((name, at) =>
    shortcut("Panels", `Show ${titles[name].toLowerCase()}`, [String(at + 1)], () => {
      page.show(name);
      focusIn(name);
    }, () => isOffered(name, page.state)));
  shortcut("Page", "Go to a node, byte, primitive or command", ["/", "Ctrl+k"], actions.goTo);
  shortcut("Page", "Open a file", ["o", "Ctrl+o"], actions.pickFile);
  shortcut("Page", "Help", ["?"], actions.help);
  shortcut("Page", "Change the theme", ["t"], actions.changeTheme);
  shortcut("Page", "Copy a link to this view", ["y"], actions.copyLink);
  shortcut("Page", "Stop what is computed", ["Escape"], () => {
    if (page.state.busy) void page.cancel();
  });
  shortcut("Nodes", "Select the parent", ["p"], () => {
    const { outline, selection } = page.state;
    const parent = outline && selection !== null ? parentOf(outline, selection) : null;
    if (parent !== null) page.select(parent);
  });
  shortcut("Nodes", "Next finding", ["n"], () => stepFinding(page, 1));
  shortcut("Nodes", "Previous finding", ["Shift+n"], () => stepFinding(page, -1));
  shortcut("Nodes", "Colour by the next measure", ["c"], () => {
    const at = colourings.indexOf(page.state.colouring);
    page.set({ colouring: colourings[(at + 1) % colourings.length]! });
  });
  shortcut("Edits", "Undo", ["Ctrl+z"], actions.undo);
  shortcut("Edits", "Do again", ["Ctrl+Shift+z", "Ctrl+y"], actions.redo);
  shortcut("Edits", "Save the file", ["Ctrl+s"], actions.save);
}

/** What moves by keys comes first; a panel without such a part begins with its first control. */
function focusIn(name: PanelName): void {
  const panel = document.getElementById(`panel-${name}`);
  for (const wanted of ['[tabindex="0"]', "input, select, button"]) {
    const found = [...panel?.querySelectorAll<HTMLElement>(wanted) ?? []];
    const first = found.find(each => each.checkVisibility() && !each.matches(":disabled"));
    if (first) return first.focus();
  }
}

function stepFinding(page: Store, step: 1 | -1): void {
  const { check, finding } = page.state;
  const all = check?.findings ?? [];
  if (!all.length) return;
  const at = finding ? all.indexOf(finding) : step > 0 ? -1 : 0;
  page.showFinding(all[(at + step + all.length) % all.length]!);
}

async function copyLink(page: Store): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href);
    page.set({ problem: { text: "The link is copied.", hint: null, isNote: true } });
  } catch {
    page.set({ problem: { text: "The browser does not let the page copy.", hint: location.href } });
  }
}

/** The address follows the state, without a new entry in the browser's history for each node. */
function writeAddress(page: Store): void {
  let timer = 0;
  const write = (address: string) => history.replaceState(null, "", address);
  const keys = ["summary", "hash", "outline", "selection", "node", "query", "walk", "step",
    "machine", "panel"] as const;
  page.on(keys, () => {
    if (!page.state.summary) return;
    clearTimeout(timer);
    timer = window.setTimeout(() => write(`#${addressOf(page.state)}`), 200);
  });
  // A file that is closed has no address; a link that waits for its file keeps its own.
  page.on("summary", () => {
    if (page.state.summary || page.state.link) return;
    clearTimeout(timer);
    write(location.pathname + location.search);
  });
}
