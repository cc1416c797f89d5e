import { ConvexError } from "convex/values";
import { assertNever } from "../shared/assert-never.ts";
import { errorName, type Log, warningsLog } from "./contract/log.ts";
import { functionsAt, type WaitSubscription, type WorkerFunctions } from "./contract/protocol.ts";
import {
  followConnection,
  refusalOf,
  UnknownWorkerError,
  type Unsubscribe,
  type WorkerClient,
} from "./contract/queue-client.ts";
import { workerTimes } from "./contract/times.ts";
import type { Abilities, Capacity, WorkerEvent, WorkerOptions } from "./contract/worker-options.ts";
import { HandlerRuns } from "./handler-runs.ts";
import { isUnderWay } from "./machine/attempt-machine.ts";
import type { CallFailure, Effect, MachineEvent, WorkerState } from "./machine/state.ts";
import { initialState, step } from "./machine/step.ts";

type QueryName = "candidates" | "handed" | "held";

/** The longest delay that `setTimeout` takes. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Runs jobs of a queue. It asks for jobs; if there are none, it waits for jobs to become ready and claims them. The end of
 * each job brings the next. The machine (machine/step.ts) decides all of it: this class sends it events, performs its
 * effects, and has the one timer.
 */
export class Worker {
  readonly #client: WorkerClient;
  readonly #functions: WorkerFunctions;
  readonly #options: WorkerOptions;
  readonly #log: Log;
  readonly #runs: HandlerRuns;
  readonly #events: MachineEvent[] = [];
  readonly #subscriptions = new Map<QueryName | "connection", Unsubscribe>();
  #waiters: readonly { readonly isDone: () => boolean; readonly resolve: () => void }[] = [];
  #state: WorkerState;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stepping = false;

