// Machine: the tree traversal unit, simulated cycle by cycle over the open file.

import { fill, h } from "../dom";
import { Dropped } from "../engine";
import { capital } from "../format";
import type { Page } from "../store";
import { isWalkable, unsoundHint } from "../unsound";
import { nameOf, readRun, type Run, type SimAbout, simAbout } from "./machine/answer";
import { counterTable, FIGURES, parameterTable, shown, tiles } from "./machine/figures";
import { combinations, type Plan, PlanForm, type Sweep, type Task } from "./machine/form";
import { limits, whereTimeWent } from "./machine/meters";
import { COLOURS, drawChart, type Line, redrawCharts } from "./machine/plot";
import { slotTrack, type Track, TrackChart, unitTrack } from "./machine/timeline";

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
  private readonly charts: TrackChart[] = [];
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
    this.progress.textContent = "";
    const canWalk = isWalkable(this.page.state);
    this.form.element.hidden = !canWalk;
    fill(this.results, canWalk ? h("p", { class: "hint" },
      "Choose a configuration and simulate: cycles, what limits, what every slot did.")
      : unsoundHint(this.page));
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
      if (turn !== this.turn) return;
      const isCancelled = error instanceof Dropped;
      const said = `Cancelled after ${runs.length} of ${tasks.length}`;
      this.progress.textContent = isCancelled ? said : "";
      if (!isCancelled) this.form.refuse((error as Error).message);
    }
    if (turn === this.turn) this.isBusy(false);
  }

  /** One run, from where space is looked at, with the timeline of one TTU. */
  private async simulate(plan: Plan, { config, set }: Task, ttu = 0): Promise<Run> {
    const { workload, rays, sweep } = plan;
    const { camera } = this.page.state;
    const timeline = sweep.length > 0 ? 0 : EVENTS;
    const request = {
      do: "simulate", config, set, workload, rays, timeline, ttu, ...(camera && { camera }),
    } as const;
    return readRun(await this.page.ask(request));
  }

  private async cancel(): Promise<void> {
    this.turn += 1;
    this.isBusy(false);
    this.progress.textContent = "Cancelled";
    await this.page.cancel();
  }

  private isBusy(isBusy: boolean): void {
    this.form.stop.hidden = !isBusy;
    this.form.run.hidden = isBusy;
  }

  private show(plan: Plan, runs: Run[]): void {
    const about = simAbout(this.page.state.about);
    this.charts.length = 0;
    fill(this.results);
    if (plan.sweep.length > 0) this.showSweep(plan.sweep, runs);
    else this.showRuns(plan, runs, about);
    this.results.scrollTop = 0;
  }

  private showRuns(plan: Plan, runs: Run[], about: SimAbout): void {
    const names = runs.map((run, k) => {
      const key = h("i", { class: "machine-dot" });
      key.style.background = `rgb(${COLOURS[k]!.join(" ")})`;
      return h("span", {}, key, nameOf(run));
    });
    const notes = [...new Set(runs.flatMap(({ row }) => row.notes))];
    const { advice, bound } = runs[0]!.row;
    const limit = about.limits.find(({ name }) => name === bound);
    this.section("", h("p", { class: "machine-advice" }, `${advice}.`),
      limit ? h("p", { class: "muted machine-limit" }, `${bound}: ${limit.meaning}.`) : null,
      runs.length > 1 ? h("p", { class: "machine-legend" }, ...names) : null, tiles(runs),
      ...notes.map((note) => h("p", { class: "muted" }, `Note: ${note}.`)));
    this.showOccupancy(runs);
    tasksOf(plan).forEach((task, k) => this.showTimeline(plan, task, runs[k]!, runs.length > 1));
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

  /** What slots did and units held; of several TTUs one can be chosen. */
  private showTimeline(plan: Plan, task: Task, first: Run, isNamed: boolean): void {
    if (!first.timeline) return;
    const of = isNamed ? `: ${nameOf(first)}` : "";
    const hosts = [`Slots${of}`, `Traversal units${of}`].map((title) => {
      const host = h("div", {});
      this.section(title, host).classList.toggle("is-half", isNamed);
      return host;
    });
    const show = ({ timeline }: Run) => {
      if (!timeline) return;
      [slotTrack(timeline), unitTrack(timeline)].forEach((track, k) => {
        fill(hosts[k]!, this.track(track));
      });
    };
    show(first);
    if (first.ttus < 2) return;
    const choice = h("select", {
      "aria-label": "TTU",
      onchange: async () => {
        try {
          show(await this.simulate(plan, task, Number(choice.value)));
        } catch (error) {
          if (!(error instanceof Dropped)) this.form.refuse((error as Error).message);
        }
      },
    }, ...Array.from({ length: first.ttus }, (_, k) => h("option", { value: k }, `TTU ${k}`)));
    hosts[0]!.before(h("p", { class: "machine-choice" }, choice, h("span", { class: "muted" },
      ` of ${first.ttus}: its slots, and below what its units hold`)));
  }

  private track(track: Track): HTMLElement {
    const chart = new TrackChart(track);
    this.charts.push(chart);
    return chart.element;
  }

  private showLatencies(runs: Run[]): void {
    runs.forEach((run, k) => {
      const { latency, latency_histogram: counts } = run.row;
      const width = Math.ceil((latency.max + 1) / counts.length);
      const along = counts.map((_, step) => step * width);
      const host = this.bars("Latency of queries", runs, k, "queries", "cycles", along, counts);
      host.after(h("p", { class: "muted" }, `Half take at most ${shown(latency.p50)} cycles, `
        + `95 % at most ${shown(latency.p95)}, the longest ${shown(latency.max)}.`));
    });
    runs.forEach(({ row: { slot_occupancy: cycles } }, k) => {
      const along = cycles.map((_, slots) => slots);
      this.bars("Slots in use at once", runs, k, "cycles", "slots", along, cycles);
    });
  }

  /** How often something was, of one run. */
  private bars(
    title: string, runs: Run[], k: number, unit: string, axis: string, along: number[],
    values: number[],
  ): HTMLElement {
    const host = this.chart(runs.length > 1 ? `${title}: ${nameOf(runs[k]!)}` : title, true);
    const lines = [{ name: unit, values, colour: COLOURS[k]! }];
    drawChart(host, { unit, axis, isBars: true, along, lines });
    return host;
  }

  /** Figures over the values of the first key, with a line for each combination of the others. */
  private showSweep(sweeps: Sweep[], runs: Run[]): void {
    const [{ key, values }, ...others] = sweeps as [Sweep, ...Sweep[]];
    const along = values.map((_, k) => k);
    const sets = combinations(others).map((set) => set.join(", "));
    for (const { name, unit, of } of FIGURES.slice(1)) {
      const lines = sets.map((set, line) => ({
        name: set || name,
        values: along.map((at) => of(runs[at * sets.length + line]!.row)),
        colour: COLOURS[line % COLOURS.length]!,
      }));
      const host = this.chart(capital(name), true);
      drawChart(host, { unit, along, axis: key, names: values, lines });
    }
    const keys = sweeps.map((sweep) => sweep.key);
    const rows = runs.map(({ row }) => h("tr", {},
      ...keys.map((each) => h("th", { class: "number" }, String(row.config[each]))),
      ...FIGURES.map(({ of }) => h("td", { class: "number" }, shown(of(row)))),
      h("td", {}, row.bound)));
    const heads = [...keys, ...FIGURES.map(({ name, unit }) => (unit ? `${name}, ${unit}` : name)),
      "limited by"];
    this.section("All runs", h("div", { class: "machine-wide" }, h("table", {},
      h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { class: "number" }, head)))),
      h("tbody", {}, ...rows))));
  }
}

/** One run, two to compare, or one for each value. */
function tasksOf({ first, second, sweep }: Plan): Task[] {
  if (sweep.length === 0) return second ? [first, second] : [first];
  return combinations(sweep).map((set) => ({ ...first, set: [...first.set, ...set] }));
}
