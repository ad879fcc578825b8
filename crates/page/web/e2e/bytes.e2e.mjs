// Bytes: every field as inspect prints it, light in both directions, edits, undo, saving.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drop, opened, shot, siliray, start, visit } from "./browser.mjs";
import { ownCamera } from "./camera.mjs";
import { expectedFields, shownFields } from "./fields.mjs";
import { show } from "./panels.mjs";

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

test("fields are those of inspect, of every node of a file", async () => {
  const path = join(world.files, "small.rra");
  siliray("build", "organic", "--triangles", "500", "--format", "gfx12", "-o", path);
  const { page, complaints } = await visit(world);
  await drop(page, "small.rra", readFileSync(path));
  await opened(page, "small.rra");
  const { tree } = JSON.parse(siliray("inspect", path, "--tree", "--json"));
  assert.ok(tree.length > 100);
  await page.locator("body").press("1");
  await page.keyboard.press("Home");
  await page.keyboard.press("*");
  for (const { pointer } of tree) {
    await page.waitForFunction(wanted =>
      document.querySelector(".crumbs strong")?.textContent.endsWith(` ${wanted}`), pointer);
    const node = JSON.parse(siliray("inspect", path, "--node", pointer, "--json"));
    assert.deepEqual(await shownFields(page), expectedFields(node), pointer);
    await page.keyboard.press("ArrowDown");
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

/** A plane of a box of the root and half of it, without which a sound file loses a hit. */
function losingEdit(path, native) {
  const bytes = readFileSync(path);
  const { fields, offset } = JSON.parse(siliray("inspect", path, "--node", "0x15", "--json"));
  const first = native(path);
  const file = join(world.files, "tried.rra");
  for (const field of fields.filter(({ name }) => name.includes(".max_"))) {
    const tried = Buffer.from(bytes);
    const value = BigInt(field.raw) / 2n;
    for (let bit = field.bits[0]; bit < field.bits[1]; bit++) {
      const at = offset + (bit >> 3);
      const isSet = Number((value >> BigInt(bit - field.bits[0])) & 1n);
      tried[at] = (tried[at] & ~(1 << (bit & 7))) | (isSet << (bit & 7));
    }
    writeFileSync(file, tried);
    const { sound } = JSON.parse(siliray("check", file, "--json"));
    if (sound && native(file) !== first) return { field, value: `0x${value.toString(16)}` };
  }
  return assert.fail("no plane loses the hit");
}

test("after an edit check and walk say what the commands say of the saved file", async () => {
  const path = join(world.files, "edited.rra");
  siliray("build", "organic", "--triangles", "2000", "--format", "gfx12", "-o", path);
  const { page, complaints } = await visit(world);
  await drop(page, "edited.rra", readFileSync(path));
  await opened(page, "edited.rra");
  await show(page, "Ray");
  const camera = ownCamera(path).split(",").map(Number);
  const [origin, target] = [camera.slice(0, 3), camera.slice(3, 6)];
  const direction = target.map((value, k) => Math.fround(value - origin[k]));
  const form = page.locator(".ray-form");
  await form.getByLabel("Origin").fill(origin.join(", "));
  await form.getByLabel("Direction").fill(direction.join(", "));
  await form.getByText("Walk").click();
  await page.waitForSelector(".ray-row");
  const machine = await page.inputValue(".machine-select");
  const ray = ["--origin", origin.join(","), "--direction", direction.join(",")];
  const native = file => {
    const lines = siliray("walk", file, "--machine", machine, ...ray, "--json").trim().split("\n");
    const { hits } = JSON.parse(lines.at(-1));
    return hits.length ? hits[0].t : null;
  };
  const said = text => {
    const t = /t ([0-9.e-]+)/.exec(text)?.[1];
    return t === undefined ? null : Math.fround(Number(t));
  };
  await show(page, "Bytes");
  const { field, value } = losingEdit(path, native);
  const [group, name] = field.name.split(".");
  const groups = page.locator(".fields tbody tr");
  const index = await groups.evaluateAll((rows, [group, name]) => {
    const from = rows.findIndex(row => row.textContent === group);
    return rows.findIndex((row, k) => k > from && row.cells[0].textContent === name);
  }, [group, name]);
  await groups.nth(index).click();
  await page.locator(".edit-form input").fill(value);
  await page.locator(".edit-form input").press("Enter");
  const line = page.locator(".walk-line");
  await page.waitForFunction(() => !/…/.test(document.querySelector(".walk-line")?.textContent
    ?? "…"), null, { timeout: 20_000 });
  const saving = page.waitForEvent("download");
  await page.keyboard.press("Control+s");
  const saved = join(world.files, "saved.rra");
  await (await saving).saveAs(saved);
  const [now, before] = (await line.textContent()).split("(before:");
  const check = JSON.parse(siliray("check", saved, "--json"));
  const verdict = await page.locator(".verdict-line").first().textContent();
  assert.ok(check.sound);
  if (check.findings.length === 0) assert.match(verdict, /sound, nothing to find/);
  else {
    assert.ok(verdict.includes(check.findings[0].rule), verdict);
    if (check.warnings) assert.ok(verdict.includes(`${check.warnings} warning`), verdict);
  }
  assert.equal(said(now), native(saved));
  assert.equal(said(before), native(path));
  assert.notEqual(said(now), said(before));
  await shot(page, "edited-walk");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("unsaved edits are not lost without a question, and survive another structure", async () => {
  const { page } = await openImage();
  const edit = async () => {
    await page.locator(".fields tr", { hasText: "max_x" }).first().click();
    await page.locator(".bit").first().click();
    await page.waitForSelector(".edits button:has-text('Save 1 edit')");
  };
  await edit();
  const value = await page.locator(".editor-head .mono").textContent();
  await page.click(".brand");
  await page.waitForSelector("dialog.question");
  await shot(page, "question");
  await page.click("dialog button:has-text('Stay')");
  await page.waitForFunction(() => !document.querySelector("dialog"));
  assert.equal(await page.locator(".file-name").textContent(), "scene.rra");
  await drop(page, "other.rra", image.bytes);
  await page.waitForSelector("dialog.question");
  await page.keyboard.press("Escape");
  await page.selectOption("select[aria-label=Structure]", { index: 1 });
  await page.waitForFunction(() => location.hash.includes("structure=1"));
  await page.waitForSelector(".edits button:has-text('Save 1 edit')");
  const saving = page.waitForEvent("download");
  await page.keyboard.press("Control+s");
  const saved = readFileSync(await (await saving).path());
  assert.equal([...saved.keys()].filter(at => saved[at] !== image.bytes[at]).length, 1, value);
  // What is saved can be left.
  await page.click(".brand");
  await page.waitForSelector(".welcome:not([hidden])");
  assert.equal(await page.evaluate(() => location.hash), "");
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
