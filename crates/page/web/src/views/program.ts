// A program on the hart, instruction by instruction, forwards and back.

import { fill, h } from "../dom";
import { Dropped } from "../engine";
import { count } from "../format";
import { shortcut } from "../keys";
import { CANCELLED, type Page } from "../store";
import type { ProgramLine, ProgramState } from "../protocol";
import { lastDid } from "./program/last";
import { Listing } from "./program/listing";
import { MemoryView } from "./program/memory";
import { nextInstruction } from "./program/operands";
import { changedNames, registerTable } from "./program/registers";

/** As many instructions are run at most, so that a loop without an end shows where it is. */
const RUN_LENGTH = 100_000_000;

export function mount(host: HTMLElement, page: Page): void {
  new ProgramView(host, page);
}

class ProgramView {
  private listing = new Listing();
  private memory: MemoryView;
  private where = h("span", { class: "muted" });
  private refusal = h("p", { class: "refusal", role: "alert", hidden: true });
  private next = h("div", { class: "next" });
  private last = h("div", { class: "last" });
  private registers = h("div", { class: "registers" });
  private all = h("input", { type: "checkbox", onchange: () => this.showRegisters() });
  private text: readonly string[] = [];
  private source = h("input", {
    type: "checkbox",
    onchange: () => this.listing.showSource(this.source.checked ? this.text : null),
  });
  private sourceLabel = h("label", { class: "label", hidden: true }, this.source, "source");
  private changed: ReadonlySet<string> = new Set();
  private output = h("pre", { class: "output mono", hidden: true });
  private state: ProgramState | null = null;
  private buttons: HTMLButtonElement[];

  constructor(host: HTMLElement, private page: Page) {
    this.memory = new MemoryView(page);
    const isShown = () => page.state.shown.has("program");
    const button = (text: string, does: string, key: string, act: () => void) => {
      shortcut("Program", does, [key], act, isShown);
      return h("button", { title: `${does} (${key})`, onclick: act }, text);
    };
    this.buttons = [
      button("Start", "Back to the start", "Shift+b", () => void this.run(0)),
      button("Back", "One instruction back", "b", () => this.step(-1)),
      button("Step", "One instruction", "s", () => this.step(1)),
      button("To line", "Until the picked line is next", "r", () => this.runToLine()),
      button("To end", "Until it ends", "e", () => this.forth(RUN_LENGTH)),
    ];
    host.append(
      h("div", { class: "bar" }, ...this.buttons, this.sourceLabel,
        h("span", { class: "grow" }), this.where),
      this.refusal,
      h("div", { class: "program-body" },
        this.listing.element,
        h("div", { class: "scroll program-side" },
          h("h2", { class: "heading" }, "The next instruction"), this.next,
          h("h2", { class: "heading" }, "What the last one did"), this.last,
          this.output,
          h("h2", { class: "heading" }, "Registers",
            h("label", { class: "label" }, this.all, "those with 0, too")),
          this.registers,
          this.memory.element)));
    page.on("program", () => void this.load());
  }

  private async load(): Promise<void> {
    const { program } = this.page.state;
    this.state = null;
    this.listing.show([]);
    if (!program) return;
    await this.attempt(async () => {
      const { name, content } = program;
      const { lines, cut } = await this.page.ask({ do: "program", name }, { payload: content });
      this.listing.show(lines);
      await this.offerSource(lines, content);
      this.where.title = cut ? "The listing is cut: the program goes on" : "";
      await this.run(0);
    });
  }

  /** What was assembled here can be shown as it was written. */
  private async offerSource(lines: readonly ProgramLine[], content: Blob): Promise<void> {
    const isWritten = lines.some(({ line }) => line);
    this.sourceLabel.hidden = !isWritten;
    this.text = isWritten ? (await content.text()).split("\n") : [];
    this.listing.showSource(isWritten && this.source.checked ? this.text : null);
  }

  private step(by: 1 | -1): void {
    const done = (this.state?.done ?? 0) + by;
    if (done >= 0 && !(by > 0 && this.state?.ended)) void this.run(done);
  }

  private forth(instructions: number, stop?: string): void {
    if (!this.state?.ended) void this.run((this.state?.done ?? 0) + instructions, stop);
  }

  private runToLine(): void {
    const stop = this.listing.picked;
    if (stop) this.forth(RUN_LENGTH, stop);
  }

  private run(to: number, stop?: string): Promise<void> {
    const before = this.state?.done ?? 0;
    return this.attempt(async () => {
      try {
        const state = await this.ask({ to, ...(stop && { stop }) });
        const isThere = stop === undefined ? to - before < RUN_LENGTH : state.pc === stop;
        this.show(state, isThere ? "" : `, not ${stop === undefined ? "ended" : "there"} yet`);
      } catch (error) {
        if (!(error instanceof Dropped)) throw error;
        // It stays where it was cancelled.
        this.show(await this.ask({}), ", cancelled there");
      }
    });
  }

  private async ask(where: { to?: number; stop?: string }): Promise<ProgramState> {
    const { arrays: _, ...state } = await this.page.ask({ do: "run", ...where }, { urgency: 2 });
    return state;
  }

  /** `note` says why a program that has not ended does not run any more. */
  private show(state: ProgramState, note = ""): void {
    this.changed = changedNames(this.state?.registers ?? [], state.registers);
    this.state = state;
    const ended = state.ended ? `, ${state.ended}` : note;
    this.where.textContent = `${count(state.done)} done${ended}`;
    this.listing.mark(state.pc);
    fill(this.next, nextInstruction(this.listing.nextLine, state.registers, this.look));
    fill(this.last, lastDid(state.last));
    this.showRegisters();
    this.output.hidden = !state.output;
    this.output.textContent = state.output;
    this.memory.refresh();
    const [start, back, step, line, end] = this.buttons;
    for (const each of [start, back]) each!.disabled = state.done === 0;
    for (const each of [step, line, end]) each!.disabled = state.ended !== null;
  }

  private showRegisters(): void {
    fill(this.registers, registerTable(this.state?.registers ?? [], this.changed,
      this.all.checked, this.look));
  }

  private readonly look = (address: string) => this.memory.show(address);

  /** What the library refuses is said above the program. */
  private async attempt(act: () => Promise<void>): Promise<void> {
    try {
      this.refusal.hidden = true;
      await act();
    } catch (error) {
      if (error instanceof Dropped) {
        this.where.textContent = CANCELLED;
        return;
      }
      this.refusal.hidden = false;
      this.refusal.textContent = (error as Error).message;
    }
  }
}
