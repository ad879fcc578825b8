// `siliray view`: the page and its file from the command, and both in one exported file.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { drop, opened, shot, siliray, start, visit } from "./browser.mjs";
import { show } from "./panels.mjs";

let world;
let image;

before(async () => {
  world = await start();
  image = join(world.files, "räum 1.rra");
  siliray("build", "interior", "--triangles", "2000", "--format", "gfx12", "-o", image);
});

after(() => world.close());

/** Starts the command, and gives its address and its end. */
async function serve(...words) {
  const command = spawn(process.env.SILIRAY, ["view", ...words, "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise(done => command.stdout.once("data", done));
  return { address: JSON.parse(String(line)).address, stop: () => command.kill() };
}

test("the command serves the page and opens its file", async () => {
  const { address, stop } = await serve(image);
  try {
    const { page, complaints } = await visit({ ...world, address });
    await opened(page, "räum 1.rra");
    await shot(page, "view");
    assert.deepEqual(complaints, []);
    await page.context().close();
  } finally {
    stop();
  }
});

test("random bytes are refused in the library's words by command and page", async () => {
  const file = join(world.files, "rnd.bin");
  const bytes = randomBytes(100_000);
  writeFileSync(file, bytes);
  const { status, stderr } = spawnSync(process.env.SILIRAY, ["view", file], { encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /rnd\.bin: neither the name nor the content/);
  const { page, complaints } = await visit(world);
  await drop(page, "rnd.bin", bytes);
  const refusal = page.locator(".refusal:not([hidden])");
  await refusal.waitFor({ timeout: 30_000 });
  assert.match(await refusal.textContent(), /rnd\.bin: neither the name nor the content/);
  await shot(page, "random");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("without its token, or from another site, nothing is handed out", async () => {
  const { address, stop } = await serve(image);
  try {
    const { origin, pathname } = new URL(address);
    const status = async (path, headers = {}) => (await fetch(origin + path, { headers })).status;
    assert.equal(await status(`${pathname}file`), 200);
    assert.equal(await status("/"), 403);
    assert.equal(await status("/file"), 403);
    assert.equal(await status(`/${"0".repeat(32)}/file`), 403);
    assert.equal(await status(`${pathname}file`, { origin: "http://evil.example" }), 403);
    // The test's own server is another origin: what its page asks for is refused.
    const { page } = await visit(world);
    const answer = await page.evaluate(async from => {
      try {
        return (await fetch(from)).status;
      } catch {
        return "refused";
      }
    }, `${origin}${pathname}file`);
    assert.equal(answer, "refused");
    await page.context().close();
  } finally {
    stop();
  }
});

test("an exported page opens by itself", async () => {
  const file = join(world.files, "report.html");
  siliray("view", image, "--export", file);
  const { page, complaints } = await visit({ ...world, address: pathToFileURL(file).href });
  await opened(page, "räum 1.rra");
  assert.match(await page.locator(".verdict").textContent(), /^sound/);
  // What the second part of the module does: it lies in the page too.
  await show(page, "Ray");
  await page.locator(".ray-form").getByRole("button", { name: "Pixel" }).click();
  await page.locator(".ray-form").getByText("Walk").click();
  await page.waitForSelector(".ray-row");
  await page.keyboard.press(".");
  assert.equal(await page.inputValue(".ray-place"), "1");
  await show(page, "Heat");
  await page.waitForSelector(".heat-time");
  await show(page, "Traversal unit");
  await page.getByLabel("Queries").fill("64");
  await page.click(".machine-form .primary");
  await page.waitForSelector(".machine-tile");
  assert.match(await page.locator(".machine-progress").textContent(), /^1 of 1, the last in /);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a program that the command is given can be stepped", async () => {
  const program = join(world.files, "two.s");
  writeFileSync(program, "addi a0, x0, 5\naddi a1, a0, 37\n");
  const { address, stop } = await serve(program);
  try {
    const context = await world.browser.newContext();
    const page = await context.newPage();
    await page.goto(address);
    await page.locator("text=addi").first().waitFor({ timeout: 30_000 });
    await context.close();
  } finally {
    stop();
  }
});
