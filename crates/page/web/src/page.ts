// Starts the page.

import { Engine } from "./engine";
import { mountShell } from "./shell";
import { startWorker } from "./sources";
import { Store } from "./store";

const engine = new Engine(startWorker, () => undefined);
const page = new Store(engine);
mountShell(document.body, page);
