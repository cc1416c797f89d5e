import { setTimeout as sleep } from "node:timers/promises";
import type { ConvexClient } from "convex/browser";
import type { Handler } from "../side.ts";
import { api } from "./api.ts";

const heartbeatMs = 20_000;
/** After a call that failed: the published pattern's first wait, and the chance that it adds. */
const backOffMs = 1_000;
const jitterMs = 100;
/** Text without a mark is sent once it is this long. */
const maxHeldText = 100;

/** A worker as the pattern was published: it waits until there is work, asks for some, does it, and waits again. */
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
    // The published worker dies with a completion that fails; so that none is lost, this one tries again.
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

/** A mark of punctuation, or enough of it. */
export function isWorthSending(text: string): boolean {
  return /[\n.?!,]/.test(text) || text.length > maxHeldText;
}
