// The instruction that is next, with what its operands hold now.

import { h } from "../../dom";
import type { ProgramLine } from "../../protocol";
import { asFloat, calledAs, type Register } from "./registers";

export interface Operand {
  text: string;
  /** The registers that it names, with their values. */
  registers: readonly Register[];
}

/** `a4, 8(s0)` with what `a4` and `s0` hold. */
export function operandsOf(operands: string, registers: readonly Register[]): Operand[] {
  const values = new Map(registers.flatMap(([name, value]) =>
    [[name, value], [calledAs(name) ?? name, value]]));
  return operands.split(/,\s*(?![^(]*\))/).filter((text) => text !== "").map((text) => {
    const names = text.match(/\b[a-z][a-z0-9_.]*/g) ?? [];
    const held = names.filter((name) => values.has(name));
    return { text, registers: held.map((name) => [name, values.get(name)!] as const) };
  });
}

/** A value as an integer and, where it looks like one, as a float. */
export function inWords(value: string): string {
  const float = asFloat(value);
  const size = Math.abs(float);
  const isLikely = size > 1e-6 && size < 1e9;
  return isLikely ? `${BigInt(value)} or ${Number(float.toPrecision(6))}` : `${BigInt(value)}`;
}

export function nextInstruction(
  line: ProgramLine | null, registers: readonly Register[], look: (address: string) => void,
): HTMLElement {
  if (!line) return h("p", { class: "muted" }, "None: the program is not in its listing.");
  const rows = operandsOf(line.operands, registers).map(({ text, registers: held }) =>
    h("tr", {}, h("th", { class: "mono" }, text),
      h("td", {}, ...held.map(([name, value]) => h("div", {},
        name !== text && h("span", { class: "muted" }, `${name} `),
        h("button", {
          class: "link mono", title: "Look at the memory there", onclick: () => look(value),
        }, value),
        h("span", { class: "muted" }, ` = ${inWords(value)}`))))));
  return h("div", { class: "next-instruction" },
    h("p", { class: "mono" }, h("b", {}, line.mnemonic), ` ${line.operands}`),
    h("p", { class: "muted" }, `the word ${line.word} at ${line.address}`),
    rows.length > 0 && h("table", {}, h("tbody", {}, ...rows)));
}
