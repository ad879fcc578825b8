// Where the worker, the module and a first file come from: files beside the page, or, in an
// exported page, elements of the page itself.
//
// An exported page holds `<script type="text/plain" id="worker">` (source of worker.js),
// `<script type="text/plain" id="module">` (siliray.wasm in base64), the same with the id `more`
// (more.wasm) and `<script type="text/plain" id="file" data-name="…">` (the file in base64).
// A served page is told a first file by `?open=NAME`: it fetches `file` beside the page, with
// the same query.

import type { Parts } from "./worker";

export interface FirstFile { name: string; content: Blob }

export function startWorker(): { worker: Worker; module: Parts } {
  const source = document.getElementById("worker")?.textContent;
  const [first, second] = ["module", "more"].map(id => document.getElementById(id)?.textContent);
  if (!source || !first || !second) {
    if (location.protocol === "file:") {
      throw new Error("the browser runs this page only from a server, such as siliray view");
    }
    const query = location.search;
    const place = (name: string) => new URL(`${name}${query}`, document.baseURI).href;
    return {
      worker: new Worker(`worker.js${query}`),
      module: { first: place("siliray.wasm"), second: place("more.wasm") },
    };
  }
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const module = { first: fromBase64(first).buffer, second: fromBase64(second).buffer };
  return { worker: new Worker(address), module };
}

export async function firstFile(): Promise<FirstFile | null> {
  const held = document.getElementById("file");
  if (held) {
    const content = new Blob([fromBase64(held.textContent ?? "")]);
    return { name: held.dataset["name"] ?? "file", content };
  }
  const name = new URLSearchParams(location.search).get("open");
  if (!name) return null;
  const found = await fetch(`file${location.search}`);
  if (!found.ok) throw new Error(`${name}: ${found.status} ${found.statusText}`);
  return { name, content: await found.blob() };
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes;
}
