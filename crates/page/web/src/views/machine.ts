// Machine: the tree traversal unit, simulated cycle by cycle over the open file.

import { fill, h } from "../dom";
import { Dropped } from "../engine";
import type { Page } from "../store";
import { nameOf, readRun, type Run, type SimAbout, simAbout } from "./machine/answer";
import { counterTable, FIGURES, parameterTable, shown, tiles } from "./machine/figures";
import { type Plan, PlanForm, type Task } from "./machine/form";
import { limits, whereTimeWent } from "./machine/meters";
import { COLOURS, drawChart, type Line, redrawCharts } from "./machine/plot";
import { SlotChart } from "./machine/timeline";

/** Events of slots that are kept for the timeline. */
const EVENTS = 30_000;

export function mount(host: HTMLElement, page: Page): void {
  host.classList.add("machine-view");
  new MachineView(host, page);
}

class MachineView {
  private readonly form = new PlanForm((plan) => void this.start(plan));
  private readonly results = h("div", { class: "machine-results scroll" });
  private readonly progress = h("p", { class: "machine-progress muted", role: "status" });
  private readonly charts: SlotChart[] = [];
  private turn = 0;

  constructor(host: HTMLElement, private readonly page: Page) {
    this.form.stop.addEventListener("click", () => void this.cancel());
    host.append(this.form.element, this.progress, this.results);
    page.on(["about", "summary"], () => this.refill());
    page.on("theme", () => {
      redrawCharts();
      for (const chart of this.charts) chart.draw();
    });
    this.refill();
  }

  private refill(): void {
    const { about, summary } = this.page.state;
    this.form.fill(about, summary);
    this.charts.length = 0;
    fill(this.results, h("p", { class: "hint" }, summary
      ? "Choose a configuration and simulate: cycles, what limits, what every slot did."
      : "Open a file or a scene first."));
  }

  private async start(plan: Plan): Promise<void> {
    const turn = ++this.turn;
    const tasks = tasksOf(plan);
    const runs: Run[] = [];
    this.isBusy(true);
    try {
      for (const task of tasks) {
        this.progress.textContent = `Simulating ${runs.length + 1} of ${tasks.length} …`;
        const begin = performance.now();
        runs.push(await this.simulate(plan, task));
        if (turn !== this.turn) return;
        const seconds = ((performance.now() - begin) / 1000).toFixed(2);
        this.progress.textContent = `${runs.length} of ${tasks.length}, the last in ${seconds} s`;
      }
      this.show(plan, runs);
    } catch (error) {
      const isWanted = turn === this.turn && !(error instanceof Dropped);
      if (isWanted) this.form.refuse((error as Error).message);
    }
    if (turn === this.turn) this.isBusy(false);
  }

  private async simulate({ workload, rays, sweep }: Plan, { config, set }: Task): Promise<Run> {
    const timeline = sweep ? 0 : EVENTS;
    const request = { do: "simulate", config, set, workload, rays, timeline } as const;
    return readRun(await this.page.ask(request));
  }

  private async cancel(): Promise<void> {
    this.turn += 1;
    this.isBusy(false);
    await this.page.cancel();
  }

  private isBusy(isBusy: boolean): void {
    this.form.stop.hidden = !isBusy;
    this.form.run.hidden = isBusy;
    if (!isBusy) this.progress.textContent = "";
  }

  private show(plan: Plan, runs: Run[]): void {
    const about = simAbout(this.page.state.about);
    this.charts.length = 0;
    fill(this.results);
    if (plan.sweep) this.showSweep(plan.sweep.key, plan.sweep.values, runs);
    else this.showRuns(runs, about);
    this.results.scrollTop = 0;
  }

  private showRuns(runs: Run[], about: SimAbout): void {
    const names = runs.map((run, k) => {
      const key = h("i", { class: "machine-dot" });
      key.style.background = `rgb(${COLOURS[k]!.join(" ")})`;
      return h("span", {}, key, nameOf(run));
    });
    const notes = [...new Set(runs.flatMap(({ row }) => row.notes))];
    this.section("", h("p", { class: "machine-advice" }, `${runs[0]!.row.advice}.`),
      runs.length > 1 ? h("p", { class: "machine-legend" }, ...names) : null, tiles(runs),
      ...notes.map((note) => h("p", { class: "muted" }, `Note: ${note}.`)));
    this.showOccupancy(runs);
    for (const run of runs) this.showSlots(run, runs.length > 1);
    this.section("What limits", h("p", { class: "muted" },
      `How much of each limit the run reaches, in blocks a cycle. The longest bar holds it up.`),
      limits(runs, about));
    this.section("Where time went", whereTimeWent(runs, about));
    this.showLatencies(runs);
    this.section("Counters", counterTable(runs, about));
    this.section("Parameters", parameterTable(runs, about));
  }

