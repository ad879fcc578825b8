// Says how large the page is as a browser loads it, and fails if it is too large, unless any size
// will do: `node sizes.mjs [--any] FOLDER`.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

/** Bytes with brotli: of the part of the module that opens a file, and of the whole page. */
const most = { "siliray.wasm": 700_000, all: 1_500_000 };

const words = process.argv.slice(2);
const isBound = words[0] !== "--any";
const folder = words.at(-1);
const sizes = { all: 0 };
for (const name of await readdir(folder)) {
  const bytes = await readFile(join(folder, name));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  sizes[name] = brotliCompressSync(bytes, { params }).length;
  sizes.all += sizes[name];
}
for (const [name, bytes] of Object.entries(sizes)) {
  const limit = most[name] ? `, ${most[name]} at most` : "";
  console.log(`${name}: ${bytes} bytes with brotli${limit}`);
  if (isBound && bytes > (most[name] ?? Infinity)) process.exitCode = 1;
}
