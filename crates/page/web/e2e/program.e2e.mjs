// Programs: stepping forwards and back, registers, memory, lines, what is refused.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drop, phone, shot, start, visit } from "./browser.mjs";

let world;

before(async () => {
  world = await start();
});

after(() => world.close());

/** The value of a register, as it is shown. */
function register(page, name) {
  return page.evaluate(name => {
    const terms = [...document.querySelectorAll(".register-list dt")];
    return terms.find(term => term.textContent === name)?.nextSibling.textContent;
  }, name);
}

const done = (page, count) => page.waitForFunction(wanted =>
  document.querySelector("#panel-program .bar .muted").textContent.startsWith(wanted),
`${count} done`);

test("the example tests a triangle, and steps back from it", async () => {
  for (const size of [undefined, phone]) {
    const { page, complaints } = await visit(world, size ? { size, theme: "dark" } : {});
    await page.click("text=one ray and one triangle");
    await done(page, 0);
    await page.locator(".listing").evaluate(list => { list.scrollTop = list.scrollHeight; });
    await page.locator(".line", { hasText: "cull_back" }).first().click();
    await page.click("#panel-program button >> text=To line");
    await page.waitForFunction(() => document.querySelector(".line.is-next")
      ?.textContent.includes("cull_back"));
    assert.deepEqual(await Promise.all(["a4", "a5", "a6", "a7"].map(name =>
      register(page, name))), ["0x1", "0x40200000", "0x3e800000", "0x3e800000"]);
    assert.match(await page.locator(".last").textContent(), /tri/);
    await page.fill(".program-side input[type=text]", await register(page, "s0"));
    await page.press(".program-side input[type=text]", "Enter");
    await page.waitForSelector(".program-side .byte");
    await shot(page, size ? "program-phone" : "program");
    await page.click("#panel-program button >> text=Back");
    await page.waitForFunction(() => document.querySelector(".line.is-next")
      ?.textContent.endsWith("(s0)"));
    assert.equal(await register(page, "a4"), "0x0");
    assert.deepEqual(complaints, []);
    await page.context().close();
  }
});

test("a program without an end is cancelled where it is, and its worker goes on", async () => {
  const { page, complaints } = await visit(world);
  let workers = 0;
  page.on("worker", () => workers += 1);
  const loop = "addi a0, zero, 1\nagain: addi a0, a0, 1\njal zero, again\n";
  await drop(page, "loop.s", Buffer.from(loop));
  await done(page, 0);
  await page.click("#panel-program button >> text=To end");
  await page.waitForFunction(() => document.querySelector(".busy").textContent.includes("%"),
    null, { timeout: 60_000 });
  await page.click(".busy button");
  const where = page.locator("#panel-program .bar > .muted", { hasText: "done, cancelled there" });
  const said = await where.textContent();
  const count = Number(said.split(" ")[0].replaceAll(",", ""));
  assert.ok(count > 1);
  assert.equal(Number(await register(page, "a0")), 1 + Math.floor(count / 2));
  await page.click("#panel-program button >> text=Step");
  await done(page, (count + 1).toLocaleString("en"));
  assert.equal(workers, 0);
  assert.ok(await page.locator("#panel-program .refusal").isHidden());
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a line that is no instruction is named", async () => {
  const { page } = await visit(world);
  await drop(page, "wrong.s", Buffer.from("addi a0, zero, 1\nfly a0\n"));
  await page.waitForSelector("#panel-program .refusal:not([hidden])");
  assert.match(await page.locator("#panel-program .refusal").textContent(), /wrong\.s: line 2/);
  await drop(page, "right.s", Buffer.from("addi a0, zero, 42\naddi a1, a0, 1\n"));
  await done(page, 0);
  await page.locator(".listing").focus();
  await page.keyboard.press("s");
  await done(page, 1);
  assert.equal(await register(page, "a0"), "0x2a");
  await page.context().close();
});
