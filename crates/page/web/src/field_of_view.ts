// How wide cameras see.

/**
 * The vertical field of view, in degrees, in a picture that is `aspect` times as wide as high: a
 * narrow one shows as much to the sides as one of 4 to 3.
 */
export function fovIn(aspect: number, fov: number): number {
  const half = Math.tan((fov * Math.PI) / 360) * Math.max(1, 4 / 3 / aspect);
  return (Math.atan(half) * 360) / Math.PI;
}
