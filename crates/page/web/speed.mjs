// Says how long the page takes to open a file: `node speed.mjs FOLDER FILE [TIMES [PANEL]]`.
//
// From the choice of the file to its tree, its verdict and its first heat map, in headless
// Chromium; beside that the processor time of all of the browser's processes, which a busy machine
// does not lengthen, and the most memory of the one that holds the page, before there is a file and
// in all. PANEL (default: heat) is in front while the file opens. The medians of some runs are kept
// to what the page promises of a file of a million triangles, such as `siliray build organic
// --triangles 1e6 --format gfx12 -o million.rra` writes.

import { readFileSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";

/** Seconds to all three, and bytes. */
const most = { seconds: 2.5, bytes: 400e6 };

const [folder, file, times = "3", panel = "heat"] = process.argv.slice(2);
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

/** The most memory that a process which shows a page has had. */
async function memory(world) {
  const shows = (await processes(world)).filter(({ type }) => type === "renderer");
  return Math.max(...shows.map(memoryOf));
}

async function measure() {
  const world = await start();
  const { page } = await visit(world, { hash: `#panel=${panel}` });
  const before = processorTime(await processes(world));
  const empty = await memory(world);
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
  if (panel !== "heat") {
    await until(() => !document.querySelector(".busy").textContent);
    await page.click(".column .tab[data-panel=heat]");
  }
  const heat = await until(() => document.querySelector(".heat-time"));
  const processor = processorTime(await processes(world)) - before;
  // What follows the first map needs memory too.
  await until(() => document.querySelector(".heat-time").textContent.endsWith("in all"));
  const bytes = await memory(world);
  await world.close();
  return { tree, verdict, heat, processor, empty, bytes };
}

const median = list => list.toSorted((a, b) => a - b)[list.length >> 1];
const runs = [];
for (let run = 0; run < Number(times); run++) runs.push(await measure());
const medians = Object.fromEntries(Object.keys(runs[0]).map(key =>
  [key, median(runs.map(run => run[key]))]));
const { empty, bytes, ...seconds } = medians;
console.log(`${basename(file)}, ${statSync(file).size} bytes, medians of ${runs.length} runs:`);
for (const [name, value] of Object.entries(seconds)) console.log(`${name} ${value.toFixed(2)} s`);
const [without, all] = [empty, bytes].map(each => (each / 1e6).toFixed(0));
console.log(`memory ${all} MB, of it ${without} MB before there was a file`);
console.log(`at most ${most.seconds} s to all three with heat in front and ${most.bytes / 1e6} MB `
  + "are promised");
if ((panel === "heat" && medians.heat > most.seconds) || bytes > most.bytes) process.exitCode = 1;
