import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { authenticateDevice } from "../authenticate.ts";
import { orderOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";
import { openRollouts } from "./find.ts";
import { reportOf } from "./plan.ts";
import { noteFailedJob } from "./track.ts";

/** A device's attempt at a job of a model that is being rolled out. */
type Trial = { readonly rollout: Doc<"modelRollouts">; readonly deviceId: Id<"devices"> };

/** The roll-out of the model that a device's attempt is for. Null without one. Ask before the attempt ends. */
export async function rolloutOfJob(ctx: MutationCtx, key: string, attemptId: string): Promise<Trial | null> {
  const { _id: deviceId, organizationId } = await authenticateDevice(ctx, key);
  const open = await openRollouts(ctx, organizationId);
  if (open.length === 0) return null;
  const keyHash = await queue.hashKey(key);
  const attempt = await ctx.runQuery(queue.component.workers.attempt, { keyHash, attemptId });
  const order = attempt === null ? null : await orderOf(ctx, attempt.jobId);
  const rollout = open.find(({ modelId }) => modelId === order?.modelId);
  return rollout === undefined ? null : { rollout, deviceId };
}

/** Counts the failure of such an attempt. */
export async function noteFailure(ctx: MutationCtx, { rollout, deviceId }: Trial): Promise<void> {
  await noteFailedJob(ctx, rollout, deviceId, await reportOf(ctx, deviceId, rollout.modelId));
}
