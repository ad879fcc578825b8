// The camera that the page gives a file without one: it fits the scene into a picture of 4 to 3.

import { join } from "node:path";
import { tmpdir } from "node:os";
import { siliray } from "./browser.mjs";

/** As `--camera` takes it. */
export function ownCamera(path) {
  const output = join(tmpdir(), `siliray-camera-${process.pid}.png`);
  const words = ["--size", "80x60", "--samples", "1", "-o", output, "--json"];
  return JSON.parse(siliray("render", path, ...words)).camera.join(",");
}
