// Figures of one run, or of two side by side; counters with what they mean.

import { fill, h } from "../../dom";
import { count } from "../../format";
import { hitShare, nameOf, type Row, type Run, type SimAbout } from "./answer";

interface Figure {
  name: string;
  unit: string;
  of(row: Row): number;
}

export const FIGURES: readonly Figure[] = [
  { name: "cycles", unit: "", of: (row) => row.cycles },
  { name: "throughput", unit: "rays a cycle", of: (row) => row.rays_per_cycle },
  { name: "at the clock", unit: "Mrays/s", of: (row) => row.mrays_per_second_at_clock },
  { name: "median latency", unit: "cycles", of: (row) => row.latency.p50 },
  { name: "95 % within", unit: "cycles", of: (row) => row.latency.p95 },
  { name: "L0 hits", unit: "%", of: hitShare },
  { name: "blocks", unit: "a ray", of: (row) => row.blocks_per_ray },
  { name: "traffic", unit: "bytes a ray", of: (row) => row.bytes_per_ray },
];

export function shown(value: number): string {
  const digits = Math.abs(value) < 1 ? 4 : Math.abs(value) < 100 ? 2 : 0;
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

/** The figures as tiles; of two runs the second below the first, with the quotient. */
export function tiles(runs: readonly Run[]): HTMLElement {
  const [first, second] = runs;
  const tile = ({ name, unit, of }: Figure) => {
    const value = of(first!.row);
    const parts = [
      h("span", { class: "muted" }, name),
      h("b", {}, shown(value), h("small", {}, unit && ` ${unit}`)),
    ];
    if (second) {
      const other = of(second.row);
      parts.push(h("span", { class: "machine-other" }, shown(other),
        h("small", { class: "muted" }, ` × ${(other / value).toFixed(2)}`)));
    }
    return h("div", { class: "machine-tile" }, ...parts);
  };
  return h("div", { class: "machine-tiles" }, ...FIGURES.map(tile));
}

/** Every counter, with a filter. */
export function counterTable(runs: readonly Run[], about: SimAbout): HTMLElement {
  const known = about.counters.length > 0
    ? about.counters
    : Object.keys(runs[0]!.row.counters).map((name) => ({ name, unit: "", meaning: "" }));
  const body = h("tbody");
  const draw = (filter: string) => {
    const wanted = known.filter(({ name, meaning }) =>
      `${name} ${meaning}`.toLowerCase().includes(filter.toLowerCase()));
    fill(body, ...wanted.map(({ name, unit, meaning }) => {
      const counts = runs.map(({ row }) => row.counters[name]);
      const cells = counts.map((times) => h("td", { class: "number" }, format(times)));
      if (counts.length === 2) cells.push(h("td", { class: "number muted" }, quotient(counts)));
      return h("tr", {}, named(name, meaning), ...cells, h("td", { class: "muted" }, unit));
    }));
  };
  draw("");
  const filter = h("input", {
    type: "search", placeholder: "Filter counters", "aria-label": "Filter counters",
    oninput: (event: Event) => draw((event.target as HTMLInputElement).value),
  });
  const titles = runs.length === 2 ? [...runs.map(nameOf), "second / first"] : ["count"];
  return h("div", {}, filter, h("div", { class: "machine-wide" }, h("table", {},
    h("thead", {}, h("tr", {}, h("th", {}, "counter"),
      ...titles.map((title) => h("th", { class: "number" }, title)),
      h("th", {}, "unit"))), body)));
}

/** A name with what it means below it. */
function named(name: string, meaning: string): HTMLElement {
  return h("th", {}, h("span", { class: "mono" }, name), h("small", {}, meaning));
}

function format(times: number | undefined): string {
  return times === undefined ? "–" : count(times);
}

function quotient([first, second]: readonly (number | undefined)[]): string {
  return first && second !== undefined ? (second / first).toFixed(2) : "";
}

/** The parameters of the machine; those that differ between runs stand out. */
export function parameterTable(runs: readonly Run[], about: SimAbout): HTMLElement {
  const names = Object.keys(runs[0]!.row.config);
  const rows = names.map((name) => {
    const known = about.parameters.find((parameter) => parameter.name === name);
    const values = runs.map(({ row }) => String(row.config[name]));
    const differs = values.some((value) => value !== values[0])
      || runs.some(({ row }) => name in row.settings);
    return h("tr", { class: differs ? "is-set" : "" }, named(name, known?.meaning ?? ""),
      ...values.map((value) => h("td", { class: "number" }, value)),
      h("td", { class: "muted" }, known?.allowed ?? ""));
  });
  return h("div", { class: "machine-wide" }, h("table", {}, h("tbody", {}, ...rows)));
}