  private section(title: string, ...parts: (HTMLElement | null)[]): HTMLElement {
    const made = h("section", { class: "machine-section" },
      title ? h("h2", {}, title) : null, ...parts);
    this.results.append(made);
    return made;
  }

  /** A chart; halves stand side by side where there is room. */
  private chart(title: string, isHalf: boolean): HTMLElement {
    const host = h("div", { class: "machine-chart" });
    this.section(title, host).classList.toggle("is-half", isHalf);
    return host;
  }

  private showOccupancy(runs: Run[]): void {
    for (const run of runs.filter(({ samples }) => samples)) {
      const { cycle, slots, fetching, units } = run.samples!;
      const lines: Line[] = [
        { name: "slots in use", values: slots, colour: COLOURS[0]!, isFilled: true },
        { name: "waiting for memory", values: fetching, colour: COLOURS[1]! },
        { name: "traversal units in use", values: units, colour: COLOURS[2]! },
      ];
      const of = runs.length > 1 ? `: ${nameOf(run)}` : "";
      drawChart(this.chart(`Occupancy over time${of}`, runs.length > 1), {
        unit: `of ${run.slots} slots`, along: cycle, axis: "cycle", lines,
        most: run.slots,
      });
    }
  }

  private showSlots(run: Run, isNamed: boolean): void {
    if (!run.timeline) return;
    const chart = new SlotChart(run.timeline);
    this.charts.push(chart);
    const title = isNamed ? `Slots: ${nameOf(run)}` : "Slots";
    this.section(title, chart.element).classList.toggle("is-half", isNamed);
  }

  private showLatencies(runs: Run[]): void {
    for (const run of runs) {
      const { latency, latency_histogram: counts } = run.row;
      const width = Math.ceil((latency.max + 1) / counts.length);
      const isNamed = runs.length > 1;
      const host = this.chart(isNamed ? `Latency: ${nameOf(run)}` : "Latency of queries", isNamed);
      drawChart(host, {
        unit: "queries", axis: "cycles", isBars: true,
        along: counts.map((_, k) => k * width),
        lines: [{ name: "queries", values: counts, colour: COLOURS[runs.indexOf(run)]! }],
      });
      host.after(h("p", { class: "muted" }, `Half take at most ${shown(latency.p50)} cycles, `
        + `95 % at most ${shown(latency.p95)}, the longest ${shown(latency.max)}.`));
    }
  }

  private showSweep(key: string, values: string[], runs: Run[]): void {
    const along = values.map((_, k) => k);
    for (const { name, unit, of } of FIGURES.slice(1)) {
      const line = { name, values: runs.map(({ row }) => of(row)), colour: COLOURS[0]! };
      const host = this.chart(`${name[0]!.toUpperCase()}${name.slice(1)}`, true);
      drawChart(host, { unit, along, axis: key, names: values, lines: [line] });
    }
    const rows = runs.map(({ row }, k) => h("tr", {}, h("th", { class: "number" }, values[k]!),
      ...FIGURES.map(({ of }) => h("td", { class: "number" }, shown(of(row)))),
      h("td", {}, row.bound)));
    const heads = [key, ...FIGURES.map(({ name, unit }) => (unit ? `${name}, ${unit}` : name)),
      "limited by"];
    this.section("All runs", h("div", { class: "machine-wide" }, h("table", {},
      h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { class: "number" }, head)))),
      h("tbody", {}, ...rows))));
  }
}

/** One run, two to compare, or one for each value. */
function tasksOf({ first, second, sweep }: Plan): Task[] {
  if (!sweep) return second ? [first, second] : [first];
  return sweep.values.map((value) => ({ ...first, set: [...first.set, `${sweep.key}=${value}`] }));
}
