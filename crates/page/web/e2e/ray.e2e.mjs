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

/** Every step of the walk as it is shown in full, from the first one on. */
function shownSteps(page, count) {
  return page.evaluate(count => {
    const texts = (list, selector) =>
      [...list.querySelectorAll(selector)].map(each => each.textContent);
    const shown = [];
    for (let k = 0; k < count; k++) {
      const detail = document.querySelector(".ray-detail");
      const facts = [...detail.querySelectorAll(".ray-fact")].map(fact =>
        [fact.children[0].textContent, fact.children[1].textContent]);
      const tables = [...detail.querySelectorAll(".ray-columns > div")].map(table => [
        table.querySelector(".heading").textContent,
        [...table.querySelectorAll("tr")].map(row =>
          [row.cells[0].textContent, row.cells[1].firstChild.textContent]),
      ]);
      shown.push({
        step: document.querySelector(".ray-place").value,
        title: detail.querySelector(".ray-title").textContent,
        child: texts(detail, ".ray-children tr.is-current td"),
        facts: Object.fromEntries(facts),
        registers: Object.fromEntries(tables),
        stack: texts(detail, ".ray-chip"),
      });
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: ".", bubbles: true }));
    }
    return shown;
  }, count);
}

/** A float of 32 bits; the sign of a zero is not shown. */
function float(value) {
  return Math.fround(value) + 0;
}

/** Numbers of a text, as the floats of 32 bits that they are. */
function floats(text) {
  return (text.match(/-?\d[\d.]*(e[+-]?\d+)?|∞/g) ?? []).map(word =>
    word === "∞" ? Infinity : float(Number(word)));
}

/** Applies a step to the stack that the steps before it have left. */
function follow(stack, { event, pointer, lost }) {
  if (event === "push") stack.push(pointer);
  else if (event === "pop" && stack.includes(pointer)) {
    // A push may have gone below others.
    stack.splice(stack.lastIndexOf(pointer), 1);
  }
  if (event === "overflow") stack.splice(0, lost);
  if (event === "restart") stack.length = 0;
}

test("steps are those of walk, one by one, up to the hit and on to the end", async () => {
  const { page, complaints } = await openOrganic("gfx12-radv");
  await askRay(page);
  const text = siliray("walk", path, "--machine", "gfx12-radv", ...lost).replaceAll(/\s+/g, " ");
  const expected = steps("gfx12-radv");
  assert.ok(expected.some(({ event }) => event === "accept"), "there is a hit");
  await page.locator(".ray-steps").getByLabel("To the end").click();
  assert.equal(await page.inputValue(".ray-place"), String(expected.length - 1));
  await page.locator(".ray-steps").getByLabel("To the start").click();
  const shown = await shownSteps(page, expected.length);
  const stack = [];
  expected.forEach((step, k) => {
    const { facts, child, registers, stack: chips, title } = shown[k];
    assert.equal(shown[k].step, String(step.step));
    assert.ok(text.includes(title.replaceAll(/\s+/g, " ").slice(0, 40)), title);
    follow(stack, step);
    assert.deepEqual(chips, stack, `the stack of step ${k}`);
    if (step.event === "child") {
      const { slot, pointer, verdict, interval, min, max } = step;
      assert.deepEqual(child.slice(0, 3), [String(slot), pointer, verdict]);
      const inside = (interval ?? []).map(float);
      assert.deepEqual(floats(child[3]), inside, `the interval of step ${k}`);
      assert.deepEqual(floats(facts.interval.replace(/^t /, "")), inside);
      assert.deepEqual(floats(facts.box), [...min, ...max].map(float));
    }
    if (step.event === "instruction") {
      const sides = [["In", step.inputs], ["Out", step.outputs]]
        .filter(([, values]) => Object.keys(values).length > 0);
      assert.deepEqual(Object.fromEntries(Object.entries(registers).map(([side, rows]) =>
        [side, Object.fromEntries(rows)])), Object.fromEntries(sides), `registers of step ${k}`);
    }
    if (step.event === "accept" || step.event === "refuse") {
      const { t, u, v, instance, geometry, primitive } = step.hit;
      const [st, su, sv, ...ids] = floats(facts.hit);
      assert.deepEqual([st, su, sv], [t, u, v].map(float));
      assert.deepEqual(ids, [instance, geometry, primitive]);
    }
  });
  await page.keyboard.press(";");
  await shot(page, "ray");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a pixel's link leads back to its ray", async () => {
  const { page } = await openOrganic("gfx12-gpurt");
  await show(page, "Heat");
  await page.waitForSelector(".heat-time");
  const box = await page.locator(".heat-canvas").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForSelector(".ray-row");
  const status = page.locator(".ray-status b");
  const said = await status.textContent();
  assert.match(said, /^1 hit at t/);
  await page.waitForFunction(() => /query=closest:[^p]/.test(location.hash));
  const hash = await page.evaluate(() => location.hash);
  await page.context().close();
  const { page: other, complaints } = await visit(world, { hash });
  await drop(other, "organic.rra", readFileSync(path));
  await opened(other, "organic.rra");
  await other.waitForSelector(".ray-row");
  assert.equal(await other.locator(".ray-status b").textContent(), said);
  assert.deepEqual(complaints, []);
  await other.context().close();
});

