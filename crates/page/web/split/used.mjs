// Which functions of the module a page needs to show a file that it opens: those that run while
// files of every format are opened, looked at, walked, drawn and edited. Files come from the module
// itself.

import { build } from "esbuild";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { marking } from "./split.mjs";

const source = join(dirname(fileURLToPath(import.meta.url)), "../src/message.ts");

/** How messages are written and read, by the page's own code. */
async function messages() {
  const options = { entryPoints: [source], bundle: true, write: false, format: "esm" };
  const { outputFiles: [{ text }] } = await build(options);
  return import(`data:text/javascript,${encodeURIComponent(text)}`);
}

/** A module that runs: what asks it, and its memory. */
async function running(bytes) {
  const { encodeHead, responseLength, decodeResponse } = await messages();
  const { instance: { exports } } = await WebAssembly.instantiate(bytes, {
    siliray: { tell: () => 0 },
  });
  const ask = (request, payload = new Uint8Array()) => {
    const head = encodeHead(request);
    const at = exports.reserve(head.length + payload.length) >>> 0;
    const place = new Uint8Array(exports.memory.buffer, at);
    place.set(head);
    place.set(payload, head.length);
    const start = exports.answer() >>> 0;
    const { buffer } = exports.memory;
    return decodeResponse(buffer.slice(start, start + responseLength(buffer, start)));
  };
  /** Refusals are answers too. */
  const attempt = (request, payload) => {
    try {
      return ask(request, payload);
    } catch (error) {
      if (error.name !== "Refusal") throw error;
      return null;
    }
  };
  return { attempt, memory: exports.memory };
}

/** Files of every format, and the examples. */
async function files(bytes) {
  const { attempt } = await running(bytes);
  const { formats, examples } = attempt({ do: "about" });
  const trees = formats.filter(format => format.holds_trees);
  const opened = [
    ...trees.map(({ name }) => ({ do: "builtin", name: "forest", triangles: 2000, format: name })),
    ...trees.map(({ name }) => ({ do: "builtin", name: "organic", triangles: 500, format: name })),
    ...examples.map(({ name }) => ({ do: "example", name })),
    // Long lists are sorted in another way than short ones.
    { do: "builtin", name: "organic", triangles: 100_000 },
  ];
  return opened.map(request => {
    const { name } = attempt(request);
    return { name, data: attempt({ do: "save" }).arrays.data };
  });
}

/** Whether a function, by its number, has run. */
export async function usedFunctions(bytes) {
  const { module, marks, count } = marking(bytes);
  const { attempt, memory } = await running(module);
  const { measures } = attempt({ do: "about" });
  for (const { name, data } of await files(bytes)) look(attempt, name, data, measures);
  attempt({ do: "open", name: "nothing.bin" }, Uint8Array.from({ length: 999 }, (_, k) => k * k));
  return new Uint8Array(memory.buffer, marks, count).slice();
}

/** What hands do with a file. */
function look(attempt, name, data, measures) {
  const { machines, bounds } = attempt({ do: "open", name }, data);
  const { entries, arrays } = attempt({ do: "outline" });
  for (const question of ["bounds", "frames", "check", "hash", "save"]) attempt({ do: question });
  const seen = new Set();
  arrays.kind.forEach((kind, entry) => {
    if (seen.has(kind) && entry % 97) return;
    seen.add(kind);
    const node = attempt({ do: "node", entry });
    const offset = node?.offset ?? 0;
    attempt({ do: "owner", offset });
    attempt({ do: "bytes", offset, length: 64 });
    attempt({ do: "find", offset });
    const [link] = node?.links ?? [];
    if (link) attempt({ do: "node", pointer: link.pointer, base: link.base });
  });
  attempt({ do: "find", primitive: 3 });
  if (bounds) attempt({ do: "find", point: bounds.min });
  attempt({ do: "geometry", most: 1000 });
  const isLarge = entries > 10_000;
  const walking = isLarge ? machines.slice(0, 1) : machines;
  for (const machine of walking) walk(attempt, machine, machines[0], bounds, measures);
  if (isLarge) return;
  for (let bit = 0; bit < 256; bit += 5) {
    const { offset = null } = attempt({ do: "node", entry: (bit * 31) % entries }) ?? {};
    if (offset === null) continue;
    const edit = { do: "edit", offset, bit: bit % 128, length: 3, value: "0x5" };
    if (attempt(edit)) attempt({ do: "check" });
  }
}

/** What hands do with a machine. */
function walk(attempt, machine, other, bounds, measures) {
  const size = [8, 6];
  const centre = bounds.min.map((low, axis) => (low + bounds.max[axis]) / 2);
  const shapes = [{ pixel: [4, 3], size }, { pixel: [1, 4], size }];
  for (const kind of ["closest", "any", "all"]) {
    for (const shape of shapes) {
      attempt({ do: "walk", machine, query: { kind, ...shape }, why: { primitive: 1 } });
    }
  }
  attempt({ do: "walk", machine, query: { sphere: { centre, radius: 0.1 }, exact: true } });
  attempt({ do: "against", machine, other, query: { ...shapes[0], kind: "closest" } });
  for (const what of measures) attempt({ do: "render", machine, size, what, rows: [2, 4] });
  for (const what of ["picture", "losses"]) attempt({ do: "render", machine, size, what });
}
