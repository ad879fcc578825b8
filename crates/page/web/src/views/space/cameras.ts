// How space is looked at: orbiting or flying, and the camera that the state keeps.

import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Camera, Vector } from "../../protocol";
import type { Page } from "../../store";
import type { Bounds } from "./affine";
import { Fly } from "./fly";
import type { Stage } from "./stage";

export type Axis = "x" | "y" | "z";

export class Cameras {
  private orbit: OrbitControls;
  private readonly fly: Fly;
  private flies = false;
  private up: Axis = "y";
  private published: Camera | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly page: Page,
  ) {
    this.fly = new Fly(stage, () => this.publish());
    this.orbit = this.makeOrbit();
    page.on("camera", () => this.follow());
  }

  /** Orbiting turns around the axis that is up when it begins, so each axis needs its own. */
  private makeOrbit(): OrbitControls {
    const orbit = new OrbitControls(this.stage.camera, this.stage.canvas);
    orbit.enabled = !this.flies;
    orbit.zoomToCursor = true;
    orbit.listenToKeyEvents(this.stage.canvas);
    orbit.target.copy(this.stage.target);
    orbit.update();
    orbit.addEventListener("change", () => {
      this.stage.target.copy(orbit.target);
      this.stage.redraw();
    });
    orbit.addEventListener("end", () => this.publish());
    return orbit;
  }

  private renewOrbit(): void {
    this.orbit.dispose();
    this.orbit = this.makeOrbit();
  }

  /** Flies or orbits, with an axis that is up. */
  use(flies: boolean, up: Axis): void {
    const { camera, target } = this.stage;
    const isTurned = up !== this.up;
    if (!isTurned && flies === this.flies) return;
    this.flies = this.fly.enabled = flies;
    this.up = up;
    if (isTurned) {
      const axis: Vector = [0, 0, 0];
      axis["xyz".indexOf(up)] = 1;
      camera.up.set(...axis);
      camera.lookAt(target);
      this.publish();
      this.stage.redraw();
    }
    this.renewOrbit();
  }

  /** The first view of a file: the one that a link names, or the file's own. */
  begin(up: Axis): void {
    this.up = up;
    this.published = null;
    if (this.page.state.camera) this.follow();
    else this.home();
  }

  home(): void {
    const first = this.page.state.summary?.cameras[0];
    if (first) this.look(first);
    else if (this.stage.extent) this.fit(this.stage.extent);
    this.publish();
  }

  zoom(factor: number): void {
    this.stage.zoom(factor);
    this.renewOrbit();
    this.publish();
  }

  fit(bounds: Bounds): void {
    this.stage.fit(bounds);
    this.renewOrbit();
    this.publish();
  }

  private look(camera: Camera): void {
    this.stage.look(camera);
    this.renewOrbit();
  }

  /** Takes a camera that was set elsewhere. */
  private follow(): void {
    const { camera } = this.page.state;
    if (!camera || camera === this.published) return;
    this.published = camera;
    this.look(camera);
  }

  private publish(): void {
    if (!this.stage.extent) return;
    this.published = this.stage.view;
    this.page.set({ camera: this.published });
  }
}
