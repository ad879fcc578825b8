// Runs the module. One request at a time: the main thread keeps the queue.

import { encodeHead, responseLength } from "./message";

interface Module {
  memory: WebAssembly.Memory;
  reserve(length: number): number;
  answer(): number;
  /** The bytes that could not be had, after it stopped. */
  shortage(): number;
}

/** To the worker: first the module itself or where it is, then requests. */
export type ToWorker =
  | { load: ArrayBuffer | string }
  | { id: number; request: object; payload?: Blob };

/**
 * From the worker. `refused`: the payload cannot be read; `fatal`: the instance is lost, and with
 * it the file.
 */
export type FromWorker =
  | { loaded: true }
  | { id: number; response: ArrayBuffer }
  | { id: number; refused: string }
  | { fatal: string; id?: number };

let ready: Module | null = null;

self.onmessage = async (event: MessageEvent<ToWorker>) => {
  const message = event.data;
  if ("load" in message) {
    try {
      ready = await load(message.load);
      reply({ loaded: true });
    } catch (error) {
      reply({ fatal: `siliray.wasm does not load: ${error}` });
    }
    return;
  }
  const { id, request } = message;
  let payload: ArrayBuffer | undefined;
  try {
    payload = await message.payload?.arrayBuffer();
  } catch (error) {
    return reply({ id, refused: `the file cannot be read any more: ${error}` });
  }
  if (!ready) return reply({ id, fatal: "siliray.wasm is not loaded" });
  try {
    const response = answer(ready, request, payload);
    reply({ id, response }, [response]);
  } catch (error) {
    const stopped = ready;
    ready = null;
    reply({ id, fatal: reason(stopped, error) });
  }
};

/** Why the module stopped, in words. */
function reason(module: Module, error: unknown): string {
  const missing = module.shortage() >>> 0;
  if (!missing) return `the module stopped: ${error}`;
  const [held, more] = [module.memory.buffer.byteLength, missing]
    .map(bytes => (bytes / 2 ** 20).toFixed(0));
  return `there is not enough memory: ${more} MB more are needed beside ${held} MB, `
    + "and a page may have 4096 MB";
}

async function load(source: ArrayBuffer | string): Promise<Module> {
  let bytes = source;
  if (typeof bytes === "string") {
    const found = await fetch(bytes);
    if (!found.ok) throw new Error(`${found.status} ${found.statusText}`);
    bytes = await found.arrayBuffer();
  }
  const { instance } = await WebAssembly.instantiate(bytes, {});
  return instance.exports as unknown as Module;
}

function answer(module: Module, request: object, payload?: ArrayBuffer): ArrayBuffer {
  const head = encodeHead(request);
  const length = head.length + (payload?.byteLength ?? 0);
  const at = module.reserve(length) >>> 0;
  const place = new Uint8Array(module.memory.buffer, at, length);
  place.set(head);
  if (payload) place.set(new Uint8Array(payload), head.length);
  const start = module.answer() >>> 0;
  const memory = module.memory.buffer;
  return memory.slice(start, start + responseLength(memory, start));
}

function reply(message: FromWorker, transfer: Transferable[] = []): void {
  (self as unknown as Worker).postMessage(message, transfer);
}
