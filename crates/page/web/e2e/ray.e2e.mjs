// Ray: every step as walk prints it, stepping, hits, reasons, two machines.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drop, opened, phone, shot, siliray, start, visit } from "./browser.mjs";
import { show } from "./panels.mjs";

/** A ray for which RADV's loop loses a triangle of this image: docs/walk.md. */
const origin = "1.6152335,1.3115069,-0.045729984";
const direction = "-1.8541613,-1.506437,0.5434823";
const lost = ["--query", "all", "--origin", origin, "--direction", direction];

let world;
let path;

before(async () => {
  world = await start();
  path = join(world.files, "organic.rra");
  const build = ["build", "organic", "--triangles", "2000", "--format", "gfx12"];
  siliray(...build, "--policy", "radv", "-o", path);
});

after(() => world.close());

async function openOrganic(machine, options) {
  const visited = await visit(world, options);
  await drop(visited.page, "organic.rra", readFileSync(path));
  await opened(visited.page, "organic.rra");
  await show(visited.page, "Ray");
  await visited.page.selectOption(`.layout select:has(option[value="${machine}"])`, machine);
  return visited;
}

async function askRay(page) {
  const form = page.locator(".ray-form");
  await form.locator("select").selectOption("all");
  await form.getByLabel("Origin").fill(origin);
  await form.getByLabel("Direction").fill(direction);
  await form.getByText("Walk").click();
  await page.waitForSelector(".ray-row");
}

/** The steps that siliray prints for the ray, without the answer. */
function steps(machine) {
  const lines = siliray("walk", path, "--machine", machine, ...lost, "--json").trim().split("\n");
  return lines.map(line => JSON.parse(line)).filter(line => "step" in line);
}

test("steps are those of walk, one by one", async () => {
  const { page, complaints } = await openOrganic("gfx12-radv");
  await askRay(page);
  const text = siliray("walk", path, "--machine", "gfx12-radv", ...lost);
  const expected = steps("gfx12-radv");
  await page.locator(".ray-steps").getByLabel("To the end").click();
  assert.equal(await page.inputValue(".ray-place"), String(expected.length - 1));
  await page.locator(".ray-steps").getByLabel("To the start").click();
  for (const step of expected.slice(0, 60)) {
    assert.equal(await page.inputValue(".ray-place"), String(step.step));
    const title = await page.locator(".ray-title").textContent();
    assert.ok(text.replaceAll(/\s+/g, " ").includes(title.slice(0, 40)), title);
    if (step.event === "child") {
      const row = page.locator(".ray-children tr.is-current");
      assert.equal(await row.locator("td").nth(0).textContent(), String(step.slot));
      assert.equal(await row.locator("td").nth(1).textContent(), step.pointer);
      assert.equal(await row.locator("td").nth(2).textContent(), step.verdict);
    }
    await page.keyboard.press(".");
  }
  await shot(page, "ray");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a sphere and a frustum are walked as walk walks them, and drawn", async () => {
  const { page, complaints } = await openOrganic("reference");
  const form = page.locator(".ray-form");
  const asked = [
    {
      tab: "Sphere", fields: { Centre: "1.5, 0, 0", Radius: "0.8" }, isExact: true, kind: "all",
      words: ["--sphere", "1.5,0,0,0.8", "--exact", "--query", "all"],
    },
    {
      tab: "Frustum", kind: "closest",
      fields: {
        Eye: "3, 2, 3", "Looks at": "0, 0, 0", "Degrees high": "20", "Wide to high": "1.5",
      },
      words: ["--frustum", "3,2,3,0,0,0,20", "--aspect", "1.5", "--query", "closest"],
    },
  ];
  const picture = async () => {
    await page.waitForTimeout(500);
    return page.locator(".space-canvas").screenshot();
  };
  const before = await picture();
  for (const { tab, fields, isExact, kind, words } of asked) {
    if (!await form.isVisible()) await page.click(".ray-question summary");
    await form.getByText(tab, { exact: true }).click();
    for (const [label, value] of Object.entries(fields)) {
      await form.getByLabel(label, { exact: true }).fill(value);
    }
    await form.getByLabel("Which hits").selectOption(kind);
    await form.getByText("exact", { exact: true }).setChecked(isExact === true);
    await form.getByText("Walk").click();
    await page.waitForSelector(".ray-row");
    const lines = siliray("walk", path, "--machine", "reference", ...words, "--json");
    const expected = lines.trim().split("\n").map(line => JSON.parse(line));
    await page.waitForFunction(last =>
      document.querySelector(".ray-steps .muted").textContent === `of ${last}`,
    (expected.filter(line => "step" in line).length - 1).toLocaleString("en"));
    const { hits } = expected.at(-1);
    assert.match(await page.locator(".ray-status b").textContent(),
      new RegExp(`^${hits.length} hits?`), tab);
  }
  assert.ok(!before.equals(await picture()), "nothing new is drawn");
  await page.waitForTimeout(300);
  assert.match(await page.evaluate(() => location.hash), /query=closest:frustum:3,2,3:/);
  await shot(page, "ray-frustum");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a step answers within 50 ms", async () => {
  const { page } = await openOrganic("gfx12-radv");
  await askRay(page);
  const times = await page.evaluate(async () => {
    const found = [];
    for (let k = 0; k < 20; k++) {
      const start = performance.now();
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: ".", bubbles: true }));
      await new Promise(requestAnimationFrame);
      found.push(performance.now() - start);
    }
    return found.sort((a, b) => a - b);
  });
  assert.ok(times[10] < 50, `${times.map(Math.round)} ms`);
  await page.context().close();
});

