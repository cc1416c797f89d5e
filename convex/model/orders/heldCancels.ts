import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { cancelHeldMs } from "../../../app/jobs/limits.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, callerAddress, record } from "../audit.ts";
import { cancelOrder, orderOf } from "./orders.ts";

/*
 * Cancels that wait for some seconds, so that they can be undone. Until then nothing has happened to the jobs: nobody was told,
 * and no credits moved. So an undo brings nothing back from an end. The backend cancels them also if the page is closed.
 */

/** A small piece, because each cancel writes many rows. */
const perPiece = 10;

/** `cancelId`: undoes it until `at` (ms epoch). */
export const heldCancel = v.object({ cancelId: v.id("heldCancels"), at: v.number() });

/** Cancels jobs some seconds later. A job that waits for its cancel already is left to that. */
export async function holdCancel(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  jobIds: readonly string[],
  { actor, now }: { readonly actor: Doc<"heldCancels">["actor"]; readonly now: number },
): Promise<Infer<typeof heldCancel>> {
  const at = now + cancelHeldMs;
  const cancelId = await ctx.db.insert("heldCancels", {
    organizationId,
    jobs: [],
    actor,
    address: await callerAddress(ctx),
    at,
    hasBegun: false,
  });
  const jobs: Doc<"heldCancels">["jobs"] = [];
  for (const jobId of new Set(jobIds)) {
    const order = await orderOf(ctx, jobId);
    if (order === null || (await isHeld(ctx, order))) continue;
    await ctx.db.patch("orders", order._id, { heldCancel: cancelId });
    jobs.push({ jobId, round: order.round });
  }
  await ctx.db.patch("heldCancels", cancelId, { jobs });
  await ctx.scheduler.runAt(at, internal.maintenance.cancelHeld, { cancelId });
  return { cancelId, at };
}

async function isHeld(ctx: MutationCtx, { heldCancel }: Doc<"orders">): Promise<boolean> {
  return heldCancel !== undefined && (await ctx.db.get("heldCancels", heldCancel)) !== null;
}

/** Cancels the next jobs of a call whose time has come, in the name of the one who asked for it. */
export async function cancelHeldJobs(
  ctx: MutationCtx,
  cancelId: Id<"heldCancels">,
  at: number,
): Promise<void> {
  const held = await ctx.db.get("heldCancels", cancelId);
  if (held === null) return;
  const { organizationId, actor, address, jobs } = held;
  for (const { jobId, round } of jobs.slice(0, perPiece)) {
    if (await tryCancel(ctx, jobId, round))
      await record(ctx, { organizationId, actor, address, at, action: "job.canceled", subject: jobId });
  }
  const left = jobs.slice(perPiece);
  if (left.length === 0) {
    await ctx.db.delete("heldCancels", cancelId);
    return;
  }
  await ctx.db.patch("heldCancels", cancelId, { jobs: left, hasBegun: true });
  await ctx.scheduler.runAfter(0, internal.maintenance.cancelHeld, { cancelId });
}

/** A job that cannot be canceled does not keep the others. Whether it was canceled. */
async function tryCancel(ctx: MutationCtx, jobId: string, round: number): Promise<boolean> {
  const order = await orderOf(ctx, jobId);
  if (order?.round !== round) return false;
  try {
    return (await cancelOrder(ctx, order)).kind === "canceled";
  } catch (error) {
    console.error(`The job ${jobId} could not be canceled:`, error);
    return false;
  }
}

/** `too-late`: the jobs are being canceled. */
export const undoneCancel = v.object({ kind: literals("undone", "too-late") });

/** Keeps the jobs of a cancel that still waits. */
export async function undoHeldCancel(
  ctx: MutationCtx,
  held: Doc<"heldCancels">,
  by: Act,
): Promise<Infer<typeof undoneCancel>> {
  if (held.hasBegun) return { kind: "too-late" };
  await ctx.db.delete("heldCancels", held._id);
  const { organizationId } = held;
  for (const { jobId } of held.jobs)
    await record(ctx, { ...by, organizationId, action: "job.cancel-undone", subject: jobId });
  return { kind: "undone" };
}
