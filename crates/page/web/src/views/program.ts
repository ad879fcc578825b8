import type { Page } from "../store";

export function mount(host: HTMLElement, _page: Page): void {
  host.textContent = "program";
}
