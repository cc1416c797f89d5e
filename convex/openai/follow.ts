import type { Infer } from "convex/values";
import { isFinal } from "../../app/jobs/states.ts";
import { api } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import type { watchView } from "../model/requests/watch.ts";
import { nextInterval, sleep } from "./wait.ts";

export type JobView = Infer<typeof watchView>;

/** The queue keeps chunks coming for two minutes after somebody was last heard to watch. */
const sayAgainMs = 45_000;

/**
 * A job's states from now until it is final, each with the text that is new since the last one.
 * Ends early, without a final state, once `giveUpAt` (ms epoch) has passed.
 */
export async function* follow(
  ctx: ActionCtx,
  asked: {
    readonly apiKey: string;
    readonly jobId: string;
    readonly giveUpAt: number;
    /** Whether its text is wanted as it comes. */
    readonly stream: boolean;
  },
): AsyncGenerator<JobView, void> {
  const { apiKey, jobId, giveUpAt, stream } = asked;
  let after: { attemptId: string; seq: number } | null = null;
  let interval: number | null = null;
  // The submission has said so the first time.
  let saidAt = Date.now();
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
    if (stream && Date.now() - saidAt >= sayAgainMs) {
      await ctx.runMutation(api.requests.follow, { apiKey, jobId });
      saidAt = Date.now();
    }
    interval = nextInterval(interval);
    await sleep(interval);
  }
}
