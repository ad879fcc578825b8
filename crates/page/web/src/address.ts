// The state in the address: enough for a link to name the file, the node, the ray and the step.

import type { Query } from "./protocol";
import { queryFromText, queryToText } from "./query";
import { panels, type Origin, type PanelName, type State } from "./store";

/** What a link asks for. */
export interface Address {
  /** First 16 digits of the file's hash. */
  file: string | null;
  origin: Origin | null;
  format: string | null;
  structure: number | null;
  node: { pointer: bigint; base: bigint } | null;
  query: Query | null;
  step: number | null;
  machine: string | null;
  panel: PanelName | null;
}

const HASH_DIGITS = 16;

export function addressOf(state: State): string {
  const { summary, origin, outline, selection, node, query, walk, machine, panel } = state;
  if (!summary || !origin) return "";
  const words: [string, string | null][] = [
    [origin.kind, origin.name],
    ["triangles", origin.kind === "builtin" && origin.triangles ? String(origin.triangles) : null],
    ["format", summary.source === "built" ? summary.format : null],
    ["structure", summary.structures.length > 1 ? String(summary.structure) : null],
    ["hash", state.hash?.slice(0, HASH_DIGITS) ?? null],
    ["node", outline && selection !== null ? nodeText(outline, selection) : node?.pointer ?? null],
    ["query", query ? queryToText(asRay(query, walk)) : null],
    ["step", walk && state.step > 0 ? String(state.step) : null],
    ["machine", machine],
    ["panel", panel],
  ];
  const given = words.filter((word): word is [string, string] => word[1] !== null);
  return given.map(([name, value]) => `${name}=${legible(value)}`).join("&");
}

export function readAddress(text: string): Address {
  const words = new URLSearchParams(text.replace(/^#/, ""));
  const panel = panels.find(each => each === words.get("panel")) ?? null;
  const query = words.get("query");
  return {
    file: words.get("hash"),
    origin: readOrigin(words),
    format: words.get("format"),
    structure: count(words.get("structure")),
    node: readNode(words.get("node")),
    query: query ? queryFromText(query) : null,
    step: count(words.get("step")),
    machine: words.get("machine"),
    panel,
  };
}

function readOrigin(words: URLSearchParams): Origin | null {
  const kind = (["file", "builtin", "example"] as const).find(each => words.has(each));
  if (!kind) return null;
  const name = words.get(kind)!;
  const triangles = count(words.get("triangles"));
  return kind === "builtin" && triangles ? { kind, name, triangles } : { kind, name };
}

/** Whether a link that names a hash means the file that is open. */
export function isMeant(address: Address, hash: string): boolean {
  return !address.file || hash.startsWith(address.file);
}

/** A pixel means a ray only with its camera: once the ray is known, a link names that. */
function asRay(query: Query, walk: State["walk"]): Query {
  if (!("pixel" in query) || !walk?.ray) return query;
  const { kind, mask } = query;
  return { kind, ...(mask !== undefined && { mask }), ray: walk.ray };
}

function nodeText(outline: NonNullable<State["outline"]>, entry: number): string {
  const base = outline.base[entry]!;
  return `0x${outline.pointer[entry]!.toString(16)}${base ? `@0x${base.toString(16)}` : ""}`;
}

function readNode(text: string | null): Address["node"] {
  const [pointer, base] = (text ?? "").split("@");
  const isHex = (word: string) => /^0x[0-9a-f]{1,16}$/i.test(word);
  if (!pointer || !isHex(pointer)) return null;
  return { pointer: BigInt(pointer), base: base && isHex(base) ? BigInt(base) : 0n };
}

function count(text: string | null): number | null {
  const value = Number(text ?? NaN);
  return Number.isInteger(value) && value >= 0 ? value : null;
}

/** Escaped, but for what reads well in an address and means nothing there. */
function legible(value: string): string {
  return encodeURIComponent(value).replace(/%(2C|3A|40|2F)/g, decodeURIComponent);
}
