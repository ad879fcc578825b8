// Says how large the page is as a browser loads it, and fails if it is too large:
// `node sizes.mjs FOLDER`.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

/** Bytes of the whole page with brotli. */
const most = 1_500_000;

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
console.log(`with brotli: siliray.wasm ${sizes["siliray.wasm"] ?? 0} bytes, `
  + `all ${sizes.all} bytes, ${most} at most`);
if (sizes.all > most) process.exitCode = 1;
