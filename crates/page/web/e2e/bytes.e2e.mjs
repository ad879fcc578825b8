// Bytes: every field as inspect prints it, light in both directions, edits, undo, saving.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { drop, opened, shot, siliray, start, visit } from "./browser.mjs";

let world;
let image;

before(async () => {
  world = await start();
  const path = join(world.files, "scene.rra");
  siliray("build", "forest", "--triangles", "2000", "--format", "gfx12", "-o", path);
  image = { path, bytes: readFileSync(path) };
});

after(() => world.close());

async function openImage(options) {
  const visited = await visit(world, options);
  await drop(visited.page, "scene.rra", image.bytes);
  await opened(visited.page, "scene.rra");
  return visited;
}

/** The fields of the first record, as they are shown. */
function shownFields(page) {
  return page.evaluate(() => {
    let group = "";
    const rows = document.querySelector(".fields tbody").rows;
    return [...rows].flatMap(row => {
      if (row.classList.contains("group")) {
        group = row.textContent;
        return [];
      }
      const [name, value, , bits] = [...row.cells].map(cell => cell.textContent);
      const isGrouped = group && row.previousElementSibling;
      return [{ name, group: isGrouped ? group : "", value, bits }];
    });
  });
}

test("fields are those of inspect, node by node", async () => {
  const { page, complaints } = await openImage();
  for (let row = 0; row < 6; row++) {
    const target = page.locator(".tree-row:visible").nth(row);
    const pointer = await target.locator(".pointer").textContent();
    await target.click();
    await page.waitForFunction(wanted =>
      document.querySelector(".crumbs strong")?.textContent.endsWith(` ${wanted}`), pointer);
    const expected = JSON.parse(siliray("inspect", image.path, "--node", pointer, "--json"));
    const shown = await shownFields(page);
    assert.deepEqual(shown.map(each => each.value), expected.fields.map(each => each.value));
    shown.forEach((each, at) => assert.ok(expected.fields[at].name.endsWith(each.name)));
  }
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a node answers within 100 ms", async () => {
  const { page } = await openImage();
  const times = [];
  for (let row = 1; row < 8; row++) {
    times.push(await page.evaluate(async row => {
      const target = [...document.querySelectorAll(".tree-row:not([hidden])")][row];
      const strong = () => document.querySelector(".crumbs strong").textContent;
      const pointer = target.querySelector(".pointer").textContent;
      const start = performance.now();
      target.click();
      while (!strong().endsWith(` ${pointer}`)) await new Promise(requestAnimationFrame);
      return performance.now() - start;
    }, row));
  }
  const middle = times.sort((a, b) => a - b)[times.length >> 1];
  assert.ok(middle < 100, `${times.map(Math.round)} ms`);
  await page.context().close();
});

test("hovering a field lights its bits, hovering bits lights the field", async () => {
  const { page } = await openImage();
  const row = page.locator(".fields tbody tr", { hasText: "origin_x" }).first();
  await row.hover();
  assert.equal(await page.locator(".hex i.lit").count(), 32);
  await page.locator(".hex i[data-bit='64']").first().hover();
  const lit = page.locator(".fields tr.lit .name");
  assert.equal(await lit.textContent(), "parent");
  await page.click(".tree-row:visible >> nth=1");
  await page.waitForFunction(() => document.querySelectorAll(".crumbs button").length === 1);
  await page.keyboard.press("f");
  await page.locator(".fields tbody tr", { hasText: "origin_y" }).click();
  await page.waitForTimeout(1000);
  await shot(page, "bytes");
  await page.context().close();
});

test("a flipped bit is checked, undone, done again and saved", async () => {
  const { page, complaints } = await openImage();
  const name = "children[0].max_x";
  await page.locator(".fields tr", { hasText: "max_x" }).first().click();
  await page.waitForSelector(".editor.is-picked .bit");
  assert.equal(await page.locator(".editor-head strong").textContent(), name);
  const before = await page.locator(".editor-head .mono").textContent();
  await page.locator(".bit").first().click();
  await page.waitForFunction(before =>
    document.querySelector(".editor-head .mono").textContent !== before, before);
  await page.waitForSelector(".verdict-line");
  await shot(page, "edited");
  const after = await page.locator(".editor-head .mono").textContent();
  assert.equal(BigInt(after) ^ BigInt(before), 0x800n);

  const saving = page.waitForEvent("download");
  await page.keyboard.press("Control+s");
  const download = await saving;
  assert.equal(download.suggestedFilename(), "scene-edited.rra");
  const saved = readFileSync(await download.path());
  const changed = [...saved.keys()].filter(at => saved[at] !== image.bytes[at]);
  assert.equal(saved.length, image.bytes.length);
  assert.equal(changed.length, 1);

  await page.locator("body").press("Control+z");
  await page.waitForFunction(before =>
    document.querySelector(".editor-head .mono").textContent === before, before);
  await page.locator("body").press("Control+Shift+z");
  await page.waitForFunction(after =>
    document.querySelector(".editor-head .mono").textContent === after, after);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("links, bytes and primitives are gone to", async () => {
  const { page, complaints } = await openImage();
  const link = page.locator(".fields button.link").first();
  const pointer = (await link.getAttribute("title")).replace("Go to ", "");
  await link.click();
  await page.waitForFunction(wanted =>
    document.querySelector(".crumbs strong").textContent.endsWith(` ${wanted}`), pointer);
  const goTo = async text => {
    await page.locator("body").press("/");
    await page.fill(".goto input", text);
    await page.keyboard.press("Enter");
  };
  await goTo("@0x150");
  await page.waitForSelector(".byte.asked");
  assert.match(await page.locator(".crumbs strong").textContent(), / 0x15$/);
  await goTo("@3");
  await page.waitForSelector(".record .hint");
  await shot(page, "dump");
  await goTo("17");
  await page.waitForFunction(() =>
    document.querySelector(".crumbs strong")?.textContent.startsWith("primitive"));
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("keys alone: tree, panels, findings, help", async () => {
  const { page, complaints } = await openImage({ theme: "dark" });
  await page.locator("body").press("1");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("*");
  await page.keyboard.press("End");
  await page.waitForTimeout(200);
  const selected = page.locator(".tree-row.is-selected");
  assert.equal(await selected.count(), 1);
  await page.keyboard.press("?");
  await page.waitForSelector("dialog.help[open]");
  await shot(page, "help-dark");
  await page.keyboard.press("Escape");
  await page.keyboard.press("5");
  await page.waitForSelector("#panel-tables:not([hidden])");
  for (const name of ["structures", "instances", "geometries", "nodes"]) {
    await page.selectOption(".table-choice select >> nth=0", name);
    await page.waitForSelector("#panel-tables .table-row:visible");
    await shot(page, `table-${name}-dark`);
  }
  assert.deepEqual(complaints, []);
  await page.context().close();
});
