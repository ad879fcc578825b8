// Many boxes as lines of one pixel: the edges of the unit cube, drawn once for each box.

import * as THREE from "three";
import type { Rgb } from "../palette";
import { type Affine, EDGES } from "./affine";

const VERTEX = `
in vec4 row0; in vec4 row1; in vec4 row2; in vec4 tint;
out vec4 colour;
void main() {
  vec4 corner = vec4(position, 1.0);
  vec3 place = vec3(dot(row0, corner), dot(row1, corner), dot(row2, corner));
  gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
  colour = tint;
}`;

const FRAGMENT = `
in vec4 colour; out vec4 pixel;
void main() { pixel = colour; }`;

/** A set of boxes that is filled anew as a whole. */
export class BoxLines {
  readonly object: THREE.LineSegments;
  private geometry = new THREE.InstancedBufferGeometry();
  private maps = new Float32Array(0);
  private tints = new Uint8Array(0);
  count = 0;

  constructor(alpha: number) {
    const material = new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: alpha < 1,
      depthWrite: false,
    });
    this.object = new THREE.LineSegments(this.geometry, material);
    this.object.frustumCulled = false;
    this.alpha = Math.round(255 * alpha);
    this.start(0);
    this.finish();
  }

  private alpha: number;

  /** Begins a set of at most `most` boxes. */
  start(most: number): void {
    this.maps = new Float32Array(12 * most);
    this.tints = new Uint8Array(4 * most);
    this.count = 0;
  }

  /** Adds the image of the unit cube under a map. */
  add(map: Affine, colour: Rgb): void {
    this.maps.set(map as number[], 12 * this.count);
    this.tints.set([...colour, this.alpha], 4 * this.count);
    this.count += 1;
  }

  /** Ends the set, and draws it from now on. */
  finish(): void {
    this.geometry.dispose();
    this.geometry = new THREE.InstancedBufferGeometry();
    const ends = EDGES.flatMap(([a, b]) => [a, b]);
    const unit = ends.flatMap((n) => [n & 1, (n >> 1) & 1, (n >> 2) & 1]);
    this.geometry.setAttribute("position", new THREE.Float32BufferAttribute(unit, 3));
    const rows = new THREE.InstancedInterleavedBuffer(this.maps, 12);
    for (let r = 0; r < 3; r++) {
      const row = new THREE.InterleavedBufferAttribute(rows, 4, 4 * r);
      this.geometry.setAttribute(`row${r}`, row);
    }
    const tint = new THREE.InstancedBufferAttribute(this.tints, 4, true);
    this.geometry.setAttribute("tint", tint);
    this.geometry.instanceCount = this.count;
    this.object.geometry = this.geometry;
    this.object.visible = this.count > 0;
  }
}
