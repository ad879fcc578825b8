// Heat: pictures and maps equal the native ones, pixel by pixel; values, scale, a click to a ray.

import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { drop, opened, phone, shot, siliray, start, visit } from "./browser.mjs";
import { ownCamera } from "./camera.mjs";
import { show } from "./panels.mjs";

let world;
let path;
let camera;

before(async () => {
  world = await start();
  path = join(world.files, "organic.rra");
  siliray("build", "organic", "--triangles", "2000", "--format", "gfx12", "-o", path);
  camera = ownCamera(path);
});

after(() => world.close());

async function openHeat(options) {
  const visited = await visit(world, options);
  await drop(visited.page, "organic.rra", readFileSync(path));
  await opened(visited.page, "organic.rra");
  await visited.page.selectOption('.layout select:has(option[value="gfx12-gpurt"])', "gfx12-gpurt");
  await show(visited.page, "Heat");
  return visited;
}

/** Renders in a size from the file's own camera, and waits for the last picture. */
async function render(page, what, size) {
  await page.locator(".heat-view select[title='Camera']").selectOption({ index: 1 });
  await page.selectOption(".heat-view select[title='Size in pixels']", size);
  // What stands there is of the picture before.
  await page.evaluate(what => {
    document.querySelector(".heat-time")?.remove();
    const select = document.querySelector(".heat-view select[title='What is shown']");
    select.value = what;
    select.dispatchEvent(new Event("change"));
  }, what);
  const wanted = size.replace(",", " × ");
  await page.waitForFunction(wanted => {
    const said = document.querySelector(".heat-time")?.textContent ?? "";
    return said.startsWith(wanted) && said.endsWith("in all");
  }, wanted, { timeout: 60_000 });
}

/** The pixels of the canvas, three bytes each. */
function pixels(page) {
  return page.evaluate(() => {
    const canvas = document.querySelector(".heat-canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return Array.from(data).filter((_, k) => k % 4 !== 3);
  });
}

/** The pixels that siliray renders, from a PPM or PNG that the browser decodes. */
async function native(page, words, of = path, machine = "gfx12-gpurt") {
  const file = join(world.files, "picture.png");
  rmSync(file, { force: true });
  const eye = of === path ? camera : ownCamera(of);
  siliray("render", of, "--machine", machine, "--camera", eye, ...words, "-o", file);
  const address = `data:image/png;base64,${readFileSync(file).toString("base64")}`;
  return page.evaluate(async address => {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, image.width, image.height);
    return Array.from(data).filter((_, k) => k % 4 !== 3);
  }, address);
}

test("heat maps and pictures are the native ones", async () => {
  const { page, complaints } = await openHeat();
  const size = ["--size", "320x180"];
  for (const [what, words] of [
    ["boxes", ["--heatmap", "boxes"]],
    ["nodes", ["--heatmap", "nodes"]],
    ["losses", ["--losses"]],
    ["picture", ["--samples", "1"]],
  ]) {
    await render(page, what, "320,180");
    const expected = await native(page, [...words, ...size]);
    const shown = await pixels(page);
    // A heat map that siliray writes has its legend below.
    assert.deepEqual(shown, expected.slice(0, shown.length), what);
  }
  assert.deepEqual(complaints, []);
  await page.context().close();
});

/** What heat maps of a machine can show, as the page offers it. */
function offered(page) {
  return page.locator(".heat-view select[title='What is shown'] option").evaluateAll(options =>
    options.map(option => option.value).filter(value => !["picture", "losses"].includes(value)));
}

