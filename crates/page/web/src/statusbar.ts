// The line at the bottom: sums of the file, what is computed now, and what went wrong.

import { fill, h } from "./dom";
import { bytes, count, seconds } from "./format";
import { icon } from "./icons";
import type { Page, Problem } from "./store";

/** Work that ends sooner is not worth a word. */
const PATIENCE = 250;

const NOTE_TIME = 2500;

export function mountStatusbar(page: Page): HTMLElement {
  const sums = h("span", { class: "sums" });
  const work = h("span", { class: "busy", role: "status" });
  const problem = h("div", { class: "problem", role: "alert", hidden: true });
  const progress = h("div", { class: "progress", hidden: true, "aria-hidden": "true" });

  page.on("summary", () => {
    const { summary } = page.state;
    if (!summary) return fill(sums);
    fill(sums, ...summary.totals.filter(total => total.count > 0).map(total =>
      h("span", {}, `${total.label} `, h("b", {}, count(total.count)))),
    h("span", {}, "size ", h("b", {}, bytes(summary.bytes))));
  });

  const doing = h("span", {});
  // The same button all the time: a new one would lose its focus, or half of a click.
  const cancel = h("button", { class: "quiet", onclick: () => void page.cancel() }, "Cancel");
  const leave = (found: Problem) => {
    if (page.state.problem === found) page.set({ problem: null });
  };
  const show = () => {
    const { busy } = page.state;
    const waited = busy ? performance.now() - busy.since : 0;
    const isLong = busy !== null && waited > PATIENCE;
    progress.hidden = !isLong;
    if (!isLong) return fill(work);
    doing.textContent = `${busy.text} … ${seconds(waited)}`;
    if (!cancel.isConnected) fill(work, doing, cancel);
  };
  setInterval(show, 200);
  page.on("busy", () => {
    if (!page.state.busy) show();
  });

  page.on(["problem", "summary", "program"], () => {
    const { problem: found, summary, program } = page.state;
    // Without a file, the empty page shows it where files are dropped.
    problem.hidden = !found || !(summary || program);
    if (!found) return;
    problem.classList.toggle("is-note", found.isNote === true);
    if (found.isNote) setTimeout(() => leave(found), NOTE_TIME);
    fill(problem, h("span", { class: "text" }, found.text,
      found.hint && h("span", { class: "muted" }, ` ${found.hint}`)),
    h("button", {
      class: "quiet tool", "aria-label": "Dismiss", onclick: () => page.set({ problem: null }),
    }, icon("close")));
  });
  return h("footer", { class: "statusbar" }, progress, problem, sums, work);
}
