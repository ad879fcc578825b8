// Floats as people read them.

/** A float of 32 bits with no more digits than tell it apart. */
export function single(value: number): string {
  if (!Number.isFinite(value)) return String(value).replace("Infinity", "∞");
  for (let digits = 6; digits < 9; digits++) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === Math.fround(value)) return String(text);
  }
  return String(value);
}
