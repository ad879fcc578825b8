// Space: what is drawn, selected by a click, hidden and isolated; instances; no picture while idle.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drop, opened, phone, shot, siliray, start, visit } from "./browser.mjs";
import { show } from "./panels.mjs";

let world;
let bytes;

before(async () => {
  world = await start();
  const path = join(world.files, "forest.rra");
  siliray("build", "forest", "--triangles", "20000", "--format", "gfx12", "-o", path);
  bytes = readFileSync(path);
});

after(() => world.close());

async function openForest(options) {
  const visited = await visit(world, options);
  await drop(visited.page, "forest.rra", bytes);
  await opened(visited.page, "forest.rra");
  await show(visited.page, "Space");
  await visited.page.waitForSelector(".space-canvas:visible");
  await visited.page.waitForTimeout(600);
  return visited;
}

/** A place of the canvas, by shares of its width and height. */
async function place(page, x, y) {
  const box = await page.locator(".space-canvas").boundingBox();
  return { x: box.x + box.width * x, y: box.y + box.height * y };
}

async function clickUntilSelected(page) {
  for (const [x, y] of [[0.5, 0.5], [0.5, 0.6], [0.4, 0.6], [0.6, 0.6]]) {
    const at = await place(page, x, y);
    await page.mouse.click(at.x, at.y);
    const said = await page.locator(".space-message").textContent();
    if (/primitive \d+/.test(said)) return said;
  }
  assert.fail("nothing was hit");
}

test("a click on a triangle selects its leaf, and says which it is", async () => {
  const { page, complaints } = await openForest();
  const said = await clickUntilSelected(page);
  const [, instance, geometry, primitive] =
    /^instance (\d+), geometry (\d+), primitive (\d+)$/.exec(said);
  await page.waitForFunction(() =>
    document.querySelector(".crumbs strong")?.textContent.startsWith("primitive"));
  const pointer = (await page.locator(".crumbs strong").textContent()).split(" ").at(-1);
  const way = siliray("inspect", join(world.files, "forest.rra"),
    "--find", `${geometry}:${primitive}`);
  assert.ok(way.includes(pointer), `${pointer} is on the way to ${geometry}:${primitive}`);
  assert.ok(Number(instance) >= 0);
  await page.keyboard.press("f");
  await shot(page, "space-selected");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("the mesh of a dump is seen whole, and keeps what is selected", async () => {
  const dump = join(world.files, "dump.isbe");
  siliray("isbe", "capture", "organic", "--triangles", "500", "-o", dump);
  const { page, complaints } = await visit(world);
  await drop(page, "dump.isbe", readFileSync(dump));
  await opened(page, "dump.isbe");
  await page.waitForTimeout(600);
  const crumb = await page.locator(".crumbs strong").textContent();
  const said = async (x, y) => {
    const at = await place(page, x, y);
    await page.mouse.click(at.x, at.y);
    return page.locator(".space-message").textContent();
  };
  assert.match(await said(0.5, 0.5), /primitive \d+/);
  assert.equal(await page.locator(".crumbs strong").textContent(), crumb);
  const inside = await said(0.5, 0.5);
  for (const [x, y] of [[0.03, 0.03], [0.97, 0.03], [0.03, 0.9], [0.97, 0.5]]) {
    assert.equal(await said(x, y), inside, "nothing is there");
  }
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a subtree is isolated and hidden, by keys and by buttons", async () => {
  const { page } = await openForest();
  await page.click(".tree-row:visible >> nth=2");
  const open = page.locator(".space-open");
  if (await open.isVisible()) await open.click();
  const isolate = page.locator(".space-more button", { hasText: "Isolate" });
  await page.keyboard.press("i");
  assert.equal(await isolate.getAttribute("aria-pressed"), "true");
  await page.keyboard.press("i");
  assert.equal(await isolate.getAttribute("aria-pressed"), "false");
  const all = page.locator(".space-more button", { hasText: "Show all" });
  assert.ok(await all.isDisabled());
  await page.keyboard.press("h");
  assert.ok(await all.isEnabled());
  await all.click();
  assert.ok(await all.isDisabled());
  await page.context().close();
});

test("procedural boxes are drawn where they stand, and picked", async () => {
  const scene = join(world.files, "boxes.scene.toml");
  writeFileSync(scene, `version = 1
[[object]]
name = "pair"
[[object.geometry]]
name = "cubes"
boxes = [[-1, -1, -1, 1, 1, 1], [2, 0, 0, 3, 1, 1]]
[[instance]]
object = "pair"
[[instance]]
object = "pair"
translate = [0, 3, 0]
`);
  const path = join(world.files, "boxes.rra");
  siliray("build", scene, "--format", "gfx12", "-o", path);
  const { page, complaints } = await visit(world);
  await drop(page, "boxes.rra", readFileSync(path));
  await opened(page, "boxes.rra");
  await show(page, "Space");
  await page.waitForSelector(".space-canvas:visible");
  await page.waitForTimeout(800);
  const open = page.locator(".space-open");
  if (await open.isVisible()) await open.click();
  await page.getByLabel("Which boxes are drawn").selectOption("none");
  const picture = async style => {
    await page.getByLabel("How triangles are drawn").selectOption(style);
    await page.waitForTimeout(300);
    return (await page.locator(".space-canvas").screenshot()).toString("base64");
  };
  const none = await picture("none");
  const wire = await picture("wire");
  const solid = await picture("solid");
  assert.notEqual(none, wire);
  assert.notEqual(solid, wire);
  let said = "";
  for (const [x, y] of [[0.5, 0.5], [0.4, 0.6], [0.4, 0.7], [0.4, 0.35], [0.5, 0.7]]) {
    const at = await place(page, x, y);
    await page.mouse.click(at.x, at.y);
    said = await page.locator(".space-message").textContent();
    if (said) break;
  }
  assert.match(said, /^instance \d, geometry 0, primitive \d$/);
  await shot(page, "space-boxes");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("keys bring the camera nearer", async () => {
  const { page } = await openForest();
  const before = await page.locator(".space-canvas").screenshot();
  await page.keyboard.press("+");
  await page.waitForTimeout(600);
  assert.ok(!before.equals(await page.locator(".space-canvas").screenshot()));
  await page.context().close();
});

test("nothing is drawn while nothing changes", async () => {
  const { page } = await openForest();
  await page.waitForTimeout(1500);
  const frames = await page.evaluate(async () => {
    let count = 0;
    const original = window.requestAnimationFrame;
    window.requestAnimationFrame = act => {
      count += 1;
      return original.call(window, act);
    };
    await new Promise(done => setTimeout(done, 600));
    window.requestAnimationFrame = original;
    return count;
  });
  assert.equal(frames, 0);
  await page.context().close();
});

test("space has a dark and a narrow form", async () => {
  for (const [name, options] of [["dark", { theme: "dark" }], ["phone", { size: phone }]]) {
    const { page, complaints } = await openForest(options);
    await shot(page, `space-${name}`);
    assert.deepEqual(complaints, []);
    await page.context().close();
  }
});
