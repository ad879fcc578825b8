// Says how long the page takes to open a file: `node speed.mjs FOLDER FILE [TIMES]`.
//
// From the choice of the file to its tree, its verdict and its first heat map, in headless
// Chromium; beside that the processor time of all of the browser's processes, which a busy machine
// does not lengthen, and the most memory of the one that holds the page. The medians of some runs
// are kept to what the page promises of a file of a million triangles, such as `siliray build
// organic --triangles 1e6 --format gfx12 -o million.rra` writes.

import { readFileSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";

/** Seconds to all three, and bytes. */
const most = { seconds: 2.5, bytes: 400e6 };

const [folder, file, times = "3"] = process.argv.slice(2);
process.env.PAGE_FOLDER = resolve(folder);
process.env.CHROMIUM ??= "/usr/bin/chromium";
const { start, visit } = await import("./e2e/browser.mjs");

/** What each process of the browser has used up to now. */
async function processes(world) {
  const session = await world.browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo;
}

const processorTime = all => all.reduce((sum, { cpuTime }) => sum + cpuTime, 0);

/** The most memory that a process has had, where the system tells. */
function memoryOf({ id }) {
  try {
    return 1024 * Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))[1]);
  } catch {
    return 0;
  }
}

async function measure() {
  const world = await start();
  const { page } = await visit(world, { hash: "#panel=heat" });
  const before = processorTime(await processes(world));
  const chooser = page.waitForEvent("filechooser");
  await page.click(".drop-target");
  const began = performance.now();
  await (await chooser).setFiles(file);
  const until = async condition => {
    await page.waitForFunction(condition, null, { timeout: 120_000, polling: 20 });
    return (performance.now() - began) / 1000;
  };
  const tree = await until(() => document.querySelector(".tree-row"));
  const verdict = await until(() => document.querySelector(".verdict")?.textContent);
  const heat = await until(() => document.querySelector(".heat-time"));
  const after = await processes(world);
  const bytes = Math.max(...after.filter(({ type }) => type === "renderer").map(memoryOf));
  await world.close();
  return { tree, verdict, heat, processor: processorTime(after) - before, bytes };
}

const median = list => list.toSorted((a, b) => a - b)[list.length >> 1];
const runs = [];
for (let run = 0; run < Number(times); run++) runs.push(await measure());
const medians = Object.fromEntries(Object.keys(runs[0]).map(key =>
  [key, median(runs.map(run => run[key]))]));
const { bytes, ...seconds } = medians;
console.log(`${basename(file)}, ${statSync(file).size} bytes, medians of ${runs.length} runs:`);
for (const [name, value] of Object.entries(seconds)) console.log(`${name} ${value.toFixed(2)} s`);
console.log(`memory ${(bytes / 1e6).toFixed(0)} MB`);
console.log(`at most ${most.seconds} s to all three and ${most.bytes / 1e6} MB are promised`);
if (medians.heat > most.seconds || bytes > most.bytes) process.exitCode = 1;
