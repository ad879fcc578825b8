// Procedural boxes: a cube for each, drawn at each place of its BLAS. Which place an instance of
// the cube is drawn at, and how it is marked there, are texels of a row for each place.

import * as THREE from "three";
import type { Place } from "./geometry";

/** The rest of the shader is that of triangles. */
const VERTEX = `
uniform highp sampler2D paint; uniform highp sampler2D placed;
uniform int first; uniform int places;
uniform vec3 accent;
in vec3 low; in vec3 high; in vec3 corner;
flat out vec4 tint; out vec3 seen; out vec3 share;
void main() {
  int primitive = first + gl_InstanceID / places;
  int row = gl_InstanceID % places;
  tint = texelFetch(paint, ivec2(primitive % WIDTH, primitive / WIDTH), 0);
  float mark = texelFetch(placed, ivec2(3, row), 0).x;
  if (mark > 0.5) tint.rgb = accent;
  if (mark < -0.5) tint.a = 0.0;
  share = corner;
  vec4 own = vec4(mix(low, high, position), 1.0);
  vec3 place;
  for (int axis = 0; axis < 3; axis++) {
    place[axis] = dot(texelFetch(placed, ivec2(axis, row), 0), own);
  }
  vec4 eye = viewMatrix * vec4(place, 1.0);
  seen = eye.xyz;
  gl_Position = tint.a == 0.0 ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * eye;
}`;

/** Floats of a place: three rows of its map, and its mark. */
const TEXELS = 4;

export class Cubes {
  readonly mesh: THREE.Mesh;
  private readonly texture: THREE.DataTexture;
  private readonly texels: Float32Array;

  /** `boxes` are lower and upper corners; `shared` is what the shader of triangles has too. */
  constructor(
    boxes: Float32Array, private readonly places: readonly Place[], firstBox: number,
    shared: { fragmentShader: string; width: number; uniforms: Record<string, THREE.IUniform> },
  ) {
    this.texels = new Float32Array(4 * TEXELS * places.length);
    places.forEach(({ map }, k) => this.texels.set(Array.from(map), 4 * TEXELS * k));
    this.texture = new THREE.DataTexture(
      this.texels, TEXELS, places.length, THREE.RGBAFormat, THREE.FloatType);
    this.texture.needsUpdate = true;
    const geometry = new THREE.InstancedBufferGeometry();
    const { positions, corners } = unitCube();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
    geometry.setAttribute("corner", new THREE.Float32BufferAttribute(corners, 3));
    const ends = new THREE.InstancedInterleavedBuffer(boxes, 6, places.length);
    geometry.setAttribute("low", new THREE.InterleavedBufferAttribute(ends, 3, 0));
    geometry.setAttribute("high", new THREE.InterleavedBufferAttribute(ends, 3, 3));
    geometry.instanceCount = (boxes.length / 6) * places.length;
    const uniforms = {
      ...shared.uniforms,
      placed: { value: this.texture }, places: { value: places.length },
      first: { value: firstBox },
    };
    const material = new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3, vertexShader: VERTEX, fragmentShader: shared.fragmentShader,
      uniforms, defines: { WIDTH: shared.width }, side: THREE.DoubleSide,
    });
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
  }

  /** Marks instances, or leaves them out: 1, 0 or -1 of each. */
  mark(states: Int8Array): void {
    this.places.forEach(({ instance }, k) => {
      this.texels[4 * (TEXELS * k + 3)] = instance === null ? 0 : states[instance]!;
    });
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.texture.dispose();
    this.mesh.geometry.dispose();
    (this.mesh.material as THREE.Material).dispose();
  }
}

/**
 * The cube from 0 to 1 as triangles, and how far each corner is from the three sides of its own;
 * from the diagonal of a face all are: that is no edge of the box.
 */
export function unitCube(): { positions: number[]; corners: number[] } {
  const positions: number[] = [];
  const corners: number[] = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [0, 1]) {
      for (const [a, b, c] of [[[0, 0], [1, 0], [1, 1]], [[1, 1], [0, 1], [0, 0]]] as const) {
        for (const [u, v] of [a, b, c]) {
          const point = [side, side, side];
          point[(axis + 1) % 3] = u;
          point[(axis + 2) % 3] = v;
          positions.push(...point);
        }
        corners.push(1, 1, 0, 0, 1, 0, 0, 1, 1);
      }
    }
  }
  return { positions, corners };
}
