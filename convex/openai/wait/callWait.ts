import { waitingCalls } from "../../../app/jobs/limits.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import { logBug, outcomeOf } from "../outcome.ts";
import type { RequestedJob } from "../requestedJob.ts";

/** The count of a call that waits: one, however many jobs it waits for. */
export type CallWait = {
  /** Counts the call if it has waited for some seconds. */
  readonly count: () => Promise<void>;
  /** The time until `count` has to be called; Infinity once it was, in ms. */
  readonly uncountedMs: () => number;
  /** Call it when the call has ended. Never rejects: the count ends by itself, later. */
  readonly end: () => Promise<void>;
};

export type WaitingCall = Pick<RequestedJob, "keyId" | "jobId" | "giveUpAt"> &
  Partial<Pick<RequestedJob, "request" | "waitId">>;

/** Begins the count of a call. A call that got the job of another one is counted already. */
export function callWait(
  ctx: ActionCtx,
  { keyId, jobId, giveUpAt: until, request = null, waitId }: WaitingCall,
): CallWait {
  const countedFrom = Date.now() + waitingCalls.countedAfterMs;
  let isOver = false;
  let counted = waitId === undefined ? null : Promise.resolve(waitId);
  return {
    count: async () => {
      if (isOver || (counted === null && Date.now() < countedFrom)) return;
      const found = request === null ? {} : { jobId, request };
      counted ??= ctx.runMutation(internal.requests.beginWaitAdmitted, { keyId, until, ...found });
      await counted;
    },
    uncountedMs: () => (counted === null ? Math.max(0, countedFrom - Date.now()) : Infinity),
    end: async () => {
      isOver = true;
      if (counted === null) return;
      const begun = await outcomeOf(counted);
      if (begun.kind !== "ok") return;
      const ended = await outcomeOf(
        ctx.runMutation(internal.requests.endWaitAdmitted, { waitId: begun.value }),
      );
      if (ended.kind === "ok") return;
      logBug("the end of a wait could not be noted", ended.kind === "failed" ? ended.thrown : ended.refusal);
    },
  };
}
