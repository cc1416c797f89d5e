import {
  createFunctionHandle,
  type FunctionReference,
  type FunctionReturnType,
  type PaginationOptions,
} from "convex/server";
import type { QueueComponent, StreamPosition } from "../component/component.ts";
import type { Settings, SettingsPatch } from "../component/model/settings.ts";
import { sha256 } from "../shared/forward.ts";
import { type JobSpec, maxJobsPerCall, type Policy, type Priority } from "../shared/validators.ts";
import { batchCalls, deadLetterCalls, laneCalls, limitCalls, recurringCalls, workerCalls } from "./calls.ts";
import type { JobInput, MutationRunner, OnClaim, OnFinal, QueryRunner, Rest } from "./runners.ts";

export type SubmitOptions = {
  /** The open batch that the jobs belong to. */
  readonly batchId?: string;
  /**
   * Gives the jobs to waiting workers in this transaction, so they need not claim them. Many submissions to a few busy
   * workers may conflict and fail: use it only if you submit again without it.
   */
  readonly handOver?: boolean;
  /**
   * If no fast worker is idle, a job is also given to a slow one that will probably end it at most so many ms later than a worker
   * with the lane's usual speed. For jobs that only idle workers shall get.
   */
  readonly slowerByMs?: number;
  /**
   * A lane for the jobs is opened only if there is room for this many more. For requirements that others choose: they must not
   * use up all lanes.
   */
  readonly spareLanes?: number;
};

export type QueueOptions = {
  /** Hashes a worker's key, at its registration and in each of its calls. SHA-256 in hex by default. */
  readonly hashKey?: (key: string) => Promise<string>;
  /** By kind of job: how it is retried and how long its data is kept. */
  readonly kinds?: Readonly<Record<string, Policy>>;
  /** Called in the transaction that ends a job. Its return value reaches the worker as `reply`. */
  readonly onFinal?: OnFinal;
  /** By kind of job: a query that gives a worker the job's newest data, when it gets the job. */
  readonly onClaim?: Readonly<Record<string, OnClaim>>;
};

