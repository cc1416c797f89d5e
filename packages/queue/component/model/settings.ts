import type { Infer } from "convex/values";
import type { QueryCtx } from "../builders.ts";
import type { Policy, settingsPatch } from "../validators.ts";
import { firstOf } from "./load.ts";

export type SettingsPatch = Infer<typeof settingsPatch>;
export type Settings = Required<Omit<SettingsPatch, "policy">> & { readonly policy: Required<Policy> };

/** A worker looks at the front of each lane that it can run at every end of a job: within what a call may read. */
export const maxLanes = 64;

/** Every time-out and cap of the queue that can be set: docs/queue.md says which are fixed, and why. Milliseconds, bytes of JSON, numbers of jobs. */
export const defaultSettings: Settings = {
  /** A worker's lease: renewed by any of its calls. A silent one loses its jobs after this. */
  leaseMs: 40_000,
  /** A worker unheard for this long is shown as offline. */
  offlineAfterMs: 150_000,
  /** Jobs that a lane, and a requester in all lanes, may have waiting and ready. */
  maxQueued: 200_000,
  maxQueuedPerRequester: 100_000,
  maxPayloadBytes: 512 * 1024,
  /** How long chunks are kept coming after somebody was last heard to watch. */
  watchMs: 120_000,
  /** Kinds of jobs with equal requirements. */
  maxLanes,
  maxBatchJobs: 50_000,
  /** A worker does not get a job back that it released less than this before: releasing costs no retry. */
  releasePauseMs: 500,
  /** A full queue asks to come back after so long at least, and at most. */
  minRetryAfterMs: 5_000,
  maxRetryAfterMs: 600_000,
  /** UTF-8 bytes of streamed text: of one chunk, and of an attempt. */
  maxChunkBytes: 64 * 1024,
  maxTextBytes: 2 * 1024 * 1024,
  policy: {
    maxFailures: 4,
    backoff: { firstMs: 1_000, factor: 2, maxMs: 60_000, jitter: 0.5 },
    payloadKeptMs: 24 * 3_600_000,
    chunksKeptMs: 10 * 60_000,
    recordKeptMs: 90 * 24 * 3_600_000,
  },
};

/** Of each transaction, by scope: several parts of one ask for them. */
const known = new WeakMap<QueryCtx, Map<string, Promise<Settings>>>();

/**
 * A scope's settings: its own over those of all scopes over the defaults. One read each, both at once, and once in a
 * transaction: as they were before it.
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

/** The job's own policy over its scope's. */
export function policyOf(settings: Settings, own: Policy | undefined): Required<Policy> {
  return { ...settings.policy, ...own };
}

async function patchOf(ctx: QueryCtx, scope: string): Promise<SettingsPatch> {
  const row = await firstOf(ctx.db.query("settings").withIndex("by_scope", (q) => q.eq("scope", scope)));
  return row?.values ?? {};
}

function merge(base: Settings, { policy, ...patch }: SettingsPatch): Settings {
  return { ...base, ...patch, policy: { ...base.policy, ...policy } };
}
