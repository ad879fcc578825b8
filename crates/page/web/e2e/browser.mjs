// A browser, a server for the built folder, and files to open.

import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const shots = join(dirname(fileURLToPath(import.meta.url)), "../shots");

const types = {
  ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm",
};

const flags = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
];

export const desktop = { width: 1280, height: 720 };
export const phone = { width: 390, height: 844 };

/** Starts browser and server; `close` ends both and removes the files that were made. */
export async function start() {
  const folder = process.env.PAGE_FOLDER;
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://host").pathname);
    const name = path === "/" ? "index.html" : path.slice(1);
    try {
      const content = readFileSync(join(folder, name));
      response.writeHead(200, { "content-type": types[extname(name)] ?? "text/plain" });
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise(done => server.listen(0, "127.0.0.1", done));
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: flags });
  const files = mkdtempSync(join(tmpdir(), "siliray-page-"));
  mkdirSync(shots, { recursive: true });
  return {
    address: `http://127.0.0.1:${server.address().port}/`,
    browser,
    files,
    async close() {
      await browser.close();
      server.close();
      rmSync(files, { recursive: true });
    },
  };
}

/** A page at the address, and everything that its console complained about. */
export async function visit(world, { size = desktop, theme = "light", hash = "" } = {}) {
  const context = await world.browser.newContext({
    viewport: size, colorScheme: theme, hasTouch: size === phone, acceptDownloads: true,
  });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", message => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", error => complaints.push(String(error)));
  await page.goto(world.address + hash);
  const first = page.locator(".card:visible, .tree-row:visible").first();
  await first.waitFor({ timeout: 30_000 });
  return { page, complaints };
}

/** What siliray prints with `--json`. A finding makes it fail, but the object is there. */
export function siliray(...words) {
  try {
    return run(words);
  } catch (error) {
    return String(error.stdout);
  }
}

function run(words) {
  return execFileSync(process.env.SILIRAY, words, {
    encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Drops a file onto the page, as a hand would. */
export async function drop(page, name, bytes) {
  const transfer = await page.evaluateHandle(([name, base64]) => {
    const content = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], name));
    return transfer;
  }, [name, Buffer.from(bytes).toString("base64")]);
  await page.dispatchEvent("body", "dragenter", { dataTransfer: transfer });
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

/** Waits until a file is open, its tree drawn and its first node decoded. */
export async function opened(page, name) {
  await page.waitForFunction(name =>
    document.querySelector(".file-name")?.textContent === name
    && document.querySelector(".fields tbody tr"), name, { timeout: 60_000 });
}

export async function shot(page, name) {
  await page.waitForTimeout(250);
  await page.screenshot({ path: join(shots, `${name}.png`) });
}
