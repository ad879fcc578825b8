// Registers, those that the last instruction changed first to the eye.

import { h } from "../../dom";

export type Register = readonly [string, string];

/** Names of registers whose value is another one than before. */
export function changedNames(
  before: readonly Register[], now: readonly Register[],
): ReadonlySet<string> {
  const old = new Map(before);
  const isOther = ([name, value]: Register) => old.has(name) && old.get(name) !== value;
  return new Set(now.filter(isOther).map(([name]) => name));
}

/** The float that a register holds: 32 bits, boxed in ones where it has 64. */
export function asFloat(value: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt.asUintN(64, BigInt(value)));
  return view.getFloat32(4);
}

/** The name that the calling convention gives to an integer register. */
export function calledAs(name: string): string | null {
  const number = /^x(\d+)$/.exec(name)?.[1];
  if (number === undefined) return null;
  const at = Number(number);
  if (at < 8) return ["zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2"][at]!;
  if (at < 10) return `s${at - 8}`;
  if (at < 18) return `a${at - 10}`;
  return at < 28 ? `s${at - 16}` : `t${at - 25}`;
}

/**
 * Registers that are not 0 or have just become 0, or all of them. A click on a value looks at the
 * memory there.
 */
export function registerTable(
  registers: readonly Register[], changed: ReadonlySet<string>, showsAll: boolean,
  look: (address: string) => void,
): HTMLElement {
  const isZero = (value: string) => /^0x0*$/.test(value);
  const isShown = ([name, value]: Register) => showsAll || changed.has(name) || !isZero(value);
  return h("dl", { class: "register-list mono" }, ...registers.filter(isShown).map(register => {
    const [name, value] = register;
    return h("div", { class: changed.has(name) ? "changed" : "" },
      h("dt", { title: name }, calledAs(name) ?? name),
      h("dd", {}, h("button", {
        class: "link", title: `${BigInt(value)}, as a float ${asFloat(value)}; look there`,
        onclick: () => look(value),
      }, value)));
  }));
}
