// What each table holds, and where its rows lead.

import { bytes, capital, count, percent } from "../../format";
import { MEANINGS } from "../../legend";
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
        title: "Severity", least: 66, share: 0, value: row => all[row]!.severity,
        rank: row => severityOrder[all[row]!.severity], kind: row => all[row]!.severity,
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
  const column = (
    title: string, value: (row: number) => number, about: string, text?: (row: number) => string,
  ) => ({
    title, value, about, least: Math.max(46, 14 + 8 * title.length), isNumber: true,
    ...(text && { text }),
  });
  const place = (title: string, axis: number) =>
    ({
      ...column(title, row => at(row, axis), "Where its origin is, in units of the scene",
        row => at(row, axis).toPrecision(4)),
      least: 74,
    });
  return {
    count: all.length,
    none: "The file has no instances.",
    pick: row => page.select(all[row]!.entry),
    columns: [
      column("#", row => row, "The number of the instance, from 0"),
      column("BLAS", row => all[row]!.blas, "The number of the structure that it places"),
      column("Custom", row => all[row]!.custom_index,
        "The number that the application gave it (instanceCustomIndex)"),
      column("Mask", row => all[row]!.mask,
        "Rays whose mask has no bit in common pass it by", row => hex(all[row]!.mask)),
      column("SBT", row => all[row]!.sbt_offset,
        "Where its records begin in the shader binding table, in records"),
      column("Flags", row => all[row]!.flags,
        "1 no culling of facing, 2 facing is flipped, 4 opaque, 8 not opaque",
        row => hex(all[row]!.flags)),
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
        title: "Area", about: "Of its triangles, in units of the scene squared, before instances",
        value: row => all[row]!.area, text: row => all[row]!.area.toPrecision(4),
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
  const measured = { cost: outline.cost, overlap: outline.overlap, emptiness };
  // What stands there again, or nowhere, has nothing of its own.
  const values = measured[measure].map((value, k) => outline.state[k] ? NaN : value);
  const rows = largest(values, WORST);
  const level = (row: number) => outline.level[rows[row]!]!;
  const top = outline.level.reduce((a, b) => Math.max(a, b), 0);
  const share = (name: Measure) => ({
    title: capital(name), about: MEANINGS[name].text, least: 22 + 7 * name.length, isNumber: true,
    value: (row: number) => measured[name][rows[row]!]!,
    text: (row: number) => percent(measured[name][rows[row]!]!),
  });
  return {
    count: rows.length,
    of: values.reduce((sum, value) => sum + Number(!Number.isNaN(value)), 0),
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
        title: "Depth", about: MEANINGS.depth.text, least: 52, isNumber: true,
        value: row => outline.depth[rows[row]!]!,
      },
      ...measures.map(share),
      {
        title: "Below", about: "Nodes below it", least: 60, isNumber: true,
        value: row => outline.size[rows[row]!]! - 1,
        text: row => count(outline.size[rows[row]!]! - 1),
      },
    ],
  };
}
