// What the page and the module say to each other: every request, and what its answer holds.
// The module's side is the crate `page`; `message.ts` has the bytes.

export type Vector = [number, number, number];

export type ArrayType = "u8" | "u16" | "u32" | "u64" | "f32" | "f64";

export type TypedArray =
  Uint8Array | Uint16Array | Uint32Array | BigUint64Array | Float32Array | Float64Array;

export interface Bounds { min: Vector; max: Vector }

export interface Camera { eye: Vector; target: Vector; up: Vector; fov: number }

export interface NamedCamera extends Camera { name: string }

export interface Setting { key: string; values: string; meaning: string }

export interface Format {
  name: string;
  summary: string;
  ending: string;
  holds_trees: boolean;
  blocks: boolean;
  settings: Setting[];
}

export interface Machine {
  name: string;
  summary: string;
  formats: string[];
  takes_beams: boolean;
  measures: string[];
}

export interface About {
  version: string;
  formats: Format[];
  machines: Machine[];
  builtins: { name: string; summary?: string; triangles: number }[];
  presets: string[];
  examples: { name: string; title: string; text: string }[];
  measures: string[];
  configs: { name: string; text: string }[];
  workloads: string[];
}

export interface Structure {
  level: "TLAS" | "BLAS";
  address: string;
  offset: number;
  bytes: number;
  primitives: number;
  box_nodes: number;
  leaf_nodes: number;
}

export interface Summary {
  name: string;
  format: string;
  source: "stored" | "built";
  holds_trees: boolean;
  sound: boolean;
  bytes: number;
  structure: number;
  structures: Structure[];
  root: string;
  totals: { name: string; label: string; count: number }[];
  nodes: number;
  errors: number;
  warnings: number;
  notes: number;
  kinds: string[];
  /** Machines that can walk it; none if it is unsound. */
  machines: string[];
  default_machine: string | null;
  bounds: Bounds | null;
  triangles: number;
  instances: number;
  cameras: NamedCamera[];
  up: Vector;
}

/** How an example begins. */
export interface Start {
  /** The outline's entry to look at. */
  entry?: number | null;
  panel?: string;
  /** What the heat map shows. */
  what?: string;
  query?: Query;
  step?: number;
  machine?: string;
  text: string;
}

export interface OutlineArrays {
  depth: Uint16Array;
  slot: Uint16Array;
  /** Index into the summary's `kinds`. */
  kind: Uint8Array;
  /** 0 read, 1 again, 2 outside. */
  state: Uint8Array;
  parent: Uint32Array;
  /** Entries of the subtree, itself included. */
  size: Uint32Array;
  pointer: BigUint64Array;
  base: BigUint64Array;
  address: BigUint64Array;
  /** Number of the BLAS; the number of BLASes for the TLAS. */
  level: Uint32Array;
  cost: Float32Array;
  overlap: Float32Array;
  fill: Float32Array;
  /** 0 none, 1 note, 2 warning, 3 error. */
  severity: Uint8Array;
}

/** The boxes of all entries. */
export interface BoxArrays {
  /** Six an entry, in the space of its level: min x y z, max x y z; NaN if unknown. */
  bounds: Float32Array;
  oriented: FrameArrays;
}

export interface Outline extends OutlineArrays, BoxArrays {}

interface PieceOfEntries { entries: number; first: number; count: number }

/** Boxes that are tested in a frame of the node above them. */
export interface FrameArrays {
  /** Their entries, ascending. */
  entry: Uint32Array;
  /** Six each, in the frame. */
  bounds: Float32Array;
  /** The frame of each, a number of `frames`. */
  frame: Uint32Array;
  /** Row-major 3×4 maps from a frame to the space of its level. */
  frames: Float32Array;
}

export interface Field {
  name: string;
  /** First bit and end, within the record. */
  bits: [number, number];
  raw: string;
  value: string;
  meaning: string;
  link: string | null;
  /** What its number counts; empty for plain counts, names and flags. */
  unit: string;
  /** A public document, or a decision of the specification. */
  source: string;
}

/** A node, or what software keeps beside one. */
export interface NodeRecord {
  pointer: string;
  address: string;
  offset: number | null;
  bytes: number;
  kind: string;
  fields: Field[];
  beside: NodeRecord[];
}

