// The list of commands, which is also where one types what to go to.

import { openDialog } from "./dialog";
import { fill, h } from "./dom";
import { shortcuts } from "./keys";
import { entryOf } from "./outline";
import { readPlace, type Place } from "./place";
import type { Page } from "./store";

interface Choice { text: string; keys?: string; act: () => void }

const MOST = 12;

export function openGoTo(page: Page): void {
  const input = h("input", {
    type: "text", "aria-label": "Go to or do", role: "combobox", "aria-controls": "choices",
    "aria-expanded": "true", spellcheck: "false", autocomplete: "off",
    placeholder: "0x15 node   @0x1c80 byte   1042 primitive   0.1,0.2,0.3 point   or a command",
  });
  const list = h("ul", { class: "choices", id: "choices", role: "listbox" });
  const dialog = openDialog("Go to", "sheet-dialog goto", input, list);
  let choices: Choice[] = [];
  let current = 0;
  const run = (choice: Choice | undefined) => {
    dialog.close();
    choice?.act();
  };
  const show = () => {
    fill(list, ...choices.map((choice, at) => h("li", {
      class: "choice", role: "option", id: `choice-${at}`, "aria-selected": String(at === current),
      onclick: () => run(choice),
    }, h("span", {}, choice.text), choice.keys && h("kbd", {}, choice.keys))));
    input.setAttribute("aria-activedescendant", `choice-${current}`);
  };
  const update = () => {
    choices = [...places(page, input.value), ...commands(input.value)].slice(0, MOST);
    current = 0;
    show();
  };
  input.addEventListener("input", update);
  input.addEventListener("keydown", event => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && choices.length) {
      event.preventDefault();
      current = (current + step + choices.length) % choices.length;
      show();
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(choices[current]);
    }
  });
  update();
}

function commands(text: string): Choice[] {
  const words = text.toLowerCase().split(/\s+/);
  return shortcuts()
    .filter(each => each.isOn())
    .filter(each => words.every(word => `${each.group} ${each.text}`.toLowerCase().includes(word)))
    .map(each => ({ text: each.text, keys: each.keys[0] ?? "", act: each.act }));
}

function places(page: Page, text: string): Choice[] {
  const place = page.state.summary ? readPlace(text) : null;
  if (!place) return [];
  return [{ text: describe(place), act: () => goTo(page, place) }];
}

function describe(place: Place): string {
  if ("pointer" in place) return `Select node 0x${place.pointer.toString(16)}`;
  if ("offset" in place) return `Show byte 0x${place.offset.toString(16)} of the file`;
  if ("point" in place) return `Find the node around ${place.point.join(", ")}`;
  const { geometry, primitive } = place;
  return `Find primitive ${primitive}${geometry === undefined ? "" : ` of geometry ${geometry}`}`;
}

/** Goes to a place: selects its node, or says that there is none. */
export async function goTo(page: Page, place: Place): Promise<void> {
  try {
    if ("pointer" in place) {
      const { outline } = page.state;
      const entry = outline && entryOf(outline, place.pointer, null);
      page.select(entry ?? { pointer: `0x${place.pointer.toString(16)}` });
      page.show("bytes");
    } else if ("offset" in place) {
      page.set({ offset: place.offset });
      page.show("bytes");
    } else {
      const { ways } = await page.ask({ do: "find", ...place }, { urgency: 2 });
      const found = ways[0]?.at(-1);
      if (found === undefined) {
        page.set({ problem: { text: `${describe(place)}: nothing found.`, hint: null } });
      } else page.select(found);
    }
  } catch (error) {
    page.report(error);
  }
}
