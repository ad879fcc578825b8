// A question that must be answered before something is lost.

import { openDialog } from "./dialog";
import { h } from "./dom";

/** Whether the answer is yes; no, if the sheet is closed without one. */
export function ask(text: string, yes: string, no: string): Promise<boolean> {
  return new Promise(resolve => {
    const answer = (text: string, value: string) => h("button", {
      value, ...(value ? { class: "primary" } : {}), onclick: () => dialog.close(value),
    }, text);
    const dialog = openDialog(text, "sheet-dialog question",
      h("p", {}, text), h("div", { class: "answers" }, answer(no, ""), answer(yes, "yes")));
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"));
  });
}
