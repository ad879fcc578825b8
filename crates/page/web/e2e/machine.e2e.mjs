// Machine: the figures of sim, two configurations, a sweep, and settings that are refused.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drop, opened, phone, shot, siliray, start, visit } from "./browser.mjs";
import { ownCamera } from "./camera.mjs";
import { show } from "./panels.mjs";

let world;
let path;

before(async () => {
  world = await start();
  path = join(world.files, "organic.ttu");
  siliray("build", "organic", "--triangles", "2000", "--format", "ttu", "-o", path);
});

after(() => world.close());

async function openMachine(options) {
  const visited = await visit(world, options);
  await drop(visited.page, "organic.ttu", readFileSync(path));
  await opened(visited.page, "organic.ttu");
  await show(visited.page, "Traversal unit");
  return visited;
}

async function simulate(page) {
  await page.getByLabel("Queries").fill("256");
  await page.click(".machine-form .primary");
  await page.waitForSelector(".machine-section");
}

test("figures and counters are those of sim", async () => {
  const { page, complaints } = await openMachine();
  await simulate(page);
  const words = ["--rays", "256", "--camera", ownCamera(path), "--json"];
  const [row] = JSON.parse(siliray("sim", path, ...words)).runs;
  const cycles = await page.locator(".machine-tile b").first().textContent();
  assert.equal(cycles, row.cycles.toLocaleString("en"));
  assert.equal(await page.locator(".machine-advice").textContent(), `${row.advice}.`);
  const shown = await page.evaluate(() => Object.fromEntries(
    [...document.querySelectorAll(".machine-wide table")[0].tBodies[0].rows].map(row =>
      [row.querySelector(".mono").textContent, row.cells[1].textContent])));
  for (const [name, count] of Object.entries(row.counters)) {
    assert.equal(shown[name], count.toLocaleString("en"), name);
  }
  assert.ok(await page.locator(".machine-slots").first().isVisible());
  await shot(page, "machine");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("two configurations stand side by side", async () => {
  const { page } = await openMachine();
  await page.getByLabel("Compare with", { exact: true }).first().fill("deep");
  await simulate(page);
  assert.equal(await page.locator(".machine-other").count(), 8);
  // What slots did and what units held, of each.
  assert.equal(await page.locator(".machine-slots").count(), 4);
  await shot(page, "machine-two");
  await page.context().close();
});

test("a sweep of two configurations is refused in words", async () => {
  const { page } = await openMachine();
  await page.getByLabel("Compare with", { exact: true }).first().fill("deep");
  await page.getByLabel("Sweep", { exact: true }).first().fill("slots=4,8");
  await page.click(".machine-form .primary");
  assert.match(await page.locator(".machine-form .error").textContent(), /only one of them/);
  assert.equal(await page.locator(".machine-section").count(), 0);
  await page.context().close();
});

test("a sweep is drawn over its values", async () => {
  const { page } = await openMachine({ theme: "dark" });
  await page.getByLabel("Sweep", { exact: true }).first().fill("slots=4,8,16");
  await simulate(page);
  const values = await page.locator(".machine-wide tbody th").allTextContents();
  assert.deepEqual(values, ["4", "8", "16"]);
  await shot(page, "machine-sweep");
  await page.context().close();
});

test("a sweep over two keys runs every combination, and draws a line for each of the second",
  async () => {
    const { page, complaints } = await openMachine();
    await page.getByLabel("Sweep", { exact: true }).first().fill("slots=4,8 units=1,2");
    await simulate(page);
    const keys = await page.locator(".machine-wide tbody th").allTextContents();
    assert.deepEqual(keys, ["4", "1", "4", "2", "8", "1", "8", "2"]);
    const cycles = await page.locator(".machine-wide tbody td:nth-child(3)").allTextContents();
    const words = ["--rays", "256", "--camera", ownCamera(path), "--json"];
    const sweep = ["--sweep", "slots=4,8", "--sweep", "units=1,2"];
    const { runs } = JSON.parse(siliray("sim", path, ...sweep, ...words));
    assert.deepEqual(cycles, runs.map(row => row.cycles.toLocaleString("en")));
    const legend = await page.locator(".machine-chart").first().locator(".u-label")
      .allTextContents();
    assert.deepEqual(legend, ["slots", "units=1", "units=2"]);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

test("rays are those of the view", async () => {
  const { page } = await openMachine();
  await simulate(page);
  const tiles = () => page.locator(".machine-tile b").allTextContents();
  const before = await tiles();
  await show(page, "Space");
  await page.mouse.move(500, 400);
  await page.mouse.down();
  await page.mouse.move(620, 340, { steps: 3 });
  await page.mouse.up();
  await show(page, "Traversal unit");
  await page.click(".machine-form .primary");
  await page.waitForFunction(before =>
    document.querySelector(".machine-tile b")?.textContent !== before, before[0]);
  assert.notDeepEqual(await tiles(), before);
  await page.context().close();
});

test("of several TTUs each has its timeline", async () => {
  const { page } = await openMachine();
  await page.getByLabel("Configuration").selectOption("gpc");
  await simulate(page);
  const picture = () => page.evaluate(() =>
    document.querySelector(".machine-slots").toDataURL());
  const first = await picture();
  await page.getByLabel("TTU", { exact: true }).first().selectOption("1");
  await page.waitForFunction(first =>
    document.querySelector(".machine-slots")?.toDataURL() !== first, first);
  await page.context().close();
});

test("a simulation stops when it is cancelled, and its worker goes on", async () => {
  const { page } = await openMachine();
  let workers = 0;
  page.on("worker", () => workers += 1);
  await page.getByLabel("Queries").fill("100000");
  await page.click(".machine-form .primary");
  await page.waitForFunction(() => document.querySelector(".busy").textContent.includes("%"),
    null, { timeout: 60_000 });
  await page.click(".busy button");
  await page.waitForFunction(() => !document.querySelector(".busy").textContent);
  await simulate(page);
  assert.equal(workers, 0);
  await page.context().close();
});

test("what the machine does not have is refused in its words", async () => {
  const { page } = await openMachine({ size: phone });
  await page.getByLabel("Settings").fill("nonsense=3");
  await page.click(".machine-form .primary");
  await page.waitForFunction(() =>
    document.querySelector(".machine-form .error")?.textContent.includes("nonsense"));
  await shot(page, "machine-phone");
  await page.context().close();
});
