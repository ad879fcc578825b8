// Runs the tests in headless Chromium: `npm run e2e [-- FOLDER [WORD]]`.
//
// FOLDER is the built page (default: target/page of the workspace); WORD picks test files. Files to
// open are made with siliray itself: SILIRAY names the program (default: target/release/siliray).
// CHROMIUM names the browser (default: /usr/bin/chromium). Screenshots are written to shots/.

import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../../../../target");
const [folder = join(target, "page"), word = ""] = process.argv.slice(2);
const names = (await readdir(here)).filter(name => name.endsWith(".e2e.mjs"));
const files = names.filter(name => name.includes(word)).map(name => join(here, name));
const env = {
  SILIRAY: join(target, "release/siliray"),
  CHROMIUM: "/usr/bin/chromium",
  ...process.env,
  PAGE_FOLDER: resolve(folder),
};
const flags = ["--test", "--test-concurrency=1"];
process.exitCode = spawnSync(process.execPath, [...flags, ...files], { stdio: "inherit", env })
  .status;
