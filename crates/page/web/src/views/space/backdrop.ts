// Surfaces are drawn once into a picture of their own, with depth; what lies over them, boxes and
// lines, is drawn over that picture as often as it changes. A step of a walk thus costs the same
// with a million triangles as with ten. Where drawing takes long, surfaces come in parts, a part
// with each picture.

import * as THREE from "three";

const VERTEX = `
out vec2 place;
void main() { place = position.xy * 0.5 + 0.5; gl_Position = vec4(position.xy, 0.0, 1.0); }`;

const FRAGMENT = `
uniform sampler2D colours; uniform sampler2D depths;
in vec2 place; out vec4 pixel;
void main() {
  pixel = texture(colours, place);
  gl_FragDepth = texture(depths, place).r;
}`;

/** Triangles that are drawn at once, at first; how it may grow and shrink. */
const FIRST = 60_000;
const LEAST = 10_000;
const MOST = 4_000_000;
/** Milliseconds between pictures that are too few, and too many. */
const QUICK = 30;
const SLOW = 70;

/** What can be drawn in parts. */
export interface Parts {
  readonly triangles: number;
  part(number: number, of: number): void;
}

export class Backdrop {
  readonly scene = new THREE.Scene();
  readonly screen: THREE.Mesh;
  parts: Parts | null = null;
  private readonly target: THREE.WebGLRenderTarget;
  private done = 0;
  private of = 1;
  private atOnce = FIRST;
  private last = 0;

  constructor() {
    const depthTexture = new THREE.DepthTexture(1, 1);
    this.target = new THREE.WebGLRenderTarget(1, 1, { samples: 4, depthTexture });
    const uniforms = {
      colours: { value: this.target.texture }, depths: { value: depthTexture },
    };
    const material = new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3, vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms,
      depthFunc: THREE.AlwaysDepth, blending: THREE.NoBlending,
    });
    this.screen = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material);
    this.screen.frustumCulled = false;
    this.screen.renderOrder = -1;
  }

  resize(width: number, height: number): void {
    this.target.setSize(width, height);
    this.restart();
  }

  /** Begins anew: surfaces, their colours or the camera have changed. */
  restart(): void {
    this.done = 0;
  }

  get isWhole(): boolean {
    return this.done >= this.of;
  }

  /** Draws the next part, if one is missing. */
  advance(renderer: THREE.WebGLRenderer, camera: THREE.Camera, now: number): void {
    this.learn(now);
    if (this.isWhole) return;
    if (this.done === 0) this.of = Math.ceil((this.parts?.triangles ?? 0) / this.atOnce) || 1;
    this.parts?.part(this.done, this.of);
    renderer.setRenderTarget(this.target);
    if (this.done === 0) renderer.clear();
    renderer.render(this.scene, camera);
    renderer.setRenderTarget(null);
    this.done += 1;
    this.last = now;
  }

  /** Fits how much is drawn at once to how long it took. */
  private learn(now: number): void {
    const took = now - this.last;
    this.last = 0;
    if (took > 2000 || this.of < 2) return;
    const factor = took > SLOW ? 0.6 : took < QUICK ? 1.6 : 1;
    this.atOnce = Math.min(Math.max(this.atOnce * factor, LEAST), MOST);
  }
}