export interface NodeAnswer extends NodeRecord {
  entry: number | null;
  base: string;
  /** Where links of fields lead: the field's number, and the base that the pointer counts from. */
  links: { field: number; pointer: string; base: string }[];
  /** Row-major 3×4 map from the node's oriented frame to the level's space. */
  frame: number[] | null;
  children: { slot: number | null; entry: number | null; min: Vector; max: Vector }[];
}

export type Severity = "error" | "warning" | "note";

export interface Finding {
  severity: Severity;
  rule: string;
  offset: number;
  /** First bit and end, counted from `offset`. */
  bits: [number, number];
  found: string;
  expected: string;
  place: string;
  message: string;
  entry: number | null;
}

export interface Check {
  file: string;
  sound: boolean;
  nodes: number;
  errors: number;
  warnings: number;
  notes: number;
  counts: { rule: string; severity: Severity; count: number }[];
  findings: Finding[];
}

export interface Instance {
  blas: number;
  entry: number | null;
  custom_index: number;
  mask: number;
  sbt_offset: number;
  flags: number;
}

export interface Geometry {
  /** Every so manieth primitive is here, if there are more than were asked for. */
  step?: number;
  /** Of all pieces; `first` and `count` are of this one. */
  primitives: number;
  first: number;
  count: number;
  /** In the first piece, as the instances and their transforms. */
  blases: { triangles: number; boxes: number }[];
  instances: Instance[];
}

/** BLAS by BLAS: the triangles first, as they are kept in any order, then the boxes. */
export interface GeometryArrays {
  /** Nine a triangle, all BLASes one after the other. */
  positions: Float32Array;
  /** Geometry and primitive of each primitive. */
  ids: Uint32Array;
  boxes: Float32Array;
  /** The outline's entry that refers to the primitive first; 0xffffffff for none. */
  leaf: Uint32Array;
  /** Row-major object-to-world, 3×4, of each instance. */
  transforms: Float32Array;
}

/** A primitive by the ids of a hit, as far as they are known. */
export interface Primitive { instance?: number; geometry?: number; primitive: number }

/** `tmax` is null where the ray has no end: JSON has no infinity. */
export interface Ray { origin: Vector; direction: Vector; tmin?: number; tmax?: number | null }

/** `exact`: a volume must meet the primitive itself, not only its box. */
export type Query = { kind: "closest" | "any" | "all"; mask?: number; exact?: boolean } & Shape;

export type Shape =
  | { ray: Ray }
  | { pixel: [number, number]; size: [number, number]; camera?: Camera }
  | { beam: Beam }
  | { sphere: { centre: Vector; radius: number } }
  | { frustum: Frustum };

/** From one box to another; each is a lower and an upper corner. */
export interface Beam { from: [Vector, Vector]; to: [Vector, Vector] }

/** A beam as it is walked; null: it has no end. */
export interface WalkedBeam { from: [Vector, Vector]; to: [Vector, Vector] | null; leaf: string }

/** What a camera sees between two depths. */
export interface Frustum {
  eye: Vector;
  target: Vector;
  fov: number;
  aspect: number;
  near: number;
  far: number;
}

/** The cross-section at depth 1 is around `eye + forward`, by `right` and `up`; null: no end. */
export interface FrustumAxes {
  eye: Vector;
  forward: Vector;
  right: Vector;
  up: Vector;
  near: number;
  far: number | null;
}

export type Volume = { sphere: { centre: Vector; radius: number } } | { frustum: FrustumAxes };

/** One step, as `siliray walk --json` prints it; `event` says which other keys there are. */
export interface Step { event: string; step: number; [key: string]: unknown }

export interface Walk {
  source: string;
  steps: Step[];
  /** The line of `siliray walk` for each step. */
  texts: string[];
  /** The stack after each step. */
  stacks: unknown[][];
  /** The outline's entry of each step's node. */
  entries: (number | null)[];
  answer: Record<string, unknown> | null;
  error: string | null;
  /** Why the query can hit nothing, where that is so. */
  nothing?: string | null;
  why: Record<string, unknown> | null;
  ray?: Ray;
  /** The beam that is walked with, and the volume inside it that leaves are asked about. */
  beam?: WalkedBeam | null;
  volume?: Volume | null;
}

export interface Against {
  same: boolean;
  first: number | null;
  second: number | null;
  walks: [Walk, Walk];
}

export interface Render {
  what: string;
  figures: Record<string, unknown> | null;
  warnings: string[];
}

export interface ProgramLine {
  /** The line of the source that it was assembled from, from 1. */
  line?: number | null;
  address: string;
  word: string;
  mnemonic: string;
  operands: string;
  label: string | null;
}