/**
 * The queue for an app's functions. `scope` is the tenant: nothing of one scope is visible in another. The queue does
 * not authorize: the app checks its caller first.
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

  /** Keys are secrets, so the component sees only their hashes. */
  async hashKey(key: string): Promise<string> {
    return await (this.#options.hashKey ?? sha256)(key);
  }

  /** Submits one job. Returns its id, or why the queue refused it. */
  async submit(ctx: MutationRunner, scope: string, job: JobInput, options: SubmitOptions = {}) {
    const outcome = await this.submitMany(ctx, scope, [job], options);
    if (outcome.kind !== "submitted") return outcome;
    const [jobId = ""] = outcome.jobIds;
    const { repeated, handed } = outcome;
    return { kind: "submitted" as const, jobId, repeated: repeated > 0, handed: handed > 0 };
  }

  /** Submits up to 500 jobs, all or none. For more, submit a batch in several calls from an action. */
  async submitMany(
    ctx: MutationRunner,
    scope: string,
    jobs: readonly JobInput[],
    options: SubmitOptions = {},
  ) {
    if (jobs.length > maxJobsPerCall)
      throw new Error(`A call submits at most ${String(maxJobsPerCall)} jobs.`);
    const specs = await Promise.all(jobs.map((job) => this.#specOf(job)));
    return await ctx.runMutation(this.component.jobs.submit, { scope, jobs: specs, ...options });
  }

  /** Cancels a job that is not final. Its worker stops. @param actor who canceled it, for the events. */
  async cancel(ctx: MutationRunner, scope: string, jobId: string, actor = "app") {
    return await ctx.runMutation(this.component.jobs.cancel, { scope, jobId, actor });
  }

  /** Changes the priority of a job that no worker has started. @param actor who changed it, for the events. */
  async setPriority(ctx: MutationRunner, scope: string, jobId: string, priority: Priority, actor = "app") {
    return await ctx.runMutation(this.component.jobs.setPriority, { scope, jobId, priority, actor });
  }

  /**
   * Keeps the payloads and results of up to 100 ended jobs as if they had ended at `from`, ms epoch, if that is later. For jobs that
   * are of use only together.
   * @returns those that are deleted already.
   */
  async keepFrom(
    ctx: MutationRunner,
    scope: string,
    jobIds: readonly string[],
    from: number,
  ): Promise<string[]> {
    return await ctx.runMutation(this.component.jobs.keepFrom, { scope, jobIds: [...jobIds], from });
  }

  /** Cancels the jobs of a requester, a key, a batch or a lane, in several transactions. `running`: also running jobs. */
  async cancelMany(
    ctx: MutationRunner,
    scope: string,
    which: Rest<QueueComponent["jobs"]["cancelMany"], "scope">,
  ): Promise<void> {
    await ctx.runMutation(this.component.jobs.cancelMany, { scope, ...which });
  }

  /** A job without its payload and result; null if the scope has no such job. */
  async status(ctx: QueryRunner, scope: string, jobId: string) {
    return await ctx.runQuery(this.component.jobs.get, { scope, jobId });
  }

  /** The newest job with that external id. */
  async statusByExternalId(ctx: QueryRunner, scope: string, externalId: string) {
    return await ctx.runQuery(this.component.jobs.byExternalId, { scope, externalId });
  }

  /** The job that was submitted with that idempotency key. Looks it up and submits nothing. */
  async statusByIdempotencyKey(ctx: QueryRunner, scope: string, idempotencyKey: string) {
    return await ctx.runQuery(this.component.jobs.byIdempotencyKey, { scope, idempotencyKey });
  }

  /** Jobs with a status, a requester, a key, a batch or a model, and of a time, newest first. At most 100 a page. */
  async list(ctx: QueryRunner, scope: string, which: Rest<QueueComponent["jobs"]["list"], "scope">) {
    return await ctx.runQuery(this.component.jobs.list, { scope, ...which });
  }

  /** A job's attempts: worker, times and outcome. The newest 100, or `most`, oldest first. */
  async attempts(ctx: QueryRunner, scope: string, jobId: string, most?: number) {
    return await ctx.runQuery(this.component.jobs.attempts, {
      scope,
      jobId,
      ...(most === undefined ? {} : { most }),
    });
  }

  /** The ends of up to 100 jobs, for statistics: their lanes, times and attempts, without their content. */
  async histories(ctx: QueryRunner, scope: string, jobIds: readonly string[]) {
    return await ctx.runQuery(this.component.jobs.histories, { scope, jobIds: [...jobIds] });
  }

  /** Why up to 100 jobs wait. Jobs that wait for nothing are left out. */
  async waitReasons(ctx: QueryRunner, scope: string, jobIds: readonly string[]) {
    return await ctx.runQuery(this.component.jobs.waitReasons, { scope, jobIds: [...jobIds] });
  }

  /**
   * How a job's wait looks: about how many jobs are before it, how long that takes, and how many workers accept such jobs. Null
   * if a worker has it, or if it has ended. It reads few rows, however many jobs wait.
   */
  async outlook(ctx: QueryRunner, scope: string, jobId: string) {
    return await ctx.runQuery(this.component.jobs.outlook, { scope, jobId });
  }

  /** How many characters of a text an attempt had streamed; 0 if the text does not begin with them. */
  async streamedChars(ctx: QueryRunner, scope: string, attemptId: string, text: string) {
    return await ctx.runQuery(this.component.jobs.streamedChars, { scope, attemptId, text });
  }

  /** How the streamed text of a job's newest attempt grew, in at most 41 points; null if no text is stored. */
  async streamCurve(ctx: QueryRunner, scope: string, jobId: string) {
    return await ctx.runQuery(this.component.jobs.streamCurve, { scope, jobId });
  }

  /** Null after it was deleted. */
  async payload(ctx: QueryRunner, scope: string, jobId: string) {
    return await ctx.runQuery(this.component.jobs.payload, { scope, jobId });
  }

  /** Null before the job succeeded, and after the result was deleted. */
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

  /** Starts or renews storing of the job's text for readers. Call it again each minute while somebody reads. */
  async follow(ctx: MutationRunner, scope: string, jobId: string) {
    return await ctx.runMutation(this.component.jobs.follow, { scope, jobId });
  }

  /** Whether a worker could claim a job. A query over it does not run again at every claim. */
  async isThereWork(
    ctx: QueryRunner,
    scope: string,
    worker?: Rest<QueueComponent["lanes"]["isThereWork"], "scope">["worker"],
  ): Promise<boolean> {
    return await ctx.runQuery(this.component.lanes.isThereWork, {
      scope,
      ...(worker === undefined ? {} : { worker }),
    });
  }

  /**
   * Counts of jobs by lane, and of workers. Jobs are counted once a minute (a lane's `countedAt`; null before the first
   * count), so a query over this runs again with the count and the workers, not with each job.
   */
  async stats(ctx: QueryRunner, scope: string) {
    return await ctx.runQuery(this.component.lanes.stats, { scope });
  }

  /**
   * The requesters with most jobs that are not final, at most 50: counted once a minute, by the same count as `stats`. Jobs
   * without a requester are left out.
   */
  async requesterCounts(ctx: QueryRunner, scope: string) {
    return await ctx.runQuery(this.component.lanes.requesters, { scope });
  }

  /** Counts of jobs by status, lane and requester, now: exact up to 100 of a status. A query over this runs again with each job. */
  async liveCounts(ctx: QueryRunner, scope: string) {
    return await ctx.runQuery(this.component.lanes.live, { scope });
  }

  /** Replaces the settings of a scope, or of all scopes with "". A setting that is left out is the default again. */
  async configure(ctx: MutationRunner, scope: string, values: SettingsPatch, actor = "app"): Promise<void> {
    await ctx.runMutation(this.component.settings.configure, { scope, values, actor });
  }

  /** The settings in use: the scope's own, else those of all scopes, else the defaults. */
  async settings(ctx: QueryRunner, scope: string): Promise<Settings> {
    return await ctx.runQuery(this.component.settings.get, { scope });
  }

  /** The settings that `configure` has set for exactly this scope, or for all scopes with "". */
  async ownSettings(ctx: QueryRunner, scope: string): Promise<SettingsPatch> {
    return await ctx.runQuery(this.component.settings.own, { scope });
  }

  /** Administrative changes to the queue and who made them, newest first. */
  async events(ctx: QueryRunner, scope: string, paginationOpts: PaginationOptions) {
    return await ctx.runQuery(this.component.events.list, { scope, paginationOpts });
  }

  /** Runs a mutation of the component for a worker with this key: for an app's own version of a worker function. */
  async workerMutation<Reference extends FunctionReference<"mutation", "internal", { keyHash: string }>>(
    ctx: MutationRunner,
    reference: Reference,
    { key, ...args }: Rest<Reference, "keyHash"> & { readonly key: string },
  ): Promise<FunctionReturnType<Reference>> {
    const keyHash = await this.hashKey(key);
    // The compiler can't see that the rest of the arguments fits the reference.
    const called: FunctionReference<"mutation", "internal"> = reference;
    const answer: unknown = await ctx.runMutation(called, { ...args, keyHash });
    return answer;
  }

  async #specOf({ onFinal = this.#options.onFinal, onClaim: own, ...job }: JobInput): Promise<JobSpec> {
    const policy = job.policy ?? this.#options.kinds?.[job.kind];
    const onClaim = own ?? this.#options.onClaim?.[job.kind];
    return {
      ...job,
      ...(onClaim === undefined ? {} : { onClaim: await createFunctionHandle(onClaim) }),
      ...(policy === undefined ? {} : { policy }),
      ...(onFinal === undefined ? {} : { onFinal: await createFunctionHandle(onFinal) }),
    };
  }
}
