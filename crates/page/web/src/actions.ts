// What buttons and keys do, by name.

import type { Layout } from "./opening";

export interface Actions {
  pickFile(): void;
  openBuiltin(name: string, layout?: Layout): void;
  openExample(name: string): void;
  openProgram(): void;
  openAgain(change: { structure?: number; format?: string }): Promise<void>;
  close(): void;
  goTo(): void;
  help(): void;
  copyLink(): void;
  changeTheme(): void;
  showFindings(): void;
  undo(): void;
  redo(): void;
  save(): void;
}
