// Makes elements. Text is always text: nothing from a file is ever read as markup.

type Props = Record<string, unknown>;
type Child = Node | string | number | null | undefined | false;

/** `h("button", { class: "quiet", onclick: act, "aria-label": "Close" }, "×")` */
export function h<T extends keyof HTMLElementTagNameMap>(
  tag: T, props: Props = {}, ...children: Child[]
): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === "value") (element as HTMLInputElement).value = String(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

/** Replaces what is in an element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === "number" ? String(child) : child);
  }
}