  constructor(client: WorkerClient, options: WorkerOptions) {
    this.#client = client;
    this.#options = options;
    this.#functions = options.functions ?? functionsAt("work");
    this.#log = options.log ?? warningsLog;
    const { handlers, version, capabilities: abilities = {}, accepting = true } = options;
    this.#runs = new HandlerRuns({
      handlers,
      onEvent: (event) => {
        this.#happened(event);
        if (event.kind === "progress") options.onEvent?.(event);
      },
      submit: async (attemptId, first, jobs) =>
        await this.#client.mutation(this.#functions.submit, this.#signed({ attemptId, first, jobs })),
    });
    this.#state = initialState({
      version,
      abilities,
      kinds: Object.keys(handlers),
      times: { ...workerTimes, ...options.times },
      capacity: { concurrency: options.concurrency ?? 1, prefetch: options.prefetch ?? 0 },
      mode: accepting ? { kind: "accepting" } : { kind: "paused", reason: "not begun" },
    });
  }

  /** Connects and takes jobs. After the event `unknown-key`, call it again to retry. */
  start(): void {
    this.#happened({ kind: "start" });
    if (this.#subscriptions.has("connection")) return;
    const listener = followConnection(this.#client, (connection) =>
      this.#happened({ kind: "connection", connection }),
    );
    this.#subscriptions.set("connection", listener);
  }

  /** Takes jobs from now on. */
  accept(): void {
    this.#happened({ kind: "accept" });
  }

  /** Aborts every handler at once, and gives the jobs back. Resolves when the handlers have let go. */
  async pause(reason: string): Promise<void> {
    this.#happened({ kind: "pause", reason });
    await this.#letGo();
  }

  /** Takes no more jobs, and gives back those that have not started. Resolves when the running ones have ended. */
  async finish(reason: string): Promise<void> {
    this.#happened({ kind: "finish", reason });
    await this.#letGo();
  }

  /** Takes and starts no job for this time. Running jobs continue. */
  pauseTaking(ms: number): void {
    this.#happened({ kind: "pause-taking", ms });
  }

  /** While on, the worker keeps waiting but claims and starts nothing, so that others may. Running jobs continue. */
  holdNewJobs(on: boolean): void {
    this.#happened({ kind: "hold-new-jobs", on });
  }

  /** Changes what this machine offers. */
  setCapabilities(abilities: Abilities, capacity?: Capacity): void {
    this.#happened({ kind: "capabilities", abilities, capacity });
  }

  /**
   * Ends: takes no more jobs, lets running ones end within `finishMs`, gives the others back, and says goodbye within
   * `leaveMs` more. Always resolves. Handlers that let go when they are aborted have ended by then.
   */
  async stop({ finishMs = 30_000, leaveMs = 2_000 } = {}): Promise<void> {
    this.#happened({ kind: "stop", finishMs, leaveMs });
    await this.#until(() => this.#state.stop.kind === "over");
  }

  /** Resolves when the handlers of all jobs that are held now have ended. */
  async #letGo(): Promise<void> {
    const held = [...this.#state.attempts.keys()];
    await this.#until(() =>
      held.every((attemptId) => {
        const attempt = this.#state.attempts.get(attemptId);
        return attempt === undefined || !isUnderWay(attempt.state);
      }),
    );
  }

  async #until(isDone: () => boolean): Promise<void> {
    if (isDone()) return;
    await new Promise<void>((resolve) => {
      this.#waiters = [...this.#waiters, { isDone, resolve }];
    });
  }

  /** Events that effects cause are queued until the step is finished. */
  #happened(event: MachineEvent): void {
    this.#events.push(event);
    if (this.#stepping) return;
    this.#stepping = true;
    for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) this.#step(next);
    this.#stepping = false;
    const done = this.#waiters.filter(({ isDone }) => isDone());
    this.#waiters = this.#waiters.filter((waiter) => !done.includes(waiter));
    for (const { resolve } of done) resolve();
  }

  #step(event: MachineEvent): void {
    const isOutput = event.kind === "text" || event.kind === "progress";
    if (!isOutput && this.#state.stop.kind !== "over")
      this.#log("debug", "worker.wake", { reason: event.kind === "answered" ? event.name : event.kind });
    const { state, effects, wakeAt } = step(this.#state, event, performance.now());
    this.#state = state;
    // Of several changes of the subscriptions only the last one counts.
    const follows = effects.findLast(({ kind }) => kind === "follow-ready-jobs");
    for (const effect of effects)
      if (effect.kind !== "follow-ready-jobs" || effect === follows) this.#perform(effect);
    clearTimeout(this.#timer);
    if (wakeAt !== null) {
      const ms = Math.max(0, Math.min(longestTimerMs, Math.ceil(wakeAt - performance.now())));
      this.#timer = setTimeout(() => this.#happened({ kind: "timer" }), ms);
    }
    if (state.stop.kind !== "over") return;
    for (const unsubscribe of this.#subscriptions.values()) unsubscribe();
    this.#subscriptions.clear();
  }

  #perform(effect: Effect): void {
    switch (effect.kind) {
      case "call":
        void this.#call(effect);
        return;
      case "follow-ready-jobs":
        this.#followReadyJobs(effect.at);
        return;
      case "follow-held":
        this.#stopFollowing("held");
        if (effect.on) this.#follow("held", {}, (rows) => this.#happened({ kind: "held", rows }));
        return;
      case "run":
        void this.#runs.run(effect.job);
        return;
      case "abort":
        this.#runs.abort(effect.attemptId);
        return;
      case "tell":
        this.#tell(effect.event);
        return;
      case "log":
        this.#log(effect.level, effect.event, effect.fields);
        return;
      case "flush":
        queueMicrotask(() => this.#happened({ kind: "flush" }));
        return;
      default:
        assertNever(effect);
    }
  }

  /** A listener that throws must not keep the other effects of the step from being performed. */
  #tell(event: WorkerEvent): void {
    try {
      this.#options.onEvent?.(event);
    } catch (error) {
      this.#log("error", "worker.listener-failed", { error: errorName(error) });
    }
  }

  async #call(call: Extract<Effect, { kind: "call" }>): Promise<void> {
    this.#happened(await this.#outcomeOf(call));
  }

  /** Without a connection the call waits. After a reconnect the client itself sends it again. */
  async #outcomeOf({ id, name, args }: Extract<Effect, { kind: "call" }>): Promise<MachineEvent> {
    try {
      const answer: unknown = await this.#client.mutation(this.#functions[name], this.#signed(args));
      // TypeScript does not see that the function of this name gave the answer.
      return { kind: "answered", id, name, args, answer, random: Math.random() } as MachineEvent;
    } catch (error) {
      return { kind: "failed", id, failure: failureOf(error), random: Math.random() };
    }
  }

  #followReadyJobs(at: readonly WaitSubscription[] | null): void {
    this.#stopFollowing("candidates");
    this.#stopFollowing("handed");
    if (at === null) return;
    this.#follow("candidates", { subscriptions: at }, (seen) => this.#happened({ kind: "candidates", seen }));
    this.#follow("handed", {}, (jobs) => this.#happened({ kind: "handed", jobs }));
  }

  #follow<N extends QueryName>(
    query: N,
    args: object,
    onValue: (value: WorkerFunctions[N]["_returnType"]) => void,
  ): void {
    const unsubscribe = this.#client.onUpdate(this.#functions[query], this.#signed(args), onValue, (error) =>
      this.#happened({ kind: "query-failed", query, failure: failureOf(error) }),
    );
    this.#subscriptions.set(query, unsubscribe);
  }

  #stopFollowing(query: QueryName): void {
    this.#subscriptions.get(query)?.();
    this.#subscriptions.delete(query);
  }

  /** TypeScript does not see that these are a function's arguments when it knows the name only as one of several. */
  #signed(args: object): never {
    return { ...args, key: this.#options.key } as never;
  }
}

function failureOf(thrown: unknown): CallFailure {
  const refusal = refusalOf(thrown);
  const error = errorName(refusal);
  if (refusal instanceof UnknownWorkerError) return { kind: "unknown-key", error };
  return { kind: refusal instanceof ConvexError ? "refused" : "broken", error };
}
