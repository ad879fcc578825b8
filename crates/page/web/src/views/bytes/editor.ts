// The field that was picked: what it means, its bits one by one, and a place to type a value.

import { fill, h } from "../../dom";
import type { Field } from "../../protocol";
import { readValue, width, type Range } from "./bits";
import { bitsText } from "./record";

export interface Picked {
  field: Field;
  value: bigint;
  /** False where the record is not in the file, and so cannot be written. */
  canEdit: boolean;
}

export interface EditorEvents {
  write(range: Range, value: bigint): void;
  follow(link: string): void;
  close(): void;
}

/** Fields up to this width show their bits one by one. */
const MOST_BITS = 64;

export class Editor {
  readonly element = h("section", { class: "editor", "aria-label": "Field" });

  constructor(private events: EditorEvents) {
    this.clear();
  }

  hide(): void {
    fill(this.element);
    this.element.hidden = true;
  }

  clear(): void {
    this.element.hidden = false;
    this.element.className = "editor is-empty";
    fill(this.element, h("p", { class: "muted" },
      "Hover a field to see its bits. Pick it to read what it means and to change it."));
  }

  /** Shows a field in passing, without controls. */
  peek(field: Field): void {
    this.element.className = "editor";
    fill(this.element, ...this.words(field));
  }

  show({ field, value, canEdit }: Picked, verdict: Node | null): void {
    const bits = width(field);
    this.element.className = "editor is-picked";
    fill(this.element, ...this.words(field),
      bits <= MOST_BITS && this.bits(field, value, canEdit),
      canEdit && this.form(field), verdict);
  }

  private words(field: Field): Node[] {
    const { link } = field;
    const head = h("div", { class: "editor-head" },
      h("strong", {}, field.name),
      h("span", { class: "muted" }, `bits ${bitsText(field)}`),
      h("span", { class: "mono" }, field.raw),
      h("span", {}, `= ${field.value}`),
      field.unit && h("span", { class: "muted" }, `unit: ${field.unit}`),
      link && h("button", { class: "link", onclick: () => this.events.follow(link) }, "go there"));
    const source = h("span", { class: "muted source" }, `Source: ${field.source}`);
    return [head, h("p", {}, field.meaning && `${field.meaning} `, source)];
  }

  private bits(field: Field, value: bigint, canEdit: boolean): HTMLElement {
    const [first, end] = field.bits;
    const row = h("div", { class: "bit-row mono", role: "group", "aria-label": "Bits" });
    // Rows break between bytes.
    let byte: HTMLElement = row;
    for (let bit = end - 1; bit >= first; bit--) {
      if (bit === end - 1 || (bit + 1 - first) % 8 === 0) {
        byte = h("span", { class: "bit-byte" });
        row.append(byte);
      }
      const place = BigInt(bit - first);
      const isSet = (value >> place) & 1n;
      byte.append(h("button", {
        class: `bit ${isSet ? "is-set" : ""} ${(bit - first) % 4 === 0 ? "nibble" : ""}`,
        title: `Flip bit ${bit}`, "aria-label": `Bit ${bit} is ${isSet}. Flip it`,
        disabled: !canEdit,
        onclick: () => this.events.write(field.bits, value ^ (1n << place)),
      }, String(isSet)));
    }
    return row;
  }

  private form(field: Field): HTMLElement {
    const input = h("input", {
      type: "text", class: "mono", value: field.raw, "aria-label": "New value", spellcheck: "false",
    });
    const complaint = h("span", { class: "error", role: "alert" });
    const form = h("form", { class: "edit-form" }, input,
      h("button", { type: "submit" }, "Write"), complaint,
      h("span", { class: "grow" }),
      h("button", { type: "button", class: "quiet", onclick: this.events.close }, "Done"));
    form.addEventListener("submit", event => {
      event.preventDefault();
      const value = readValue(input.value, width(field));
      if (typeof value === "string") complaint.textContent = value;
      else this.events.write(field.bits, value);
    });
    return form;
  }
}
