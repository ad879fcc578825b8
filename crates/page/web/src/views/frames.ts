// The frames of oriented nodes: asked for once, there a moment later.

import type { Page } from "../store";

export type Frame = number[] | null;

export class Frames {
  private readonly known = new Map<number, Frame>();
  private of = "";

  /** `changed` is called when a frame that was asked for has come. */
  constructor(
    private readonly page: Page,
    private readonly changed: () => void,
  ) {}

  /** The frame of an entry's node, null while it is unknown. */
  at(entry: number | null): Frame {
    if (entry === null) return null;
    const { summary, revision } = this.page.state;
    const file = `${summary?.hash} ${revision}`;
    if (file !== this.of) this.known.clear();
    this.of = file;
    const known = this.known.get(entry);
    if (known !== undefined) return known;
    this.known.set(entry, null);
    this.page.ask({ do: "node", entry }, { urgency: 1 }).then(
      ({ frame }) => {
        this.known.set(entry, frame);
        if (frame) this.changed();
      },
      () => this.known.delete(entry),
    );
    return null;
  }
}
