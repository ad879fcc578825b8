// The rendered picture on the screen: as large as it fits, each pixel with its place and count.

import { h } from "../../dom";
import type { Pixels } from "./colours";

/** The longer side of a picture that fits the field, at most. */
const MOST = 640;

export interface Shown {
  size: readonly [number, number];
  pixels: Pixels;
}

export interface Hands {
  /** The pixel under the pointer, or null. */
  over(pixel: [number, number] | null): void;
  /** The pixel that was clicked. */
  take(pixel: [number, number]): void;
}

export class PictureCanvas {
  readonly element: HTMLElement;
  readonly canvas = h("canvas", {
    class: "heat-canvas", tabindex: 0, role: "img",
    "aria-label": "The picture. Arrow keys move over pixels, Enter steps the ray of one.",
  });
  private readonly cursor = h("i", { class: "heat-cursor", hidden: true });
  private size: readonly [number, number] = [1, 1];
  private pixel: [number, number] | null = null;

  constructor(private readonly hands: Hands) {
    this.element = h("div", { class: "heat-field" }, this.canvas, this.cursor);
    this.canvas.addEventListener("pointermove", (event) => this.point(this.pixelAt(event)));
    this.canvas.addEventListener("pointerleave", () => this.point(null));
    this.canvas.addEventListener("click", (event) => {
      const pixel = this.pixelAt(event);
      if (pixel) hands.take(pixel);
    });
    this.canvas.addEventListener("keydown", (event) => this.press(event));
    new ResizeObserver(() => this.placeCursor()).observe(this.element);
  }

  show({ size, pixels }: Shown): void {
    const [width, height] = size;
    this.size = size;
    if (this.canvas.width !== width || this.canvas.height !== height) {
      [this.canvas.width, this.canvas.height] = [width, height];
      this.pixel = null;
      this.placeCursor();
    }
    this.canvas.getContext("2d")!.putImageData(new ImageData(pixels, width, height), 0, 0);
  }

  /** A size that fills the field without a margin. */
  get fit(): readonly [number, number] {
    const { clientWidth, clientHeight } = this.canvas;
    const share = Math.min(1, MOST / Math.max(clientWidth, clientHeight, 1));
    const side = (length: number) => Math.max(16, 8 * Math.round((length * share) / 8));
    return [side(clientWidth), side(clientHeight)];
  }

  /** Where the picture lies within its canvas, which keeps its shape. */
  private get frame(): { left: number; top: number; scale: number } {
    const { clientWidth, clientHeight } = this.canvas;
    const [width, height] = this.size;
    const scale = Math.min(clientWidth / width, clientHeight / height);
    const [left, top] = [(clientWidth - width * scale) / 2, (clientHeight - height * scale) / 2];
    return { left, top, scale };
  }

  private pixelAt(event: MouseEvent): [number, number] | null {
    const { left, top, scale } = this.frame;
    const x = Math.floor((event.offsetX - left) / scale);
    const y = Math.floor((event.offsetY - top) / scale);
    const [width, height] = this.size;
    return x >= 0 && y >= 0 && x < width && y < height ? [x, y] : null;
  }

  private press(event: KeyboardEvent): void {
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
    };
    if (event.key === "Enter" && this.pixel) return this.hands.take(this.pixel);
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const [width, height] = this.size;
    const [x, y] = this.pixel ?? [width >> 1, height >> 1];
    const far = event.shiftKey ? 10 : 1;
    const clamp = (value: number, end: number) => Math.min(Math.max(value, 0), end - 1);
    this.point([clamp(x + far * move[0], width), clamp(y + far * move[1], height)]);
  }

  private point(pixel: [number, number] | null): void {
    this.pixel = pixel;
    this.placeCursor();
    this.hands.over(pixel);
  }

  private placeCursor(): void {
    const { pixel, cursor } = this;
    cursor.hidden = pixel === null;
    if (!pixel) return;
    const { left, top, scale } = this.frame;
    const side = Math.max(scale, 9);
    const place = (from: number, at: number) => `${from + (at + 0.5) * scale - side / 2}px`;
    cursor.style.left = place(left + this.canvas.offsetLeft, pixel[0]);
    cursor.style.top = place(top + this.canvas.offsetTop, pixel[1]);
    cursor.style.width = cursor.style.height = `${side}px`;
  }
}
