// Lines of some pixels' width, for what must be seen at once: the selection, the ray, its boxes.
// Each is a rectangle that the vertex shader turns towards the eye.

import * as THREE from "three";
import type { Rgb } from "../palette";
import { type Affine, corners, EDGES, type Point } from "./affine";

const VERTEX = `
uniform vec2 size;
in vec3 start; in vec3 end; in vec4 tint; in float width;
out vec4 colour;
void main() {
  vec4 a = viewMatrix * vec4(start, 1.0);
  vec4 b = viewMatrix * vec4(end, 1.0);
  float near = -projectionMatrix[3][2] / (1.0 - projectionMatrix[2][2]) * 1.001;
  float front = -abs(near);
  if (a.z > front && b.z > front) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
  if (a.z > front) a = mix(b, a, (front - b.z) / (a.z - b.z));
  if (b.z > front) b = mix(a, b, (front - a.z) / (b.z - a.z));
  vec4 p = projectionMatrix * a;
  vec4 q = projectionMatrix * b;
  vec2 along = (q.xy / q.w - p.xy / p.w) * size;
  float length = length(along);
  vec2 aside = length > 0.0 ? vec2(-along.y, along.x) / length : vec2(1.0, 0.0);
  vec4 here = mix(p, q, position.x);
  if (length == 0.0) here.y += (2.0 * position.x - 1.0) * width / size.y * here.w;
  here.xy += aside * position.y * width / size * here.w;
  here.z -= 1.0e-5 * here.w;
  gl_Position = here;
  colour = tint;
}`;

const FRAGMENT = `
in vec4 colour; out vec4 pixel;
void main() { pixel = colour; }`;

export class ThickLines {
  readonly object: THREE.Mesh;
  private segments: number[] = [];
  private tints: number[] = [];
  private widths: number[] = [];
  private readonly size = new THREE.Vector2(1, 1);

  /** Lines that are hidden behind surfaces, or drawn over everything. */
  constructor(over: boolean) {
    const material = new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { size: { value: this.size } },
      side: THREE.DoubleSide,
      transparent: true,
      depthTest: !over,
      depthWrite: false,
    });
    this.object = new THREE.Mesh(new THREE.InstancedBufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = over ? 3 : 2;
  }

  resize(width: number, height: number): void {
    this.size.set(width, height);
  }

  start(): void {
    [this.segments, this.tints, this.widths] = [[], [], []];
  }

  /** A line from one point to another; `width` in pixels. */
  line(from: Point, to: Point, colour: Rgb, width: number, alpha = 1): void {
    this.segments.push(...from, ...to);
    this.tints.push(...colour, Math.round(255 * alpha));
    this.widths.push(width);
  }

  /** A square of `width` pixels: a line without length. */
  dot(at: Point, colour: Rgb, width: number): void {
    this.line(at, at, colour, width);
  }

  /** The edges of the image of the unit cube under a map. */
  box(map: Affine, colour: Rgb, width: number, alpha = 1): void {
    const points = corners(map);
    for (const [a, b] of EDGES) this.line(points[a]!, points[b]!, colour, width, alpha);
  }

  finish(): void {
    this.object.geometry.dispose();
    const geometry = new THREE.InstancedBufferGeometry();
    const quad = [0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0];
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(quad, 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    const ends = new THREE.InstancedInterleavedBuffer(new Float32Array(this.segments), 6);
    geometry.setAttribute("start", new THREE.InterleavedBufferAttribute(ends, 3, 0));
    geometry.setAttribute("end", new THREE.InterleavedBufferAttribute(ends, 3, 3));
    const tints = new THREE.InstancedBufferAttribute(new Uint8Array(this.tints), 4, true);
    geometry.setAttribute("tint", tints);
    const widths = new THREE.InstancedBufferAttribute(new Float32Array(this.widths), 1);
    geometry.setAttribute("width", widths);
    geometry.instanceCount = this.widths.length;
    this.object.geometry = geometry;
    this.object.visible = this.widths.length > 0;
  }
}
