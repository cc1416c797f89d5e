import { createFunctionHandle, type PaginationOptions } from "convex/server";
import type { Value } from "convex/values";
import type { QueueComponent } from "../component/component.ts";
import type { JobSpec, LimitedBy } from "../shared/validators.ts";
import type { JobInput, MutationRunner, OnDone, QueryRunner, Rest } from "./runners.ts";

// The calls of a `Queue`, by what they are about: `queue.batches.create`, `queue.limits.set`.

export function batchCalls(component: QueueComponent) {
  return {
    /** @param onDone called once, when every job of the sealed batch is final. */
    create: async (
      ctx: MutationRunner,
      scope: string,
      batch: {
        readonly externalId?: string;
        readonly onDone?: OnDone;
        readonly context?: Value;
        readonly actor?: string;
      } = {},
    ): Promise<string> => {
      const { onDone, ...rest } = batch;
      const handle = onDone === undefined ? {} : { onDone: await createFunctionHandle(onDone) };
      return await ctx.runMutation(component.batches.create, { scope, ...rest, ...handle });
    },
    /** Closes the batch to more jobs. */
    seal: async (ctx: MutationRunner, scope: string, batchId: string, actor = "app"): Promise<void> => {
      await ctx.runMutation(component.batches.seal, { scope, batchId, actor });
    },
    cancel: async (ctx: MutationRunner, scope: string, batchId: string, actor = "app"): Promise<void> => {
      await ctx.runMutation(component.batches.cancel, { scope, batchId, actor });
    },
    get: async (ctx: QueryRunner, scope: string, batchId: string) =>
      await ctx.runQuery(component.batches.get, { scope, batchId }),
    byExternalId: async (ctx: QueryRunner, scope: string, externalId: string) =>
      await ctx.runQuery(component.batches.byExternalId, { scope, externalId }),
    list: async (ctx: QueryRunner, scope: string, paginationOpts: PaginationOptions) =>
      await ctx.runQuery(component.batches.list, { scope, paginationOpts }),
  };
}

/** Jobs that failed for good or missed their deadline. */
export function deadLetterCalls(component: QueueComponent) {
  return {
    list: async (
      ctx: QueryRunner,
      scope: string,
      which: Rest<QueueComponent["deadLetters"]["list"], "scope">,
    ) => await ctx.runQuery(component.deadLetters.list, { scope, ...which }),
    /**
     * Runs a job again with all its retries, until `deadlineAt` (ms epoch) if there is one. `gone`: its payload was deleted.
     */
    retry: async (
      ctx: MutationRunner,
      scope: string,
      jobId: string,
      actor = "app",
      limits: { readonly deadlineAt?: number } = {},
    ) => await ctx.runMutation(component.deadLetters.retry, { scope, jobId, actor, ...limits }),
    /** Retries all, or all of a kind. `started` of them are ready now; `more`: the rest follows soon. */
    retryAll: async (ctx: MutationRunner, scope: string, kind?: string, actor = "app") =>
      await ctx.runMutation(component.deadLetters.retryAll, {
        scope,
        actor,
        ...(kind === undefined ? {} : { kind }),
      }),
    /** Deletes the payload. The job's record stays. */
    discard: async (ctx: MutationRunner, scope: string, jobId: string, actor = "app") =>
      await ctx.runMutation(component.deadLetters.discard, { scope, jobId, actor }),
  };
}

/** Limits on the jobs of a requester or key that are ready or held at once, and weights of requesters. */
export function limitCalls(component: QueueComponent) {
  return {
    set: async (
      ctx: MutationRunner,
      scope: string,
      limit: Rest<QueueComponent["limits"]["set"], "scope">,
    ): Promise<void> => {
      await ctx.runMutation(component.limits.set, { scope, ...limit });
    },
    get: async (ctx: QueryRunner, scope: string, of: LimitedBy, name: string) =>
      await ctx.runQuery(component.limits.get, { scope, of, name }),
    list: async (ctx: QueryRunner, scope: string) => await ctx.runQuery(component.limits.list, { scope }),
  };
}

export function laneCalls(component: QueueComponent) {
  return {
    list: async (ctx: QueryRunner, scope: string) => await ctx.runQuery(component.lanes.list, { scope }),
    setState: async (
      ctx: MutationRunner,
      scope: string,
      change: Rest<QueueComponent["lanes"]["setState"], "scope">,
    ): Promise<void> => {
      await ctx.runMutation(component.lanes.setState, { scope, ...change });
    },
  };
}

