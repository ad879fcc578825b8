// What each table holds, and where its rows lead.

import { bytes, count, percent } from "../../format";
import { hex } from "../../outline";
import type { Answer, Check, OutlineArrays, Summary } from "../../protocol";
import type { Page } from "../../store";
import { geometriesOf } from "./geometries";
import { largest } from "./order";
import type { Content } from "./table";

const severityOrder = { error: 3, warning: 2, note: 1 } as const;

export function findings(page: Page, check: Check): Content {
  const all = check.findings;
  return {
    count: all.length,
    none: `Nothing found: ${count(check.nodes)} nodes were checked.`,
    pick: row => page.showFinding(all[row]!),
    columns: [
      {
        title: "Severity", least: 66, share: 0, value: row => severityOrder[all[row]!.severity],
        text: row => all[row]!.severity, kind: row => all[row]!.severity, isNumber: false,
      },
      { title: "Rule", least: 108, share: 0, value: row => all[row]!.rule },
      {
        title: "Byte", least: 66, share: 0, value: row => all[row]!.offset, isNumber: true,
        text: row => hex(all[row]!.offset), kind: () => "mono",
      },
      { title: "Found", least: 130, share: 3, value: row => all[row]!.found },
      { title: "Expected", least: 130, share: 4, value: row => all[row]!.expected },
      { title: "Place", least: 0, isExtra: true, value: row => all[row]!.place },
    ],
  };
}

export function structures(page: Page, summary: Summary): Content {
  const all = summary.structures;
  const number = (title: string, value: (row: number) => number) => ({
    title, value, text: (row: number) => count(value(row)), least: 14 + 7 * title.length,
    isNumber: true,
  });
  return {
    count: all.length,
    none: "This format holds a single structure.",
    pick: row => {
      page.set({ offset: all[row]!.offset });
      page.show("bytes");
    },
    columns: [
      { title: "#", least: 36, value: row => row, isNumber: true },
      { title: "Level", least: 52, value: row => all[row]!.level },
      { title: "Address", least: 78, value: row => all[row]!.address, kind: () => "mono" },
      {
        title: "Byte", least: 66, value: row => all[row]!.offset, isNumber: true,
        text: row => hex(all[row]!.offset), kind: () => "mono",
      },
      {
        title: "Size", least: 72, value: row => all[row]!.bytes, isNumber: true,
        text: row => bytes(all[row]!.bytes),
      },
      number("Primitives", row => all[row]!.primitives),
      number("Boxes", row => all[row]!.box_nodes),
      number("Leaves", row => all[row]!.leaf_nodes),
    ],
  };
}

export function instances(page: Page, geometry: Answer<"geometry">): Content {
  const all = geometry.instances;
  const at = (row: number, axis: number) => geometry.arrays.transforms[row * 12 + axis * 4 + 3]!;
  const column = (title: string, value: (row: number) => number, text?: (row: number) => string) =>
    ({
      title, value, least: Math.max(46, 14 + 8 * title.length), isNumber: true,
      ...(text && { text }),
    });
  const place = (title: string, axis: number) =>
    ({ ...column(title, row => at(row, axis), row => at(row, axis).toPrecision(4)), least: 74 });
  return {
    count: all.length,
    none: "The file has no instances.",
    pick: row => page.select(all[row]!.entry),
    columns: [
      column("#", row => row),
      column("BLAS", row => all[row]!.blas),
      column("Custom", row => all[row]!.custom_index),
      column("Mask", row => all[row]!.mask, row => hex(all[row]!.mask)),
      column("SBT", row => all[row]!.sbt_offset),
      column("Flags", row => all[row]!.flags, row => hex(all[row]!.flags)),
      place("x", 0),
      place("y", 1),
      place("z", 2),
    ],
  };
}

export function geometries(page: Page, geometry: Answer<"geometry">): Content {
  const all = geometriesOf(geometry);
  const column = (title: string, value: (row: number) => number) =>
    ({ title, value, text: (row: number) => count(value(row)), least: 76, isNumber: true });
  return {
    count: all.length,
    none: "The file has no primitives.",
    pick: row => page.select(all[row]!.leaf),
    columns: [
      column("BLAS", row => all[row]!.blas),
      column("Geometry", row => all[row]!.geometry),
      column("Triangles", row => all[row]!.triangles),
      column("Boxes", row => all[row]!.boxes),
      {
        title: "Area", value: row => all[row]!.area, text: row => all[row]!.area.toPrecision(4),
        least: 76, isNumber: true,
      },
    ],
  };
}

export const measures = ["cost", "overlap", "emptiness"] as const;

export type Measure = (typeof measures)[number];

const WORST = 1000;

/** The worst nodes by one measure, with the others beside it. */
export function worstNodes(
  page: Page, outline: OutlineArrays, summary: Summary, measure: Measure,
): Content {
  const emptiness = outline.fill.map(fill => 1 - fill);
  const values = { cost: outline.cost, overlap: outline.overlap, emptiness }[measure];
  // What stands there again, or nowhere, has nothing of its own.
  const rows = largest(values.map((value, k) => outline.state[k] ? NaN : value), WORST);
  const level = (row: number) => outline.level[rows[row]!]!;
  const top = outline.level.reduce((a, b) => Math.max(a, b), 0);
  const share = (title: string, values: Float32Array) => ({
    title, least: 22 + 7 * title.length, isNumber: true,
    value: (row: number) => values[rows[row]!]!,
    text: (row: number) => percent(values[rows[row]!]!),
  });
  return {
    count: rows.length,
    none: "The file has no nodes.",
    pick: row => page.select(rows[row]!),
    columns: [
      {
        title: "Node", least: 84, kind: () => "mono",
        value: row => hex(outline.pointer[rows[row]!]!),
      },
      // Pointers count from each structure anew.
      ...(top ? [{
        title: "In", least: 62,
        value: (row: number) => level(row) === top ? "TLAS" : `BLAS ${level(row)}`,
      }] : []),
      {
        title: "Kind", least: 70,
        value: row => summary.kinds[outline.kind[rows[row]!]!] ?? "",
      },
      {
        title: "Depth", least: 52, isNumber: true, value: row => outline.depth[rows[row]!]!,
      },
      share("Cost", outline.cost),
      share("Overlap", outline.overlap),
      share("Emptiness", emptiness),
      {
        title: "Below", least: 60, isNumber: true,
        value: row => outline.size[rows[row]!]! - 1,
        text: row => count(outline.size[rows[row]!]! - 1),
      },
    ],
  };
}
