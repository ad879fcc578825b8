// The picture of space: a renderer that draws when something has changed, and never otherwise.

import * as THREE from "three";
import { fovIn } from "../../field_of_view";
import type { Camera } from "../../protocol";
import type { Bounds, Point } from "./affine";
import { Backdrop } from "./backdrop";

export class Stage {
  /** Boxes and lines. */
  readonly scene = new THREE.Scene();
  /** Surfaces. */
  readonly backdrop = new Backdrop();
  readonly camera = new THREE.PerspectiveCamera(45, 1, 0.01, 1000);
  readonly target = new THREE.Vector3();
  readonly renderer: THREE.WebGLRenderer;
  /** What there is in all: how far the camera has to see. */
  extent: Bounds | null = null;
  /** The vertical field of view that was asked for, in degrees. */
  private fov = 40;
  private isAsked = false;
  private readonly beforeDraw: ((width: number, height: number) => void)[] = [];

  /** Throws where the browser has no WebGL 2. */
  constructor(readonly host: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true });
    this.renderer.setClearAlpha(0);
    this.renderer.autoClear = false;
    this.scene.add(this.backdrop.screen);
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
    this.canvas.className = "space-canvas";
    this.canvas.tabIndex = 0;
    host.append(this.canvas);
    new ResizeObserver(() => this.resize()).observe(host);
  }

  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }

  get isVisible(): boolean {
    return this.host.clientWidth > 0 && this.host.clientHeight > 0;
  }

  /** Calls `act` with the size in pixels before each picture. */
  onDraw(act: (width: number, height: number) => void): void {
    this.beforeDraw.push(act);
  }

  /** Asks for a new picture: lines have changed. */
  draw(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame((now) => {
      this.isAsked = false;
      if (this.isVisible) this.picture(now);
    });
  }

  /** Asks for a new picture from the ground up: surfaces or the camera have changed. */
  redraw(): void {
    this.backdrop.restart();
    this.draw();
  }

  private picture(now: number): void {
    const { renderer, camera, backdrop } = this;
    this.adjustRange();
    backdrop.advance(renderer, camera, now);
    for (const act of this.beforeDraw) act(this.host.clientWidth, this.host.clientHeight);
    renderer.clear();
    renderer.render(this.scene, camera);
    if (!backdrop.isWhole) this.draw();
  }

  private resize(): void {
    if (!this.isVisible) return;
    const { clientWidth, clientHeight } = this.host;
    this.renderer.setSize(clientWidth, clientHeight, false);
    const { x, y } = this.renderer.getDrawingBufferSize(new THREE.Vector2());
    this.backdrop.resize(x, y);
    this.camera.aspect = clientWidth / clientHeight;
    this.open();
    this.draw();
  }

  private open(): void {
    this.camera.fov = fovIn(this.camera.aspect, this.fov);
    this.camera.updateProjectionMatrix();
  }

  /** Near and far as close to what there is as possible: depth has few bits. */
  private adjustRange(): void {
    const { extent, camera } = this;
    const radius = Math.max(extent?.radius ?? 1, 1e-6);
    const middle = new THREE.Vector3(...(extent?.middle ?? [0, 0, 0]));
    const distance = camera.position.distanceTo(middle);
    camera.far = distance + 4 * radius;
    camera.near = Math.max(distance - 1.5 * radius, camera.far * 2e-5, radius * 2e-4);
    camera.updateProjectionMatrix();
  }

  look({ eye, target, up, fov }: Camera): void {
    this.camera.up.set(...up);
    this.camera.position.set(...eye);
    this.target.set(...target);
    this.fov = fov;
    this.open();
    this.camera.lookAt(this.target);
    this.redraw();
  }

  get view(): Camera {
    const { position, up } = this.camera;
    const numbers = (v: THREE.Vector3) => v.toArray().map(Math.fround) as Point;
    const [eye, target] = [numbers(position), numbers(this.target)];
    return { eye, target, up: numbers(up), fov: this.fov };
  }

  /** Moves the camera along its direction until a box fills the picture. */
  fit(bounds: Bounds): void {
    const { camera, target } = this;
    const narrow = Math.min(1, camera.aspect) * Math.tan((camera.fov * Math.PI) / 360);
    const distance = Math.max(bounds.radius, 1e-6) * (1.08 / Math.sin(Math.atan(narrow)));
    const back = camera.position.clone().sub(target);
    if (back.lengthSq() === 0) back.set(0.6, 0.4, 1);
    target.set(...bounds.middle);
    camera.position.copy(target).add(back.setLength(distance));
    camera.lookAt(target);
    this.redraw();
  }

  /** Moves the camera along its direction: so many times nearer to its target. */
  zoom(factor: number): void {
    const { camera, target } = this;
    camera.position.sub(target).divideScalar(factor).add(target);
    this.redraw();
  }

  /** The ray through a place of the canvas. */
  rayAt(event: { clientX: number; clientY: number }): { origin: Point; direction: Point } {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const x = (2 * (event.clientX - left)) / width - 1;
    const y = 1 - (2 * (event.clientY - top)) / height;
    this.camera.updateMatrixWorld();
    const far = new THREE.Vector3(x, y, 0.5).unproject(this.camera);
    const direction = far.sub(this.camera.position).normalize();
    return { origin: this.camera.position.toArray(), direction: direction.toArray() };
  }
}
