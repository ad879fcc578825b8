// The bytes of a request and of a response, as the crate `page` reads and writes them.
//
// Request:  u32 length of the JSON, JSON, payload.
// Response: u32 length of the JSON, u32 length of the payload, payload, JSON; arrays of the payload
//           lie at multiples of 8 from the start. Integers are little-endian.

import { Refusal, type ArrayType, type TypedArray } from "./protocol";

const makers: Record<ArrayType, (bytes: ArrayBuffer, at: number, length: number) => TypedArray> = {
  u8: (bytes, at, length) => new Uint8Array(bytes, at, length),
  u16: (bytes, at, length) => new Uint16Array(bytes, at, length),
  u32: (bytes, at, length) => new Uint32Array(bytes, at, length),
  u64: (bytes, at, length) => new BigUint64Array(bytes, at, length),
  f32: (bytes, at, length) => new Float32Array(bytes, at, length),
  f64: (bytes, at, length) => new Float64Array(bytes, at, length),
};

/** Bytes of the two lengths. */
const HEAD = 8;

type ArrayPlaces = Record<string, { type: ArrayType; at: number; length: number }>;

/** A request's bytes up to the payload, which is written behind them. */
export function encodeHead(request: object): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(request));
  const bytes = new Uint8Array(4 + json.length);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 4);
  return bytes;
}

/** How long the response at `at` is, which memory alone does not tell. */
export function responseLength(memory: ArrayBuffer, at: number): number {
  const view = new DataView(memory, at);
  return HEAD + view.getUint32(4, true) + view.getUint32(0, true);
}

/** What a response holds; throws a `Refusal` if the library refused. */
export function decodeResponse(bytes: ArrayBuffer): object {
  const view = new DataView(bytes);
  const text = new Uint8Array(bytes, HEAD + view.getUint32(4, true), view.getUint32(0, true));
  const json = JSON.parse(new TextDecoder().decode(text));
  if (json.error) throw new Refusal(json.error.text, json.error.hint ?? null);
  const arrays: Record<string, TypedArray> = {};
  for (const [name, place] of Object.entries((json.arrays ?? {}) as ArrayPlaces)) {
    arrays[name] = makers[place.type](bytes, place.at, place.length);
  }
  return { ...json.ok, arrays };
}

/** Gives the memory of a buffer back now, where the browser can: garbage may wait for long. */
export function free(buffer: ArrayBufferLike): void {
  (buffer as { transfer?(length: number): void }).transfer?.(0);
}
