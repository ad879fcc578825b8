import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeResponse, encodeHead, responseLength } from "../src/message";
import { Refusal } from "../src/protocol";

/** A response as the module writes it. */
function response(json: object, payload: Uint8Array, before = 0): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const bytes = new Uint8Array(before + 8 + payload.length + text.length);
  const view = new DataView(bytes.buffer, before);
  view.setUint32(0, text.length, true);
  view.setUint32(4, payload.length, true);
  bytes.set(payload, before + 8);
  bytes.set(text, before + 8 + payload.length);
  return bytes.buffer;
}

test("a request begins with the length of its JSON in bytes, not in characters", () => {
  const head = encodeHead({ do: "open", name: "Würfel.rra" });
  const length = new DataView(head.buffer).getUint32(0, true);
  assert.equal(length, head.length - 4);
  const json = JSON.parse(new TextDecoder().decode(head.subarray(4)));
  assert.deepEqual(json, { do: "open", name: "Würfel.rra" });
});

test("arrays of a response are found before the JSON, whatever the JSON's length", () => {
  for (let letters = 0; letters < 9; letters++) {
    const payload = new Uint8Array(24);
    const view = new DataView(payload.buffer);
    view.setUint16(0, 7, true);
    view.setUint16(2, 65535, true);
    view.setFloat32(8, 1.5, true);
    view.setBigUint64(16, 0x123456789abcdef0n, true);
    const arrays = {
      depth: { type: "u16", at: 8, length: 2 },
      cost: { type: "f32", at: 16, length: 1 },
      pointer: { type: "u64", at: 24, length: 1 },
    };
    const answer = decodeResponse(response({ ok: { name: "x".repeat(letters) }, arrays }, payload));
    assert.deepEqual(answer, {
      name: "x".repeat(letters),
      arrays: {
        depth: Uint16Array.of(7, 65535),
        cost: Float32Array.of(1.5),
        pointer: BigUint64Array.of(0x123456789abcdef0n),
      },
    });
  }
});

test("the length of a response in memory is known from its first bytes", () => {
  const memory = response({ ok: {} }, new Uint8Array(5), 40);
  assert.equal(responseLength(memory, 40), memory.byteLength - 40);
});

test("an error is the library's words and its hint", () => {
  const refused = response({ error: { text: "no tree", hint: "try another" } }, new Uint8Array());
  assert.throws(() => decodeResponse(refused), (error: unknown) =>
    error instanceof Refusal && error.message === "no tree" && error.hint === "try another");
});
