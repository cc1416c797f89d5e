import { totalmem } from "node:os";
import type { ModelFile } from "../../app/contract/runner.ts";
import type { WorkView } from "../../app/contract/snapshot.ts";
import type { Activity } from "../../app/policy/decision.ts";
import { errorName, type Log } from "../log.ts";
import type { ModelCatalogue } from "../models/catalogue.ts";
import {
  type Backend,
  type Capabilities,
  type Claimed,
  type Connection,
  type Me,
  UnknownDeviceError,
  type Unsubscribe,
} from "./backend.ts";
import { Claiming } from "./claiming.ts";
import { HeldAttempt, type Runner } from "./held-attempt.ts";
import { Presence } from "./presence.ts";

/** The part of the runner's supervisor that the worker needs. */
export type WorkerRunner = Runner & {
  readonly restingUntil: number | null;
  yield(): Promise<void>;
  stop(): Promise<void>;
};

export type WorkerOptions = {
  readonly backend: Backend;
  readonly runner: WorkerRunner;
  readonly catalogue: ModelCatalogue;
  readonly threads: number;
  readonly version: string;
  readonly log: Log;
  /** Something that the donor's facts or the snapshot are made of has changed. */
  readonly onChange: (change: WorkerChange) => void;
  readonly random?: () => number;
};

export type WorkerChange = "connection" | "me" | "models" | "work";

/** What wakes the worker's loop; logged at debug level. */
type WakeReason =
  | "accept"
  | "yield"
  | "connection"
  | "me"
  | "models"
  | "greeted"
  | "greet-again"
  | "candidates"
  | "held"
  | "claim-answered"
  | "attempt-ended"
  | "rest-over";

