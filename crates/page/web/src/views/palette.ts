// Colours that mean something in several views. They differ in lightness or stand far enough apart
// to be told apart by colour-blind eyes (after Okabe and Ito), on light and on dark ground.

export type Rgb = readonly [number, number, number];

/** What a machine made of a child's box. */
export const VERDICTS: Readonly<Record<string, { colour: Rgb; meaning: string }>> = {
  visit: { colour: [0, 158, 115], meaning: "the query meets the box" },
  miss: { colour: [140, 146, 156], meaning: "the query misses the box" },
  behind: { colour: [204, 121, 167], meaning: "the box begins behind the best hit or the end" },
  masked: { colour: [230, 159, 0], meaning: "the mask leaves it out" },
  culled: { colour: [213, 94, 0], meaning: "flags hide everything below it" },
};

export const HIT: Rgb = [240, 200, 20];
export const ACCENT: Rgb = [38, 132, 235];
export const SEVERITIES: readonly Rgb[] = [
  [140, 146, 156],
  [86, 150, 200],
  [230, 159, 0],
  [226, 60, 50],
];

/** Equally spaced points of the ramp of heat maps, the same as in the library's pictures. */
const RAMP: readonly Rgb[] = [
  [22, 11, 57],
  [46, 36, 110],
  [42, 74, 140],
  [28, 109, 146],
  [20, 143, 139],
  [52, 176, 117],
  [124, 203, 77],
  [205, 222, 60],
  [253, 240, 150],
];

const single = Math.fround;

/** The colour of a value from 0 to 1 on the ramp, rounded as the library rounds. */
export function ramp(value: number): Rgb {
  const place = single(single(value > 0 ? Math.min(value, 1) : 0) * (RAMP.length - 1));
  const left = Math.min(Math.trunc(place), RAMP.length - 2);
  const share = single(place - left);
  const channel = (k: number) => {
    const [a, b] = [RAMP[left]![k]!, RAMP[left + 1]![k]!];
    return Math.round(single(a + single((b - a) * share)));
  };
  return [channel(0), channel(1), channel(2)];
}

/** A colour of its own for a number, of middle lightness. */
export function ofId(id: number): Rgb {
  const turn = (Math.imul(id + 1, 0x9e3779b1) >>> 0) / 2 ** 32;
  const light = 0.52 + 0.12 * (((Math.imul(id + 7, 0x85ebca6b) >>> 0) % 3) - 1);
  return hsl(turn, 0.55, light);
}

function hsl(hue: number, saturation: number, light: number): Rgb {
  const span = saturation * Math.min(light, 1 - light);
  const channel = (n: number) => {
    const k = (n + hue * 12) % 12;
    return Math.round(255 * (light - span * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

/** A colour as CSS writes it. */
export function css([r, g, b]: Rgb, alpha = 1): string {
  return `rgb(${r} ${g} ${b} / ${alpha})`;
}
