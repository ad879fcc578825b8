// Undo and redo: a line of things done, and a place on it.

export class History<T> {
  private line: T[] = [];
  private place = 0;

  /** Does one more; what was undone is forgotten. */
  push(done: T): void {
    this.line.length = this.place;
    this.line.push(done);
    this.place++;
  }

  /** What has to be undone, if there is something. */
  back(): T | null {
    return this.place > 0 ? this.line[--this.place]! : null;
  }

  /** What has to be done again, if there is something. */
  forth(): T | null {
    return this.place < this.line.length ? this.line[this.place++]! : null;
  }

  clear(): void {
    this.line = [];
    this.place = 0;
  }

  /** What is done, the first one first. */
  get all(): readonly T[] { return this.line.slice(0, this.place); }

  get undone(): number { return this.line.length - this.place; }

  get done(): number { return this.place; }
}
