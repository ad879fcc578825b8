// Tables: what they hold, sorting, filtering, where rows lead, CSV; and the tree's filters.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { drop, opened, shot, siliray, start, visit } from "./browser.mjs";

let world;
let image;

before(async () => {
  world = await start();
  const path = join(world.files, "forest.rra");
  siliray("build", "forest", "--triangles", "3000", "--format", "gfx12", "-o", path);
  const inspect = JSON.parse(siliray("inspect", path, "--tree", "--json"));
  image = { path, bytes: readFileSync(path), inspect };
});

after(() => world.close());

async function openTable(name) {
  const visited = await visit(world);
  const { page } = visited;
  await drop(page, "forest.rra", image.bytes);
  await opened(page, "forest.rra");
  await page.click(".column .tab[data-panel=tables]");
  await page.selectOption(".table-choice select >> nth=0", name);
  await page.waitForSelector("#panel-tables .table-row:visible");
  return visited;
}

/** The cells of a column, row by row as they are seen. */
function column(page, at) {
  return page.evaluate(at => [...document.querySelectorAll(".table-row:not([hidden])")]
    .sort((a, b) => a.getBoundingClientRect().y - b.getBoundingClientRect().y)
    .map(row => row.children[at].textContent), at);
}

test("structures are those of inspect, and sort by a click", async () => {
  const { page, complaints } = await openTable("structures");
  const { structures } = image.inspect;
  assert.deepEqual(await column(page, 2), structures.map(each => each.address));
  await page.click(".column-head >> text=Primitives");
  const wanted = structures.map(each => each.primitives).sort((a, b) => b - a);
  assert.deepEqual(await column(page, 5), wanted.map(each => each.toLocaleString("en")));
  assert.equal(await page.getAttribute(".column-head >> text=Primitives", "aria-sort"),
    "descending");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("worst nodes lead to their node, and are saved as CSV", async () => {
  const { page, complaints } = await openTable("nodes");
  await page.selectOption(".table-choice select >> nth=1", "overlap");
  const [pointer] = await column(page, 0);
  await page.click(".table-row:visible >> nth=0");
  await page.waitForFunction(wanted =>
    document.querySelector(".crumbs strong").textContent.endsWith(` ${wanted}`), pointer);
  const saving = page.waitForEvent("download");
  await page.click(".data-table button >> text=CSV");
  const download = await saving;
  assert.equal(download.suggestedFilename(), "forest.rra-nodes.csv");
  const lines = readFileSync(await download.path(), "utf8").trimEnd().split("\r\n");
  assert.equal(lines[0], "Node,In,Kind,Depth,Cost,Overlap,Emptiness,Below");
  const read = image.inspect.tree.filter(({ state }) => state === "read");
  assert.equal(lines.length - 1, Math.min(1000, read.length));
  const overlaps = lines.slice(1).map(line => Number(line.split(",")[5]));
  assert.deepEqual(overlaps, [...overlaps].sort((a, b) => b - a));
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("worst nodes say that they are some, and findings are saved in words", async () => {
  const { page } = await openTable("nodes");
  const read = image.inspect.tree.filter(({ state }) => state === "read");
  const said = await page.locator(".data-table .bar > .muted").textContent();
  const shown = Math.min(1000, read.length).toLocaleString("en");
  const of = read.length > 1000 ? ` of ${read.length.toLocaleString("en")}` : "";
  assert.equal(said, `${shown} rows${of}`);
  const grid = page.getByRole("grid");
  await grid.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  const active = await grid.evaluate(grid => {
    const row = document.getElementById(grid.getAttribute("aria-activedescendant"));
    return [row?.getAttribute("aria-selected"), row?.getAttribute("aria-rowindex")];
  });
  assert.deepEqual(active, ["true", String(Math.min(1000, read.length) + 1)]);
  await page.context().close();
});

test("words filter rows", async () => {
  const { page } = await openTable("instances");
  const all = Number((await page.locator(".data-table .bar .muted").textContent()).split(" ")[0]);
  assert.equal(all, image.inspect.tree.filter(node => node.kind === "instance").length);
  await page.fill(".data-table input", "0xff");
  const some = Number((await page.locator(".data-table .bar .muted").textContent()).split(" ")[0]);
  assert.ok(some > 0 && some < all);
  assert.ok((await column(page, 3)).every(mask => mask === "0xff"));
  await page.context().close();
});

test("the tree is filtered by kind, address, byte and primitive, as inspect finds", async () => {
  const { page, complaints } = await openTable("structures");
  const { tree } = image.inspect;
  const found = () => page.locator(".tree-controls .found").textContent();
  const settles = text => page.waitForFunction(text =>
    document.querySelector(".tree-controls .found").textContent === text, text);
  assert.equal(await found(), `${tree.length.toLocaleString("en")} nodes`);
  await page.selectOption(".tree-controls select >> nth=0", { label: "instance" });
  await settles(`${tree.filter(node => node.kind === "instance").length} found`);
  await page.selectOption(".tree-controls select >> nth=0", { label: "All kinds" });
  const last = tree.at(-1);
  await page.fill(".tree-controls input", last.address);
  await page.click(".tree-row:visible >> nth=0");
  await page.waitForFunction(wanted =>
    document.querySelector(".node-facts").textContent.includes(wanted), last.address);
  await page.fill(".tree-controls input", `@${image.inspect.tree[0].offset + 5}`);
  await settles("1 found");
  await page.fill(".tree-controls input", "#17");
  const { hits } = JSON.parse(siliray("inspect", image.path, "--find", "17", "--json"));
  const leaves = new Set(hits.map(hit => JSON.stringify(hit.way.at(-1))));
  await settles(`${leaves.size} found`);
  await shot(page, "filtered");
  assert.deepEqual(complaints, []);
  await page.context().close();
});
