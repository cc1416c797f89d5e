import type { Policy } from "@gleaner/queue/validators";
import type { RunnerWork } from "../../app/contract/runner.ts";
import { maxFailedAttempts } from "../../app/jobs/limits.ts";
import { internal } from "../_generated/api.js";
import { components } from "./components.ts";
import { EncryptedQueue } from "./texts/encryptedQueue.ts";

const dayMs = 24 * 3_600_000;

const policy: Policy = {
  maxFailures: maxFailedAttempts,
  // One device may be wrong, or lie.
  agreement: 2,
  // Somebody waits for the answer: the first retry comes soon.
  backoff: { firstMs: 500, factor: 3, maxMs: 30_000, jitter: 0.5 },
  payloadKeptMs: dayMs,
  chunksKeptMs: 10 * 60_000,
  recordKeptMs: 90 * dayMs,
};

/** The policy of a job whose prompt and answer are kept for another time. */
export function policyKeeping(keptHours: number): Policy {
  return { ...policy, payloadKeptMs: keptHours * 3_600_000 };
}

/** The jobs that this app submits. `replay`: nobody waits for it. */
const kinds: Readonly<Record<RunnerWork["kind"], Policy>> = {
  chat: policy,
  completion: policy,
  embedding: policy,
  replay: { ...policy, secondAttempt: false },
};

/**
 * The app's queue. Scopes are organizations; requesters and keys are API keys; workers are devices. Their keys are hashed
 * with the package's default, as by `hashSecret`.
 */
export const queue: EncryptedQueue = new EncryptedQueue(components.queue, {
  onFinal: internal.jobs.onFinal,
  kinds,
});
