// The state of the page. Views read it, listen to the keys that they draw, and change it through
// `set`; nothing else is shared between them.

import type { Address } from "./address";
import { readGeometry } from "./drawn";
import { Dropped, Engine, Fatal, type Options } from "./engine";
import type {
  About, Answer, Camera, Check, Finding, NodeAnswer, OutlineArrays, Primitive, Query, Request,
  Start, Summary, Verb, Walk,
} from "./protocol";

export const panels = [
  "tree", "space", "heat", "machine", "tables", "program", "bytes", "ray",
] as const;

export type PanelName = (typeof panels)[number];

export const tables = ["findings", "structures", "instances", "geometries", "nodes"] as const;

export type TableName = (typeof tables)[number];

export type Theme = "system" | "light" | "dark";

/** How to colour nodes, in the tree and in space alike. */
export const colourings = ["depth", "cost", "overlap", "emptiness", "id", "severity"] as const;

export type Colouring = (typeof colourings)[number];

/** Where the opened file came from, so that a link can name it. */
export type Origin =
  | { kind: "file"; name: string }
  | { kind: "builtin"; name: string; triangles?: number }
  | { kind: "example"; name: string };

/** The selected node: what `node` answered for it. */
export interface SelectedNode extends NodeAnswer { data: Uint8Array }

/** What went wrong; `isNote`: nothing did, and it goes by itself. */
export interface Problem { text: string; hint: string | null; isNote?: boolean }

/** The edits that are in the file now, the first one first; those that can be done again. */
export interface Edited { done: readonly Edit[]; undone: number; isSaved: boolean }

const unedited: Edited = { done: [], undone: 0, isSaved: true };

export interface Busy { text: string; since: number }

export interface State {
  about: About | null;
  /** The name of what is being opened. */
  opening: string | null;
  /** What a link asks for of a file that nobody has given yet. */
  link: Address | null;
  origin: Origin | null;
  summary: Summary | null;
  /** What an example says about itself, while it is open. */
  start: Start | null;
  outline: OutlineArrays | null;
  check: Check | null;
  /** Of the file as it is now; null until somebody had time to compute it. */
  hash: string | null;
  /** Counts openings and edits, undone ones too: whoever keeps something of a file compares it. */
  revision: number;
  edits: Edited;
  /** The program to step through, if one was opened; it does not replace the file. */
  program: { name: string; content: Blob } | null;
  /** The selected entry of the outline. */
  selection: number | null;
  /** The selected node; it may have no entry, if it was reached by a pointer. */
  node: SelectedNode | null;
  /** Why the selected node is not there. */
  unread: string | null;
  /** Whether reading the tree or the findings was cancelled. */
  isUnread: boolean;
  /** The entry under the pointer, in the tree or in space. */
  hover: number | null;
  /** The primitive that was clicked last, in space. */
  picked: Primitive | null;
  /** The finding that was asked for, so that its bits are shown. */
  finding: Finding | null;
  /** The byte of the file that was asked for. */
  offset: number | null;
  colouring: Colouring;
  /** Entries of which the subtree is not drawn; the one that alone is drawn. */
  hidden: ReadonlySet<number>;
  isolated: number | null;
  camera: Camera | null;
  machine: string | null;
  query: Query | null;
  walk: Walk | null;
  step: number;
  /** The panels that can be seen now; the last one that was asked for. */
  shown: ReadonlySet<PanelName>;
  panel: PanelName;
  table: TableName;
  theme: Theme;
  busy: Busy | null;
  problem: Problem | null;
}

export type Key = keyof State;

/** Of more primitives only some are drawn: ten million triangles would take a gigabyte. */
const MOST_PRIMITIVES = 3_000_000;

export interface Page {
  readonly state: Readonly<State>;
  /** Calls `act` after a change of any of the keys; returns what ends that. */
  on(keys: Key | readonly Key[], act: () => void): () => void;
  set(patch: Partial<State>): void;
  /** Asks the module. Rejects with `Refusal` (the library's words), `Dropped` or `Fatal`. */
  ask<V extends Verb>(request: Request<V>, options?: Options): Promise<Answer<V>>;
  /** The geometry of the file as it is now, asked for once. */
  geometry(): Promise<Answer<"geometry">>;
  /** Selects an entry, or the node behind a pointer, and has it decoded. */
  select(what: number | { pointer: string; base?: string } | null): void;
  /** Decodes the selected node anew. */
  refresh(): void;
  /** Selects the node of a finding and shows its bits. */
  showFinding(finding: Finding): void;
  /** Writes bits of the file; can be undone. */
  edit(edit: Edit): Promise<void>;
  /** Reads the tree and the findings where that was cancelled. */
  readAgain(): Promise<void>;
  /** Brings a panel to the front. */
  show(panel: PanelName): void;
  /** Shows what went wrong; `Dropped` is no problem. */
  report(error: unknown): void;
  /** Stops what is computed now; the file stays open. */
  cancel(): Promise<void>;
}

export const initial: State = {
  about: null,
  opening: null,
  link: null,
  origin: null,
  summary: null,
  start: null,
  outline: null,
  check: null,
  hash: null,
  revision: 0,
  edits: unedited,
  program: null,
  selection: null,
  node: null,
  unread: null,
  isUnread: false,
  hover: null,
  picked: null,
  finding: null,
  offset: null,
  colouring: "depth",
  hidden: new Set(),
  isolated: null,
  camera: null,
  machine: null,
  query: null,
  walk: null,
  step: 0,
  shown: new Set(),
  panel: "space",
  table: "findings",
  theme: "system",
  busy: null,
  problem: null,
};

