import { makeFunctionReference } from "convex/server";
import { vi } from "vitest";
import type { FinalEvent, JobSpec } from "../../shared/validators.ts";
import { isFinal } from "../model/jobs/states.ts";
import { giveToSecond } from "../model/stragglers/second.ts";
import { note, refuseOnce, startWithApp } from "./app.fixture.ts";
import { checkInvariants, rowsOf } from "./checkInvariants.fixture.ts";
import { type Backend, passTime, queue, scope } from "./queue.fixture.ts";
import { SteadyWorker } from "./steadyWorker.fixture.ts";
import { crash } from "./workers.fixture.ts";

/** Pseudo-random numbers in [0, 1), the same for the same seed. Source: mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const workersAtMost = 5;
const internal = (name: string) => makeFunctionReference<"mutation">(`maintenance:${name}`);

/** Ignores the app's refusal of one job's end. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof Error) || !error.message.includes("out of order")) throw error;
}

/** A queue with workers and requesters that do anything allowed, and one worker that follows the library's protocol. */
export class Chaos {
  readonly #t: Backend;
  readonly #random: () => number;
  readonly #ends: FinalEvent[] = [];
  readonly #batchesDone: { readonly batchId: string }[] = [];
  readonly #keys: string[] = [];
  #steady: SteadyWorker | null = null;
  /** How many jobs two workers had at once. */
  doubled = 0;
  /** The steps so far, the last one last. */
  readonly story: string[] = [];

  constructor(random: () => number) {
    this.#random = random;
    const called: unknown[] = [];
    called.push = (...events: unknown[]) => {
      for (const event of events as (FinalEvent & { total?: number })[]) {
        if (event.total === undefined) this.#ends.push(event);
        else this.#batchesDone.push(event as never);
      }
      return 0;
    };
    this.#t = startWithApp(called);
  }

