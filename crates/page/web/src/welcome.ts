// The page without a file: what can be opened, and three examples that teach.

import { fill, h } from "./dom";
import { count } from "./format";
import { icon } from "./icons";
import type { Actions } from "./actions";
import type { Page } from "./store";

const sizes = [5_000, 50_000, 500_000, 1_000_000];

export function mountWelcome(page: Page, actions: Actions): HTMLElement {
  const offers = h("div", { class: "offers" });
  const size = h("select", { "aria-label": "Triangles of a built-in scene" },
    ...sizes.map(each => h("option", { value: each }, count(each))));
  size.value = String(sizes[1]);
  const open = (name: string) => actions.openBuiltin(name, { triangles: Number(size.value) });
  const promise = h("p", { class: "muted" },
    "Nothing leaves this machine: siliray itself runs in the page.");
  const problem = h("p", { class: "refusal", role: "alert", hidden: true });
  const host = h("main", { class: "welcome" },
    h("div", { class: "sheet" },
      h("h1", {}, "See the tree, the ray and the bytes"),
      h("p", { class: "lead" },
        "Ray-tracing acceleration structures, explained to the bit: AMD RDNA2 to RDNA4, NVIDIA's ",
        "tree traversal unit, XPHMG_RT, CWBVH; and ISBE memory."),
      h("button", { class: "drop-target", onclick: actions.pickFile },
        icon("drop"),
        h("span", {}, h("strong", {}, "Drop a file here"), " or choose one"),
        h("span", { class: "muted" },
          ".rra  .bin  .isbe, or a mesh or scene to build: .ply  .obj  .stl  .glb  .toml")),
      problem, promise, offers));

  const update = () => {
    const { about, link } = page.state;
    if (link?.origin) {
      fill(promise, `This link is about ${link.origin.name}. Drop that file to go there.`);
      promise.className = "wanted";
    }
    if (!about) return;
    fill(offers,
      h("h2", { class: "heading" }, "Examples that teach"),
      h("ul", { class: "cards" }, ...about.examples.map(example =>
        h("li", {}, h("button", { class: "card", onclick: () => actions.openExample(example.name) },
          h("strong", {}, example.title), h("span", { class: "muted" }, example.text))))),
      h("h2", { class: "heading" }, "Built-in scenes",
        h("label", { class: "label" }, "of about", size, "triangles")),
      h("ul", { class: "cards small" }, ...about.builtins.map(scene =>
        h("li", {}, h("button", { class: "card", onclick: () => open(scene.name) },
          h("strong", {}, scene.name),
          h("span", { class: "muted" }, scene.summary ?? ""))))),
      h("p", {}, "Or step through a program on the hart: drop an ELF file or assembler text, or ",
        h("button", { class: "link", onclick: actions.openProgram }, "one ray and one triangle"),
        "."));
  };
  page.on("problem", () => {
    const found = page.state.problem;
    problem.hidden = !found;
    fill(problem, found?.text, found?.hint && h("span", { class: "muted" }, ` ${found.hint}`));
  });
  page.on(["about", "link"], update);
  update();
  return host;
}
