import { Asking } from "./asking.ts";
import { BackOff } from "./back-off.ts";
import { Beginning } from "./beginning.ts";
import { Calls, type Unsubscribe, type WorkerClient } from "./calls.ts";
import { type Connection, followConnection, notConnected } from "./connection.ts";
import { Greeting } from "./greeting.ts";
import { Heartbeat } from "./heartbeat.ts";
import { HeldWatch } from "./held-watch.ts";
import { Holding } from "./holding.ts";
import { Leaving } from "./leaving.ts";
import { errorName, type Log, warningsLog } from "./log.ts";
import { type Capabilities, type ClaimedJob, functionsAt, type NextWork } from "./protocol.ts";
import { Rest } from "./rest.ts";
import { Returns } from "./returns.ts";
import { settling } from "./settling.ts";
import { Standing } from "./standing.ts";
import { workerTimes } from "./times.ts";
import { within } from "./within.ts";
import type { Abilities, Capacity, Mode, WakeReason, WorkerEvent, WorkerOptions } from "./worker-options.ts";

/** The most that the queue lets one worker hold. */
const maxHeld = 16;

/**
 * Runs jobs of a queue. One loop looks at everything whenever anything changed, and does what is due; nothing else
 * acts. It asks for jobs; where there are none it stands in line, is shown what becomes ready there, and claims it; each
 * end of a job brings the next.
 */
export class Worker {
  readonly #client: WorkerClient;
  readonly #options: WorkerOptions;
  readonly #log: Log;
  readonly #calls: Calls;
  readonly #greeting: Greeting;
  readonly #heartbeat: Heartbeat;
  readonly #asking: Asking;
  readonly #returns: Returns;
  readonly #holding: Holding;
  readonly #standing: Standing;
  readonly #leaving: Leaving;
  readonly #held: HeldWatch;
  readonly #backOff = new BackOff();
  readonly #beginning: Beginning;
  readonly #rest = new Rest(() => this.#wake("rest-over"));
  #capacity: Capacity;
  #capabilities: Capabilities;
  #mode: Mode;
  #connection: Connection = notConnected;
  #unsubscribe: Unsubscribe | null = null;
  #started = false;
  #unknown = false;
  #taking = false;
  #still = false;
  #end: "no" | "leaving" | "over" = "no";

