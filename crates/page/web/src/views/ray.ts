// Ray: one query, walked step by step by one machine or by two.

import { fill, h } from "../dom";
import { Dropped } from "../engine";
import { capital, count } from "../format";
import { shortcut } from "../keys";
import type { Answer, Primitive, Query, Walk } from "../protocol";
import type { Page } from "../store";
import { isWalkable, unsoundHint } from "../unsound";
import { answerOf } from "./ray/answer";
import { fillDetail } from "./ray/detail";
import { Losses } from "./ray/lost";
import { offers } from "./ray/offers";
import { describeQuery, QueryForm } from "./ray/query_form";
import { StepList } from "./ray/step_list";
import { WhyForm } from "./ray/why";
import { WalkModel } from "./walk_model";

export function mount(host: HTMLElement, page: Page): void {
  host.classList.add("ray-view");
  new RayView(host, page);
}

type Against = Answer<"against">;

class RayView {
  private readonly form: QueryForm;
  private readonly why: WhyForm;
  private readonly first = new StepList((step) => this.go(step));
  private readonly second = new StepList((step) => this.go(step - this.shift));
  private readonly details = [
    h("div", { class: "ray-detail scroll" }), h("div", { class: "ray-detail scroll" }),
  ] as const;
  private readonly status = h("div", { class: "ray-status", role: "status" });
  private readonly other = h("select", {
    class: "ray-other", "aria-label": "Compare with", onchange: () => void this.run(),
  });
  private readonly place = h("input", {
    type: "number", min: 0, class: "ray-place", "aria-label": "Step",
    onchange: () => this.go(Number(this.place.value)),
  });
  private readonly of = h("span", { class: "muted" });
  private readonly asks = h("span", {}, "What is asked");
  private readonly question: HTMLDetailsElement;
  private readonly body: HTMLElement;
  private readonly steps: HTMLElement;
  private readonly losses: Losses;
  private model: WalkModel | null = null;
  /** Of the second machine, if there is one. */
  private otherModel: WalkModel | null = null;
  private against: Against | null = null;
  private asked = "";
  /** What the walk has lost, if it is known; `why` was not asked for it yet. */
  private missed: Primitive | null = null;

  constructor(host: HTMLElement, private readonly page: Page) {
    this.form = new QueryForm((query) => page.set({ query, walk: null, step: 0 }));
    this.why = new WhyForm(page, (missed) => void this.askWhy(missed), () => this.toLoss());
    this.losses = new Losses(page);
    this.steps = this.makeSteps();
    const lists = [this.first.element, this.second.element];
    this.body = h("div", { class: "ray-body" }, ...lists, ...this.details);
    this.question = h("details", { class: "ray-question", open: true },
      h("summary", {}, this.asks), this.form.element);
    host.append(this.question, h("div", { class: "ray-result" }, this.status, this.other),
      this.steps, this.body, this.why.element);
    page.on(["query", "machine", "summary", "revision"], () => void this.run());
    page.on("origin", () => {
      const { summary, query } = page.state;
      if (summary && !query) this.form.offer(offers(summary));
    });
    page.on("walk", () => this.showWalk());
    page.on("step", () => this.showStep());
    page.on(["about", "summary", "machine"], () => this.fillMachines());
    this.addShortcuts();
    this.fillMachines();
    this.showWalk();
    void this.run();
  }

  private makeSteps(): HTMLElement {
    const button = (text: string, title: string, act: () => void) =>
      h("button", { class: "quiet", title, "aria-label": title, onclick: act }, text);
    return h("div", { class: "bar ray-steps" },
      button("«", "To the start", () => this.go(0)),
      button("‹", "Step back ( , )", () => this.go(this.page.state.step - 1)),
      this.place, this.of,
      button("›", "Step ( . )", () => this.go(this.page.state.step + 1)),
      button("»", "To the end", () => this.go(Infinity)),
      h("span", { class: "grow" }), h("span", { class: "muted" }, "to"),
      button("hit", "To the next hit ( ; )", () => this.toHit()),
      button("node", "To where the selected node is read ( v )", () => this.toNode()),
      button("loss", "To where something is lost ( l )", () => this.toLoss()));
  }