test("why a triangle is missed: the node and the plane, and the step", async () => {
  const { page } = await openOrganic("gfx12-radv");
  await askRay(page);
  await page.locator(".ray-missed input").fill("300");
  await page.locator(".ray-missed button", { hasText: "Ask" }).click();
  const answer = page.locator(".ray-answer span").first();
  await answer.waitFor();
  const why = siliray("walk", path, "--machine", "gfx12-radv", ...lost, "--why", "300", "--json");
  const expected = JSON.parse(why.split("\n").find(line => line.includes('"event":"why"')));
  assert.equal(await answer.textContent(), expected.text);
  const step = steps("gfx12-radv")[Number(await page.inputValue(".ray-place"))];
  assert.deepEqual([step.event, step.slot], ["child", expected.child]);
  await page.locator(".ray-answer .link").first().click();
  await show(page, "Bytes");
  await page.waitForFunction(pointer =>
    document.querySelector(".crumbs strong")?.textContent.endsWith(pointer), expected.node);
  await page.context().close();
});

test("two machines stop where they first differ", async () => {
  const { page } = await openOrganic("gfx12-gpurt");
  await askRay(page);
  await page.selectOption(".ray-other", "gfx12-radv");
  await page.waitForSelector(".ray-row.is-difference");
  const words = ["--machine", "gfx12-gpurt", "--against", "gfx12-radv", ...lost, "--json"];
  const { step } = JSON.parse(siliray("walk", path, ...words));
  assert.equal(await page.inputValue(".ray-place"), String(step));
  assert.equal(await page.locator(".ray-row.is-difference:visible").count(), 2);
  await shot(page, "ray-against");
  await page.context().close();
});

test("a lost pixel leads to the primitive, and to the box that loses it", async () => {
  const { page, complaints } = await visit(world);
  await page.click(".card:has-text('A lost hit')");
  await page.waitForFunction(() =>
    document.querySelector(".heat-time")?.textContent.endsWith("in all"), null,
  { timeout: 60_000 });
  const red = await page.evaluate(() => {
    const canvas = document.querySelector(".heat-canvas");
    const { width, height, clientWidth, clientHeight } = canvas;
    const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
    const lost = [];
    for (let k = 0; k < width * height; k++) {
      if (data[4 * k] === 235 && data[4 * k + 1] === 40) lost.push(k);
    }
    const middle = lost[lost.length >> 1];
    const scale = Math.min(clientWidth / width, clientHeight / height);
    const place = (at, size, length) => (length - size * scale) / 2 + (at + 0.5) * scale;
    const [x, y] = [middle % width, Math.floor(middle / width)];
    return { x: place(x, width, clientWidth), y: place(y, height, clientHeight) };
  });
  await page.click(".heat-canvas", { position: red });
  const why = page.locator(".ray-answer .link", { hasText: "Why?" });
  await why.click({ timeout: 20_000 });
  await page.waitForFunction(() =>
    /box 0x[0-9a-f]+ at .*: .* go to this step$/
      .test(document.querySelector(".ray-answer")?.textContent ?? ""));
  await shot(page, "ray-lost");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("what cannot be asked is refused where it is typed", async () => {
  const { page } = await openOrganic("gfx12-radv", { size: phone });
  const form = page.locator(".ray-form");
  await form.getByLabel("Origin").fill("1, 2");
  await form.getByText("Walk").click();
  assert.match(await form.locator(".error").textContent(), /Origin: three numbers expected/);
  await shot(page, "ray-phone");
  await page.context().close();
});
