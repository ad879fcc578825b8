// Whether a walk has lost what the ray meets: every triangle is tested, in plain arithmetic. That
// proves nothing about a hair's breadth, but names the primitive to ask about.

import type { Primitive, Query, Walk } from "../../protocol";
import type { Page } from "../../store";
import { Geometry } from "../space/geometry";
import type { Hit } from "../walk_model";

/** More triangles than this are not tested. */
const MOST = 3_000_000;
/** How much nearer, as a share of t, something must be to count as lost. */
const CLEAR = 1e-4;

export class Losses {
  private kept: { of: number; geometry: Promise<Geometry> } | null = null;

  constructor(private readonly page: Page) {}

  private geometry(): Promise<Geometry> {
    const { revision: of } = this.page.state;
    if (this.kept?.of !== of) {
      const geometry = this.page.geometry().then((answer) => new Geometry(answer));
      this.kept = { of, geometry };
    }
    return this.kept.geometry;
  }

  /** The primitive that the ray meets clearly before the closest hit of its walk. */
  async find(query: Query, walk: Walk): Promise<(Primitive & { t: number }) | null> {
    const { ray } = walk;
    const { summary } = this.page.state;
    const isPlain = query.kind === "closest" && query.mask === undefined && !walk.error;
    if (!ray || !isPlain || (summary?.triangles ?? Infinity) > MOST) return null;
    const geometry = await this.geometry();
    const met = geometry.pick(ray.origin, ray.direction, () => true);
    const hit = ((walk.answer?.hits ?? []) as Hit[])[0];
    const end = Math.min(hit?.t ?? Infinity, ray.tmax ?? Infinity) * (1 - CLEAR);
    if (!met || met.t >= end || met.t < (ray.tmin ?? 0)) return null;
    const instance = met.instance === null ? {} : { instance: met.instance };
    return { ...instance, ...geometry.idsOf(met.primitive), t: met.t };
  }
}
