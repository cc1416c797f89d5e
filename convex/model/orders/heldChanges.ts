import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import type { AuditAction } from "../../../app/audit.ts";
import { changeHeldMs } from "../../../app/jobs/limits.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, actorName, callerAddress, record } from "../audit.ts";
import { queue } from "../queue.ts";
import { cancelOrder, orderOf } from "./orders.ts";
import { retryBatch, retryOrder } from "./retry.ts";

/*
 * Changes of jobs that wait for some seconds, so that they can be undone. Until then nothing has happened to the jobs: nobody was
 * told, no credits moved, and nothing was deleted. So an undo brings nothing back. The backend makes them also if the page is
 * closed.
 */

/** A small piece, because each change writes many rows. */
const perPiece = 10;

/** The change of the jobs. */
export const heldAct = literals("cancel", "retry", "discard");
type HeldAct = Infer<typeof heldAct>;

/** `heldId`: undoes it until `at` (ms epoch). */
export const heldChange = v.object({ heldId: v.id("heldCancels"), at: v.number() });

/** Changes jobs some seconds later. A job that waits for such a change already is left to that. */
export async function holdChange(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  { act, jobIds }: { readonly act: HeldAct; readonly jobIds: readonly string[] },
  { actor, now }: { readonly actor: Doc<"heldCancels">["actor"]; readonly now: number },
): Promise<Infer<typeof heldChange>> {
  const held = await hold(ctx, { organizationId, act, actor }, now);
  const { heldId } = held;
  const jobs: Doc<"heldCancels">["jobs"] = [];
  for (const jobId of new Set(jobIds)) {
    const order = await orderOf(ctx, jobId);
    if (order === null || (await isHeld(ctx, order))) continue;
    await ctx.db.patch("orders", order._id, { heldCancel: heldId });
    jobs.push({ jobId, round: order.round });
  }
  await ctx.db.patch("heldCancels", heldId, { jobs });
  return held;
}

/** Retries all dead letters some seconds later. `onlyMendable`: not those whose request itself causes the error. */
export async function holdRetryOfAll(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  allDead: { readonly onlyMendable: boolean },
  { actor, now }: { readonly actor: Doc<"heldCancels">["actor"]; readonly now: number },
): Promise<Infer<typeof heldChange>> {
  return await hold(ctx, { organizationId, act: "retry", actor, allDead }, now);
}

async function hold(
  ctx: MutationCtx,
  change: Pick<Doc<"heldCancels">, "organizationId" | "act" | "actor" | "allDead">,
  now: number,
): Promise<Infer<typeof heldChange>> {
  const at = now + changeHeldMs;
  const row = { ...change, jobs: [], address: await callerAddress(ctx), at, hasBegun: false };
  const heldId = await ctx.db.insert("heldCancels", row);
  await ctx.scheduler.runAt(at, internal.maintenance.changeHeld, { heldId });
  return { heldId, at };
}

async function isHeld(ctx: MutationCtx, { heldCancel }: Doc<"orders">): Promise<boolean> {
  return heldCancel !== undefined && (await ctx.db.get("heldCancels", heldCancel)) !== null;
}

/** Changes the next jobs of a call whose time has come, in the name of the one who asked for it. */
export async function changeHeldJobs(ctx: MutationCtx, heldId: Id<"heldCancels">, at: number): Promise<void> {
  const held = await ctx.db.get("heldCancels", heldId);
  if (held === null) return;
  const { organizationId, act = "cancel", actor, address, jobs } = held;
  const by: Act = { actor, address, at };
  if (held.allDead !== undefined) {
    await ctx.db.delete("heldCancels", heldId);
    await record(ctx, { organizationId, ...by, action: "dead-letters.retried", subject: "all" });
    const rest = { ...held.allDead, actor };
    const cursor = await retryBatch(ctx, organizationId, { cursor: null, ...rest }, by);
    if (cursor === null) return;
    await ctx.scheduler.runAfter(0, internal.maintenance.retryDeadLetters, {
      organizationId,
      cursor,
      ...rest,
    });
    return;
  }
  for (const { jobId, round } of jobs.slice(0, perPiece)) {
    if (await tryChange(ctx, act, { jobId, round }, by))
      await record(ctx, { organizationId, ...by, action: acts[act].done, subject: jobId });
  }
  const left = jobs.slice(perPiece);
  if (left.length === 0) {
    await ctx.db.delete("heldCancels", heldId);
    return;
  }
  await ctx.db.patch("heldCancels", heldId, { jobs: left, hasBegun: true });
  await ctx.scheduler.runAfter(0, internal.maintenance.changeHeld, { heldId });
}

type Change = (ctx: MutationCtx, order: Doc<"orders">, by: Act) => Promise<boolean>;

/** Each act answers whether it changed the job. `done` and `undone`: its entries in the audit trail. */
const acts: Readonly<
  Record<HeldAct, { readonly change: Change; readonly done: AuditAction; readonly undone: AuditAction }>
> = {
  cancel: {
    change: async (ctx, order) => (await cancelOrder(ctx, order)).kind === "canceled",
    done: "job.canceled",
    undone: "job.cancel-undone",
  },
  retry: {
    change: async (ctx, order, by) => (await retryOrder(ctx, order, by)).kind === "ready",
    done: "dead-letter.retried",
    undone: "dead-letter.retry-undone",
  },
  discard: {
    change: async (ctx, { organizationId, jobId }, { actor }) =>
      (await queue.deadLetters.discard(ctx, organizationId, jobId, actorName(actor))).kind === "discarded",
    done: "dead-letter.discarded",
    undone: "dead-letter.discard-undone",
  },
};

/** A job that cannot be changed does not keep the others. Whether it was changed. */
async function tryChange(
  ctx: MutationCtx,
  act: HeldAct,
  { jobId, round }: Doc<"heldCancels">["jobs"][number],
  by: Act,
): Promise<boolean> {
  const order = await orderOf(ctx, jobId);
  if (order?.round !== round) return false;
  try {
    return await acts[act].change(ctx, order, by);
  } catch (error) {
    console.error(`The job ${jobId} could not be changed (${act}):`, error);
    return false;
  }
}

/** `too-late`: the jobs are being changed. */
export const undoneChange = v.object({ kind: literals("undone", "too-late") });

/** Keeps the jobs of a change that still waits as they are. */
export async function undoHeldChange(
  ctx: MutationCtx,
  held: Doc<"heldCancels">,
  by: Act,
): Promise<Infer<typeof undoneChange>> {
  if (held.hasBegun) return { kind: "too-late" };
  await ctx.db.delete("heldCancels", held._id);
  const { organizationId, act = "cancel" } = held;
  if (held.allDead !== undefined)
    await record(ctx, { ...by, organizationId, action: "dead-letters.retry-undone", subject: "all" });
  for (const { jobId } of held.jobs)
    await record(ctx, { ...by, organizationId, action: acts[act].undone, subject: jobId });
  return { kind: "undone" };
}