test("every measure of every kind of machine is the native one", async () => {
  const blocks = join(world.files, "organic.ttu");
  siliray("build", "organic", "--triangles", "2000", "--format", "ttu", "-o", blocks);
  // The command draws bytes, blocks and cycles of the traversal unit alone.
  const walked = ["boxes", "triangles", "nodes"];
  for (const [file, machine, measures] of [
    [path, "gfx12-gpurt", walked],
    [path, "fast", walked],
    [blocks, "ttu", [...walked, "blocks", "bytes", "cycles"]],
  ]) {
    const { page, complaints } = await visit(world);
    await drop(page, basename(file), readFileSync(file));
    await opened(page, basename(file));
    await page.selectOption(".machine-select", machine);
    await show(page, "Heat");
    const all = await offered(page);
    for (const what of measures) {
      assert.ok(all.includes(what), `${machine}: ${what}`);
      await render(page, what, "320,180");
      const words = ["--heatmap", what, "--size", "320x180"];
      const expected = await native(page, words, file, machine);
      const shown = await pixels(page);
      assert.deepEqual(shown, expected.slice(0, shown.length), `${machine}: ${what}`);
    }
    assert.deepEqual(complaints, []);
    await page.context().close();
  }
});

test("the first picture is there at once", async () => {
  const { page } = await visit(world);
  await drop(page, "organic.rra", readFileSync(path));
  await opened(page, "organic.rra");
  await page.waitForFunction(() => !document.querySelector(".busy").textContent);
  const took = await page.evaluate(async () => {
    const begin = performance.now();
    document.querySelector(".tab[data-panel=heat]").click();
    while (!document.querySelector(".heat-time")) {
      await new Promise(done => setTimeout(done, 10));
    }
    return performance.now() - begin;
  });
  // A second is promised; a busy machine gets another one.
  assert.ok(took < 2000, `${Math.round(took)} ms`);
  await page.context().close();
});

test("pointing tells the count, a fixed scale changes colours, a click steps the ray", async () => {
  const { page } = await openHeat();
  await render(page, "boxes", "320,180");
  const before = await pixels(page);
  const box = await page.locator(".heat-canvas").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const value = await page.locator(".heat-value").textContent();
  assert.match(value, /^\d+ boxes tested, pixel 1[56]\d, (8|9)\d$/);
  await page.locator(".heat-scale").fill("1000");
  assert.notDeepEqual(await pixels(page), before);
  await shot(page, "heat");
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForSelector(".ray-row");
  assert.match(await page.locator(".ray-question summary").textContent(), /of 320 × 180/);
  await page.context().close();
});

test("a picture is saved as PNG", async () => {
  const { page } = await openHeat();
  await render(page, "boxes", "320,180");
  const [download] = await Promise.all([
    page.waitForEvent("download"), page.getByLabel("Save the picture").click(),
  ]);
  assert.equal(download.suggestedFilename(), "organic.rra-boxes.png");
  const saved = readFileSync(await download.path());
  assert.equal(saved.subarray(1, 4).toString(), "PNG");
  await page.context().close();
});

test("pictures and losses stop when they are cancelled, and their worker goes on", async () => {
  const { page } = await openHeat();
  let workers = 0;
  page.on("worker", () => workers += 1);
  await page.selectOption(".heat-view select[title='Size in pixels']", "1280,720");
  for (const what of ["picture", "losses"]) {
    await page.selectOption(".heat-view select[title='What is shown']", what);
    // The last and largest one is at work.
    await page.waitForFunction(() => {
      const done = parseFloat(document.querySelector(".heat-progress").style.width);
      return done > 5 && document.querySelector(".busy").textContent.includes("%");
    }, null, { timeout: 60_000 });
    await page.click(".busy button");
    await page.waitForFunction(() => !document.querySelector(".busy").textContent);
    await page.click(".tree-row >> nth=3");
    await page.waitForSelector(".tree-row[aria-selected=true]");
  }
  assert.equal(workers, 0);
  assert.equal(page.workers().length, 1);
  await page.context().close();
});

test("heat has a narrow form", async () => {
  const { page } = await openHeat({ size: phone, theme: "dark" });
  await page.waitForSelector(".heat-time");
  await shot(page, "heat-phone");
  await page.context().close();
});
