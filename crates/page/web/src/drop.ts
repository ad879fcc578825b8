// Files that are dropped anywhere on the page, or chosen in the system's dialogue.

import { h } from "./dom";
import { icon } from "./icons";

type Take = (file: File) => void;

export function listenToDrops(take: Take): HTMLElement {
  const veil = h("div", { class: "veil", hidden: true }, icon("drop"), "Drop to open");
  // dragenter and dragleave come for every element on the way: the balance says who is inside.
  let inside = 0;
  const leave = (to: number) => {
    inside = Math.max(0, to);
    veil.hidden = inside === 0;
  };
  addEventListener("dragenter", event => {
    if (event.dataTransfer?.types.includes("Files")) leave(inside + 1);
  });
  addEventListener("dragleave", () => leave(inside - 1));
  addEventListener("dragover", event => event.preventDefault());
  addEventListener("drop", event => {
    event.preventDefault();
    leave(0);
    const file = event.dataTransfer?.files[0];
    if (file) take(file);
  });
  return veil;
}

export function pickFile(take: Take): void {
  const input = h("input", { type: "file" });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) take(file);
  });
  input.click();
}
