// What a simulation answers: a row as `siliray sim --json` prints it, the machine over time, and
// what every slot did.

import type { About } from "../../protocol";

export interface Latency { mean: number; p50: number; p95: number; max: number }

export interface Row {
  config: Record<string, unknown>;
  config_name: string;
  settings: Record<string, string>;
  cycles: number;
  rays_per_cycle: number;
  mrays_per_second_at_clock: number;
  latency: Latency;
  latency_histogram: number[];
  /** Cycles with so many slots in use, from 0 on. */
  slot_occupancy: number[];
  blocks_per_ray: number;
  bytes_per_ray: number;
  counters: Record<string, number>;
  bound: string;
  bounds: Record<string, number>;
  blocks_per_cycle: number;
  advice: string;
  notes: string[];
}

export interface Samples {
  cycle: Float64Array;
  slots: Uint32Array;
  fetching: Uint32Array;
  units: Uint32Array;
}

export interface Events {
  event_slot: Uint16Array;
  event_state: Uint8Array;
  event_start: Uint32Array;
  event_end: Uint32Array;
  event_job: Uint32Array;
}

/** What traversal units held: a block of a slot, at a place of the unit. */
export interface Holdings {
  held_unit: Uint16Array;
  held_place: Uint8Array;
  held_slot: Uint16Array;
  held_block: Uint32Array;
  held_start: Uint32Array;
  held_end: Uint32Array;
}

export interface Timeline {
  slots: number;
  isCut: boolean;
  states: string[];
  events: Events & Holdings;
}

export interface Run {
  row: Row;
  /** Slots of all TTUs together. */
  slots: number;
  /** TTUs that there are. */
  ttus: number;
  samples: Samples | null;
  /** What happened in one TTU. */
  timeline: Timeline | null;
}

export interface Explained { name: string; unit: string; meaning: string }
export interface Parameter extends Explained { allowed: string }
export interface Limit extends Explained { widened_by?: string | null }

/** What the simulator says about itself, as `siliray sim --configs --json` prints it. */
export interface SimAbout {
  configs: { name: string; about: string; config: Record<string, unknown> }[];
  parameters: Parameter[];
  counters: Explained[];
  states: Explained[];
  limits: Limit[];
}

const NOTHING = { parameters: [], counters: [], states: [], limits: [] };

export function simAbout(about: About | null): SimAbout {
  const own = (about as { sim?: SimAbout } | null)?.sim;
  const configs = (about?.configs ?? []).map(({ name, text }) => ({
    name, about: text, config: {},
  }));
  return own ?? { ...NOTHING, configs };
}

/** An answer of `simulate` with one run. */
export function readRun(answer: Record<string, unknown>): Run {
  const row = (answer.runs as Row[])[0]!;
  const series = (answer.series as { slots: number; ttus?: number }[] | undefined)?.[0];
  const arrays = (answer.arrays ?? {}) as Partial<Samples & Events & Holdings>;
  const timeline = answer.timeline as { cut: boolean; states: string[] } | null;
  const slots = Number(row.config.slots);
  return {
    row,
    slots: series?.slots ?? slots,
    ttus: series?.ttus ?? 1,
    samples: arrays.cycle ? (arrays as Samples) : null,
    timeline: timeline && arrays.event_slot?.length
      ? {
        slots, isCut: timeline.cut, states: timeline.states,
        events: arrays as Timeline["events"],
      }
      : null,
  };
}

/** What a run is called: its configuration and what was set beside it. */
export function nameOf({ row }: Run): string {
  const set = Object.entries(row.settings).map(([key, value]) => `${key}=${value}`);
  return [row.config_name, ...set].join(", ");
}

export function hitShare(row: Row): number {
  return (100 * (row.counters.hits ?? 0)) / Math.max(row.counters.lookups ?? 0, 1);
}
