import type { WaitStage } from "../../../app/jobs/poll-interval.ts";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { CallState } from "../../model/calls/view.ts";
import { abortOf } from "../wait/abortOf.ts";
import { type CallWait, callWait } from "../wait/callWait.ts";
import { changes } from "../wait/changes.ts";

/** A call of several jobs and its reader, who waits until `giveUpAt`: ms epoch. */
type FollowedCall = { readonly keyId: Id<"apiKeys">; readonly id: string; readonly giveUpAt: number };

/**
 * Yields a call's states until it has ended, or until the reader gives up. While nothing changes, it yields the last state again from
 * time to time.
 * @param options `callWait`: a wait for more than the call, which ends by itself.
 */
export async function* followCall(
  ctx: ActionCtx,
  { keyId, id, giveUpAt }: FollowedCall,
  { signal, shared }: { readonly signal: AbortSignal; readonly shared?: CallWait },
): AsyncGenerator<CallState, void> {
  const wait = shared ?? callWait(ctx, { keyId, jobId: id, giveUpAt });
  const args = { keyId, id };
  const ended = abortOf(signal);
  let stage: { readonly name: WaitStage; readonly since: number } = { name: "queued", since: Date.now() };
  try {
    for (;;) {
      const state = await ctx.runQuery(internal.calls.requests.state, args);
      yield state;
      if (state.isOver || Date.now() >= giveUpAt || signal.aborted) return;
      await wait.count();
      const name = state.statuses.every((status) => status === "queued") ? "queued" : "running";
      if (name !== stage.name) stage = { name, since: Date.now() };
      const mostMs = Math.max(0, Math.min(giveUpAt - Date.now(), wait.uncountedMs()));
      await Promise.race([
        changes(ctx, { query: internal.calls.requests.state, args }, stage, mostMs),
        ended,
      ]);
    }
  } finally {
    if (shared === undefined) await wait.end();
  }
}
