import type { JobPriority } from "../../../app/jobs/priority.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { setOrderPriority } from "../orders/priorities.ts";
import { cancelRest, endCall, statesOf } from "./calls.ts";
import { stateOfCall } from "./view.ts";

/** Cancels a call whose answer its requester does not need any more: all of its jobs that have not ended. */
export async function cancelCall(
  ctx: MutationCtx,
  call: Doc<"calls">,
  now: number,
): Promise<"canceled" | "ended"> {
  if ((await stateOfCall(ctx, call)).isOver) return "ended";
  await endCall(ctx, call, { at: now, how: "canceled" });
  await cancelRest(ctx, call._id, now);
  return "canceled";
}

/** Changes the priority of the jobs that no device has started. @returns whether there was one. Refuses as `setOrderPriority`. */
export async function prioritizeCall(
  ctx: MutationCtx,
  call: Doc<"calls">,
  priority: JobPriority,
  now: number,
): Promise<boolean> {
  const all = await statesOf(ctx, call);
  const larger = call.vote?.larger?.job?.jobId;
  // Further votes are with devices already. One that was lost waits at the lowest priority, as it was asked for.
  const jobs =
    call.vote === undefined ? all : all.filter(({ jobId }, index) => index === 0 || jobId === larger);
  let isChanged = false;
  for (const { order } of jobs)
    if ((await setOrderPriority(ctx, order, priority, now)).kind === "changed") isChanged = true;
  return isChanged;
}
