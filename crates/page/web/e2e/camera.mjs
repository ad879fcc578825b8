// The camera that the page gives a file without one: it fits the scene into a picture of 4 to 3.

import { siliray } from "./browser.mjs";

/** As `--camera` takes it. */
export function ownCamera(path) {
  const words = ["--size", "80x60", "--samples", "1", "-o", `${path}.png`, "--json"];
  return JSON.parse(siliray("render", path, ...words)).camera.join(",");
}
