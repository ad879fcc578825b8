// Runs the module. One request at a time: the main thread keeps the queue. The module has two
// parts; it asks for the second one when it first needs what is there.

import { encodeHead, free, responseLength } from "./message";

interface Module {
  memory: WebAssembly.Memory;
  reserve(length: number): number;
  answer(): number;
  /** The bytes that could not be had, after it stopped. */
  shortage(): number;
}

/** The two parts of the module, or where they are. */
export interface Parts { first: ArrayBuffer | string; second: ArrayBuffer | string }

/** To the worker: first the module, then requests. */
export type ToWorker =
  | { load: Parts }
  | { id: number; request: object; payload?: Blob; room?: ArrayBuffer; token: string };

/**
 * From the worker. `share`: how much is read or done; `refused`: there is no answer, but the
 * file is still open; `fatal`: the instance is lost, and with it the file.
 */
export type FromWorker =
  | { loaded: true }
  | { id: number; share: number }
  | { id: number; response: ArrayBuffer }
  | { id: number; refused: string }
  | { fatal: string; id?: number };

/** What cannot be done leaves the module as it was. */
class Refused extends Error {}

/** Bytes that the memory of a module can have. */
const MOST_BYTES = 2 ** 32;

/** Bytes of a payload that are read at once. */
const PIECE = 1 << 20;

/** Milliseconds between two words about how much is done. */
const PAUSE = 50;

let ready: Module | null = null;
/** An address that is never revoked, and whether such addresses can be asked for. */
const here = URL.createObjectURL(new Blob(["here"]));
let canStop: boolean | undefined;
/** What runs: who hears of it, and the address that exists as long as somebody waits for it. */
let running: { tell(share: number): void; token: string; told: number };

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
  const { id, request, payload, room, token } = message;
  if (!ready) return reply({ id, fatal: "siliray.wasm is not loaded" });
  const tell = (share: number) => reply({ id, share });
  running = { tell, token, told: performance.now() };
  try {
    const response = taken(room, await answer(ready, request, payload, tell));
    reply({ id, response }, [response]);
  } catch (error) {
    if (error instanceof Refused) return reply({ id, refused: error.message });
    const stopped = ready;
    ready = null;
    reply({ id, fatal: reason(stopped, error) });
  }
};

/** Why the module stopped, in words. */
function reason(module: Module, error: unknown): string {
  const missing = module.shortage() >>> 0;
  return missing ? shortageOf(module, missing) : `the module stopped: ${error}`;
}

/** What is said where so many bytes cannot be had. */
function shortageOf(module: Module, missing: number): string {
  const [held, more, most] = [module.memory.buffer.byteLength, missing, MOST_BYTES]
    .map(bytes => (bytes / 2 ** 20).toFixed(0));
  return `there is not enough memory: ${more} MB more are needed beside ${held} MB, `
    + `and a page may have ${most} MB`;
}

async function load({ first, second }: Parts): Promise<Module> {
  let bytes = first;
  if (typeof bytes === "string") {
    const found = await fetch(bytes);
    if (!found.ok) throw new Error(`${found.status} ${found.statusText}`);
    bytes = await found.arrayBuffer();
  }
  const more = () => {
    const part = new WebAssembly.Module(typeof second === "string" ? fetchNow(second) : second);
    new WebAssembly.Instance(part, { siliray: instance.exports });
  };
  const { instance } = await WebAssembly.instantiate(bytes, { siliray: { more, tell } });
  return instance.exports as unknown as Module;
}

/**
 * Hears how much is done while the module works, and says whether that is still wanted. No message
 * reaches a worker meanwhile, but an address can be asked for: it is revoked to stop the work.
 * Pages from a file have no such addresses; there only a new worker stops it.
 */
function tell(share: number): number {
  const now = performance.now();
  if (now - running.told < PAUSE) return 0;
  running.told = now;
  running.tell(share);
  canStop ??= exists(here);
  return canStop && !exists(running.token) ? 1 : 0;
}

function exists(address: string): boolean {
  try {
    const request = new XMLHttpRequest();
    request.open("GET", address, false);
    request.send();
    return request.status === 200;
  } catch {
    return false;
  }
}

/** Fetches while the module waits: it cannot be left in the middle of a call. */
function fetchNow(address: string): ArrayBuffer {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  request.responseType = "arraybuffer";
  request.send();
  if (request.status === 200) return request.response;
  throw new Error(`more.wasm does not load: ${request.status} ${request.statusText}`);
}

/** A copy of a response, in the room that there is for it, if that is large enough. */
function taken(room: ArrayBuffer | undefined, response: Uint8Array<ArrayBuffer>): ArrayBuffer {
  const copy = room && room.byteLength >= response.length ? room : new ArrayBuffer(response.length);
  new Uint8Array(copy).set(response);
  return copy;
}

/** Writes a request where the module says, the payload piece by piece, and finds the response. */
async function answer(
  module: Module, request: object, payload: Blob | undefined, tell: (share: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const head = encodeHead(request);
  const size = payload?.size ?? 0;
  const length = head.length + size;
  const at = length < MOST_BYTES ? module.reserve(length) >>> 0 : 0;
  if (!at) throw new Refused(shortageOf(module, length));
  new Uint8Array(module.memory.buffer).set(head, at);
  for (let start = 0; payload && start < size; start += PIECE) {
    if (size > PIECE) tell(start / size);
    let piece: ArrayBuffer;
    try {
      piece = await payload.slice(start, start + PIECE).arrayBuffer();
    } catch (error) {
      throw new Refused(`the file cannot be read any more: ${error}`);
    }
    new Uint8Array(module.memory.buffer).set(new Uint8Array(piece), at + head.length + start);
    free(piece);
  }
  const start = module.answer() >>> 0;
  const memory = module.memory.buffer;
  return new Uint8Array(memory, start, responseLength(memory, start));
}

function reply(message: FromWorker, transfer: Transferable[] = []): void {
  (self as unknown as Worker).postMessage(message, transfer);
}
