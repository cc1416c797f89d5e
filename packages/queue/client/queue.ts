import {
  createFunctionHandle,
  type FunctionArgs,
  type FunctionReference,
  type FunctionReturnType,
  type PaginationOptions,
} from "convex/server";
import type { QueueComponent, StreamPosition } from "../component/component.ts";
import type { Settings } from "../component/model/settings.ts";
import type { JobSpec, Policy } from "../component/validators.ts";
import { batchCalls } from "./batches.ts";
import { deadLetterCalls } from "./deadLetters.ts";
import { laneCalls } from "./lanes.ts";
import { limitCalls } from "./limits.ts";
import { recurringCalls } from "./recurring.ts";
import type { JobInput, MutationRunner, OnFinal, QueryRunner, Rest } from "./runners.ts";
import { sha256 } from "./sha256.ts";
import { workerCalls } from "./workers.ts";

export type SubmitOptions = {
  /** The open batch that the jobs belong to. */
  readonly batchId?: string;
  /**
   * Gives the jobs to workers that wait, in this transaction, which saves them the claim. Where many submit to few
   * workers that come and go fast it may lose its races, and fail: for a caller that tries again without.
   */
  readonly handOver?: boolean;
};

export type QueueOptions = {
  /** How a worker's key is hashed; SHA-256 in hex when left out. Workers are registered with the same. */
  readonly hashKey?: (key: string) => Promise<string>;
  /** How each kind of job is retried and kept. */
  readonly kinds?: Readonly<Record<string, Policy>>;
  /** Called in the transaction that ends a job; its answer reaches the worker as `reply`. */
  readonly onFinal?: OnFinal;
};

/** One call of the component takes at most so many jobs. */
const jobsPerCall = 500;

/**
 * The queue as an app's functions use it, over a component that it has installed. `scope` is the tenant: nothing of
 * one scope is seen in another. Who may do what is the app's to decide, before it calls.
 */
export class Queue {
  readonly component: QueueComponent;
  readonly batches: ReturnType<typeof batchCalls>;
  /** Jobs that failed for good or ran out of time. */
  readonly deadLetters: ReturnType<typeof deadLetterCalls>;
  readonly limits: ReturnType<typeof limitCalls>;
  readonly lanes: ReturnType<typeof laneCalls>;
  readonly recurring: ReturnType<typeof recurringCalls>;
  readonly workers: ReturnType<typeof workerCalls>;
  readonly #options: QueueOptions;

