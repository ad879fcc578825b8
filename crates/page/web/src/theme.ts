// Light or dark: as the system has it, unless a hand says otherwise.

import type { Page, Theme } from "./store";

const order: readonly Theme[] = ["system", "light", "dark"];
const STORED = "siliray-theme";

export function listenToTheme(page: Page): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const { theme } = page.state;
    const isDark = theme === "dark" || (theme === "system" && system.matches);
    document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
  };
  page.on("theme", () => {
    apply();
    remember(page.state.theme);
  });
  // Views that draw with colours of their own listen to `theme`: a change of the system's is one.
  system.addEventListener("change", () => {
    const { theme } = page.state;
    apply();
    if (theme === "system") {
      page.set({ theme: "light" });
      page.set({ theme });
    }
  });
  page.set({ theme: remembered() });
  apply();
}

/** Whether what is drawn stands on dark ground now. */
export function isDark(): boolean {
  return document.documentElement.dataset["theme"] === "dark";
}

export function nextTheme(theme: Theme): Theme {
  return order[(order.indexOf(theme) + 1) % order.length]!;
}

// An exported page has no origin, and then no storage: the system's choice is good enough there.
function remembered(): Theme {
  try {
    const found = localStorage.getItem(STORED);
    return order.find(each => each === found) ?? "system";
  } catch {
    return "system";
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(STORED, theme);
  } catch {
    return;
  }
}
