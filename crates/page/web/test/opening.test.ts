import assert from "node:assert/strict";
import { test } from "node:test";
import { Edits } from "../src/edits";
import { Dropped } from "../src/engine";
import { Opening } from "../src/opening";
import type { Request } from "../src/protocol";
import { Store } from "../src/store";
import { smallOutline } from "./outline";

const summary = {
  name: "a.rra", format: "gfx12", source: "stored", structure: 0, structures: [{}, {}],
  machines: ["gpurt"], default_machine: "gpurt",
};
const edit = { offset: 8, bit: 0, length: 1, value: "0x1" };

/** A module that opens anything, and drops the outline as long as it is told to. */
function world() {
  const asked: Request[] = [];
  const set = { drops: false };
  const answer = (request: Request): object => {
    switch (request.do) {
      case "open": return { ...summary, arrays: {} };
      case "edit": return { before: "0x0", summary, arrays: {} };
      case "outline": return { entries: 7, first: 0, count: 7, arrays: smallOutline() };
      case "check": return { findings: [], nodes: 7, arrays: {} };
      case "hash": return { hash: "0".repeat(64), arrays: {} };
      default: return { kind: "box", pointer: "0x15", arrays: { data: new Uint8Array() } };
    }
  };
  const ask = async (request: Request) => {
    asked.push(request);
    if (set.drops && request.do === "outline") throw new Dropped();
    return answer(request);
  };
  const page = new Store({ ask, cancel: async () => {}, restart: async () => {} } as never);
  const opening = new Opening(page);
  return { page, opening, edits: new Edits(page), asked, set };
}

test("where reading was cancelled it is said, and what is missing is read again", async () => {
  const { page, opening, asked, set } = world();
  set.drops = true;
  await opening.file("a.rra", new Blob(["a"]));
  assert.deepEqual([page.state.isUnread, page.state.outline], [true, null]);
  assert.equal(page.state.problem, null);
  set.drops = false;
  asked.length = 0;
  await page.readAgain();
  assert.equal(page.state.isUnread, false);
  assert.equal(page.state.outline?.size.length, 7);
  assert.ok(!asked.some(request => request.do === "open"));
});

test("an edit that was made counts, even where reading the file anew was cancelled", async () => {
  const { page, opening, edits, set } = world();
  await opening.file("a.rra", new Blob(["a"]));
  set.drops = true;
  await edits.apply(edit);
  assert.deepEqual(page.state.edits, { done: [edit], undone: 0, isSaved: false });
  assert.deepEqual([page.state.isUnread, page.state.outline], [true, null]);
});

test("edits are made again in another structure, and can be undone there", async () => {
  const { page, opening, edits, asked } = world();
  await opening.file("a.rra", new Blob(["a"]));
  await edits.apply(edit);
  asked.length = 0;
  await opening.again({ structure: 1 });
  const [open, again] = asked;
  assert.deepEqual([open!.do, again], ["open", { do: "edit", ...edit }]);
  assert.deepEqual(page.state.edits, { done: [edit], undone: 0, isSaved: false });
  await edits.undo();
  assert.deepEqual(page.state.edits, { done: [], undone: 1, isSaved: true });
});

test("what is not saved is not lost without a question", async () => {
  const { page, opening, edits } = world();
  await opening.file("a.rra", new Blob(["a"]));
  opening.mayLose = async () => page.state.edits.isSaved;
  await edits.apply(edit);
  await opening.take("b.rra", new Blob(["b"]));
  await opening.again({ format: "ttu" });
  assert.equal(page.state.origin?.name, "a.rra");
  assert.equal(page.state.edits.done.length, 1);
  await edits.undo();
  await opening.take("b.rra", new Blob(["b"]));
  assert.equal(page.state.origin?.name, "b.rra");
});
