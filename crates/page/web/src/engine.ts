// The main thread's side of the module: a queue in front of one worker.
//
// The worker computes one request at a time, so that urgent ones (a node that was just selected)
// overtake what waits (a render), and what nobody waits for any more never starts. Each request has
// an address of its own, which is revoked to stop it: the worker asks for it now and then while it
// works. What does not end by that ends with its worker: `restart` starts a new one and tells it
// again what it has to know, the file and the edits.

import { decodeResponse } from "./message";
import { Refusal, type Answer, type Request, type Verb } from "./protocol";
import type { FromWorker, Parts, ToWorker } from "./worker";

export interface Options {
  /** The bytes of a file. The worker reads them: here they would only take memory. */
  payload?: Blob;
  /** Room for the answer, which is handed over: many large answers would be much garbage. */
  room?: ArrayBuffer;
  /** Larger goes first; 0 unless given. Views that answer a hand use 1. */
  urgency?: number;
  /** Takes the place of a waiting request with the same key, which is `Dropped`. */
  instead?: string;
}

/** A request that will have no answer, because nobody wants it any more. */
export class Dropped extends Error {
  constructor() {
    super("dropped");
    this.name = "Dropped";
  }
}

/** The module stopped: only `restart` helps. */
export class Fatal extends Error {}

const file: readonly Verb[] = ["open", "builtin", "example", "edit"];

/** What has to be told again to a new worker, and what that takes the place of. */
const replaced: Partial<Record<Verb, readonly Verb[]>> = {
  open: file, builtin: file, example: file, edit: [], program: ["program"],
};

/** Milliseconds that a cancelled request may go on. */
const PATIENCE = 1500;
const WAIT = 50;

interface Job {
  id: number;
  request: Request;
  options: Options;
  /** Whether it tells a new worker what the old one knew. */
  isReplay: boolean;
  /** The address that exists as long as somebody waits for the answer. */
  token: string;
  isDropped: boolean;
  resolve(answer: object): void;
  reject(error: Error): void;
}

type Start = () => { worker: Worker; module: Parts };

export class Engine {
  private worker: Worker | null = null;
  private isLoaded = false;
  /** Why there is no module, until the next start. */
  private stopped: string | null = null;
  private waiting: Job[] = [];
  private running: Job | null = null;
  private nextId = 0;
  /** What a new worker is told: what opened the file, every edit, the program. */
  private told: { request: Request; options: Options }[] = [];

  /** `onRunning` hears which request is computed now, and how much of its file is read. */
  constructor(
    private start: Start, private onRunning: (request: Request | null, share?: number) => void,
  ) {
    this.launch();
  }

  ask<V extends Verb>(request: Request<V>, options: Options = {}): Promise<Answer<V>> {
    return this.enqueue(request, options, false);
  }

  private enqueue<V extends Verb>(
    request: Request<V>, options: Options, isReplay: boolean,
  ): Promise<Answer<V>> {
    if (this.stopped) return Promise.reject(new Fatal(this.stopped));
    return new Promise((settle, reject) => {
      if (options.instead) this.drop(job => job.options.instead === options.instead);
      const resolve = settle as Job["resolve"];
      const job: Job = {
        id: this.nextId++, request, options, isReplay, token: "", isDropped: false, resolve, reject,
      };
      const urgency = options.urgency ?? 0;
      const behind = this.waiting.findIndex(other => (other.options.urgency ?? 0) < urgency);
      this.waiting.splice(behind < 0 ? this.waiting.length : behind, 0, job);
      this.advance();
    });
  }

  /**
   * Drops what runs and what waits. What runs stops, or soon ends by itself; otherwise a new worker
   * takes the place of the old one, and learns of the file anew.
   */
  async cancel(): Promise<void> {
    const { running } = this;
    this.drop(() => true);
    if (!running) return;
    running.isDropped = true;
    running.reject(new Dropped());
    URL.revokeObjectURL(running.token);
    for (let waited = 0; waited < PATIENCE && this.running === running; waited += WAIT) {
      await new Promise(done => setTimeout(done, WAIT));
    }
    if (this.running === running) await this.restart();
  }

  /** Ends what runs, and brings a new worker to where the old one was; what waits goes on there. */
  async restart(): Promise<void> {
    this.worker?.terminate();
    const running = this.running;
    this.running = null;
    if (running) {
      this.onRunning(null);
      URL.revokeObjectURL(running.token);
      running.reject(new Dropped());
    }
    this.drop(job => job.isReplay);
    this.launch();
    // Together and before all else: what is asked meanwhile needs the file.
    await Promise.all(this.told.map(({ request, options }) =>
      this.enqueue(request, { ...options, urgency: Infinity }, true)));
  }

  private launch(): void {
    this.isLoaded = false;
    this.stopped = null;
    let started: ReturnType<Start>;
    try {
      started = this.start();
    } catch (error) {
      return this.fail((error as Error).message);
    }
    const { worker, module } = started;
    this.worker = worker;
    worker.onmessage = (event: MessageEvent<FromWorker>) => this.hear(event.data);
    worker.onerror = event => this.fail(event.message || "the worker does not start");
    this.post({ load: module });
  }

  private hear(message: FromWorker): void {
    if ("fatal" in message) return this.fail(message.fatal);
    if ("loaded" in message) {
      this.isLoaded = true;
      return this.advance();
    }
    const job = this.running;
    if (!job || job.id !== message.id) return;
    if ("share" in message) return this.onRunning(job.request, message.share);
    this.running = null;
    URL.revokeObjectURL(job.token);
    try {
      if ("refused" in message) throw new Refusal(message.refused);
      const answer = decodeResponse(message.response);
      // What changes the file must not end behind the back of the page.
      if (job.isDropped && replaced[job.request.do]) return void this.restart();
      this.remember(job);
      job.resolve(answer);
    } catch (error) {
      job.reject(error as Error);
    }
    this.advance();
    if (!this.running) this.onRunning(null);
  }

  private remember({ request, options, isReplay }: Job): void {
    const old = replaced[request.do];
    if (!old || isReplay) return;
    this.told = this.told.filter(each => !old.includes(each.request.do));
    this.told.push({ request, options });
  }

  private fail(text: string): void {
    this.isLoaded = false;
    this.stopped = text;
    const job = this.running;
    this.running = null;
    if (job) this.onRunning(null);
    job?.reject(new Fatal(text));
    for (const waiting of this.waiting.splice(0)) waiting.reject(new Fatal(text));
  }

  private drop(isUnwanted: (job: Job) => boolean): void {
    const unwanted = this.waiting.filter(isUnwanted);
    this.waiting = this.waiting.filter(job => !isUnwanted(job));
    for (const job of unwanted) job.reject(new Dropped());
  }

  private advance(): void {
    if (!this.isLoaded || this.running) return;
    const job = this.waiting.shift();
    if (!job) return;
    this.running = job;
    this.onRunning(job.request);
    const { payload, room } = job.options;
    job.token = URL.createObjectURL(new Blob(["wanted"]));
    const { id, request, token } = job;
    const message = { id, request, token, ...(payload && { payload }), ...(room && { room }) };
    this.post(message, room && [room]);
  }

  private post(message: ToWorker, transfer: Transferable[] = []): void {
    this.worker?.postMessage(message, transfer);
  }
}
