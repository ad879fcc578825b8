// Keyboard shortcuts: one list, which the help sheet and the command list show as well.

export interface Shortcut {
  /** As `KeyboardEvent.key` names it, with `Ctrl+` (or ⌘) and `Shift+` in front where needed. */
  keys: readonly string[];
  group: string;
  text: string;
  act: () => void;
  /** Whether it does anything now; always, unless given. */
  isOn: () => boolean;
}

const all: Shortcut[] = [];

/** `shortcut("Space", "Fit the view to the selection", ["f"], fit)` */
export function shortcut(
  group: string, text: string, keys: readonly string[], act: () => void, isOn = () => true,
): void {
  all.push({ keys, group, text, act, isOn });
}

export function shortcuts(): readonly Shortcut[] {
  return all;
}

export function listenToKeys(target: EventTarget): void {
  target.addEventListener("keydown", event => {
    const pressed = event as KeyboardEvent;
    if (pressed.defaultPrevented) return;
    if (isTaken(pressed)) return void leaveField(pressed);
    const name = nameOf(pressed);
    const found = all.find(each => each.keys.includes(name) && each.isOn());
    if (!found) return;
    pressed.preventDefault();
    found.act();
  });
}

/** `Ctrl` stands for ⌘ as well; Shift is named only where it does not change the character. */
export function nameOf(event: KeyboardEvent): string {
  const { key } = event;
  const isLetter = key.length === 1 && key.toLowerCase() !== key.toUpperCase();
  const parts: string[] = [];
  if (event.ctrlKey || event.metaKey) parts.push("Ctrl");
  if (event.altKey) parts.push("Alt");
  if (event.shiftKey && (isLetter || key.length > 1)) parts.push("Shift");
  return [...parts, isLetter ? key.toLowerCase() : key].join("+");
}

/** Escape gives the keys back: from a field to its panel. */
function leaveField({ key, target }: KeyboardEvent): void {
  if (key !== "Escape" || document.querySelector("dialog[open]")) return;
  (target as HTMLElement).closest<HTMLElement>(".panel")?.focus();
}

/** Keys that the focused element needs itself. */
function isTaken(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  if (!target?.matches) return false;
  if (document.querySelector("dialog[open]")) return true;
  if (event.ctrlKey || event.metaKey) return false;
  return target.matches("input:not([type=checkbox]):not([type=range]), textarea, select");
}