/** Jobs that the queue submits by an interval or a cron expression. */
export function recurringCalls(component: QueueComponent, specOf: (job: JobInput) => Promise<JobSpec>) {
  return {
    set: async (
      ctx: MutationRunner,
      scope: string,
      {
        job,
        ...rest
      }: Omit<Rest<QueueComponent["recurring"]["set"], "scope">, "job"> & {
        readonly job: JobInput;
      },
    ): Promise<void> => {
      const spec = await specOf(job);
      await ctx.runMutation(component.recurring.set, { scope, ...rest, job: spec });
    },
    setPaused: async (
      ctx: MutationRunner,
      scope: string,
      name: string,
      paused: boolean,
      actor = "app",
    ): Promise<void> => {
      await ctx.runMutation(component.recurring.setPaused, { scope, name, paused, actor });
    },
    remove: async (ctx: MutationRunner, scope: string, name: string, actor = "app"): Promise<void> => {
      await ctx.runMutation(component.recurring.remove, { scope, name, actor });
    },
    list: async (ctx: QueryRunner, scope: string) => await ctx.runQuery(component.recurring.list, { scope }),
  };
}

type Registration = Rest<QueueComponent["workers"]["register"], "scope" | "keyHash" | "keyPrefix">;
type Keyed = { readonly key: string } | { readonly keyHash: string };

/** A worker whose key was made here. The key is shown once: the queue stores only its hash and its prefix. */
export type NewWorker = { readonly workerId: string; readonly key: string; readonly keyPrefix: string };

const keyStart = "wk_";
/** With `keyStart`. Enough to tell keys apart, and too little to guess one of 256 bits. */
const prefixChars = 9;

function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return keyStart + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function workerCalls(component: QueueComponent, hashKey: (key: string) => Promise<string>) {
  /**
   * Takes the worker's key, or its hash if the app knows only that. `hashKey` must give the same hash. Without both it
   * makes a key and answers with it. The answer is the only copy of the key.
   */
  async function register(ctx: MutationRunner, scope: string, worker: Registration & Keyed): Promise<string>;
  async function register(ctx: MutationRunner, scope: string, worker: Registration): Promise<NewWorker>;
  async function register(
    ctx: MutationRunner,
    scope: string,
    worker: Registration & Partial<Record<"key" | "keyHash", string>>,
  ): Promise<string | NewWorker> {
    const { key: given, keyHash: hash, actor = "app", ...rest } = worker;
    const made = given === undefined && hash === undefined ? newKey() : null;
    const keyHash = hash ?? (await hashKey(given ?? made ?? ""));
    const prefix = made === null ? {} : { keyPrefix: made.slice(0, prefixChars) };
    const { workerId } = await ctx.runMutation(component.workers.register, {
      ...rest,
      ...prefix,
      scope,
      keyHash,
      actor,
    });
    return made === null ? workerId : { workerId, key: made, keyPrefix: made.slice(0, prefixChars) };
  }

  return {
    register,
    update: async (
      ctx: MutationRunner,
      scope: string,
      change: Rest<QueueComponent["workers"]["update"], "scope">,
    ): Promise<void> => {
      await ctx.runMutation(component.workers.update, { scope, ...change });
    },
    get: async (ctx: QueryRunner, scope: string, workerId: string) =>
      await ctx.runQuery(component.workers.get, { scope, workerId }),
    byExternalId: async (ctx: QueryRunner, scope: string, externalId: string) =>
      await ctx.runQuery(component.workers.byExternalId, { scope, externalId }),
    /** The worker with this key, in any scope. */
    byKey: async (ctx: QueryRunner, key: string) =>
      await ctx.runQuery(component.workers.find, { keyHash: await hashKey(key) }),
    /** A requirement that no worker of the scope could ever meet; null if one could. Retired workers do not count. */
    missing: async (
      ctx: QueryRunner,
      scope: string,
      needs: Rest<QueueComponent["workers"]["missing"], "scope">,
    ) => await ctx.runQuery(component.workers.missing, { scope, ...needs }),
    list: async (ctx: QueryRunner, scope: string, which: Rest<QueueComponent["workers"]["list"], "scope">) =>
      await ctx.runQuery(component.workers.list, { scope, ...which }),
    /** The workers that came, went or changed at `since` (ms epoch) or later, oldest change first. */
    changed: async (
      ctx: QueryRunner,
      scope: string,
      which: Rest<QueueComponent["workers"]["changed"], "scope">,
    ) => await ctx.runQuery(component.workers.changed, { scope, ...which }),
    /** Whether another worker of the scope accepts jobs now, in any lane. */
    areOthersAccepting: async (ctx: QueryRunner, scope: string, workerId: string) =>
      await ctx.runQuery(component.workers.areOthersAccepting, { scope, workerId }),
    history: async (
      ctx: QueryRunner,
      scope: string,
      which: Rest<QueueComponent["workers"]["history"], "scope">,
    ) => await ctx.runQuery(component.workers.history, { scope, ...which }),
  };
}
