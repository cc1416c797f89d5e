import { setTimeout as sleep } from "node:timers/promises";
import type { ConvexClient } from "convex/browser";
import type { Handler } from "../side.ts";
import { api } from "./api.ts";

const heartbeatMs = 20_000;
/** The published pattern's first wait after a failed call, and its jitter. */
const backOffMs = 1_000;
const jitterMs = 100;
/** Text without punctuation is sent at this length. */
const maxHeldText = 100;

/** The published pattern's worker: it waits for work, claims a job, runs it, and waits again. */
export async function work(client: ConvexClient, key: string, handler: Handler): Promise<never> {
  for (;;) {
    await untilThereIsWork(client);
    try {
      const job = await client.mutation(api.workers.claim, { key });
      if (job === null) continue;
      await doJob(client, { key, jobId: job.jobId }, (write) => handler(job.payload, write));
    } catch {
      await backOff();
    }
  }
}

function untilThereIsWork(client: ConvexClient): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = client.onUpdate(api.workers.isThereWork, {}, (isThereWork) => {
      if (!isThereWork) return;
      unsubscribe();
      resolve();
    });
  });
}

async function doJob(
  client: ConvexClient,
  job: { readonly key: string; readonly jobId: string },
  run: (write: (text: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const beating = setInterval(() => {
    client.mutation(api.workers.heartbeat, job).catch(() => undefined);
  }, heartbeatMs);
  let held = "";
  try {
    await run(async (text) => {
      held += text;
      if (!isWorthSending(held)) return;
      const sent = held;
      held = "";
      await client.mutation(api.workers.stream, { ...job, text: sent });
    });
    // The published worker dies at a failed completion. This one retries, so that no job is lost.
    while (!(await isTakenIn(client, { ...job, text: held }))) await backOff();
  } finally {
    clearInterval(beating);
  }
}

async function isTakenIn(
  client: ConvexClient,
  last: { readonly key: string; readonly jobId: string; readonly text: string },
): Promise<boolean> {
  try {
    await client.mutation(api.workers.complete, last);
    return true;
  } catch {
    return false;
  }
}

function backOff(): Promise<void> {
  return sleep(backOffMs + Math.random() * jitterMs);
}

/** Whether the text has punctuation or is long enough. */
export function isWorthSending(text: string): boolean {
  return /[\n.?!,]/.test(text) || text.length > maxHeldText;
}