  constructor(component: QueueComponent, options: QueueOptions = {}) {
    this.component = component;
    this.#options = options;
    this.batches = batchCalls(component);
    this.deadLetters = deadLetterCalls(component);
    this.limits = limitCalls(component);
    this.lanes = laneCalls(component);
    this.recurring = recurringCalls(component, (job) => this.#specOf(job));
    this.workers = workerCalls(component, (key) => this.hashKey(key));
  }

  /** A worker's key as the component knows it. Keys are secrets: they go no further than this. */
  async hashKey(key: string): Promise<string> {
    return await (this.#options.hashKey ?? sha256)(key);
  }

  /** Submits one job: its id, or why it was not taken. */
  async submit(ctx: MutationRunner, scope: string, job: JobInput, options: SubmitOptions = {}) {
    const outcome = await this.submitMany(ctx, scope, [job], options);
    if (outcome.kind !== "submitted") return outcome;
    const [jobId = ""] = outcome.jobIds;
    return { kind: "submitted" as const, jobId, repeated: outcome.repeated > 0 };
  }

  /** Submits up to 500 jobs, all of them or none; more go in several calls, best as a batch from an action. */
  async submitMany(
    ctx: MutationRunner,
    scope: string,
    jobs: readonly JobInput[],
    options: SubmitOptions = {},
  ) {
    if (jobs.length > jobsPerCall) throw new Error(`At most ${String(jobsPerCall)} jobs go in one call.`);
    const specs = await Promise.all(jobs.map((job) => this.#specOf(job)));
    return await ctx.runMutation(this.component.jobs.submit, { scope, jobs: specs, ...options });
  }

  /** Ends a job that is not final; a worker that is at it stops. @param actor who did it, for the events. */
  async cancel(ctx: MutationRunner, scope: string, jobId: string, actor = "app") {
    return await ctx.runMutation(this.component.jobs.cancel, { scope, jobId, actor });
  }

  /** Cancels all of a requester, a key, a batch or a lane, in pieces; `running`: also what is at work. */
  async cancelMany(
    ctx: MutationRunner,
    scope: string,
    which: Rest<QueueComponent["jobs"]["cancelMany"], "scope">,
  ): Promise<void> {
    await ctx.runMutation(this.component.jobs.cancelMany, { scope, ...which });
  }

  /** How a job stands, without its payload and its result; null when there is none in the scope. */
  async status(ctx: QueryRunner, scope: string, jobId: string) {
    return await ctx.runQuery(this.component.jobs.get, { scope, jobId });
  }

  /** The same of the newest job of that external id. */
  async statusByExternalId(ctx: QueryRunner, scope: string, externalId: string) {
    return await ctx.runQuery(this.component.jobs.byExternalId, { scope, externalId });
  }

  /** Newest first, of a status, a requester, a key or a batch; at most 100 a page. */
  async list(ctx: QueryRunner, scope: string, which: Rest<QueueComponent["jobs"]["list"], "scope">) {
    return await ctx.runQuery(this.component.jobs.list, { scope, ...which });
  }

  /** Who tried a job, when and how it ended: the newest 200, in their order. */
  async attempts(ctx: QueryRunner, scope: string, jobId: string) {
    return await ctx.runQuery(this.component.jobs.attempts, { scope, jobId });
  }

  /** Null once it was purged. */
  async payload(ctx: QueryRunner, scope: string, jobId: string) {
    return await ctx.runQuery(this.component.jobs.payload, { scope, jobId });
  }

  /** Null while there is none, and once it was purged. */
  async result(ctx: QueryRunner, scope: string, jobId: string) {
    return await ctx.runQuery(this.component.jobs.result, { scope, jobId });
  }

  /** A job's state, and its text after a position. */
  async watch(ctx: QueryRunner, scope: string, jobId: string, after?: StreamPosition) {
    return await ctx.runQuery(this.component.jobs.watch, {
      scope,
      jobId,
      ...(after === undefined ? {} : { after }),
    });
  }

  /** Says that somebody watches: the job's text is kept in pieces from now on. Say it again each minute. */
  async follow(ctx: MutationRunner, scope: string, jobId: string) {
    return await ctx.runMutation(this.component.jobs.follow, { scope, jobId });
  }

  /** Whether anything can be claimed. A query over it runs again when one of few ready jobs is taken, not at each. */
  async isThereWork(ctx: QueryRunner, scope: string): Promise<boolean> {
    return await ctx.runQuery(this.component.lanes.isThereWork, { scope });
  }

  /**
   * What stands in a scope's lanes, as it is counted once a minute (a lane's `countedAt`; null: it is new, and not counted
   * yet), and how many workers it has. It runs again with the count and the workers, not with each job.
   */
  async stats(ctx: QueryRunner, scope: string) {
    return await ctx.runQuery(this.component.lanes.stats, { scope });
  }

  /** Sets every time-out and cap, for a scope or, with "", for all of them: what is left out is the default again. */
  async configure(
    ctx: MutationRunner,
    scope: string,
    values: FunctionArgs<QueueComponent["settings"]["configure"]>["values"],
    actor = "app",
  ): Promise<void> {
    await ctx.runMutation(this.component.settings.configure, { scope, values, actor });
  }

  /** The time-outs and caps that hold for a scope: its own over those of all over the defaults. */
  async settings(ctx: QueryRunner, scope: string): Promise<Settings> {
    return await ctx.runQuery(this.component.settings.get, { scope });
  }

  /** Who did what to the queue, newest first. */
  async events(ctx: QueryRunner, scope: string, paginationOpts: PaginationOptions) {
    return await ctx.runQuery(this.component.events.list, { scope, paginationOpts });
  }

  /** A call that a worker makes with its key. */
  async workerMutation<Reference extends FunctionReference<"mutation", "internal", { keyHash: string }>>(
    ctx: MutationRunner,
    reference: Reference,
    { key, ...args }: Rest<Reference, "keyHash"> & { readonly key: string },
  ): Promise<FunctionReturnType<Reference>> {
    const keyHash = await this.hashKey(key);
    // The rest of the arguments is what the reference takes: the compiler cannot see through both.
    const called: FunctionReference<"mutation", "internal"> = reference;
    const answer: unknown = await ctx.runMutation(called, { ...args, keyHash });
    return answer;
  }

  /** The same for its queries. */
  async workerQuery<Reference extends FunctionReference<"query", "internal", { keyHash: string }>>(
    ctx: QueryRunner,
    reference: Reference,
    { key, ...args }: Rest<Reference, "keyHash"> & { readonly key: string },
  ): Promise<FunctionReturnType<Reference>> {
    const keyHash = await this.hashKey(key);
    // The rest of the arguments is what the reference takes: the compiler cannot see through both.
    const called: FunctionReference<"query", "internal"> = reference;
    const answer: unknown = await ctx.runQuery(called, { ...args, keyHash });
    return answer;
  }

  async #specOf({ onFinal = this.#options.onFinal, ...job }: JobInput): Promise<JobSpec> {
    const policy = job.policy ?? this.#options.kinds?.[job.kind];
    return {
      ...job,
      ...(policy === undefined ? {} : { policy }),
      ...(onFinal === undefined ? {} : { onFinal: await createFunctionHandle(onFinal) }),
    };
  }
}