  async begin(): Promise<void> {
    const t = this.#t;
    await t.mutation(queue.limits.set, { scope, of: "requester", name: "limited", concurrency: 2 });
    await t.mutation(queue.limits.set, { scope, of: "key", name: "limited", concurrency: 1 });
    const keyHash = "steady";
    const { workerId } = await t.mutation(queue.workers.register, { scope, keyHash, name: keyHash });
    await t.mutation(queue.work.hello, { keyHash, capabilities: this.#able(true), startup: true });
    this.#steady = new SteadyWorker(t, { keyHash, workerId });
  }

  /** Takes a random step, then checks the invariants. */
  async step(): Promise<void> {
    const acts: readonly (readonly [number, string, () => Promise<unknown>])[] = [
      [9, "submit", () => this.#submit()],
      [8, "steady", () => this.#steadyStep()],
      [
        5,
        "take",
        () => this.#as((keyHash) => this.#t.mutation(queue.work.take, { keyHash, demand: this.#demand() })),
      ],
      [8, "claim", () => this.#as((keyHash) => this.#claim(keyHash))],
      [
        4,
        "start",
        () =>
          this.#as(async (keyHash) => {
            const attemptIds = [await this.#attemptOf(keyHash)];
            await this.#t.mutation(queue.work.start, { keyHash, attemptIds });
          }),
      ],
      [7, "complete", () => this.#as((keyHash) => this.#complete(keyHash))],
      [4, "fail", () => this.#as((keyHash) => this.#fail(keyHash))],
      [
        2,
        "release",
        () =>
          this.#as(async (keyHash) => {
            const attemptIds = [await this.#attemptOf(keyHash)];
            await this.#t.mutation(queue.work.release, {
              keyHash,
              attemptIds,
              reason: "any",
              leave: this.#chance(0.3),
            });
          }),
      ],
      [1, "leave", () => this.#as((keyHash) => this.#t.mutation(queue.work.leave, { keyHash }))],
      [1, "goodbye", () => this.#as((keyHash) => this.#t.mutation(queue.work.goodbye, { keyHash }))],
      [3, "hello", () => this.#hello()],
      [1, "heartbeat", () => this.#as((keyHash) => this.#t.mutation(queue.work.heartbeat, { keyHash }))],
      [1, "update", () => this.#update()],
      [2, "cancel", () => this.#ofJob((jobId) => this.#t.mutation(queue.jobs.cancel, { scope, jobId }))],
      [
        1,
        "cancelMany",
        () =>
          this.#t.mutation(queue.jobs.cancelMany, {
            scope,
            by: "requester",
            name: "free",
            running: this.#chance(0.5),
          }),
      ],
      [2, "retry", () => this.#ofJob((jobId) => this.#t.mutation(queue.deadLetters.retry, { scope, jobId }))],
      [1, "retryAll", () => this.#t.mutation(queue.deadLetters.retryAll, { scope })],
      [
        1,
        "discard",
        () => this.#ofJob((jobId) => this.#t.mutation(queue.deadLetters.discard, { scope, jobId })),
      ],
      [1, "follow", () => this.#ofJob((jobId) => this.#t.mutation(queue.jobs.follow, { scope, jobId }))],
      [8, "double", () => this.#double()],
      [2, "lane", () => this.#setLane()],
      [1, "seal", () => this.#seal()],
      [7, "time", () => this.#time()],
    ];
    const sum = acts.reduce((weights, [weight]) => weights + weight, 0);
    let drawn = this.#random() * sum;
    for (const [weight, name, act] of acts) {
      drawn -= weight;
      if (drawn >= 0) continue;
      this.story.push(name);
      await act().catch(unlessRefused);
      break;
    }
    await this.check();
  }

  async check(): Promise<void> {
    checkInvariants(await rowsOf(this.#t), this.#ends);
  }

  /** Opens all lanes and stops all other workers, so the steady worker ends every job. */
  async rest(): Promise<void> {
    const t = this.#t;
    for (const { laneId } of await t.query(queue.lanes.list, { scope })) {
      await t.mutation(queue.lanes.setState, { scope, laneId, state: "open" });
    }
    await this.#seal();
    // The others die without a call.
    this.story.push("rest");
    for (let n = 0; n < 400; n += 1) {
      await this.#steadyStep();
      await this.#steadyStep();
      await passTime(t, n % 20 === 19 ? 9_000 : 450);
      const { jobs } = await rowsOf(t);
      if (jobs.every(({ status }) => isFinal(status))) break;
    }
    await this.check();
  }

  /** Rows that are left after all jobs have ended and the last worker has gone. */
  async left() {
    const t = this.#t;
    await passTime(t, 5_000);
    const open = (await rowsOf(t)).jobs.filter(({ status }) => !isFinal(status));
    for (const keyHash of ["steady", ...this.#keys]) {
      await t.mutation(queue.work.goodbye, { keyHash }).catch(() => null);
    }
    await passTime(t, 5_000);
    const { homes, stands, attempts, batches, batchEnds, dependencies, jobs } = await rowsOf(t);
    const dead = new Set(jobs.filter(({ status }) => status === "expired").map(({ _id }) => _id));
    return {
      open: open.map(({ _id, status, waitsFor }) => [_id, status, waitsFor]),
      homes,
      stands,
      held: attempts.filter((attempt) => attempt.open),
      batchesNotDone: batches.filter(({ status }) => status !== "done"),
      batchesNotTold: batches.filter(
        ({ _id }) => this.#batchesDone.filter(({ batchId }) => batchId === _id).length !== 1,
      ),
      miscounted: batches.filter(
        ({ total, succeeded, failed, canceled, expired }) =>
          total !== succeeded + failed + canceled + expired,
      ),
      batchEnds,
      dependencies: dependencies.filter(({ jobId }) => !dead.has(jobId)),
    };
  }

  /** Rows that are kept longer than they should be. */
  async forgotten() {
    const t = this.#t;
    await passTime(t, 700_000);
    vi.setSystemTime(Date.now() + 200 * 24 * 3_600_000);
    await t.mutation(internal("purge"), {});
    await t.mutation(internal("forget"), {});
    await t.mutation(internal("forgetLanes"), { cursor: null });
    await passTime(t, 1_000);
    const { recalls: _, stragglerChecks: __, workers: ___, limits: ____, ...rows } = await rowsOf(t);
    return rows;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #int(below: number): number {
    return Math.floor(this.#random() * below);
  }

  #pick<T>(...from: readonly T[]): T {
    return from[this.#int(from.length)] as T;
  }

  #demand() {
    return { jobs: this.#int(4) };
  }

  #able(all: boolean) {
    const kinds = all ? ["hash", "other"] : this.#pick(["hash"], ["other"], ["hash", "other"]);
    const speeds = kinds.map((of) => ({ of, inputPerSecond: 1, outputPerSecond: 1 }));
    return { kinds, speeds, ...(all ? {} : { concurrency: 1 + this.#int(3), prefetch: this.#int(3) }) };
  }

  async #steadyStep(): Promise<void> {
    await this.#steady?.step().catch(unlessRefused);
  }

  /** Acts as one of the other workers. Does nothing if no worker is left, or if it was retired. */
  async #as(act: (keyHash: string) => Promise<unknown>): Promise<void> {
    if (this.#keys.length > 0) await act(this.#pick(...this.#keys));
  }

  async #hello(): Promise<void> {
    const t = this.#t;
    if (this.#keys.length < workersAtMost && this.#chance(0.6)) {
      const keyHash = `worker ${String(this.#keys.length)} ${String(this.#int(1e6))}`;
      await t.mutation(queue.workers.register, { scope, keyHash, name: keyHash });
      this.#keys.push(keyHash);
      await t.mutation(queue.work.hello, { keyHash, capabilities: this.#able(false), startup: true });
      return;
    }
    await this.#as((keyHash) =>
      t.mutation(queue.work.hello, {
        keyHash,
        capabilities: this.#able(false),
        startup: this.#chance(0.5),
      }),
    );
  }

  async #update(): Promise<void> {
    await this.#as(async (keyHash) => {
      const worker = await this.#t.query(queue.workers.find, { keyHash });
      if (worker === null) return;
      const { workerId } = worker;
      const change = this.#pick<object>({ status: "paused" }, { status: "active" }, { groups: ["a"] });
      await this.#t.mutation(queue.workers.update, { scope, workerId, ...change });
    });
  }

  async #submit(): Promise<void> {
    const t = this.#t;
    const jobs: JobSpec[] = [];
    const count = this.#pick(1, 1, 1, 2, 5);
    while (jobs.length < count) jobs.push(await this.#spec());
    const batchId = this.#chance(0.2)
      ? await t.mutation(queue.batches.create, {
          scope,
          externalId: `batch ${String(this.#int(2))}`,
          onDone: note,
        })
      : undefined;
    const batch = batchId === undefined ? null : await t.query(queue.batches.get, { scope, batchId });
    const options = batchId !== undefined && batch?.status === "open" ? { batchId } : {};
    await t.mutation(queue.jobs.submit, { scope, jobs, handOver: this.#chance(0.7), ...options });
  }

  async #spec(): Promise<JobSpec> {
    const now = Date.now();
    const any = await this.#jobId();
    const after = { jobs: [any], when: this.#pick("succeeded" as const, "finished" as const) };
    return {
      kind: this.#pick("hash", "hash", "other"),
      payload: this.#chance(0.1) ? "x".repeat(5_000) : null,
      onFinal: this.#chance(0.1) ? refuseOnce : note,
      priority: this.#pick("high", "normal", "low"),
      policy: {
        maxFailures: this.#pick(1, 3, 6),
        backoff: { firstMs: this.#pick(0, 1_000), factor: 2, maxMs: 20_000, jitter: 0.5 },
      },
      ...(this.#chance(0.5) ? { affinity: this.#pick("a", "b") } : {}),
      ...(this.#chance(0.6) ? { requester: this.#pick("free", "limited") } : {}),
      ...(this.#chance(0.3) ? { key: this.#pick("free", "limited") } : {}),
      ...(this.#chance(0.2) ? { delayMs: this.#int(20_000) } : {}),
      ...(this.#chance(0.2) && any !== "" ? { after } : {}),
      ...(this.#chance(0.2) ? { expiresAt: now + this.#int(30_000) } : {}),
      ...(this.#chance(0.2) ? { deadlineAt: now + this.#int(60_000) } : {}),
      ...(this.#chance(0.2) ? { idempotencyKey: `once ${String(this.#int(4))}` } : {}),
      ...(this.#chance(0.2) ? { watched: true } : {}),
      ...(this.#chance(0.7) ? { size: { input: this.#pick(0, 1, 3), output: 0 } } : {}),
    };
  }

  async #jobId(): Promise<string> {
    const jobs = await this.#t.run(async ({ db }) => await db.query("jobs").collect());
    return jobs.length === 0 ? "" : this.#pick(...jobs)._id;
  }

  async #ofJob(act: (jobId: string) => Promise<unknown>): Promise<void> {
    const jobId = await this.#jobId();
    if (jobId !== "") await act(jobId);
  }

  /** Usually an attempt that the worker holds, otherwise any attempt of any worker. */
  async #attemptOf(keyHash: string): Promise<string> {
    const attempts = await this.#t.run(async ({ db }) => await db.query("attempts").collect());
    const held = attempts.filter((attempt) => attempt.keyHash === keyHash && attempt.open);
    const from = held.length > 0 && this.#chance(0.9) ? held : attempts;
    return from.length === 0 ? "" : this.#pick(...from)._id;
  }

  async #claim(keyHash: string): Promise<void> {
    const t = this.#t;
    const { subscriptions } = await t.query(queue.work.candidates, { keyHash, subscriptions: [] });
    const { jobs } = await t.query(queue.work.candidates, { keyHash, subscriptions });
    const shown =
      jobs.length > 0 ? this.#pick(...jobs) : { jobId: await this.#jobId(), late: this.#chance(0.5) };
    const { jobId, late } = shown;
    await t.mutation(queue.work.claim, { keyHash, jobId, late, demand: this.#demand() });
  }

  async #complete(keyHash: string): Promise<void> {
    const attemptId = await this.#attemptOf(keyHash);
    const starts = this.#chance(0.3) ? [await this.#attemptOf(keyHash)] : [];
    await this.#t.mutation(queue.work.complete, {
      keyHash,
      attemptId,
      starts,
      result: 1,
      demand: this.#demand(),
    });
  }

  async #fail(keyHash: string): Promise<void> {
    const attemptId = await this.#attemptOf(keyHash);
    const error = { ...crash, retryable: this.#chance(0.7), unfit: this.#chance(0.3) };
    await this.#t.mutation(queue.work.fail, { keyHash, attemptId, error, demand: this.#demand() });
  }

  /** Gives a running job to a second worker, at any time. */
  async #double(): Promise<void> {
    const { jobs, workers, attempts, payloads } = await rowsOf(this.#t);
    const running = jobs.filter((job) => job.status === "running" && job.secondAttemptId === undefined);
    if (running.length === 0) return;
    const job = this.#pick(...running);
    const owner = attempts.find(({ _id }) => _id === job.currentAttemptId)?.workerId;
    const others = workers.filter(
      ({ _id, online, status }) => online && status === "active" && _id !== owner,
    );
    if (others.length === 0) return;
    const worker = this.#pick(...others);
    const payload = payloads.find(({ jobId }) => jobId === job._id);
    if (payload === undefined) return;
    await this.#t.run(async (ctx) => {
      await giveToSecond(ctx, job, { worker, payload, expectedMs: 1_000 }, Date.now());
    });
    this.doubled += 1;
  }

  async #setLane(): Promise<void> {
    const lanes = await this.#t.query(queue.lanes.list, { scope });
    if (lanes.length === 0) return;
    const { laneId } = this.#pick(...lanes);
    const state = this.#pick("open" as const, "open" as const, "paused" as const, "draining" as const);
    await this.#t.mutation(queue.lanes.setState, { scope, laneId, state });
  }

  async #seal(): Promise<void> {
    for (const { _id: batchId } of (await rowsOf(this.#t)).batches) {
      await this.#t.mutation(queue.batches.seal, { scope, batchId });
    }
  }

  async #time(): Promise<void> {
    const ms = this.#pick(50, 300, 600, 2_500, 6_000, 45_000);
    // Workers with jobs renew their leases.
    for (let left = ms; left > 0; left -= 15_000) {
      await passTime(this.#t, Math.min(left, 15_000));
      await this.#t.mutation(queue.work.heartbeat, { keyHash: "steady" });
    }
  }
}
