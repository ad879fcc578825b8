// A sheet above the page. Escape and a click beside it close it.

import { h } from "./dom";

export function openDialog(label: string, kind: string, ...content: Node[]): HTMLDialogElement {
  const dialog = h("dialog", { class: kind, "aria-label": label }, ...content);
  dialog.addEventListener("click", event => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
