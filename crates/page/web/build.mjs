// Builds the page: `node build.mjs [FOLDER] [--wasm FILE]`.
//
// FOLDER (default: target/page of the workspace) gets index.html, page.js, worker.js, style.css,
// licences.txt and, where FILE exists, the two parts of that module: siliray.wasm, which shows
// files, and more.wasm, which is loaded when something else is wanted. Nothing else is needed to
// serve the page.

import { build } from "esbuild";
import { copyFile, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { split } from "./split/split.mjs";
import { usedFunctions } from "./split/used.mjs";

const here = dirname(fileURLToPath(import.meta.url));

export async function buildPage(folder, wasm) {
  await mkdir(folder, { recursive: true });
  await build({
    absWorkingDir: here,
    entryPoints: { page: "src/page.ts", worker: "src/worker.ts", style: "src/style/index.css" },
    outdir: folder,
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    legalComments: "none",
    logLevel: "warning",
  });
  await copyFile(join(here, "index.html"), join(folder, "index.html"));
  await writeFile(join(folder, "licences.txt"), await licences());
  const found = wasm && (await stat(wasm).catch(() => null));
  if (found) await splitModule(wasm, folder);
  return { hasModule: Boolean(found) };
}

async function splitModule(wasm, folder) {
  const module = await readFile(wasm);
  const used = await usedFunctions(module);
  const { first, second } = split(module, index => used[index] === 1);
  await writeFile(join(folder, "siliray.wasm"), first);
  await writeFile(join(folder, "more.wasm"), second);
}

/** The licences of what page.js holds beside our own code. */
async function licences() {
  const { dependencies } = JSON.parse(await readFile(join(here, "package.json"), "utf8"));
  const texts = Object.keys(dependencies).map(async name => {
    const text = await readFile(join(here, "node_modules", name, "LICENSE"), "utf8");
    return `== ${name} ${dependencies[name]} ==\n\n${text.trim()}\n`;
  });
  return ["siliray: MIT or Apache-2.0\n", ...(await Promise.all(texts))].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2);
  const at = words.indexOf("--wasm");
  const wasm = at < 0 ? null : resolve(words.splice(at, 2)[1] ?? "");
  const folder = resolve(words[0] ?? join(here, "../../../target/page"));
  const { hasModule } = await buildPage(folder, wasm);
  console.log(`${folder}${hasModule ? "" : " (without siliray.wasm)"}`);
}
