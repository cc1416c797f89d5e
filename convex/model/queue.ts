import type { Policy } from "@gleaner/queue/validators";
import type { RunnerWork } from "../../app/contract/runner.ts";
import { maxFailedAttempts } from "../../app/jobs/limits.ts";
import { internal } from "../_generated/api.js";
import type { Doc } from "../_generated/dataModel.js";
import { components } from "./components.ts";
import { EncryptedQueue } from "./texts/encryptedQueue.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Unless their class of data has another time. */
const usualKeptMs = dayMs;

/** How long after its end the texts of a job are kept. */
export function textsKeptMs({ keptHours }: Pick<Doc<"orders">, "keptHours">): number {
  return keptHours === undefined ? usualKeptMs : keptHours * hourMs;
}

const policy: Policy = {
  maxFailures: maxFailedAttempts,
  // One device may be wrong, or lie.
  agreement: 2,
  // Somebody waits for the answer: the first retry comes soon.
  backoff: { firstMs: 500, factor: 3, maxMs: 30_000, jitter: 0.5 },
  payloadKeptMs: usualKeptMs,
  chunksKeptMs: 10 * 60_000,
  recordKeptMs: 90 * dayMs,
};

/** The policy of a request that differs from others: its texts are kept for another time, or no second device may get it. */
export function policyWith(changes: { readonly keptHours?: number; readonly secondAttempt?: false }): Policy {
  const { keptHours, ...others } = changes;
  return { ...policy, ...(keptHours === undefined ? {} : { payloadKeptMs: keptHours * hourMs }), ...others };
}

/** The jobs that this app submits. `replay`: nobody waits for it, and nobody reads its texts afterward. */
const kinds: Readonly<Record<RunnerWork["kind"], Policy>> = {
  chat: policy,
  completion: policy,
  embedding: policy,
  tokens: policy,
  replay: { ...policy, secondAttempt: false, payloadKeptMs: 0 },
};

/**
 * The app's queue. Scopes are organizations; requesters and keys are API keys; workers are devices. Their keys are hashed
 * with the package's default, as by `hashSecret`.
 */
export const queue: EncryptedQueue = new EncryptedQueue(components.queue, {
  onFinal: internal.jobs.onFinal,
  kinds,
});
