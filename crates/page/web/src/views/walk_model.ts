// A walk, step by step: which node each step belongs to, in which instance, and what is best then.

import type { Step, Vector, Walk } from "../protocol";
import { type Affine, compose, IDENTITY, invert } from "./space/affine";

export interface Hit {
  t: number;
  u?: number;
  v?: number;
  instance: number;
  geometry: number;
  primitive: number;
}

/** A step of the kind `child`. */
export interface ChildStep extends Step {
  slot: number;
  pointer: string;
  min: Vector;
  max: Vector;
  /** Where the query is inside; of a beam the end is not known. */
  interval: [number, number | null] | null;
  verdict: string;
  /** The map from the space of the level into the frame of an oriented node, where the box is. */
  frame?: number[][] | null;
}

/** Steps at which entries of the stack are lost, or at which a walk begins again without them. */
const LOSSES = ["overflow", "restart"];

/** Steps that read a node. */
const VISITS = ["node", "instance"];

export class WalkModel {
  /** The number of the step that read the node to which a step belongs; -1 before the first. */
  readonly nodeAt: Int32Array;
  /** The instance in which a step happens; -1 for none. */
  readonly instanceAt: Int32Array;
  private readonly maps = new Map<number, Affine>();

  constructor(readonly walk: Walk) {
    const { steps } = walk;
    this.nodeAt = new Int32Array(steps.length).fill(-1);
    this.instanceAt = new Int32Array(steps.length).fill(-1);
    const nodes = new Map<number, number>();
    const entered: number[] = [];
    let instance = -1;
    steps.forEach((step, number) => {
      step.step = number;
      if (step.event === "clock") instance = (step.instance as number | null) ?? -1;
      if (step.event === "leave") instance = entered.pop() ?? -1;
      if (step.event === "node") nodes.set(instance, number);
      this.nodeAt[number] = nodes.get(instance) ?? -1;
      this.instanceAt[number] = instance;
      if (step.event === "instance") {
        entered.push(instance);
        instance = step.instance as number;
        this.keepMap(instance, step.world_to_object as number[][]);
      }
    });
  }

  private keepMap(instance: number, worldToObject: number[][]): void {
    const inverse = invert(worldToObject.flat());
    if (inverse) this.maps.set(instance, inverse);
  }

  get length(): number {
    return this.walk.steps.length;
  }

  /** The map from the space of a step to the world. */
  mapAt(step: number): Affine {
    return this.maps.get(this.instanceAt[step] ?? -1) ?? IDENTITY;
  }

  /** The map from the space of a child's box to the world. */
  mapOf(child: ChildStep): Affine {
    const level = this.mapAt(child.step);
    const back = child.frame ? invert(child.frame.flat()) : null;
    return back ? compose(level, back) : level;
  }

  /** The children that were tested at the node of a step, in the order of their tests. */
  childrenAt(step: number): ChildStep[] {
    const node = this.nodeAt[step] ?? -1;
    const { steps } = this.walk;
    const found: ChildStep[] = [];
    for (let k = node + 1; k < steps.length; k++) {
      if (steps[k]!.event === "node" && this.instanceAt[k] === (this.instanceAt[node] ?? -1)) break;
      if (this.nodeAt[k] === node && steps[k]!.event === "child") found.push(steps[k] as ChildStep);
    }
    return found;
  }

  /** Steps of an event that belong to the node of a step, up to that step. */
  soFar(step: number, event: string): Step[] {
    const node = this.nodeAt[step] ?? -1;
    const { steps } = this.walk;
    const found: Step[] = [];
    for (let k = Math.max(node, 0); k <= step && k < steps.length; k++) {
      if (this.nodeAt[k] === node && steps[k]!.event === event) found.push(steps[k]!);
    }
    return found;
  }

  /** The hit that was accepted last, up to a step. */
  hitAt(step: number): Hit | null {
    const found = this.previous(step + 1, (each) => each.event === "accept");
    return found === null ? null : (this.walk.steps[found]!.hit as Hit);
  }

  /** The first step behind `from` that is as asked. */
  next(from: number, isWanted: (step: Step, number: number) => boolean): number | null {
    for (let k = from + 1; k < this.length; k++) if (isWanted(this.walk.steps[k]!, k)) return k;
    return null;
  }

  /** The last step before `from` that is as asked. */
  previous(from: number, isWanted: (step: Step, number: number) => boolean): number | null {
    for (let k = Math.min(from, this.length) - 1; k >= 0; k--) {
      if (isWanted(this.walk.steps[k]!, k)) return k;
    }
    return null;
  }

  nextHit(from: number): number | null {
    return this.next(from, (step) => step.event === "accept");
  }

  /** The next step that loses entries of the stack, or leaves out the child that `why` names. */
  nextLoss(from: number): number | null {
    const lost = this.lostChild();
    if (lost !== null && lost > from) return lost;
    return this.next(from, (step) => LOSSES.includes(step.event));
  }

  /** The step at which the primitive that `why` follows is lost. */
  lostChild(): number | null {
    const why = this.walk.why as { node?: string; address?: string; child?: number } | null;
    if (!why || typeof why.node !== "string") return null;
    const { steps } = this.walk;
    const isNode = (number: number) =>
      steps[number]?.event === "node" &&
      steps[number]!.pointer === why.node &&
      (!why.address || steps[number]!.address === why.address);
    const child = this.next(
      -1,
      (step, number) =>
        step.event === "child" && step.slot === why.child && isNode(this.nodeAt[number]!),
    );
    return child ?? this.next(-1, (_, number) => isNode(number));
  }

  /** The next step that reads the node of an entry; from the start if there is none behind. */
  nextVisit(from: number, entry: number): number | null {
    const isVisit = (step: Step, number: number) =>
      VISITS.includes(step.event) && this.walk.entries[number] === entry;
    return this.next(from, isVisit) ?? this.next(-1, isVisit);
  }
}
