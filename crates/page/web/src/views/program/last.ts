// What the last instruction did: the line of a trace, as a list.

import { h } from "../../dom";

export function lastDid(last: Record<string, unknown> | null): HTMLElement {
  if (!last) return h("p", { class: "muted" }, "Nothing was run yet.");
  return h("dl", { class: "facts" }, ...Object.entries(last).flatMap(([name, value]) => [
    h("dt", { class: "muted" }, name), h("dd", { class: "mono" }, say(value)),
  ]));
}

/** An object or a list in one line: braces of JSON only where they help. */
export function say(value: unknown): string {
  if (Array.isArray(value)) return value.map(say).join("; ") || "none";
  if (value === null || typeof value !== "object") return String(value);
  return Object.entries(value).map(([name, part]) => `${name} ${say(part)}`).join(", ");
}
