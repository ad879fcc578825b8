// Flying: drag to look around, W A S D to move, Q and E down and up, Shift faster, the wheel to
// step. A loop runs only while a key is held.

import * as THREE from "three";
import type { Stage } from "./stage";

const KEYS: Readonly<Record<string, readonly [number, number, number]>> = {
  KeyW: [0, 0, -1],
  KeyS: [0, 0, 1],
  KeyA: [-1, 0, 0],
  KeyD: [1, 0, 0],
  KeyQ: [0, -1, 0],
  KeyE: [0, 1, 0],
};

export class Fly {
  enabled = false;
  private readonly held = new Set<string>();
  private isFast = false;
  private last = 0;

  constructor(
    private readonly stage: Stage,
    private readonly onEnd: () => void,
  ) {
    const { canvas } = stage;
    canvas.addEventListener("pointermove", (event) => this.turn(event));
    canvas.addEventListener("pointerup", () => this.enabled && this.onEnd());
    canvas.addEventListener("wheel", (event) => this.step(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.press(event));
    canvas.addEventListener("keyup", (event) => this.held.delete(event.code));
    canvas.addEventListener("blur", () => this.held.clear());
  }

  private turn(event: PointerEvent): void {
    if (!this.enabled || event.buttons === 0) return;
    const { camera } = this.stage;
    const forward = camera.getWorldDirection(new THREE.Vector3());
    const right = forward.clone().cross(camera.up).normalize();
    const polar = forward.angleTo(camera.up);
    const lift = Math.min(Math.max(event.movementY * 0.004, 0.05 - polar), Math.PI - 0.05 - polar);
    forward.applyAxisAngle(right, -lift).applyAxisAngle(camera.up, -event.movementX * 0.004);
    this.face(forward);
  }

  /** Keeps the target in front of the eye, as far away as it was. */
  private face(forward: THREE.Vector3): void {
    const { camera, target } = this.stage;
    const distance = Math.max(camera.position.distanceTo(target), 1e-6);
    target.copy(camera.position).addScaledVector(forward, distance);
    camera.lookAt(target);
    this.stage.redraw();
  }

  private step(event: WheelEvent): void {
    if (!this.enabled) return;
    event.preventDefault();
    this.move([0, 0, Math.sign(event.deltaY)], 0.1);
    this.onEnd();
  }

  private press(event: KeyboardEvent): void {
    if (!this.enabled || !KEYS[event.code] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.isFast = event.shiftKey;
    const isFirst = this.held.size === 0;
    this.held.add(event.code);
    if (!isFirst) return;
    this.last = performance.now();
    requestAnimationFrame((now) => this.run(now));
  }

  private run(now: number): void {
    if (this.held.size === 0) return this.onEnd();
    const seconds = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    for (const key of this.held) this.move(KEYS[key]!, seconds * (this.isFast ? 2 : 0.5));
    requestAnimationFrame((next) => this.run(next));
  }

  /** Moves by a share of the scene's radius. */
  private move([x, y, z]: readonly [number, number, number], share: number): void {
    const { camera, target, extent } = this.stage;
    const forward = camera.getWorldDirection(new THREE.Vector3());
    const right = forward.clone().cross(camera.up).normalize();
    const shift = right.multiplyScalar(x).addScaledVector(camera.up, y);
    shift.addScaledVector(forward, -z).multiplyScalar(share * (extent?.radius ?? 1));
    camera.position.add(shift);
    target.add(shift);
    this.stage.redraw();
  }
}