test("a sphere is stepped into an instance, and a walk goes to an instance's node", async () => {
  const { page, complaints } = await visit(world);
  await page.selectOption(".offers select", "5000");
  await page.click(".card >> text=forest");
  await opened(page, "forest.rra");
  await show(page, "Ray");
  await page.selectOption(".machine-select", "reference");
  const form = page.locator(".ray-form");
  await form.getByText("Sphere", { exact: true }).click();
  await form.getByLabel("Which hits").selectOption("all");
  await form.getByText("Walk").click();
  await page.waitForSelector(".ray-row");
  const titles = await page.evaluate(() => {
    const shown = [];
    const last = Number(document.querySelector(".ray-place").max);
    for (let k = 0; k <= last && !shown.includes("instance"); k++) {
      shown.push(document.querySelector(".ray-fact .muted")?.textContent);
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: ".", bubbles: true }));
    }
    return shown;
  });
  assert.ok(titles.includes("instance"), titles.join());
  await page.fill(".ray-place", String(titles.indexOf("instance")));
  await page.locator(".ray-place").press("Enter");
  const title = page.locator(".ray-title").first();
  const [, pointer] = /^enter instance \d+ by (0x[0-9a-f]+)/.exec(await title.textContent());
  await page.fill(".tree-controls input", pointer);
  await page.click(".tree-row:visible >> nth=0");
  await page.locator(".ray-steps").getByLabel("To the start").click();
  await page.locator("body").press("v");
  assert.ok((await title.textContent()).includes(pointer));
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
  // Both are shown in full, where they differ.
  const titles = await page.locator(".ray-detail:visible .ray-title").allTextContents();
  assert.equal(titles.length, 2);
  assert.notEqual(titles[0], titles[1]);
  await shot(page, "ray-against");
  await page.context().close();
});

/** The example of a lost hit, and the ray of a pixel of which the machine loses the triangle. */
async function openLost() {
  const visited = await visit(world);
  const { page } = visited;
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
  await page.locator(".ray-answer .link", { hasText: "Why?" }).waitFor({ timeout: 20_000 });
  return visited;
}

/** Waits until the box that loses the triangle is named. */
function namesBox(page) {
  return page.waitForFunction(() =>
    /box 0x[0-9a-f]+ at .*: .* go to this step$/
      .test(document.querySelector(".ray-answer")?.textContent ?? ""));
}

test("a lost pixel leads to the primitive, and to the box that loses it", async () => {
  const { page, complaints } = await openLost();
  await page.locator(".ray-answer .link", { hasText: "Why?" }).click();
  await namesBox(page);
  await shot(page, "ray-lost");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("the key of losses asks why, and goes to the child that is lost", async () => {
  const { page, complaints } = await openLost();
  await page.locator("body").press("l");
  await namesBox(page);
  const child = /child (\d+)/.exec(await page.locator(".ray-answer").textContent())[1];
  const row = page.locator(".ray-children tr.is-current td").first();
  assert.equal(await row.textContent(), child);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a triangle that is clicked in space is the one that is asked about", async () => {
  const { page } = await openOrganic("gfx12-radv");
  await askRay(page);
  await page.waitForSelector(".space-canvas:visible");
  await page.waitForTimeout(600);
  await page.click(".space-canvas");
  const said = await page.locator(".space-message").textContent();
  const [, geometry, primitive] = /geometry (\d+), primitive (\d+)$/.exec(said);
  const asked = await page.inputValue(".ray-missed input");
  assert.ok(asked.endsWith(`${geometry}:${primitive}`), asked);
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
