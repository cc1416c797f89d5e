import type { Infer } from "convex/values";
import { isFinal } from "../../app/jobs/states.ts";
import { api } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import type { ActionCtx } from "../_generated/server.js";
import type { watchView } from "../model/requests/watch.ts";
import { nextInterval, sleep } from "./wait.ts";

export type JobView = Infer<typeof watchView>;

/**
 * A job's states from now until it is final, each with the text that is new since the last one.
 * Ends early, without a final state, once `giveUpAt` (ms epoch) has passed.
 */
export async function* follow(
  ctx: ActionCtx,
  asked: { readonly apiKey: string; readonly jobId: Id<"jobs">; readonly giveUpAt: number },
): AsyncGenerator<JobView, void> {
  const { apiKey, jobId, giveUpAt } = asked;
  let after: { attemptId: Id<"attempts">; seq: number } | null = null;
  let interval: number | null = null;
  for (;;) {
    const view: JobView = await ctx.runQuery(api.requests.watch, {
      apiKey,
      jobId,
      ...(after === null ? {} : { after }),
    });
    yield view;
    if (isFinal(view.status) || Date.now() >= giveUpAt) return;
    const last = view.chunks.at(-1);
    if (last !== undefined && view.attemptId !== null) {
      after = { attemptId: view.attemptId, seq: last.seq };
      interval = null;
    }
    interval = nextInterval(interval);
    await sleep(interval);
  }
}
