// The selected node to the bit: bytes, fields, what they mean, what check says about them.

import { fill, h } from "../dom";
import { plural } from "../format";
import { icon } from "../icons";
import { goTo } from "../goto";
import { entryOf, hex, wayTo } from "../outline";
import type { Field, Finding, NodeRecord } from "../protocol";
import type { Page, SelectedNode } from "../store";
import { editOf, findingRange, type Range } from "./bytes/bits";
import { dumpView, PAGE_BYTES, pageStart } from "./bytes/dump";
import { Editor } from "./bytes/editor";
import { RecordView } from "./bytes/record";
import { answerOf } from "./ray/answer";

export function mount(host: HTMLElement, page: Page): void {
  new BytesView(host, page);
}

class BytesView {
  private head = h("div", { class: "node-head" });
  private body = h("div", { class: "scroll" });
  private editor = new Editor({
    write: (range, value) => this.write(range, value),
    follow: link => this.follow(link),
    close: () => this.pin(null),
  });
  private records: RecordView[] = [];
  /** The picked field: by name, so that it stays picked while its value changes. */
  private pinned: { record: number; name: string } | null = null;
  /** What the walk said before the last edit; null where none was made here. */
  private before: string | null = null;
  private shownKey = "";
  /** The byte that was asked for, and the node that it was found in. */
  private asked: { byte: number; key: string } | null = null;

  constructor(host: HTMLElement, private page: Page) {
    host.append(this.head, this.body, this.editor.element);
    host.addEventListener("keydown", event => {
      if (event.key !== "Escape" || !this.pinned) return;
      event.preventDefault();
      this.pin(null);
    });
    page.on(["node", "unread", "check"], () => this.show());
    page.on("walk", () => {
      if (this.before !== null) this.showPinned();
    });
    page.on("finding", () => this.showFinding(true));
    page.on("offset", () => this.showOffset());
    this.show();
  }

  private async show(): Promise<void> {
    const { node } = this.page.state;
    if (!node) {
      this.records = [];
      fill(this.head);
      this.shownKey = "";
      fill(this.body, this.without());
      return this.editor.hide();
    }
    const key = keyOf(node);
    const isNew = key !== this.shownKey;
    if (isNew) {
      this.pinned = null;
      this.before = null;
      this.body.scrollTop = 0;
    }
    this.shownKey = key;
    // The node at once; what is beside it follows with its bytes.
    this.draw(node, [], isNew);
    if (!node.beside.length) return;
    const besides = await Promise.all(node.beside.map(record => this.dataOf(record)));
    if (this.page.state.node === node) this.draw(node, besides, isNew);
  }

  /** What stands there without a node. */
  private without(): HTMLElement {
    const { unread, selection } = this.page.state;
    if (!unread) return h("p", { class: "hint" }, "Select a node to see its bytes.");
    const again = () => this.page.refresh();
    return h("p", { class: "hint" }, h("span", { class: "error", role: "alert" }, unread), " ",
      selection !== null && h("button", { class: "link", onclick: again }, "Read again"));
  }

  private draw(node: SelectedNode, besides: readonly Uint8Array[], isNew: boolean): void {
    const findings = this.findingsOf(node);
    const records = [node, ...node.beside.slice(0, besides.length)];
    const views = records.map((record, at) =>
      this.recordView(record, at, at === 0 ? node.data : besides[at - 1]!, findings));
    this.records = views;
    fill(this.head, ...this.heading(node), h("div", { class: "findings" },
      ...findings.map(finding => this.findingLine(finding))));
    fill(this.body, ...views.flatMap((view, at) => at === 0 ? [view.element] : [
      h("h2", { class: "beside heading" },
        `Beside it: ${view.record.kind}`,
        h("span", { class: "mono muted" }, place(view.record))), view.element,
    ]));
    this.showPinned();
    this.showFinding(isNew);
    if (this.asked?.key === this.shownKey && node.offset !== null) {
      views[0]?.point(this.asked.byte - node.offset);
    }
  }

