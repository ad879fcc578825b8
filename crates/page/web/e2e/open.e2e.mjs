// Opening: by drop, by a built-in scene, by a link; files that are broken or nothing at all.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { drop, opened, phone, shot, siliray, start, visit } from "./browser.mjs";
import { expectedFields, shownFields } from "./fields.mjs";

let world;
let image;

before(async () => {
  world = await start();
  const path = join(world.files, "scene.rra");
  siliray("build", "interior", "--triangles", "2000", "--format", "gfx12", "-o", path);
  const inspect = JSON.parse(siliray("inspect", path, "--json"));
  image = { path, bytes: readFileSync(path), inspect };
});

after(() => world.close());

test("the empty page offers examples and built-in scenes", async () => {
  for (const [name, options] of Object.entries({
    "empty-light": {}, "empty-dark": { theme: "dark" }, "empty-phone": { size: phone },
  })) {
    const { page, complaints } = await visit(world, options);
    assert.equal(await page.locator(".cards:not(.small) .card").count(), 3);
    assert.ok(await page.locator(".cards.small .card").count() >= 4);
    await shot(page, name);
    assert.deepEqual(complaints, []);
    await page.context().close();
  }
});

test("a dropped file opens, with the sums that inspect prints", async () => {
  const { page, complaints } = await visit(world);
  await drop(page, "scene.rra", image.bytes);
  await opened(page, "scene.rra");
  const sums = await page.locator(".sums").textContent();
  const triangles = image.inspect.totals.triangles.toLocaleString("en");
  assert.ok(sums.includes(`triangles ${triangles}`), sums);
  assert.match(await page.locator(".verdict").textContent(), /^sound/);
  await page.waitForTimeout(1500);
  await shot(page, "file-light");
  const link = await page.evaluate(() => location.hash);
  assert.match(link, /file=scene\.rra/);
  assert.match(link, /hash=[0-9a-f]{16}/);
  assert.match(link, /node=0x15/);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a link leads to its node, machine and panel", async () => {
  const first = await visit(world);
  await first.page.selectOption(".offers select", "5000");
  await first.page.click(".card >> text=forest");
  await opened(first.page, "forest.rra");
  await first.page.click(".tree-row >> nth=3");
  await first.page.click(".column .tab[data-panel=tables]");
  const pointer = await first.page.locator(".crumbs strong").textContent();
  await first.page.waitForTimeout(400);
  const hash = await first.page.evaluate(() => location.hash);
  await first.page.context().close();
  const { page, complaints } = await visit(world, { hash });
  await opened(page, "forest.rra");
  await page.waitForFunction(wanted =>
    document.querySelector(".crumbs strong")?.textContent === wanted, pointer);
  assert.ok(await page.locator("#panel-tables").isVisible());
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a link waits for its file, and is followed in the page that is open", async () => {
  const { page, complaints } = await visit(world, { hash: "#file=scene.rra&node=0x25@0x10000" });
  assert.match(await page.locator(".wanted").textContent(), /scene\.rra/);
  await drop(page, "scene.rra", image.bytes);
  await opened(page, "scene.rra");
  const isAt = pointer => page.waitForFunction(wanted =>
    document.querySelector(".crumbs strong")?.textContent === wanted, `box ${pointer}`);
  await isAt("0x25");
  await page.waitForTimeout(400);
  await page.evaluate(() => { location.hash = location.hash.replace("0x25", "0x35"); });
  await isAt("0x35");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("every format opens, and its first node is that of inspect", async () => {
  const formats = ["tree", "cwbvh", "gfx10-bvh4", "gfx11-bvh4", "gfx12", "gfx12-bvh4x2", "ttu",
    "xphmg-fp32", "xphmg-fp16", "xphmg-bf16", "xphmg-int16q"];
  const files = formats.map(format => {
    const path = join(world.files, format);
    siliray("build", "organic", "--triangles", "600", "--format", format, "-o", path);
    return path;
  });
  const dump = join(world.files, "dump.isbe");
  siliray("isbe", "capture", "organic", "--triangles", "500", "-o", dump);
  for (const path of [...files, dump]) {
    const { page, complaints } = await visit(world);
    await drop(page, basename(path), readFileSync(path));
    await opened(page, basename(path));
    const pointer = (await page.locator(".crumbs strong").textContent()).split(" ").at(-1);
    const expected = JSON.parse(siliray("inspect", path, "--node", pointer, "--json"));
    assert.deepEqual(await shownFields(page), expectedFields(expected), path);
    assert.equal(await page.locator(".hex").first().locator(".byte").count(), expected.bytes);
    assert.deepEqual(complaints, [], path);
    await page.context().close();
  }
});

test("long work can be stopped, and the page goes on", async () => {
  const { page, complaints } = await visit(world);
  await page.selectOption(".offers select", "1000000");
  await page.click(".card >> text=hairball");
  await page.click(".busy button");
  await page.waitForFunction(() => !document.querySelector(".busy").textContent);
  assert.ok(await page.locator(".welcome").isVisible());
  await page.selectOption(".offers select", "5000");
  await page.click(".card >> text=interior");
  await opened(page, "interior.rra");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a broken file opens, and its findings stand where they are", async () => {
  const broken = Buffer.from(image.bytes);
  // The first child's type bits: they now name a kind of node that does not exist.
  const root = JSON.parse(siliray("inspect", image.path, "--node", "0x15", "--json"));
  const field = root.fields.find(each => each.name === "children[0].node_type");
  const at = root.offset + (field.bits[0] >> 3);
  broken[at] ^= 0xf << (field.bits[0] & 7);
  const { page, complaints } = await visit(world);
  await drop(page, "broken.rra", broken);
  await opened(page, "broken.rra");
  assert.match(await page.locator(".verdict").textContent(), /error|unsound|warning/);
  await page.click(".verdict");
  await page.waitForSelector("#panel-tables .table-row");
  await page.click("#panel-tables .table-row >> nth=0");
  await page.waitForSelector(".node-head .finding");
  assert.ok(await page.locator(".byte.error, .byte.warning").count() > 0);
  await shot(page, "broken");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a file that is nothing is refused in the library's words, and the page stays", async () => {
  const { page } = await visit(world);
  await drop(page, "letter.rra", Buffer.from("Dear reader, this is no image."));
  await page.waitForSelector(".refusal:not([hidden])");
  await shot(page, "refused");
  await drop(page, "scene.rra", image.bytes);
  await opened(page, "scene.rra");
  await page.context().close();
});

test("where memory runs out, the page says so and stays", async () => {
  const { page, complaints } = await visit(world);
  await drop(page, "scene.rra", image.bytes);
  await opened(page, "scene.rra");
  // To the worker, the next file is larger than the memory of any module.
  await page.workers()[0].evaluate(() =>
    Object.defineProperty(Blob.prototype, "size", { get: () => 5e9 }));
  await drop(page, "huge.rra", Buffer.from("SILI"));
  await page.waitForFunction(() => document.querySelector(".problem")?.textContent
    ?.includes("not enough memory"));
  await page.click(".tree-row >> nth=2");
  await page.waitForSelector(".fields tbody tr");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a module that finds no room for a request says how much is missing", async () => {
  const { page } = await visit(world);
  const said = await page.evaluate(async () => {
    const given = { siliray: { more() {}, tell: () => 0 } };
    const { instance } = await WebAssembly.instantiateStreaming(fetch("siliray.wasm"), given);
    const { reserve, shortage } = instance.exports;
    return { at: reserve(2 ** 32 - 2 ** 20), missing: shortage() >>> 0, next: reserve(64) };
  });
  assert.equal(said.at, 0);
  assert.equal(said.missing, 2 ** 32 - 2 ** 20);
  assert.ok(said.next > 0);
  await page.context().close();
});

test("on a phone one panel is shown at a time", async () => {
  const { page, complaints } = await visit(world, { size: phone });
  await drop(page, "scene.rra", image.bytes);
  await page.waitForFunction(() => document.querySelector(".statusbar .sums span"));
  for (const name of ["tree", "space", "bytes", "ray", "heat", "machine", "tables"]) {
    await page.click(`.phone-tabs .tab[data-panel=${name}]`);
    assert.equal(await page.locator(".panel:visible").count(), 1);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= phone.width, `${name} is ${wide} pixels wide`);
    await page.waitForTimeout(name === "space" || name === "heat" ? 1500 : 300);
    await shot(page, `phone-${name}`);
  }
  assert.deepEqual(complaints, []);
  await page.context().close();
});
