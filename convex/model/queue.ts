import { maxFailedAttempts } from "../../app/jobs/limits.ts";
import { internal } from "../_generated/api.js";
import { components } from "../components.ts";
import { Queue } from "../queue/client/queue.ts";
import { hashSecret } from "./keys/hash.ts";

/** The kind of the jobs that this app submits. */
export const chatKind = "chat";

const dayMs = 24 * 3_600_000;

/** The app's queue. Scopes are organizations; requesters and keys are API keys; workers are devices. */
export const queue: Queue = new Queue(components.queue, {
  hashKey: hashSecret,
  onFinal: internal.jobs.onFinal,
  kinds: {
    [chatKind]: {
      maxFailures: maxFailedAttempts,
      // Somebody waits for the answer: the first retry comes soon.
      backoff: { firstMs: 500, factor: 3, maxMs: 30_000, jitter: 0.5 },
      payloadKeptMs: dayMs,
      chunksKeptMs: 10 * 60_000,
      recordKeptMs: 90 * dayMs,
    },
  },
});
