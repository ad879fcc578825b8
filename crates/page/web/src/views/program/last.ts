// What the last instruction did: the line of a trace, as a list.

import { h } from "../../dom";
import { calledAs } from "./registers";

export function lastDid(last: Record<string, unknown> | null): HTMLElement {
  if (!last) return h("p", { class: "muted" }, "Nothing was run yet.");
  const known = NAMES.filter(([key]) => key in last);
  const others = Object.keys(last).filter(key => !KEYS.has(key)).map(key => [key, key] as const);
  return h("dl", { class: "facts" }, ...[...known, ...others].flatMap(([key, name]) => [
    h("dt", { class: "muted" }, name),
    h("dd", { class: "mono" }, ...lines(key, last[key]).map(line => h("div", {}, line))),
  ]));
}

/** Members of a line of a trace, in words and in the order in which one reads them. */
const NAMES: readonly (readonly [string, string])[] = [
  ["asm", "instruction"], ["name", "trap"], ["x", "wrote"], ["f", "wrote"],
  ["numbers", "as numbers"], ["csr", "wrote CSR"], ["load", "read"], ["store", "stored"],
  ["rt", "ray tracing"],
];

/** What the listing, the registers or the line above already say is left out. */
const KEYS: ReadonlySet<string> = new Set(
  [...NAMES.map(([key]) => key), "n", "pc", "insn", "priv"]);

interface Access { addr: string; size: number; value: string }

function lines(key: string, value: unknown): string[] {
  if (key === "load" || key === "store") {
    return (value as Access[]).map(({ addr, size, value: bits }) =>
      `${addr}  ${size} bytes  ${bits}`);
  }
  if (key === "x" || key === "f" || key === "csr") {
    const writes = Object.entries(value as Record<string, string>);
    return writes.map(([name, bits]) => `${calledAs(name) ?? name} = ${bits}`);
  }
  if (key === "rt") {
    const [first] = [value].flat() as Record<string, unknown>[];
    return Object.entries(first ?? {}).map(([name, part]) => `${name}: ${say(part)}`);
  }
  return [say(value)];
}

/** An object or a list in one line: braces of JSON only where they help. */
export function say(value: unknown): string {
  if (Array.isArray(value)) return value.map(say).join("; ") || "none";
  if (value === null || typeof value !== "object") return String(value);
  return Object.entries(value).map(([name, part]) => `${name} ${say(part)}`).join(", ");
}
