// Starts the page.

import { readAddress } from "./address";
import { Engine } from "./engine";
import { Opening } from "./opening";
import type { Request } from "./protocol";
import { mountShell } from "./shell";
import { firstFile, startWorker } from "./sources";
import { Store } from "./store";

const doing: Record<Request["do"], string> = {
  about: "Starting", open: "Opening", builtin: "Building", example: "Opening", hash: "Hashing",
  outline: "Reading", bounds: "Reading", frames: "Reading", node: "Decoding", bytes: "Reading",
  owner: "Reading", check: "Checking",
  find: "Searching", geometry: "Reading triangles", walk: "Walking", against: "Walking twice",
  render: "Rendering", simulate: "Simulating", program: "Reading", run: "Running",
  memory: "Reading", edit: "Writing", save: "Saving",
};

const engine = new Engine(startWorker, (request, share) => page.set({
  busy: request && {
    text: doing[request.do] + (share === undefined ? "" : `: ${Math.floor(100 * share)} %`),
    since: share ? page.state.busy?.since ?? performance.now() : performance.now(),
  },
}));
const page: Store = new Store(engine);
const opening = new Opening(page);
mountShell(document.body, page, opening);
start().catch(error => page.report(error));

async function start(): Promise<void> {
  const { arrays: _, ...about } = await page.ask({ do: "about" });
  page.set({ about });
  const wanted = readAddress(location.hash);
  const file = await firstFile();
  if (file) return opening.take(file.name, file.content, wanted);
  await opening.link(wanted);
}

addEventListener("hashchange", () => opening.link(readAddress(location.hash)));