/**
 * The pull loop: while the donor accepts and nothing is held, it watches the ready jobs, claims one, runs
 * it and tells the backend. One loop looks at everything whenever anything changed; nothing else acts.
 */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #presence: Presence;
  readonly #claiming: Claiming;
  readonly #subscriptions: Unsubscribe[] = [];
  #connection: Connection = { connected: false, generation: 0 };
  #me: Me | null = null;
  #unknownHere = false;
  #following = false;
  #accepting = false;
  #yieldReason = "stopped";
  #stopping = false;

  #attempt: HeldAttempt | null = null;
  #recheckingModel = false;
  #held: readonly string[] | null = null;
  #givingBack = new Set<string>();
  #work: WorkView | null = null;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { backend, runner, version, log, random = Math.random } = options;
    const onGreetAgain = (): void => this.#wake("greet-again");
    this.#presence = new Presence({ backend, version, log, onGreetAgain });
    this.#claiming = new Claiming({
      backend,
      runner,
      log,
      random,
      onClaimed: (claimed) => this.#begin(claimed),
      wake: (reason) => this.#wake(reason),
    });
  }

  get connection(): Connection {
    return this.#connection;
  }

  get me(): Me | null {
    return this.#me;
  }

  /** The backend said that it does not know this device's key. */
  get unknownHere(): boolean {
    return this.#unknownHere;
  }

  /** The job under way; null when there is none. */
  get work(): WorkView | null {
    return this.#work;
  }

  /** The organization's models that are on this device and verified. */
  get usableModels(): readonly ModelFile[] {
    return (this.#me?.models ?? []).flatMap((wanted) => this.#options.catalogue.find(wanted) ?? []);
  }

  /** Connects nothing before it is called; after it, only while the device is enrolled. */
  start(): void {
    this.#subscriptions.push(
      this.#options.backend.onConnection((connection) => {
        const before = this.#connection;
        this.#connection = connection;
        if (before.connected === connection.connected && before.generation === connection.generation) return;
        this.#options.onChange("connection");
        this.#wake("connection");
      }),
    );
    this.#options.catalogue.onChange(() => {
      this.#options.onChange("models");
      this.#wake("models");
    });
  }

  /** The device is enrolled: from now on it follows its organization. */
  enrolled(): void {
    this.#unknownHere = false;
    if (this.#following) return;
    this.#following = true;
    const { backend } = this.#options;
    this.#subscriptions.push(
      backend.onMe(
        (me) => {
          this.#me = me;
          this.#unknownHere = false;
          this.#options.onChange("me");
          this.#wake("me");
        },
        (error) => {
          if (!(error instanceof UnknownDeviceError)) return;
          this.#unknownHere = true;
          this.#me = null;
          this.#options.onChange("me");
          this.#wake("me");
        },
      ),
      backend.onHeld((held) => {
        this.#held = held;
        this.#wake("held");
      }),
    );
  }

  accept(): void {
    this.#accepting = true;
    this.#wake("accept");
  }

  /** Resolves when the runner is off the CPU and its memory freed; the job is given back meanwhile. */
  async yield(reason: string): Promise<void> {
    this.#accepting = false;
    this.#yieldReason = reason;
    this.#wake("yield");
    await this.#attempt?.yield(reason);
    await this.#options.runner.yield();
  }

  setActivity(activity: Activity): void {
    this.#presence.setActivity(activity);
  }

  /** Gives everything back and says goodbye, as far as that can be done within `withinMs`. */
  async stop(withinMs: number): Promise<void> {
    this.#stopping = true;
    this.#accepting = false;
    this.#yieldReason = "shutdown";
    this.#wake("yield");
    this.#claiming.stop();
    const leaving = (async () => {
      await this.#attempt?.yield("shutdown");
      await this.#attempt?.ended;
      await this.#presence.goodbye();
    })().catch((error: unknown) => {
      this.#options.log("warn", "goodbye.failed", { error: errorName(error) });
    });
    await Promise.race([leaving, new Promise((resolve) => setTimeout(resolve, withinMs))]);
    this.#presence.stop();
    for (const unsubscribe of this.#subscriptions.splice(0)) unsubscribe();
    await this.#options.runner.stop();
  }

  /** Looks at everything, and does what is due. Every branch may be taken again and again. */
  #wake(reason: WakeReason): void {
    this.#options.log("debug", "worker.wake", { reason });
    this.#greet();
    this.#compareHeld();
    this.#presence.setHolding(this.#attempt !== null || this.#claiming.underWay);
    this.#claiming.look({
      free: this.#wantsWork() && this.#attempt === null,
      greeted: this.#presence.isGreeted(this.#connection.generation, this.#capabilities()),
      connected: this.#connection.connected,
    });
  }

  #greet(): void {
    if (this.#me?.status !== "active" || !this.#connection.connected || this.#stopping) return;
    void this.#presence.greet(this.#connection.generation, this.#capabilities()).then((greeted) => {
      if (greeted) this.#wake("greeted");
    });
  }

  #capabilities(): Capabilities {
    return {
      threads: this.#options.threads,
      memoryMb: Math.floor(totalmem() / 2 ** 20),
      models: this.usableModels.map((model) => model.modelId).sort(),
    };
  }

  #wantsWork(): boolean {
    return (
      this.#accepting &&
      !this.#stopping &&
      !this.#recheckingModel &&
      this.#me?.status === "active" &&
      this.usableModels.length > 0 &&
      this.#claiming.resting() === null
    );
  }

  #begin(claimed: Claimed): void {
    const { backend, runner, log, threads, onChange } = this.#options;
    const wanted = this.#me?.models.find((model) => model.modelId === claimed.modelId);
    const model = wanted === undefined ? null : this.#options.catalogue.find(wanted);
    // Given back unrun: the person came back while the claim was under way, or the model went.
    if (!this.#accepting || this.#stopping) {
      this.#giveBack(claimed.attemptId, this.#yieldReason);
      return;
    }
    if (model === null) {
      this.#giveBack(claimed.attemptId, "model not on this device");
      return;
    }
    if (claimed.request === null) {
      this.#refuseMalformed(claimed.attemptId);
      return;
    }

    const attempt = new HeldAttempt(claimed, claimed.request, model, {
      backend,
      runner,
      threads,
      log,
      onProgress: (view) => {
        this.#work = view;
        onChange("work");
      },
      wantsNext: () => this.#wantsWork(),
    });
    this.#attempt = attempt;
    log("info", "attempt.claimed", { attemptId: attempt.attemptId, modelId: claimed.modelId });
    void attempt.ended.then(({ next, badModel }) => {
      this.#attempt = null;
      this.#work = null;
      onChange("work");
      if (badModel !== null) void this.#recheckModel(badModel);
      if (next !== null) this.#begin(next);
      this.#wake("attempt-ended");
    });
  }

  /** Nothing is claimed meanwhile: every job for that model would fail here, one after another. */
  async #recheckModel(sha256: string): Promise<void> {
    this.#recheckingModel = true;
    await this.#options.catalogue.recheck(sha256);
    this.#recheckingModel = false;
    this.#wake("models");
  }

  /**
   * `work.held` says what the backend counts as ours. An attempt that it no longer lists was canceled or
   * fenced; one that it lists and nobody here works on is given back. While a claim or a settlement is under
   * way the list may be ahead of what we know, and is looked at again after.
   */
  #compareHeld(): void {
    if (this.#held === null || this.#claiming.underWay) return;
    const attempt = this.#attempt;
    if (attempt !== null) {
      if (attempt.state !== "running" && attempt.state !== "stopping") return;
      if (!this.#held.includes(attempt.attemptId)) attempt.gone();
    }
    for (const attemptId of this.#held) {
      if (attemptId !== attempt?.attemptId) this.#giveBack(attemptId, "not at work on it");
    }
  }

  #giveBack(attemptId: string, reason: string): void {
    this.#callOnce(attemptId, "release", () => this.#options.backend.release(attemptId, reason));
  }

  #refuseMalformed(attemptId: string): void {
    const message = "The request is not one that a device accepts.";
    const error = { code: "internal_error", message, retryable: false } as const;
    this.#callOnce(attemptId, "fail", () => this.#options.backend.fail(attemptId, error));
  }

  #callOnce(attemptId: string, name: string, call: () => Promise<unknown>): void {
    if (this.#givingBack.has(attemptId)) return;
    this.#givingBack.add(attemptId);
    const { log } = this.#options;
    log("info", "attempt.returned", { attemptId, call: name });
    call()
      .catch((error: unknown) => log("warn", "return.refused", { attemptId, error: errorName(error) }))
      .finally(() => this.#givingBack.delete(attemptId));
  }
}
