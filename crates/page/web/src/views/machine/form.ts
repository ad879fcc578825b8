// What is simulated: configuration, settings, queries; a second configuration; a sweep.

import { fill, h } from "../../dom";
import type { About, Summary } from "../../protocol";
import { type SimAbout, simAbout } from "./answer";

export interface Task {
  config: string;
  set: string[];
}

export interface Plan {
  workload: string;
  rays: number;
  first: Task;
  /** The second configuration, if one is asked for. */
  second: Task | null;
  /** Keys with their values; every combination is run. */
  sweep: Sweep[];
}

export interface Sweep { key: string; values: string[] }

/** Runs of a sweep, at most: each is a request, and all are drawn. */
const MOST_RUNS = 200;

/** `slots=64, l0_mshrs=16` as settings; throws in words what is wrong. */
export function parseSettings(text: string): string[] {
  const words = text.split(/[\s,;]+/).filter((word) => word !== "");
  for (const word of words) {
    if (!/^[a-z0-9_]+=[^=]+$/.test(word)) throw new Error(`${word}: KEY=VALUE expected`);
  }
  return words;
}

/** `slots=8,16,32 units=1,2` as sweeps. */
export function parseSweep(text: string): Sweep[] {
  // A key begins where the next `=` reaches back to.
  const words = text.trim().split(/[\s;]+(?=[a-z0-9_]+\s*=)/).filter((word) => word !== "");
  const sweeps = words.map((word) => {
    const [key, values] = word.split("=");
    const list = (values ?? "").split(/[\s,;]+/).filter((value) => value !== "");
    const isWrong = !key?.trim() || list.length < 2;
    if (isWrong) throw new Error(`${word}: KEY=A,B,C expected, a key and its values`);
    return { key: key!.trim(), values: list };
  });
  const runs = sweeps.reduce((product, { values }) => product * values.length, 1);
  if (runs > MOST_RUNS) throw new Error(`Sweep: ${runs} runs, expected at most ${MOST_RUNS}`);
  return sweeps;
}

/** Settings of every combination, the last key fastest. */
export function combinations(sweeps: readonly Sweep[]): string[][] {
  return sweeps.reduce<string[][]>((sets, { key, values }) =>
    sets.flatMap((set) => values.map((value) => [...set, `${key}=${value}`])), [[]]);
}

/** A second configuration: a name, or settings on top of the first. */
export function parseSecond(text: string, first: Task, names: readonly string[]): Task | null {
  const word = text.trim();
  if (word === "") return null;
  if (names.includes(word)) return { config: word, set: [] };
  return { config: first.config, set: [...first.set, ...parseSettings(word)] };
}

/** A sweep is one of one configuration. */
export function refuseBoth(second: Task | null, sweep: readonly Sweep[]): void {
  if (second && sweep.length > 0) {
    throw new Error("Compare with, Sweep: only one of them expected, as only one is drawn");
  }
}

export class PlanForm {
  readonly element: HTMLFormElement;
  private readonly config = h("select", { "aria-label": "Configuration" });
  private readonly workload = h("select", { "aria-label": "Workload" });
  private readonly rays = h("input", {
    type: "number", min: 1, max: 1e6, value: 2048, "aria-label": "Queries",
  });
  private readonly settings = this.field("slots=64 units=2", "Settings");
  private readonly second = this.field("deep or units=8", "Compare with");
  private readonly sweep = this.field("slots=8,16,32", "Sweep");
  private readonly keys = h("datalist", { id: "machine-keys" });
  private readonly hint = h("p", { class: "muted" });
  private readonly problem = h("p", { class: "error", role: "alert" });
  readonly run = h("button", { class: "primary", type: "submit" }, "Simulate");
  readonly stop = h("button", { type: "button", hidden: true }, "Cancel");
  private sim: SimAbout = simAbout(null);

  constructor(start: (plan: Plan) => void) {
    const label = (text: string, input: HTMLElement) =>
      h("label", { class: "label" }, text, input);
    this.element = h("form", { class: "machine-form" },
      label("Configuration", this.config), label("Workload", this.workload),
      label("Queries", this.rays), label("Set", this.settings),
      label("Compare with", this.second), label("Sweep", this.sweep),
      h("div", { class: "machine-go" }, this.hint, this.run, this.stop), this.keys, this.problem);
    this.config.addEventListener("change", () => this.explain(""));
    for (const input of [this.settings, this.second, this.sweep]) {
      input.addEventListener("input", () => this.explain(input.value));
    }
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.problem.textContent = "";
      try {
        start(this.read());
      } catch (error) {
        this.refuse((error as Error).message);
      }
    });
  }

  private field(example: string, label: string): HTMLInputElement {
    return h("input", {
      placeholder: example, list: "machine-keys", "aria-label": label, spellcheck: "false",
    });
  }

  refuse(text: string): void {
    this.problem.textContent = text;
  }

  fill(about: About | null, summary: Summary | null): void {
    this.sim = simAbout(about);
    const chosen = this.config.value;
    fill(this.config, ...this.sim.configs.map(({ name }) => h("option", { value: name }, name)));
    if (chosen) this.config.value = chosen;
    fill(this.workload, ...(about?.workloads ?? []).map((name) => h("option", {}, name)));
    fill(this.keys, ...this.sim.parameters.map(({ name, meaning }) =>
      h("option", { value: `${name}=` }, meaning)));
    this.run.disabled = !summary;
    this.explain("");
  }

  /** Says what the key means that is typed last, or else what the configuration is. */
  private explain(typed: string): void {
    const key = /([a-z0-9_]+)=?[^=\s]*$/.exec(typed)?.[1];
    const parameter = this.sim.parameters.find(({ name }) => name === key);
    const config = this.sim.configs.find(({ name }) => name === this.config.value);
    this.hint.textContent = parameter
      ? `${parameter.name}: ${parameter.meaning} ${parameter.allowed} ${parameter.unit}`
      : config ? `${config.name}: ${config.about}` : "";
  }

  private read(): Plan {
    const first = { config: this.config.value, set: parseSettings(this.settings.value) };
    const names = this.sim.configs.map(({ name }) => name);
    const rays = Math.trunc(Number(this.rays.value));
    if (!(rays >= 1)) throw new Error("Queries: a number from 1 on expected");
    const second = parseSecond(this.second.value, first, names);
    const sweep = parseSweep(this.sweep.value);
    refuseBoth(second, sweep);
    return { workload: this.workload.value, rays, first, second, sweep };
  }
}
