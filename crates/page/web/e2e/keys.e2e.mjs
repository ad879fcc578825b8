// The keyboard alone: every view is reached, shows where the focus is, and names its controls.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { opened, start, visit } from "./browser.mjs";

let world;

before(async () => {
  world = await start();
});

after(() => world.close());

/** Panels as the digits show them; the program's is offered only beside one. */
const panels = ["tree", "space", "heat", "machine", "tables", "program", "bytes", "ray"];

/** Presses Tab until what is focused has the words. */
async function tabTo(page, words) {
  for (let times = 0; times < 80; times++) {
    await page.keyboard.press("Tab");
    const text = await page.evaluate(() => document.activeElement.textContent);
    if (text.includes(words)) return;
  }
  assert.fail(`Tab does not reach ${words}`);
}

async function openForest(page) {
  await tabTo(page, "forest");
  await page.keyboard.press("Enter");
  await opened(page, "forest.rra");
}

test("a scene is opened, its tree read and a ray stepped without a pointer", async () => {
  const { page, complaints } = await visit(world);
  await openForest(page);
  await page.keyboard.press("1");
  const crumb = () => page.locator(".crumbs strong").textContent();
  const root = await crumb();
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(root =>
    document.querySelector(".crumbs strong")?.textContent !== root, root);
  const active = await page.evaluate(() => {
    const id = document.activeElement.getAttribute("aria-activedescendant");
    return document.getElementById(id)?.getAttribute("aria-selected");
  });
  assert.equal(active, "true");
  await page.keyboard.press("8");
  await page.locator(".ray-form .primary").focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector(".ray-row");
  await page.keyboard.press(".");
  await page.keyboard.press(".");
  assert.equal(await page.inputValue(".ray-place"), "2");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a digit shows its panel, with a focus that can be seen", async () => {
  const { page } = await visit(world);
  await openForest(page);
  for (const [at, name] of panels.entries()) {
    if (name === "program") {
      // Without a program there is none to show.
      await page.keyboard.press(String(at + 1));
      assert.ok(await page.locator("#panel-tables").isVisible());
      assert.doesNotMatch(await page.evaluate(() => location.hash), /panel=program/);
      continue;
    }
    await page.keyboard.press(String(at + 1));
    const found = await page.evaluate(name => {
      const { activeElement: focused } = document;
      const style = getComputedStyle(focused);
      return {
        panel: focused.closest(".panel")?.id,
        isSeen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
      };
    }, name);
    assert.deepEqual(found, { panel: `panel-${name}`, isSeen: true });
    await page.keyboard.press("Escape");
  }
  await page.context().close();
});

test("every control has a name, in every view", async () => {
  const { page } = await visit(world);
  await page.click("text=one ray and one triangle");
  await page.waitForSelector(".line");
  await page.evaluate(() => { location.hash = "#builtin=forest&triangles=5000"; });
  await opened(page, "forest.rra");
  for (const at of panels.keys()) {
    await page.keyboard.press(String(at + 1));
    await page.waitForTimeout(150);
    const nameless = await page.evaluate(() => {
      const controls = document.querySelectorAll(
        "button, select, input, canvas, [tabindex='0'], [role='listbox'], [role='tree']");
      const nameOf = each => each.getAttribute("aria-label") || each.textContent.trim()
        || each.title || [...each.labels ?? []].map(label => label.textContent).join("");
      return [...controls].filter(each => each.checkVisibility() && !nameOf(each))
        .map(each => each.outerHTML.slice(0, 120));
    });
    assert.deepEqual(nameless, [], panels[at]);
  }
  await page.context().close();
});

test("the help sheet lists every key, those of programs too", async () => {
  const { page } = await visit(world);
  await page.click("text=one ray and one triangle");
  await page.waitForSelector(".line");
  await page.keyboard.press("s");
  await page.waitForFunction(() =>
    document.querySelector("#panel-program .bar .muted").textContent.startsWith("1 done"));
  await page.keyboard.press("?");
  const groups = await page.locator(".help h3").allTextContents();
  for (const group of ["Panels", "Page", "Nodes", "Edits", "Space", "Ray", "Program", "In lists"]) {
    assert.ok(groups.includes(group), `${group} of ${groups}`);
  }
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog"));
  await page.context().close();
});
