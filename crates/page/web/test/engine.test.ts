import assert from "node:assert/strict";
import { test } from "node:test";
import { Dropped, Engine, Fatal } from "../src/engine";
import type { Query } from "../src/protocol";
import type { FromWorker, ToWorker } from "../src/worker";

/** A worker that answers when it is told to. */
class FakeWorker {
  onmessage: ((event: { data: FromWorker }) => void) | null = null;
  onerror = null;
  got: { id: number; request: { do: string } }[] = [];
  isTerminated = false;

  postMessage(message: ToWorker): void {
    if ("load" in message) queueMicrotask(() => this.say({ loaded: true }));
    else this.got.push(message as never);
  }

  terminate(): void {
    this.isTerminated = true;
  }

  answer(ok: object = {}): void {
    const json = new TextEncoder().encode(JSON.stringify({ ok }));
    const bytes = new Uint8Array(Math.ceil((8 + json.length) / 8) * 8);
    new DataView(bytes.buffer).setUint32(0, json.length, true);
    bytes.set(json, 8);
    this.say({ id: this.got.at(-1)!.id, response: bytes.buffer });
  }

  say(message: FromWorker): void {
    this.onmessage?.({ data: message });
  }
}

async function started() {
  const workers: FakeWorker[] = [];
  const running: (string | null)[] = [];
  const engine = new Engine(() => {
    workers.push(new FakeWorker());
    return { worker: workers.at(-1) as unknown as Worker, module: { first: "", second: "" } };
  }, request => running.push(request?.do ?? null));
  await Promise.resolve();
  const asked = () => workers.at(-1)!.got.map(each => each.request.do);
  return { engine, workers, running, asked };
}

test("what is urgent overtakes what waits, not what runs", async () => {
  const { engine, workers, asked } = await started();
  engine.ask({ do: "outline" });
  engine.ask({ do: "check" });
  engine.ask({ do: "node", entry: 3 }, { urgency: 2 });
  engine.ask({ do: "save" }, { urgency: 1 });
  for (let times = 0; times < 4; times++) workers[0]!.answer();
  assert.deepEqual(asked(), ["outline", "node", "save", "check"]);
});

test("a request takes the place of a waiting one with the same key", async () => {
  const { engine, workers } = await started();
  engine.ask({ do: "outline" });
  const first = engine.ask({ do: "node", entry: 1 }, { instead: "node" });
  const second = engine.ask({ do: "node", entry: 2 }, { instead: "node" });
  await assert.rejects(first, Dropped);
  workers[0]!.answer();
  workers[0]!.answer({ kind: "box" });
  assert.equal((await second).kind, "box");
  assert.deepEqual(workers[0]!.got.at(-1)!.request, { do: "node", entry: 2 });
});

test("what soon ends needs no new worker, and what is asked meanwhile is kept", async () => {
  const { engine, workers, asked } = await started();
  const walk = assert.rejects(engine.ask({ do: "walk", machine: "m", query: never() }), Dropped);
  const waiting = assert.rejects(engine.ask({ do: "check" }), Dropped);
  const cancelled = engine.cancel();
  await Promise.all([walk, waiting]);
  const node = engine.ask({ do: "node", entry: 3 }, { urgency: 2 });
  workers[0]!.answer();
  workers[0]!.answer({ kind: "box" });
  assert.equal((await node).kind, "box");
  await cancelled;
  assert.equal(workers.length, 1);
  assert.deepEqual(asked(), ["walk", "node"]);
});

test("what changes the file and ends after it was cancelled is undone", async () => {
  const { engine, workers, asked } = await started();
  const opened = engine.ask({ do: "builtin", name: "forest" });
  workers[0]!.answer();
  await opened;
  const dropped = assert.rejects(engine.ask({ do: "builtin", name: "hairball" }), Dropped);
  const cancelled = engine.cancel();
  workers[0]!.answer();
  await Promise.all([dropped, cancelled]);
  assert.ok(workers[0]!.isTerminated);
  assert.deepEqual(asked(), ["builtin"]);
  assert.deepEqual(workers[1]!.got[0]!.request, { do: "builtin", name: "forest" });
});

test("an endless request ends with its worker, and the next goes to the new one", async () => {
  const { engine, workers, asked } = await started();
  const walk = assert.rejects(engine.ask({ do: "walk", machine: "m", query: never() }), Dropped);
  const cancelled = engine.cancel();
  const node = engine.ask({ do: "node", entry: 3 });
  await Promise.all([walk, cancelled]);
  await new Promise(resolve => setTimeout(resolve));
  assert.ok(workers[0]!.isTerminated);
  workers[1]!.answer({ kind: "box" });
  assert.equal((await node).kind, "box");
  assert.deepEqual(asked(), ["node"]);
});

test("a new worker is told the file and the edits, and nothing else", async () => {
  const { engine, workers, asked } = await started();
  const say = async (request: Parameters<typeof engine.ask>[0]) => {
    const answer = engine.ask(request);
    workers.at(-1)!.answer();
    await answer;
  };
  await say({ do: "builtin", name: "forest" });
  await say({ do: "builtin", name: "interior" });
  await say({ do: "check" });
  await say({ do: "edit", offset: 8, bit: 0, length: 1, value: "0x1" });
  const endless = engine.ask({ do: "walk", machine: "m", query: never() });
  const waiting = engine.ask({ do: "check" });
  const dropped = assert.rejects(endless, Dropped);
  const restarted = engine.restart();
  assert.ok(workers[0]!.isTerminated);
  for (let times = 0; times < 3; times++) {
    await new Promise(resolve => setTimeout(resolve));
    workers[1]!.answer();
  }
  await Promise.all([restarted, dropped, waiting]);
  assert.deepEqual(asked(), ["builtin", "edit", "check"]);
  assert.deepEqual(workers[1]!.got[0]!.request, { do: "builtin", name: "interior" });
});

test("a new worker that is stopped while it learns knows no less afterwards", async () => {
  const { engine, workers, asked } = await started();
  const opened = engine.ask({ do: "builtin", name: "forest" });
  workers[0]!.answer();
  await opened;
  const first = assert.rejects(engine.restart(), Dropped);
  const second = engine.restart();
  const node = engine.ask({ do: "node", entry: 0 }, { urgency: 2 });
  for (let times = 0; times < 2; times++) {
    await new Promise(resolve => setTimeout(resolve));
    workers[2]!.answer();
  }
  await Promise.all([first, second, node]);
  assert.deepEqual(asked(), ["builtin", "node"]);
});

test("nothing runs after what ran was stopped", async () => {
  const { engine, running } = await started();
  const endless = assert.rejects(engine.ask({ do: "builtin", name: "hairball" }), Dropped);
  await engine.restart();
  await endless;
  assert.deepEqual(running, ["builtin", null]);
});

test("when the module stops, all requests are told why, until it starts again", async () => {
  const { engine, workers } = await started();
  const running = assert.rejects(engine.ask({ do: "check" }), new Fatal("unreachable"));
  const waiting = assert.rejects(engine.ask({ do: "save" }), Fatal);
  workers[0]!.say({ fatal: "unreachable", id: 0 });
  await Promise.all([running, waiting]);
  await assert.rejects(engine.ask({ do: "save" }), Fatal);
  await engine.restart();
  const answer = engine.ask({ do: "about" });
  await new Promise(resolve => setTimeout(resolve));
  workers[1]!.answer({ version: "1" });
  assert.equal((await answer).version, "1");
});

function never(): Query {
  return { kind: "closest", ray: { origin: [0, 0, 0], direction: [0, 0, 1] } };
}