export interface ProgramState {
  /** Instructions that were tried. */
  done: number;
  retired: number;
  pc: string;
  next: string | null;
  /** What the last instruction did, as a line of `siliray run --trace`. */
  last: Record<string, unknown> | null;
  registers: [string, string][];
  ended: string | null;
  output: string;
}

type Layout = { format?: string; preset?: string; settings?: Record<string, string> };

type Empty = Record<never, never>;

/** Every request by name: what it takes, what its answer holds, which arrays come with it. */
export interface Calls {
  about: { takes: Empty; gives: About; arrays: Empty };
  open: { takes: { name: string; structure?: number } & Layout; gives: Summary; arrays: Empty };
  builtin: { takes: { name: string; triangles?: number } & Layout; gives: Summary; arrays: Empty };
  example: { takes: { name: string }; gives: Summary & { start: Start }; arrays: Empty };
  /** SHA-256 of the bytes, in hex. */
  hash: { takes: Empty; gives: { hash: string }; arrays: Empty };
  /** A piece of the outline, from entry `first` on: `count` of all `entries`. */
  outline: { takes: { first?: number }; gives: PieceOfEntries; arrays: OutlineArrays };
  bounds: { takes: { first?: number }; gives: PieceOfEntries; arrays: Pick<BoxArrays, "bounds"> };
  frames: { takes: Empty; gives: { entries: number }; arrays: FrameArrays };
  node: {
    takes: { entry: number } | { pointer: string; base?: string };
    gives: NodeAnswer;
    arrays: { data: Uint8Array };
  };
  bytes: {
    takes: { offset: number; length: number };
    gives: { offset: number; length: number; of: number };
    arrays: { data: Uint8Array };
  };
  owner: {
    takes: { offset: number };
    gives: { entry: number | null; node: NodeAnswer | null };
    arrays: Empty;
  };
  check: { takes: Empty; gives: Check; arrays: Empty };
  find: {
    takes: { primitive: number; geometry?: number } | { offset: number } | { point: Vector };
    gives: { ways: number[][] };
    arrays: Empty;
  };
  geometry: { takes: { most?: number; first?: number }; gives: Geometry; arrays: GeometryArrays };
  walk: {
    takes: {
      machine: string;
      rule?: string;
      query: Query;
      why?: Primitive;
    };
    gives: Walk;
    arrays: Empty;
  };
  against: {
    takes: { machine: string; other: string; query: Query };
    gives: Against;
    arrays: Empty;
  };
  render: {
    takes: {
      machine: string;
      size: [number, number];
      camera?: Camera;
      what: string;
      /** Only these rows of a heat map: the first, and the one behind the last. */
      rows?: [number, number];
    };
    gives: Render;
    arrays: { pixels: Uint8Array; counts?: Uint32Array };
  };
  edit: {
    takes: { offset: number; bit: number; length: number; value: string };
    gives: { before: string; summary: Summary };
    arrays: Empty;
  };
  program: {
    takes: { name: string };
    gives: { name: string; lines: ProgramLine[]; cut: boolean };
    arrays: Empty;
  };
  /**
   * Runs until `to` instructions were tried in all; fewer than before is a step back. Without `to`
   * it says where it is.
   */
  run: { takes: { to?: number; stop?: string }; gives: ProgramState; arrays: Empty };
  memory: {
    takes: { address: string; length: number };
    gives: Empty;
    arrays: { data: Uint8Array };
  };
  save: { takes: Empty; gives: Empty; arrays: { data: Uint8Array } };
  simulate: {
    takes: {
      config?: string;
      set?: string[];
      workload?: string;
      rays?: number;
      /** Most events of a unit that are kept, and of which TTU. */
      timeline?: number;
      ttu?: number;
      camera?: Camera;
    };
    gives: Record<string, unknown> & { runs: Record<string, unknown>[] };
    arrays: Empty;
  };
}

export type Verb = keyof Calls;

export type Request<V extends Verb = Verb> = { do: V } & Calls[V]["takes"];

export type Arrays<V extends Verb> = Calls[V]["arrays"];

export type Answer<V extends Verb> = Calls[V]["gives"] & { arrays: Arrays<V> };

/** What the library says when it refuses. */
export class Refusal extends Error {
  constructor(text: string, readonly hint: string | null = null) {
    super(text);
    this.name = "Refusal";
  }
}