  private recordView(
    record: NodeRecord, at: number, data: Uint8Array, findings: readonly Finding[],
  ): RecordView {
    const view: RecordView = new RecordView(record, data, findings, {
      hover: field => this.hover(view, field),
      pick: field => this.pin({ record: at, name: field.name }),
      follow: link => this.follow(link),
    });
    return view;
  }

  private heading(node: SelectedNode): Node[] {
    const { outline, selection, summary } = this.page.state;
    const way = outline && selection !== null ? wayTo(outline, selection) : [];
    const above = way.slice(0, -1);
    const crumbs = above.slice(-4).map(entry => h("button", {
      class: "link", onclick: () => this.page.select(entry),
    }, `${summary?.kinds[outline!.kind[entry]!]} ${hex(outline!.pointer[entry]!)}`));
    const offset = h("input", {
      type: "text", class: "mono", placeholder: "@0x…", "aria-label": "Go to byte of the file",
      title: "Go to a byte of the file", spellcheck: "false",
      onkeydown: (event: KeyboardEvent) => {
        const wanted = Number(offset.value.replace(/^@/, ""));
        if (event.key !== "Enter" || !Number.isInteger(wanted)) return;
        goTo(this.page, { offset: wanted });
      },
    });
    return [
      h("nav", { class: "crumbs", "aria-label": "Way from the root" },
        above.length > 4 && "… ",
        ...crumbs.flatMap(crumb => [crumb, icon("closed")]),
        h("strong", {}, `${node.kind} ${node.pointer}`)),
      h("div", { class: "node-facts" },
        h("span", { class: "mono muted" }, place(node)),
        h("span", { class: "muted" }, plural(node.bytes, "byte")),
        h("span", { class: "grow" }), offset),
    ];
  }

  private findingLine(finding: Finding): HTMLElement {
    return h("button", {
      class: `finding ${finding.severity}`, title: finding.message,
      onclick: () => this.page.set({ finding }),
    }, h("strong", {}, `${finding.severity}: ${finding.rule}`),
    h("span", {}, `found ${finding.found}, expected ${finding.expected}`));
  }

  private findingsOf(node: SelectedNode): Finding[] {
    const { check, selection } = this.page.state;
    const records = [node, ...node.beside];
    return (check?.findings ?? []).filter(finding =>
      (selection !== null && finding.entry === selection)
      || records.some(each => findingRange(finding, each.offset, each.bytes)));
  }

  private hover(view: RecordView, field: Field | null): void {
    if (field) {
      for (const each of this.records) each.light(each === view ? field : null);
      if (!this.pinned) this.editor.peek(field);
    } else if (this.pinned) this.showPinned();
    else {
      this.showFinding();
      this.editor.clear();
    }
  }

  private pin(pinned: BytesView["pinned"]): void {
    this.pinned = pinned;
    this.before = null;
    this.showPinned();
  }

  private showPinned(): void {
    const view = this.pinned && this.records[this.pinned.record];
    const field = view?.record.fields.find(each => each.name === this.pinned?.name);
    if (!view || !field) {
      this.pinned = null;
      for (const each of this.records) each.pin(null);
      return this.editor.clear();
    }
    for (const each of this.records) {
      each.light(each === view ? field : null);
      each.pin(each === view ? field : null);
    }
    const canEdit = view.record.offset !== null;
    this.editor.show({ field, value: view.bitsOf(field), canEdit }, this.verdict());
    view.reveal(field);
  }

  /** Lights the bits up that the chosen finding is about, and may bring their field into sight. */
  private showFinding(reveals = false): void {
    const { finding } = this.page.state;
    if (this.pinned) return;
    for (const view of this.records) {
      const { offset, bytes } = view.record;
      const range = finding && findingRange(finding, offset, bytes);
      if (range) view.lightBits(range, reveals);
      else view.light(null);
    }
  }

