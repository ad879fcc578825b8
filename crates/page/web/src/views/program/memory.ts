// Memory around an address.

import { fill, h } from "../../dom";
import type { Page } from "../../store";
import { HexGrid } from "../bytes/hex";

const SHOWN = 128;

export class MemoryView {
  readonly element: HTMLElement;
  private bytes = h("div", {});
  private address = h("input", {
    type: "text", class: "mono", placeholder: "0x80001000", "aria-label": "Address",
    spellcheck: "false",
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === "Enter") this.refresh();
    },
  });

  constructor(private page: Page) {
    this.element = h("section", {},
      h("h2", { class: "heading" }, "Memory at ", this.address), this.bytes);
  }

  show(address: string): void {
    this.address.value = address;
    void this.refresh();
  }

  async refresh(): Promise<void> {
    const address = this.address.value.trim();
    if (!address) return;
    try {
      const request = { do: "memory", address, length: SHOWN } as const;
      const { arrays } = await this.page.ask(request, { urgency: 1, instead: "memory" });
      const nothing = { hover: () => undefined, pick: () => undefined };
      fill(this.bytes, new HexGrid(arrays.data, Number(address), [], nothing).element);
    } catch (error) {
      fill(this.bytes, h("p", { class: "error" }, (error as Error).message));
    }
  }
}
