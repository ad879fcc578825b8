// The triangles: one buffer for all, a mesh for each BLAS, drawn once for each of its instances;
// procedural boxes as cubes. The colour of a primitive is a texel of its own, so that colouring,
// hiding and selecting a million of them is one upload.

import * as THREE from "three";
import { ACCENT } from "../palette";
import { Cubes } from "./cubes";
import type { Geometry } from "./geometry";

const VERTEX = `
uniform highp sampler2D paint;
uniform int first;
uniform vec3 accent;
in float mark;
flat out vec4 tint; out vec3 seen; out vec3 share;
void main() {
  int primitive = first + gl_VertexID / 3;
  int corner = gl_VertexID % 3;
  tint = texelFetch(paint, ivec2(primitive % WIDTH, primitive / WIDTH), 0);
  if (mark > 0.5) tint.rgb = accent;
  if (mark < -0.5) tint.a = 0.0;
  share = vec3(corner == 0, corner == 1, corner == 2);
  vec4 place = viewMatrix * instanceMatrix * vec4(position, 1.0);
  seen = place.xyz;
  gl_Position = tint.a == 0.0 ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * place;
}`;

const FRAGMENT = `
uniform int style; uniform vec3 edge; uniform vec3 sun;
flat in vec4 tint; in vec3 seen; in vec3 share;
out vec4 pixel;
void main() {
  vec3 normal = normalize(cross(dFdx(seen), dFdy(seen)));
  float facing = abs(dot(normal, normalize(seen)));
  float lit = 0.5 + 0.5 * dot(normal, sun);
  vec3 colour = tint.rgb * (0.42 + 0.33 * facing + 0.30 * lit);
  vec3 steps = fwidth(share);
  vec3 from = share / steps;
  float near = min(from.x, min(from.y, from.z));
  float dense = clamp(1.2 - 2.2 * max(steps.x, max(steps.y, steps.z)), 0.0, 1.0);
  if (style == 2 && near > 1.1) discard;
  float line = (1.0 - smoothstep(0.4, 1.0, near)) * (style == 1 ? 0.55 * dense : 0.0);
  pixel = vec4(style == 2 ? tint.rgb : mix(colour, edge, line), 1.0);
}`;

/** Texels in a row. */
const WIDTH = 4096;

export type Style = "solid" | "edges" | "wire" | "none";
export const STYLES: readonly Style[] = ["solid", "edges", "wire", "none"];

export class Surfaces {
  readonly object = new THREE.Group();
  /** The texel of each primitive; 0 where it is hidden. */
  readonly paint: Uint32Array;
  /** Triangles in all, as often as they are placed. */
  triangles = 0;
  private readonly texture: THREE.DataTexture;
  private readonly marks: {
    marks: THREE.InstancedBufferAttribute; instances: (number | null)[];
  }[] = [];
  private readonly meshes: THREE.InstancedMesh[] = [];
  private readonly cubes: Cubes[] = [];
  private readonly shared: Record<string, THREE.IUniform>;

  constructor(geometry: Geometry) {
    const rows = Math.max(1, Math.ceil(geometry.primitives / WIDTH));
    const texels = new Uint32Array(WIDTH * rows);
    this.paint = texels.subarray(0, geometry.primitives);
    this.texture = new THREE.DataTexture(new Uint8Array(texels.buffer), WIDTH, rows);
    this.shared = {
      paint: { value: this.texture },
      style: { value: 0 },
      edge: { value: new THREE.Vector3(0, 0, 0) },
      accent: { value: new THREE.Vector3(...ACCENT).divideScalar(255) },
      sun: { value: new THREE.Vector3(0.35, 0.85, 0.4).normalize() },
    };
    geometry.blases.forEach((_, number) => {
      this.addCubes(geometry, number);
      this.addLevel(geometry, number);
    });
  }

  private addCubes(geometry: Geometry, number: number): void {
    const { boxes, firstPrimitive, triangles } = geometry.blases[number]!;
    const places = geometry.placesOf(number);
    if (boxes === 0 || places.length === 0) return;
    const shared = { fragmentShader: FRAGMENT, width: WIDTH, uniforms: this.shared };
    const cubes = new Cubes(geometry.boxesOf(number), places, firstPrimitive + triangles, shared);
    this.cubes.push(cubes);
    this.object.add(cubes.mesh);
  }

  private addLevel(geometry: Geometry, number: number): void {
    const blas = geometry.blases[number]!;
    const places = geometry.placesOf(number);
    if (blas.triangles === 0 || places.length === 0) return;
    const buffer = new THREE.BufferGeometry();
    buffer.setAttribute("position", new THREE.BufferAttribute(geometry.positionsOf(number), 3));
    buffer.boundingSphere = new THREE.Sphere();
    this.triangles += blas.triangles * places.length;
    const material = new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { ...this.shared, first: { value: blas.firstPrimitive } },
      defines: { WIDTH },
      side: THREE.DoubleSide,
    });
    const mesh = new THREE.InstancedMesh(buffer, material, places.length);
    this.meshes.push(mesh);
    const matrix = new THREE.Matrix4();
    places.forEach(({ map }, k) => {
      const [a, b, c, d, e, f, g, h, i, j, m, n] = Array.from(map);
      matrix.set(a!, b!, c!, d!, e!, f!, g!, h!, i!, j!, m!, n!, 0, 0, 0, 1);
      mesh.setMatrixAt(k, matrix);
    });
    mesh.frustumCulled = false;
    const marks = new THREE.InstancedBufferAttribute(new Float32Array(places.length), 1);
    buffer.setAttribute("mark", marks);
    this.marks.push({ marks, instances: places.map(({ instance }) => instance) });
    this.object.add(mesh);
  }

  /** Marks instances, or leaves them out: 1, 0 or -1 of each. */
  markInstances(states: Int8Array): void {
    for (const { marks, instances } of this.marks) {
      instances.forEach((instance, k) => marks.setX(k, instance === null ? 0 : states[instance]!));
      marks.needsUpdate = true;
    }
    for (const cubes of this.cubes) cubes.mark(states);
  }

  /** Shows what `paint` says now. */
  painted(): void {
    this.texture.needsUpdate = true;
  }

  /** Draws only one of several parts, each spread over all; boxes, mostly few, with the first. */
  part(number: number, of: number): void {
    for (const { mesh } of this.cubes) mesh.visible = number === 0;
    for (const { geometry } of this.meshes) {
      const triangles = geometry.getAttribute("position").count / 3;
      const [start, end] = [number, number + 1].map((k) => Math.floor((triangles * k) / of));
      geometry.setDrawRange(3 * start!, 3 * (end! - start!));
    }
  }

  set style(style: Style) {
    this.object.visible = style !== "none";
    this.shared.style!.value = STYLES.indexOf(style);
  }

  dispose(): void {
    this.texture.dispose();
    for (const cubes of this.cubes) cubes.dispose();
    for (const mesh of this.meshes) {
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
      mesh.dispose();
    }
  }
}