  private async write(range: Range, value: bigint): Promise<void> {
    const offset = this.pinned && this.records[this.pinned.record]?.record.offset;
    if (offset === null || offset === undefined) return;
    this.before = walkWords(this.page.state);
    await this.page.edit(editOf(offset, range, value));
    this.showPinned();
  }

  /** What check and walk say since the edit. */
  private verdict(): HTMLElement | null {
    if (this.before === null) return null;
    const walk = walkWords(this.page.state);
    const isSame = walk === this.before;
    const asBefore = this.page.state.query ? ", as before" : "";
    return h("div", { role: "status" }, this.verdictLine(),
      h("p", { class: `verdict-line walk-line ${isSame ? "muted" : "warning"}` },
        `walk: ${walk}${isSame ? asBefore : ` (before: ${this.before})`}`));
  }

  private verdictLine(): HTMLElement {
    const { check, summary } = this.page.state;
    const first = check?.findings[0];
    if (!first) return h("p", { class: "verdict-line good" }, "check: sound, nothing to find");
    const sums = [[check.errors, "error"], [check.warnings, "warning"], [check.notes, "note"]]
      .filter(([count]) => count).map(([count, name]) => plural(count as number, String(name)));
    return h("p", { class: `verdict-line ${first.severity}` },
      `check: ${summary?.sound ? "sound" : "unsound"}, ${sums.join(", ")}: `,
      h("button", {
        class: "link", title: first.message, onclick: () => this.page.showFinding(first),
      }, `${first.rule}, ${first.place}`));
  }

  /** The same pointer means another node from another base: the node knows which is meant. */
  private follow(pointer: string): void {
    const { outline, node } = this.page.state;
    const base = node?.links.find(link => link.pointer === pointer)?.base ?? node?.base;
    const entry = outline && base !== undefined
      ? entryOf(outline, BigInt(pointer), BigInt(base)) : null;
    this.page.select(entry ?? { pointer, ...(base !== undefined && { base }) });
  }

  private async showOffset(): Promise<void> {
    const { offset } = this.page.state;
    if (offset === null) return;
    try {
      const { entry, node } = await this.page.ask({ do: "owner", offset }, { urgency: 2 });
      // So that the same byte can be asked for again.
      this.page.set({ offset: null });
      this.asked = node && { byte: offset, key: keyOf(node) };
      if (entry === null) await this.showDump(offset);
      else if (entry === this.page.state.selection) await this.show();
      else this.page.select(entry);
    } catch (error) {
      this.page.report(error);
    }
  }

  private async showDump(offset: number): Promise<void> {
    const start = pageStart(offset);
    const answer = await this.page.ask({ do: "bytes", offset: start, length: PAGE_BYTES },
      { urgency: 2 });
    this.records = [];
    this.page.select(null);
    const dump = { offset: answer.offset, of: answer.of, data: answer.arrays.data };
    fill(this.head);
    fill(this.body, dumpView(dump, offset, to => goTo(this.page, { offset: to })));
    this.editor.hide();
  }

  private async dataOf(record: NodeRecord): Promise<Uint8Array> {
    if (record.offset === null) return new Uint8Array();
    try {
      const request = { do: "bytes", offset: record.offset, length: record.bytes } as const;
      return (await this.page.ask(request, { urgency: 2 })).arrays.data;
    } catch (error) {
      this.page.report(error);
      return new Uint8Array();
    }
  }
}

function keyOf(node: NodeRecord): string {
  return `${node.pointer} ${node.address}`;
}

/** What the walk of the ray that is asked about has found. */
export function walkWords({ summary, query, walk }: Page["state"]): string {
  if (summary?.machines.length === 0) return "no machine walks an unsound file";
  if (!query) return "no ray is asked about";
  return walk ? answerOf(walk) : "…";
}

function place(record: NodeRecord): string {
  const where = record.offset === null ? "not in the file" : `byte ${hex(record.offset)}`;
  return `${where}  at ${record.address}`;
}
