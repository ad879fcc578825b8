// Says how large the page is as a browser loads it, and fails if it is too large:
// `node sizes.mjs FOLDER`.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

/** Bytes with brotli. */
const limits = { "siliray.wasm": 700_000, all: 1_500_000 };

const [folder] = process.argv.slice(2);
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
for (const [name, limit] of Object.entries(limits)) {
  const size = sizes[name] ?? 0;
  console.log(`${name}: ${size} bytes with brotli, ${limit} at most`);
  if (size > limit) process.exitCode = 1;
}
