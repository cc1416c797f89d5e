import type { Work } from "../../app/jobs/work.ts";
import { internal } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import { thaw } from "../model/thaw.ts";
import type { Prepared } from "./readCall.ts";

type Call = Pick<Prepared<{ readonly priority: "high" | "normal" | "low" }>, "apiKey" | "asked"> & {
  readonly model: { readonly modelId: string };
  readonly idempotencyKey: string | null;
};

/** Puts a call's work into the queue. @returns the job's id. */
export async function submitWork(ctx: ActionCtx, call: Call, work: Work, stream: boolean): Promise<string> {
  const { apiKey, asked, idempotencyKey } = call;
  const submission = {
    apiKey,
    model: call.model.modelId,
    work: thaw(work),
    stream,
    priority: asked.priority,
    ...(idempotencyKey === null ? {} : { idempotencyKey }),
  };
  try {
    return (await ctx.runMutation(internal.requests.submit, { ...submission, handOver: true })).jobId;
  } catch (thrown) {
    // Handed over, it meets whoever waits; without that it meets nobody.
    if (!hasLostItsRaces(thrown)) throw thrown;
    return (await ctx.runMutation(internal.requests.submit, submission)).jobId;
  }
}

/** Whether Convex gave a mutation up for what others wrote meanwhile. */
function hasLostItsRaces(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return /OptimisticConcurrencyControlFailure|changed while this mutation was being run/.test(thrown.message);
}