  private addShortcuts(): void {
    const { page } = this;
    shortcut("Ray", "Step back", [","], () => this.go(page.state.step - 1));
    shortcut("Ray", "Step", ["."], () => this.go(page.state.step + 1));
    shortcut("Ray", "To the next hit", [";"], () => this.toHit());
    shortcut("Ray", "To where the selected node is read", ["v"], () => this.toNode());
    shortcut("Ray", "To where something is lost", ["l"], () => this.toLoss());
  }

  private get machine(): string {
    const { machine, summary } = this.page.state;
    return machine ?? summary?.default_machine ?? "";
  }

  private fillMachines(): void {
    const { about, summary } = this.page.state;
    const names = summary?.machines ?? [];
    const option = (name: string) => {
      const known = about?.machines.find((each) => each.name === name);
      return h("option", { value: name, title: known?.summary ?? "" }, name);
    };
    const other = this.other.value;
    const others = names.filter((name) => name !== this.machine);
    fill(this.other, h("option", { value: "" }, "compare …"), ...others.map(option));
    this.other.value = others.includes(other) ? other : "";
    const walker = about?.machines.find(({ name }) => name === this.machine);
    this.form.allowBeams(walker?.takes_beams ?? false);
  }

  /** Asks for the walk, unless it is there. */
  private async run(): Promise<void> {
    const { summary, query, revision } = this.page.state;
    this.fillMachines();
    if (query) {
      this.form.show(query);
      this.asks.textContent = describeQuery(query);
    }
    const { machine, other: { value: other } } = this;
    if (!summary || !query || !machine) return this.forget();
    const asked = JSON.stringify([revision, machine, other, query]);
    if (asked === this.asked && this.page.state.walk) return;
    this.asked = asked;
    this.missed = null;
    try {
      const walk = await this.ask(machine, other, query);
      if (this.asked !== asked) return;
      this.take(walk);
      this.question.open = false;
      void this.lookForLoss(query, walk);
      if (this.against?.first != null) this.go(this.against.first);
    } catch (error) {
      if (this.asked !== asked) return;
      this.asked = "";
      this.forget();
      if (error instanceof Dropped) this.say("Cancelled. Walk asks again.", "muted");
      else this.say((error as Error).message, "error");
    }
  }

  private async ask(machine: string, other: string, query: Query): Promise<Walk> {
    const options = { urgency: 1, instead: "walk" };
    this.against = null;
    if (other === "" || other === machine) {
      return this.page.ask({ do: "walk", machine, query }, options);
    }
    this.against = await this.page.ask({ do: "against", machine, other, query }, options);
    return this.against.walks[0];
  }

  private async askWhy(missed: Primitive): Promise<void> {
    const { query } = this.page.state;
    const { machine } = this;
    if (!query || !machine) return this.say("Ask for a ray first.", "warning");
    try {
      const request = { do: "walk", machine, query, why: missed } as const;
      this.take(await this.page.ask(request, { urgency: 1, instead: "why" }));
      this.toLoss();
    } catch (error) {
      if (!(error instanceof Dropped)) this.say((error as Error).message, "error");
    }
  }

  private async lookForLoss(query: Query, walk: Walk): Promise<void> {
    if (walk.nothing) return;
    const lost = await this.losses.find(query, walk).catch(() => null);
    if (!lost || this.page.state.walk !== walk) return;
    const { t, ...missed } = lost;
    this.missed = missed;
    this.why.tellLoss(missed, t);
  }

  private take(walk: Walk): void {
    const last = Math.max(walk.steps.length - 1, 0);
    this.page.set({ walk, step: Math.min(this.page.state.step, last) });
  }

  private forget(): void {
    this.against = null;
    this.page.set({ walk: null });
    this.showWalk();
  }

