// Bundles the unit tests and runs them with Node's own runner.

import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../dist/test");
const names = (await readdir(here)).filter(name => /\.test\.(ts|mjs)$/.test(name));
await rm(out, { recursive: true, force: true });
await build({
  entryPoints: names.map(name => join(here, name)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "node",
  logLevel: "warning",
});
const files = names.map(name => join(out, name.replace(/\.(ts|mjs)$/, ".mjs")));
process.exitCode = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status;
