// Tables: what is wrong, what there is, and which nodes are worst.

import { h } from "../dom";
import { Dropped } from "../engine";
import type { Answer } from "../protocol";
import { CANCELLED, tables, type Page, type TableName } from "../store";
import {
  findings, geometries, instances, measures, structures, worstNodes, type Measure,
} from "./tables/contents";
import { DataTable } from "./tables/table";

const titles: Record<TableName, string> = {
  findings: "Findings", structures: "Structures", instances: "Instances",
  geometries: "Geometries", nodes: "Worst nodes",
};

export function mount(host: HTMLElement, page: Page): void {
  new TablesView(host, page);
}

class TablesView {
  private table: DataTable;
  private measure = h("select", {
    "aria-label": "Worst by", onchange: () => this.show(),
  }, ...measures.map(name => h("option", { value: name }, `by ${name}`)));
  private choice = h("select", {
    "aria-label": "Table",
    onchange: () => this.page.set({ table: this.choice.value as TableName }),
  }, ...tables.map(name => h("option", { value: name }, titles[name])));

  constructor(host: HTMLElement, private page: Page) {
    const lead = h("span", { class: "table-choice" }, this.choice, this.measure);
    this.table = new DataTable(lead, () => `${page.state.summary?.name}-${page.state.table}.csv`);
    host.append(this.table.element);
    page.on(["table", "check", "summary", "outline", "shown", "isUnread"], () => this.show());
  }

  private show(): void {
    const { shown, summary, check, outline } = this.page.state;
    // Without a tree there is nothing to count.
    const hasTree = summary?.holds_trees !== false;
    const table = hasTree ? this.page.state.table : "findings";
    this.choice.value = table;
    this.choice.hidden = !hasTree;
    this.measure.hidden = table !== "nodes";
    if (!shown.has("tables") || !summary) return;
    const wait = () => this.page.state.isUnread
      ? this.table.say(CANCELLED, "", () => void this.page.readAgain())
      : this.table.say("Reading …");
    switch (table) {
      case "findings": return check ? this.table.show(findings(this.page, check)) : wait();
      case "structures": return this.table.show(structures(this.page, summary));
      case "nodes": {
        const measure = this.measure.value as Measure;
        return outline
          ? this.table.show(worstNodes(this.page, outline, summary, measure)) : wait();
      }
      case "instances": return this.withGeometry(table, answer => instances(this.page, answer));
      case "geometries": return this.withGeometry(table, answer => geometries(this.page, answer));
    }
  }

  private withGeometry(
    table: TableName, content: (answer: Answer<"geometry">) => ReturnType<typeof instances>,
  ): void {
    this.table.say("Reading …");
    this.page.geometry().then(
      answer => {
        if (this.page.state.table === table) this.table.show(content(answer));
      },
      error => error instanceof Dropped
        ? this.table.say(CANCELLED, "", () => this.show())
        : this.table.say(String(error.message), "error"),
    );
  }
}
