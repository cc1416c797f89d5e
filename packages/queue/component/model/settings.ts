import type { Infer } from "convex/values";
import type { Policy, settingsPatch } from "../../shared/validators.ts";
import type { QueryCtx } from "./builders.ts";
import { firstOf } from "./load.ts";

export type SettingsPatch = Infer<typeof settingsPatch>;
export type Settings = Required<Omit<SettingsPatch, "policy">> & { readonly policy: Required<Policy> };

/** At the end of every job a worker reads the front of each lane that it can run. 64 lanes fit into one call. */
export const maxLanes = 64;

/**
 * A result of up to so many JSON bytes is taken whatever the limit is, and is kept with its attempt. So the end of most jobs
 * needs neither the settings nor a row for the result.
 */
export const smallResultBytes = 4_096;

/**
 * All timeouts and limits that can be configured, in milliseconds, JSON bytes, or numbers of jobs. docs/queue.md lists
 * the limits that are fixed, and why.
 */
export const defaultSettings: Settings = {
  /** The length of a worker's lease. Any call renews it. When it expires the worker loses its jobs. */
  leaseMs: 40_000,
  /** A worker that has not called for this long is shown as offline. */
  offlineAfterMs: 150_000,
  /** The most waiting and ready jobs of a lane, and of a requester in all lanes. */
  maxQueued: 200_000,
  maxQueuedPerRequester: 100_000,
  /** The longest expected wait of a job, and of one whose caller waits. Twice as long at high priority, half at low. */
  maxWaitMs: 24 * 3_600_000,
  maxCallWaitMs: 5 * 60_000,
  maxPayloadBytes: 512 * 1024,
  /** How long streamed text is kept after the last call of `follow`. */
  watchMs: 120_000,
  /** The most lanes of a scope. A lane has one kind of job and one set of requirements. */
  maxLanes,
  maxBatchJobs: 50_000,
  /** A worker does not get back a job that it released less than this ago. Releasing uses no retry. */
  releasePauseMs: 500,
  /** The shortest and the longest time after which a full queue asks its caller to come back. */
  minRetryAfterMs: 5_000,
  maxRetryAfterMs: 600_000,
  /** UTF-8 bytes of streamed text: of one chunk, and of one attempt. */
  maxChunkBytes: 64 * 1024,
  maxTextBytes: 2 * 1024 * 1024,
  policy: {
    maxFailures: 4,
    maxFailuresByJob: 2,
    maxSubtasks: 0,
    agreement: 1,
    secondAttempt: true,
    backoff: { firstMs: 1_000, factor: 2, maxMs: 60_000, jitter: 0.5 },
    payloadKeptMs: 24 * 3_600_000,
    chunksKeptMs: 10 * 60_000,
    recordKeptMs: 90 * 24 * 3_600_000,
  },
};

/** The settings by scope, for each transaction. Several parts of a transaction need them. */
const known = new WeakMap<QueryCtx, Map<string, Promise<Settings>>>();

/**
 * A scope's settings. They override the settings of all scopes, which override the defaults. Both rows are read at
 * once, and only once in a transaction, so changes within the transaction are not seen.
 */
export function settingsOf(ctx: QueryCtx, scope: string): Promise<Settings> {
  const ofCtx = known.get(ctx) ?? new Map<string, Promise<Settings>>();
  known.set(ctx, ofCtx);
  const settings = ofCtx.get(scope) ?? readSettings(ctx, scope);
  ofCtx.set(scope, settings);
  return settings;
}

async function readSettings(ctx: QueryCtx, scope: string): Promise<Settings> {
  const [forAll, own] = await Promise.all([patchOf(ctx, ""), patchOf(ctx, scope)]);
  return merge(merge(defaultSettings, forAll), own);
}

/** The job's policy overrides the policy of its scope. */
export function policyOf(settings: Settings, own: Policy | undefined): Required<Policy> {
  return { ...settings.policy, ...own };
}

/** How long the parts of a job are kept. Each job carries these times, so that its end needs no settings. */
export function keptTimes({
  payloadKeptMs,
  chunksKeptMs,
  recordKeptMs,
}: Required<Policy>): Pick<Required<Policy>, "payloadKeptMs" | "chunksKeptMs" | "recordKeptMs"> {
  return { payloadKeptMs, chunksKeptMs, recordKeptMs };
}

/** The settings that were set for exactly this scope, or for all scopes with "". */
export async function patchOf(ctx: QueryCtx, scope: string): Promise<SettingsPatch> {
  const row = await firstOf(ctx.db.query("settings").withIndex("by_scope", (q) => q.eq("scope", scope)));
  return row?.values ?? {};
}

function merge(base: Settings, { policy, ...patch }: SettingsPatch): Settings {
  return { ...base, ...patch, policy: { ...base.policy, ...policy } };
}
