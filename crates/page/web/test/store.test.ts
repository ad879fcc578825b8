import assert from "node:assert/strict";
import { test } from "node:test";
import { Dropped, Fatal } from "../src/engine";
import { Refusal } from "../src/protocol";
import { CANCELLED, Store } from "../src/store";

type Ask = (request: { do: string }, options: object) => Promise<unknown>;

function storeWith(ask: Ask): Store {
  return new Store({ ask, restart: () => Promise.resolve() } as never);
}

const silent: Ask = () => new Promise(() => undefined);

test("a listener of several keys is called once a change, and not when nothing changed", () => {
  const page = storeWith(silent);
  let calls = 0;
  const end = page.on(["step", "machine"], () => calls++);
  page.set({ step: 3, machine: "gpurt" });
  assert.equal(calls, 1);
  page.set({ step: 3, machine: "gpurt" });
  page.set({ hover: 5 });
  assert.equal(calls, 1);
  end();
  page.set({ step: 4 });
  assert.equal(calls, 1);
});

test("listeners see the whole change", () => {
  const page = storeWith(silent);
  page.on("step", () => assert.equal(page.state.machine, "ttu"));
  page.set({ step: 1, machine: "ttu" });
  assert.equal(page.state.step, 1);
});

test("selecting decodes the node, and a later selection wins", async () => {
  const answers: ((answer: unknown) => void)[] = [];
  const asked: unknown[] = [];
  const page = storeWith((request, options) => {
    asked.push(request, options);
    return new Promise(resolve => answers.push(resolve));
  });
  page.select(7);
  assert.equal(page.state.selection, 7);
  assert.deepEqual(asked, [{ do: "node", entry: 7 }, { urgency: 2, instead: "node" }]);
  const data = Uint8Array.of(1, 2);
  page.select(8);
  answers[1]!({ kind: "box", pointer: "0x25", arrays: { data } });
  await new Promise(resolve => setTimeout(resolve));
  assert.deepEqual(page.state.node, { kind: "box", pointer: "0x25", frame: null, data });
  answers[0]!({ kind: "leaf", pointer: "0x15", arrays: { data } });
  await new Promise(resolve => setTimeout(resolve));
  assert.equal(page.state.node?.pointer, "0x25");
});

test("a node that cannot be read takes the place of the one before, with the reason", async () => {
  const answers: ((error: Error) => void)[] = [];
  const page = storeWith(() => new Promise((_, reject) => answers.push(reject)));
  page.set({ node: { pointer: "0x15" } as never });
  page.select(7);
  answers[0]!(new Refusal("0x99 leads out of the file"));
  await new Promise(resolve => setTimeout(resolve));
  assert.equal(page.state.node, null);
  assert.equal(page.state.unread, "0x99 leads out of the file");
  page.refresh();
  answers[1]!(new Dropped());
  await new Promise(resolve => setTimeout(resolve));
  assert.equal(page.state.unread, CANCELLED);
  page.select(8);
  page.select(null);
  answers[2]!(new Refusal("late"));
  await new Promise(resolve => setTimeout(resolve));
  assert.equal(page.state.unread, null);
});

test("a refusal is shown in the library's words; what was dropped is not", () => {
  const page = storeWith(silent);
  page.report(new Dropped());
  assert.equal(page.state.problem, null);
  page.report(new Refusal("node 0x99 is outside", "the root is 0x15"));
  assert.deepEqual(page.state.problem, {
    text: "node 0x99 is outside", hint: "the root is 0x15",
  });
});

test("geometry is asked for once a file and revision, and again after a refusal", async () => {
  let asked = 0;
  let refuses = false;
  const none = {
    primitives: 0, first: 0, count: 0, blases: [], instances: [],
    arrays: { transforms: new Float32Array() },
  };
  const page = storeWith(() => {
    asked++;
    return refuses ? Promise.reject(new Refusal("unsound")) : Promise.resolve(none);
  });
  await page.geometry();
  await page.geometry();
  assert.equal(asked, 1);
  page.set({ revision: 1 });
  refuses = true;
  await assert.rejects(page.geometry(), Refusal);
  await assert.rejects(page.geometry(), Refusal);
  assert.equal(asked, 3);
});

test("when the module stops, one new worker is started, however many requests it had", async () => {
  let starts = 0;
  const restart = () => {
    starts += 1;
    return Promise.resolve();
  };
  const page = new Store({ ask: () => Promise.reject(new Fatal("stopped")), restart } as never);
  await Promise.allSettled([1, 2, 3].map(entry => page.ask({ do: "node", entry })));
  assert.equal(starts, 1);
  const lost = () => Promise.reject(new Fatal("no memory"));
  const poor = new Store({ ask: lost, restart: lost } as never);
  poor.set({ summary: {} as never });
  await assert.rejects(poor.ask({ do: "check" }), Fatal);
  await new Promise(resolve => setTimeout(resolve));
  assert.equal(poor.state.summary, null);
  assert.equal(poor.state.problem?.text, "no memory");
});
