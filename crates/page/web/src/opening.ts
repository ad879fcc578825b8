// Opens files, built-in scenes and examples, and leads the state there that a link asks for.

import { isMeant, type Address } from "./address";
import { Dropped } from "./engine";
import { entryOf, readPieces } from "./outline";
import type { Answer, OutlineArrays, Request, Start, Summary } from "./protocol";
import { panels, withoutFile, type Origin, type State, type Store } from "./store";

type Opens = Request<"open"> | Request<"builtin"> | Request<"example">;

export interface Layout { format?: string; preset?: string; triangles?: number }

export class Opening {
  /** Asks whether edits may be lost that were not saved. */
  mayLose: () => Promise<boolean> = () => Promise.resolve(true);
  private last: { request: Opens; payload?: Blob; origin: Origin } | null = null;

  constructor(private page: Store) {
    page.readAgain = () => this.readAgain();
  }

  /** Opens a file that somebody gave: a program to step through, or something to look into. */
  async take(name: string, content: Blob, wanted?: Address): Promise<void> {
    try {
      const magic = new Uint8Array(await content.slice(0, 4).arrayBuffer());
      if (isProgram(name, magic)) this.program(name, content);
      else if (await this.mayLose()) await this.file(name, content, wanted);
    } catch (error) {
      this.page.report(error);
    }
  }

  /** A program lies beside the file, if there is one. */
  program(name: string, content: Blob): void {
    this.page.set({ program: { name, content }, problem: null });
    this.page.show("program");
  }

  /** A link that waits for a file is followed in the next one. */
  file(
    name: string, content: Blob, wanted: Address | null = this.page.state.link,
  ): Promise<void> {
    const structure = wanted?.structure;
    const format = wanted?.format;
    return this.begin(
      { do: "open", name, ...(structure && { structure }), ...(format && { format }) },
      { kind: "file", name }, content, wanted,
    );
  }

  builtin(name: string, layout: Layout = {}, wanted: Address | null = null): Promise<void> {
    const { triangles } = layout;
    const origin: Origin = { kind: "builtin", name, ...(triangles && { triangles }) };
    return this.begin({ do: "builtin", name, ...layout }, origin, undefined, wanted);
  }

  example(name: string, wanted: Address | null = null): Promise<void> {
    return this.begin({ do: "example", name }, { kind: "example", name }, undefined, wanted);
  }

  /** Goes where a link leads: in the open file, or in one that can be made here. */
  async link(wanted: Address): Promise<void> {
    const { page } = this;
    const { origin, format, panel, machine } = wanted;
    if (panel) page.show(panel);
    const { summary, outline, hash } = page.state;
    if (summary && outline && hash && wanted.file && isMeant(wanted, hash)) {
      page.set({ machine: pick(machine ?? page.state.machine, summary) });
      this.beginIn(outline, wanted);
    } else if (!origin || !await this.mayLose()) return;
    else if (origin.kind === "example") await this.example(origin.name, wanted);
    else if (origin.kind === "builtin") {
      const { triangles } = origin;
      const layout = { ...(format && { format }), ...(triangles && { triangles }) };
      await this.builtin(origin.name, layout, wanted);
    } else page.set({ ...withoutFile, summary: null, link: wanted });
  }

  /**
   * Opens the same again, starting in another structure or laid out otherwise. Edits are about
   * bytes: they are made again in another structure, and have no place in another format.
   */
  async again(change: { structure?: number; format?: string }): Promise<void> {
    if (!this.last) return;
    const { request, payload, origin } = this.last;
    const { camera, query, edits } = this.page.state;
    if (change.format && !await this.mayLose()) return;
    const kept = change.format ? {} : { edits };
    await this.begin({ ...request, ...change } as Opens, origin, payload, null, kept);
    this.page.set({ camera, query });
  }

  private async begin(
    request: Opens, origin: Origin, payload?: Blob, wanted: Address | null = null,
    kept: Pick<Partial<State>, "edits"> = {},
  ): Promise<void> {
    const { page } = this;
    page.set({ problem: null, opening: origin.name });
    try {
      const options = payload ? { payload } : {};
      const { arrays: _, ...answer } = await page.ask<Opens["do"]>(request, options);
      const { start = null, ...opened } = answer as Summary & { start?: Start };
      let summary = opened;
      for (const edit of kept.edits?.done ?? []) {
        ({ summary } = await page.ask({ do: "edit", ...edit }));
      }
      this.last = { request, origin, ...(payload && { payload }) };
      // Both are asked for before views hear of the file, and so come before what views ask.
      const [outline, check] = [this.readOutline(), page.ask({ do: "check" })];
      const machine = pick(wanted?.machine ?? start?.machine, summary);
      const revision = page.state.revision + 1;
      const now = { revision, summary, origin, start, machine, link: null };
      page.set({ ...withoutFile, ...now, ...kept });
      await this.settle(outline, check, wanted);
    } catch (error) {
      page.report(error);
    } finally {
      page.set({ opening: null });
    }
  }

  private readOutline(): Promise<OutlineArrays> {
    return readPieces("outline",
      (piece, room) => this.page.ask(piece, { urgency: 1, ...room }));
  }

  private async readAgain(): Promise<void> {
    const { page } = this;
    const { outline } = page.state;
    page.set({ isUnread: false });
    await this.settle(outline ?? this.readOutline(), page.ask({ do: "check" }), null);
  }

  private async settle(
    outline: OutlineArrays | Promise<OutlineArrays>, check: Promise<Answer<"check">>,
    wanted: Address | null,
  ): Promise<void> {
    const { page } = this;
    const { revision } = page.state;
    const done = await Promise.allSettled([
      Promise.resolve(outline).then(answer => this.beginIn(answer, wanted)),
      // Tables begin with what is wrong, or else with what is worst.
      check.then(({ arrays: _, ...answer }) =>
        page.set({ check: answer, table: answer.findings.length ? "findings" : "nodes" })),
    ]);
    const failures = done.flatMap(each => each.status === "rejected" ? [each.reason] : []);
    for (const failure of failures) page.report(failure);
    page.set({ opening: null });
    if (revision === page.state.revision) {
      page.set({ isUnread: failures.some(failure => failure instanceof Dropped) });
    }
    const hash = await page.computeHash();
    if (wanted && hash && !isMeant(wanted, hash)) {
      page.set({ problem: { text: "The link means another file of this name.", hint: null } });
    }
  }

  private beginIn(outline: OutlineArrays, wanted: Address | null): void {
    const { page } = this;
    const { start, selection } = page.state;
    if (outline === page.state.outline && !wanted) return;
    const { node = null } = wanted ?? {};
    // First of all the node, before views ask for more: it is what can be read at once.
    const asked = node && entryOf(outline, node.pointer, node.base);
    page.select(asked ?? selection ?? start?.entry ?? 0);
    page.set({ outline });
    const panel = panels.find(each => each === start?.panel);
    if (panel && !wanted?.panel) page.show(panel);
    const query = wanted?.query ?? start?.query ?? null;
    if (query) page.set({ query, step: wanted?.step ?? start?.step ?? 0 });
  }
}

const ELF = [0x7f, 0x45, 0x4c, 0x46];

/** Whether a file is an ELF program or an assembler's source. */
export function isProgram(name: string, magic: Uint8Array): boolean {
  return name.endsWith(".s") || ELF.every((byte, at) => magic[at] === byte);
}

function pick(name: string | undefined | null, summary: Summary): string | null {
  return name && summary.machines.includes(name) ? name : summary.default_machine;
}