  private showWalk(): void {
    const { walk } = this.page.state;
    this.model = walk && new WalkModel(walk);
    const { against } = this;
    this.otherModel = against && new WalkModel(against.walks[1]);
    this.body.classList.toggle("is-double", against !== null);
    this.body.hidden = this.steps.hidden = walk === null;
    this.why.element.hidden = this.other.hidden = walk === null;
    this.second.element.hidden = this.details[1].hidden = against === null;
    const title = against ? this.machine : "";
    this.first.show(walk, title, against?.first ?? null);
    this.second.show(against?.walks[1] ?? null, this.other.value, against?.second ?? null);
    this.why.show(walk);
    if (walk) this.sayAnswer(walk);
    else this.sayWithout();
    this.showStep();
  }

  private sayWithout(): void {
    const { query } = this.page.state;
    const canWalk = isWalkable(this.page.state);
    this.question.hidden = !canWalk;
    if (!canWalk) fill(this.status, unsoundHint(this.page));
    else if (query) this.say("Walking …", "muted");
    else this.say("Type a ray, click a pixel of the picture, or Alt-click in space.", "muted");
  }

  private sayAnswer(walk: Walk): void {
    const found = `${capital(answerOf(walk))}.`;
    const { against } = this;
    const parted = !against ? "" : against.same
      ? ` ${this.other.value} does the same.`
      : ` The machines part at step ${against.first ?? "the end"}`
        + ` (${this.other.value}: ${against.second ?? "the end"}).`;
    const counters = Object.entries((walk.answer?.counters ?? {}) as Record<string, number>)
      .filter(([name, times]) => times > 0 && name !== "queries")
      .map(([name, times]) => h("span", {}, `${name.replaceAll("_", " ")} ${count(times)}`));
    if (walk.error) return this.say(walk.error, "error");
    fill(this.status, h("b", {}, found + parted), " ",
      h("span", { class: "muted ray-counters" }, ...counters));
  }

  /** From a step of the first walk to that of the second that stands beside it. */
  private get shift(): number {
    const { against } = this;
    return against ? (against.second ?? 0) - (against.first ?? 0) : 0;
  }

  private showStep(): void {
    const { model, otherModel, page } = this;
    const { step } = page.state;
    if (!model) return;
    this.place.value = String(step);
    this.place.max = String(model.length - 1);
    this.of.textContent = `of ${count(model.length - 1)}`;
    this.first.mark(step);
    fillDetail(this.details[0], page, model, step, (to) => this.go(to));
    if (!otherModel) return;
    const beside = Math.min(Math.max(step + this.shift, 0), otherModel.length - 1);
    this.second.mark(beside);
    fillDetail(this.details[1], page, otherModel, beside, (to) => this.go(to - this.shift));
  }

  private go(step: number): void {
    if (!this.model || Number.isNaN(step)) return;
    this.page.set({ step: Math.min(Math.max(Math.trunc(step), 0), this.model.length - 1) });
  }

  private toHit(): void {
    this.goOr(this.model?.nextHit(this.page.state.step), "No hit behind this step.");
  }

  /** Where it is lost, is first asked of what was found to be. */
  private toLoss(): void {
    const { model, missed } = this;
    const { step } = this.page.state;
    this.missed = null;
    if (missed && !model?.walk.why) return void this.askWhy(missed);
    this.goOr(model?.nextLoss(step) ?? model?.lostChild(), "Nothing is lost behind this step.");
  }

  private toNode(): void {
    const { selection, step } = this.page.state;
    if (selection === null) return this.say("Select a node first.", "muted");
    this.goOr(this.model?.nextVisit(step, selection), "The walk does not read the selected node.");
  }

  private goOr(step: number | null | undefined, otherwise: string): void {
    if (step === null || step === undefined) this.say(otherwise, "muted");
    else this.go(step);
  }

  private say(text: string, kind: string): void {
    fill(this.status, h("span", { class: kind }, text));
  }
}
