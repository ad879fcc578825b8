// Edits of bits: done, undone, done again. After each the file is checked and read anew.

import { Dropped } from "./engine";
import { entryOf, readPieces } from "./outline";
import { History } from "./history";
import type { Edit, Store } from "./store";

export class Edits {
  private history = new History<{ edit: Edit; before: string }>();
  /** The edits that were in the file when it was saved last. */
  private saved: readonly Edit[] = [];

  constructor(private page: Store) {
    page.on("edits", () => {
      const { done, undone } = page.state.edits;
      if (done.length + undone > 0) return;
      this.history.clear();
      this.saved = [];
    });
  }

  get count(): number { return this.history.done; }

  get undone(): number { return this.history.undone; }

  async apply(edit: Edit): Promise<void> {
    const before = await this.write(edit);
    if (before !== null) this.history.push({ edit, before });
    this.tell();
  }

  async undo(): Promise<void> {
    const last = this.history.back();
    if (last) await this.write({ ...last.edit, value: last.before });
    this.tell();
  }

  async redo(): Promise<void> {
    const next = this.history.forth();
    if (next) await this.write(next.edit);
    this.tell();
  }

  async save(): Promise<void> {
    const { summary } = this.page.state;
    if (!summary) return;
    try {
      const { arrays } = await this.page.ask({ do: "save" });
      download(arrays.data, savedName(summary.name, this.count > 0));
      this.saved = this.done;
      this.tell();
    } catch (error) {
      this.page.report(error);
    }
  }

  private get done(): readonly Edit[] {
    return this.history.all.map(({ edit }) => edit);
  }

  private async write(edit: Edit): Promise<string | null> {
    const { page } = this;
    let before: string;
    try {
      const answer = await page.ask({ do: "edit", ...edit }, { urgency: 3 });
      before = answer.before;
      const revision = page.state.revision + 1;
      page.set({ summary: answer.summary, hash: null, revision, walk: null });
    } catch (error) {
      page.report(error);
      return null;
    }
    page.refresh();
    await this.readAnew().catch(error => {
      page.report(error);
      // What was read before the edit is about other bytes.
      page.set({ outline: null, check: null, isUnread: error instanceof Dropped });
    });
    return before;
  }

  /** A pointer may lead elsewhere now, so that entries have new numbers. */
  private async readAnew(): Promise<void> {
    const { page } = this;
    const [check, entries] = await Promise.all([
      page.ask({ do: "check" }, { urgency: 1 }),
      readPieces("outline", (piece, room) => page.ask(piece, { urgency: 1, ...room })),
    ]);
    const { arrays: _, ...verdict } = check;
    const { outline: old, selection } = page.state;
    const moved = old && selection !== null
      ? entryOf(entries, old.pointer[selection]!, old.base[selection]!) : null;
    const keeps = old && selection !== null && entries.pointer[selection] === old.pointer[selection]
      && entries.base[selection] === old.base[selection];
    page.set({ check: verdict, outline: entries, selection: keeps ? selection : moved });
    void page.computeHash();
  }

  /** Buttons show how much can be undone; the page hears of it through `edits`. */
  private tell(): void {
    const { done, saved } = this;
    const isSaved = done.length === saved.length && done.every((edit, k) => edit === saved[k]);
    this.page.set({ edits: { done, undone: this.history.undone, isSaved } });
  }
}

export function savedName(name: string, isEdited: boolean): string {
  const at = name.lastIndexOf(".");
  const [stem, ending] = at > 0 ? [name.slice(0, at), name.slice(at)] : [name, ""];
  return `${stem}${isEdited ? "-edited" : ""}${ending}`;
}

export function download(content: Uint8Array | Blob | string, name: string, type = ""): void {
  const address = URL.createObjectURL(new Blob([content as BlobPart], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