/** What belongs to a file, as it is without one. */
export const withoutFile: Partial<State> = {
  start: null, outline: null, check: null, hash: null, edits: unedited,
  selection: null, node: null, unread: null, isUnread: false, hover: null, picked: null,
  finding: null, offset: null, hidden: new Set(), isolated: null, camera: null, query: null,
  walk: null, step: 0,
};

/** Bits of the file from a byte on, LSB first, and what is to stand there. */
export interface Edit { offset: number; bit: number; length: number; value: string }

/** What stands where something would be that was not read. */
export const CANCELLED = "Reading was cancelled.";

export class Store implements Page {
  state: State = { ...initial };
  private listeners = new Map<Key, Set<() => void>>();
  /** Counts nodes asked for: only the answer to the last one counts. */
  private decodings = 0;
  private renewal: Promise<void> | null = null;
  private kept: { of: number; answer: Promise<Answer<"geometry">> } | null = null;

  constructor(private engine: Pick<Engine, "ask" | "cancel" | "restart">) {}

  on(keys: Key | readonly Key[], act: () => void): () => void {
    const all = typeof keys === "string" ? [keys] : keys;
    for (const key of all) {
      const set = this.listeners.get(key) ?? new Set();
      this.listeners.set(key, set.add(act));
    }
    return () => all.forEach(key => this.listeners.get(key)?.delete(act));
  }

  set(patch: Partial<State>): void {
    const changed = (Object.keys(patch) as Key[]).filter(key => patch[key] !== this.state[key]);
    if (!changed.length) return;
    this.state = { ...this.state, ...patch };
    // Each listener once, however many of its keys changed.
    const acts = new Set(changed.flatMap(key => [...(this.listeners.get(key) ?? [])]));
    for (const act of acts) act();
  }

  async ask<V extends Verb>(request: Request<V>, options: Options = {}): Promise<Answer<V>> {
    try {
      return await this.engine.ask(request, options);
    } catch (error) {
      // All that waited hears of it; one new worker is enough.
      if (error instanceof Fatal && !this.renewal) {
        this.renewal = this.renew(() => this.engine.restart()).finally(() => (this.renewal = null));
      }
      throw error;
    }
  }

  geometry(): Promise<Answer<"geometry">> {
    const { revision: of } = this.state;
    if (this.kept?.of !== of) {
      const answer = readGeometry((piece, room) => this.ask(piece, room), MOST_PRIMITIVES);
      this.kept = { of, answer };
      answer.catch(() => (this.kept = null));
    }
    return this.kept.answer;
  }

  select(what: number | { pointer: string; base?: string } | null): void {
    if (what === null) {
      this.decodings++;
      return this.set({ selection: null, node: null, unread: null });
    }
    if (what === this.state.selection) return;
    if (typeof what === "number") {
      this.set({ selection: what });
      this.decode({ do: "node", entry: what });
    } else {
      this.set({ selection: null });
      this.decode({ do: "node", ...what });
    }
  }

  refresh(): void {
    const { selection, node } = this.state;
    if (selection !== null) this.decode({ do: "node", entry: selection });
    else if (node) this.decode({ do: "node", pointer: node.pointer });
  }

  showFinding(finding: Finding): void {
    this.set({ finding });
    if (finding.entry === null) this.set({ offset: finding.offset });
    else this.select(finding.entry);
    this.show("bytes");
  }

  /** Set by whoever keeps the history of edits. */
  edit: Page["edit"] = () => Promise.resolve();

  /** Set by whoever opens files. */
  readAgain: Page["readAgain"] = () => Promise.resolve();

  /** Has the hash computed when nothing else is to do; null if the file changed meanwhile. */
  async computeHash(): Promise<string | null> {
    const { revision } = this.state;
    try {
      const { hash } = await this.ask({ do: "hash" }, { urgency: -1, instead: "hash" });
      if (revision !== this.state.revision) return null;
      this.set({ hash });
      return hash;
    } catch (error) {
      this.report(error);
      return null;
    }
  }

  show(panel: PanelName): void {
    this.set({ panel });
  }

  report(error: unknown): void {
    if (error instanceof Dropped) return;
    const problem = error as { message?: string; hint?: string | null };
    this.set({ problem: { text: problem.message ?? String(error), hint: problem.hint ?? null } });
  }

  cancel(): Promise<void> {
    return this.renew(() => this.engine.cancel());
  }

  /** Where a new worker cannot open the file again, there is none. */
  private async renew(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (error instanceof Dropped) return;
      this.set({ ...withoutFile, summary: null, origin: null });
      this.report(error);
    }
  }

  private async decode(request: Request<"node">): Promise<void> {
    const turn = ++this.decodings;
    try {
      const { arrays, ...node } = await this.ask(request, { urgency: 2, instead: "node" });
      if (turn !== this.decodings) return;
      // Its rows may come one by one.
      const frame = node.frame?.flat() ?? null;
      this.set({ node: { ...node, frame, data: arrays.data }, unread: null });
    } catch (error) {
      if (turn !== this.decodings) return;
      const text = error instanceof Dropped ? CANCELLED : (error as Error).message;
      this.set({ node: null, unread: text });
    }
  }
}