  constructor(client: WorkerClient, options: WorkerOptions) {
    this.#client = client;
    this.#options = options;
    this.#mode =
      options.accepting === false ? { kind: "paused", reason: "not begun" } : { kind: "accepting" };
    this.#capacity = { concurrency: options.concurrency ?? 1, prefetch: options.prefetch ?? 0 };
    this.#capabilities = this.#able(options.capabilities ?? {});
    const log = (this.#log = options.log ?? warningsLog);
    const times = { ...workerTimes, ...options.times };
    const functions = options.functions ?? functionsAt("work");
    const calls = (this.#calls = new Calls(client, functions, options.key, () => this.#becomeUnknown()));
    const wake = (reason: WakeReason): void => this.#wake(reason);

    this.#greeting = new Greeting({
      hello: (capabilities, startup) =>
        calls.say("hello", {
          capabilities,
          startup,
          ...(options.version === undefined ? {} : { version: options.version }),
        }),
      log,
      onGreeted: (leaseMs) => {
        this.#unknown = false;
        this.#heartbeat.setLease(leaseMs);
        // Who leaves says no more than goodbye, and who is told of a greeting has something to say.
        if (this.#end === "no") this.#tell({ kind: "greeted" });
        wake("greeted");
      },
      onAgain: () => wake("greet-again"),
    });
    this.#heartbeat = new Heartbeat({
      beat: () => calls.say("heartbeat", {}),
      lastSaidAt: () => calls.lastSaidAt,
      cadence: times,
      onRefused: (error) => log("warn", "heartbeat.refused", { error: errorName(error) }),
    });
    this.#asking = new Asking({
      room: () => this.#room(),
      onNext: (next, wished) => this.#receive(next, wished),
    });
    this.#returns = new Returns((attemptIds, reason) => {
      // What it finishes, and was handed a moment ago, would be given back with what is not begun.
      if (this.#mode.kind === "draining") this.#beginning.sayNow();
      return this.#leaving.release(attemptIds, reason, this.#mode.kind !== "accepting");
    });
    this.#holding = new Holding({
      handlers: options.handlers,
      concurrency: () => this.#capacity.concurrency,
      calls: settling({
        calls,
        asking: this.#asking,
        returns: this.#returns,
        beginWaiting: () => (this.#begins ? this.#holding.beginWaiting() : []),
      }),
      chunkEveryMs: times.chunkEveryMs,
      progressEveryMs: times.progressEveryMs,
      log,
      onProgress: (attemptId, view) => this.#tell({ kind: "progress", attemptId, view }),
      onUnsettled: (attemptId) => this.#held.recheck(attemptId),
      onEnded: () => wake("attempt-ended"),
    });
    this.#standing = new Standing({
      ...{ calls, log, times, wake },
      backOff: this.#backOff,
      onClaimed: (job, cursor) => {
        this.#asking.goOnAt(cursor);
        this.#adopt(job);
      },
      onHanded: (jobs) => {
        for (const job of jobs) {
          if (!this.#holding.attemptIds.has(job.attemptId)) this.#beginning.handed(job.attemptId);
          this.#adopt(job);
        }
      },
    });
    this.#beginning = new Beginning({
      start: (attemptIds) => calls.say("start", { attemptIds }),
      isHeld: (attemptId) => this.#holding.attemptIds.has(attemptId),
      onLasting: () => wake("job-lasts"),
      onFenced: (attemptIds) => this.#holding.gone(attemptIds),
      startAfterMs: times.startAfterMs,
      log,
    });
    this.#leaving = new Leaving({
      ...{ calls, log, asking: this.#asking, standing: this.#standing },
      onLeft: () => wake("left"),
    });
    this.#held = new HeldWatch({
      ...{ calls, log, times },
      holding: this.#holding,
      returns: this.#returns,
      onRows: () => wake("held"),
      onUsedElsewhere: (ms) => {
        this.#rest.for(ms);
        this.#tell({ kind: "key-used-elsewhere" });
      },
    });
  }

  /** Begins, and goes on where the queue did not know the key before. May be called again. */
  start(): void {
    this.#started = true;
    this.#unknown = false;
    this.#greeting.again();
    this.#unsubscribe ??= followConnection(this.#client, (connection) => {
      this.#connection = connection;
      this.#wake("connection");
    });
    this.#wake("start");
  }

  /** Takes jobs from now on. */
  accept(): void {
    this.#mode = { kind: "accepting" };
    this.#wake("accept");
  }

  /** Has every handler let go at once, and gives the jobs back. Resolves when the handlers have let go. */
  async pause(reason: string): Promise<void> {
    this.#mode = { kind: "paused", reason };
    this.#holding.yieldAll(reason);
    this.#wake("pause");
    await this.#holding.letGo();
  }

  /** Takes nothing more, and gives back what is not begun. Resolves when what is begun has ended by itself. */
  async finish(reason: string): Promise<void> {
    this.#mode = { kind: "draining" };
    this.#holding.yieldWaiting(reason);
    this.#wake("stop");
    await this.#holding.letGo();
  }

  /** Takes no new job and begins none for so many milliseconds; what runs goes on. */
  rest(ms: number): void {
    this.#rest.for(ms);
    this.#holding.yieldWaiting("resting");
    this.#wake("rest-over");
  }

  /** While it stands still it looks on, claims nothing and begins nothing: others may. What runs is its handlers' affair. */
  standStill(on: boolean): void {
    if (on === this.#still) return;
    this.#still = on;
    this.#wake("still");
  }

  /** What this machine offers has changed. */
  setCapabilities(abilities: Abilities, capacity = this.#capacity): void {
    this.#capacity = capacity;
    const capabilities = this.#able(abilities);
    if (JSON.stringify(capabilities) === JSON.stringify(this.#capabilities)) return;
    this.#capabilities = capabilities;
    // The queue takes a worker that has changed out of line.
    this.#standing.standAt(null);
    this.#wake("capabilities");
  }

  /**
   * Ends: takes nothing more, lets jobs that run end within `finishMs`, gives the others back and says goodbye, within
   * `leaveMs` more. Resolves in any case, and no handler is at work then that lets go when it is told to.
   */
  async stop({ finishMs = 30_000, leaveMs = 2_000 } = {}): Promise<void> {
    if (finishMs > 0) await within(finishMs, this.finish("shutdown"));
    this.#end = "leaving";
    void this.pause("shutdown");
    await within(leaveMs, this.#leaveForGood());
    this.#end = "over";
    for (const part of [this.#greeting, this.#heartbeat, this.#standing, this.#rest, this.#beginning])
      part.stop();
    this.#backOff.cancel();
    this.#held.follow(new Set());
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }

  async #leaveForGood(): Promise<void> {
    try {
      await this.#holding.ended();
      if (this.#greeting.everSaid && !this.#unknown) await this.#calls.say("goodbye", {});
    } catch (error) {
      this.#log("warn", "goodbye.failed", { error: errorName(error) });
    }
  }

  #wake(reason: WakeReason): void {
    if (this.#end === "over") return;
    this.#log("debug", "worker.wake", { reason });
    this.#look();
  }

  /** Looks at everything, and does what is due. Every branch may be taken again and again. */
  #look(): void {
    const { connected, generation } = this.#connection;
    if (this.#started && connected && this.#end === "no")
      this.#greeting.greet(generation, this.#capabilities);
    this.#held.look(!this.#asking.underWay && !this.#standing.claiming);
    this.#beginWaiting();
    if (this.#greeting.everSaid && !this.#unknown) this.#heartbeat.run(this.#holding.any);
    const mayTake = connected && this.#isGreeted && !this.#still;
    // It waits and asks for what it would begin alone: what it could hold ahead comes with the ends of others.
    const { wish } = this.#asking;
    const idle = Math.min(wish.jobs, this.#idle());
    this.#standing.look(idle > 0 ? { ...wish, jobs: idle - 1 } : null, mayTake, this.#beginning.any);
    const nowhere = this.#standing.stands === null && !this.#standing.claiming;
    if (idle > 0 && nowhere && mayTake && !this.#taking) void this.#take();
    this.#leaveIfDue();
    this.#held.follow(this.#holding.attemptIds);
  }

  get #begins(): boolean {
    return this.#mode.kind === "accepting" && !this.#still;
  }

  get #isGreeted(): boolean {
    return this.#greeting.isGreeted(this.#connection.generation, this.#capabilities);
  }

  #able(abilities: Abilities): Capabilities {
    return { ...abilities, kinds: Object.keys(this.#options.handlers), ...this.#capacity };
  }

  /** How many jobs more could be held, those that are asked for included. */
  #room(): number {
    const resting = this.#rest.on || this.#backOff.waiting;
    if (this.#mode.kind !== "accepting" || this.#unknown || resting || !this.#isGreeted) return 0;
    const { concurrency, prefetch } = this.#capacity;
    return (
      Math.min(maxHeld, concurrency + prefetch) - this.#holding.taken - (this.#standing.claiming ? 1 : 0)
    );
  }

  /** How many more handlers could be at work. */
  #idle(): number {
    const { concurrency } = this.#capacity;
    return concurrency - this.#holding.taken - this.#asking.asked - (this.#standing.claiming ? 1 : 0);
  }

  async #take(): Promise<void> {
    this.#taking = true;
    const again = (): void => this.#wake("rest-over");
    try {
      const outcome = await this.#asking.ask((wish) => this.#calls.say("take", { wish }));
      this.#log("debug", "take.answered", { outcome: outcome.kind });
      // Full, and nothing here to fill it: the queue counts what nobody here is at work on.
      if (outcome.kind === "unable" && outcome.reason === "full") this.#held.recheck();
      const nothing = outcome.kind === "unable" || (outcome.jobs.length === 0 && outcome.stands.length === 0);
      if (nothing) this.#backOff.refused(again);
      else this.#backOff.taken();
    } catch (error) {
      this.#log("warn", "take.refused", { error: errorName(error) });
      this.#backOff.refused(again);
    }
    this.#taking = false;
    this.#wake("taken");
  }

  #receive({ jobs, stands }: NextWork, wished: number): void {
    for (const job of jobs) this.#adopt(job);
    // One that found all that it can begin stands nowhere.
    if (wished > 0) this.#standing.standAt(stands.length === 0 ? null : stands);
  }

  #adopt(job: ClaimedJob): void {
    if (this.#holding.attemptIds.has(job.attemptId)) return;
    this.#held.ours(job.attemptId);
    const attempt = this.#holding.add(job);
    // It was on its way when a person came back.
    if (this.#mode.kind !== "accepting") attempt.yield(this.#whyNot);
    else if (job.begun) attempt.begin();
  }

  get #whyNot(): string {
    return this.#mode.kind === "paused" ? this.#mode.reason : "shutdown";
  }

  /** Where no ending job's call says it, the queue is told so that nobody steals what is begun. */
  #beginWaiting(): void {
    if (this.#begins) this.#beginning.begun(this.#holding.beginWaiting());
  }

  /** Says that no more is taken, unless that goes with what is given back. */
  #leaveIfDue(): void {
    const { kind } = this.#mode;
    if (kind === "accepting" || this.#end !== "no" || !this.#asking.inRings || this.#unknown) return;
    if (this.#asking.underWay || this.#standing.claiming || this.#returns.underWay || this.#leaving.underWay)
      return;
    if (kind === "paused" && this.#holding.taken > 0) return;
    // What it was handed and is at work on would be given back with what is not begun.
    this.#beginning.sayNow();
    this.#leaving.leave();
  }

  #becomeUnknown(): void {
    if (this.#unknown) return;
    this.#unknown = true;
    this.#heartbeat.stop();
    this.#log("error", "worker.unknown-key");
    this.#tell({ kind: "unknown-key" });
    this.#wake("unknown-key");
  }

  #tell(event: WorkerEvent): void {
    this.#options.onEvent?.(event);
  }
}
