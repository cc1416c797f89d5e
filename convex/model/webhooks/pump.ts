import { type Infer, v } from "convex/values";
import { failsForMs, keptMs, nextTryAt } from "../../../app/webhooks/schedule.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { deliveryAttempt } from "../validators/webhooks.ts";
import { findPump, findState, pumpOf, stateOf } from "./deliveries.ts";
import { disableWebhook } from "./disable.ts";
import { changedSince } from "./targets.ts";

/** Deliveries of one step. */
const atOnce = 64;
/** Tries that a delivery shows. */
const mostAttempts = 20;
/** A run that has not gone on for so long was cut off, as by a crash of the backend. It lasts less. */
const cutOffAfterMs = 8 * 60_000;
const resumedAtOnce = 20;
const countedAtOnce = 500;
const deletedAtOnce = 500;

/**
 * The bounds of a webhook's backlog. It is full when so many deliveries wait to be tried again, or a first try is so late. Then
 * frequent events are only counted, until it is below half of that.
 */
const full = { retrying: 10_000, retryingWhileItFails: 2_000, lateMs: 2 * 60_000 };

/** The deliveries that are due. The secrets are sealed. */
export const dueStep = v.object({
  url: v.string(),
  organization: v.object({ id: v.id("organizations"), name: v.string() }),
  secrets: v.array(v.string()),
  messages: v.array(
    v.object({
      deliveryId: v.id("webhookDeliveries"),
      type: v.string(),
      data: v.string(),
      createdAt: v.number(),
    }),
  ),
  /** Due deliveries that the webhook must not get any more, since its settings have changed. */
  dropped: v.array(v.id("webhookDeliveries")),
});

/** The next deliveries of a run. Null: the webhook is gone or disabled, or another run took over. */
export async function nextDue(
  ctx: QueryCtx,
  { webhookId, wakeAt }: { readonly webhookId: Id<"webhooks">; readonly wakeAt: number },
  now: number,
): Promise<Infer<typeof dueStep> | null> {
  const [webhook, pump] = await Promise.all([ctx.db.get("webhooks", webhookId), findPump(ctx, webhookId)]);
  if (webhook === null || webhook.disabled !== undefined || pump?.wakeAt !== wakeAt) return null;
  const { organizationId, url, secret, previous } = webhook;
  const rows = await ctx.db
    .query("webhookDeliveries")
    .withIndex("by_due", (q) => q.eq("webhookId", webhookId).gt("dueAt", 0).lte("dueAt", now))
    .take(atOnce);
  const organization = await ctx.db.get("organizations", organizationId);
  const isSent = (row: Doc<"webhookDeliveries">): boolean => changedSince(row, webhook) === null;
  return {
    url,
    organization: { id: organizationId, name: organization?.name ?? "" },
    secrets: previous !== undefined && previous.until > now ? [secret, previous.secret] : [secret],
    messages: rows.filter(isSent).map(({ _id: deliveryId, type, data, createdAt }) => ({
      deliveryId,
      type,
      data,
      createdAt,
    })),
    dropped: rows.filter((row) => !isSent(row)).map(({ _id }) => _id),
  };
}

export const tried = v.object({
  deliveryId: v.id("webhookDeliveries"),
  attempt: deliveryAttempt,
  /** The pause that the receiver asks for; null: none. */
  retryAfterMs: v.union(v.number(), v.null()),
});

/** The receiver wants no more messages. */
const goneStatus = 410;

/** Notes how some tries ended, and plans the next ones. */
export async function noteTries(
  ctx: MutationCtx,
  webhookId: Id<"webhooks">,
  tries: readonly Infer<typeof tried>[],
  now: number,
): Promise<void> {
  const webhook = await ctx.db.get("webhooks", webhookId);
  if (webhook === null) return;
  const state = await stateOf(ctx, webhookId);
  let { retrying } = state;
  let lateMs = 0;
  for (const one of tries) {
    const row = await ctx.db.get("webhookDeliveries", one.deliveryId);
    // A member sent it again meanwhile, or it is old and was deleted.
    if (row?.state !== "pending") continue;
    if (row.tries === 0) lateMs = Math.max(lateMs, one.attempt.at - (row.dueAt ?? now));
    const waits = await noteTry(ctx, row, one, now);
    retrying += Number(waits) - Number(row.tries > 0);
  }
  const last = tries.at(-1)?.attempt;
  const anyDelivered = tries.some(({ attempt }) => attempt.error === null);
  const failingSince = anyDelivered ? undefined : (state.failingSince ?? last?.at);
  await ctx.db.patch("webhookStates", state._id, {
    retrying,
    failingSince,
    ...(last === undefined ? {} : { last: { at: last.at, error: last.error } }),
  });
  await setFull(ctx, await pumpOf(ctx, webhookId), { retrying, fails: failingSince !== undefined, lateMs });
  // A member may have disabled it meanwhile.
  if (webhook.disabled !== undefined) return;
  if (tries.some(({ attempt }) => attempt.status === goneStatus))
    await disableWebhook(ctx, webhook, "gone", { actor: "system", at: now });
  else if (failingSince !== undefined && now - failingSince >= failsForMs)
    await disableWebhook(ctx, webhook, "failing", { actor: "system", at: now });
}

/** @returns whether the delivery waits for another try. */
async function noteTry(
  ctx: MutationCtx,
  row: Doc<"webhookDeliveries">,
  { attempt, retryAfterMs }: Infer<typeof tried>,
  now: number,
): Promise<boolean> {
  const attempts = [...row.attempts, attempt].slice(-mostAttempts);
  if (attempt.error === null) {
    await ctx.db.patch("webhookDeliveries", row._id, { attempts, state: "delivered", dueAt: undefined });
    return false;
  }
  const tries = row.tries + 1;
  const dueAt = nextTryAt(tries, retryAfterMs, Math.random(), now) ?? undefined;
  const state = dueAt === undefined ? "failed" : "pending";
  await ctx.db.patch("webhookDeliveries", row._id, { attempts, tries, dueAt, state });
  return dueAt !== undefined;
}

type Backlog = { readonly retrying: number; readonly fails: boolean; readonly lateMs: number };

function isFullWith({ retrying, fails, lateMs }: Backlog, wasFull: boolean): boolean {
  const share = wasFull ? 0.5 : 1;
  const most = fails ? full.retryingWhileItFails : full.retrying;
  return retrying >= share * most || lateMs >= share * full.lateMs;
}

async function setFull(ctx: MutationCtx, pump: Doc<"webhookPumps">, backlog: Backlog): Promise<void> {
  const isFull = isFullWith(backlog, pump.full);
  if (isFull !== pump.full) await ctx.db.patch("webhookPumps", pump._id, { full: isFull });
}

/**
 * Ends a run that found nothing due, or lets it go on. Counts events that were not sent.
 * @param isLong the run has lasted long enough, and another one goes on.
 * @returns whether the run goes on.
 */
export async function settle(
  ctx: MutationCtx,
  { webhookId, wakeAt }: { readonly webhookId: Id<"webhooks">; readonly wakeAt: number },
  isLong: boolean,
  now: number,
): Promise<boolean> {
  const [webhook, pump] = await Promise.all([ctx.db.get("webhooks", webhookId), findPump(ctx, webhookId)]);
  if (webhook === null || pump?.wakeAt !== wakeAt) return false;
  const hasMoreSkips = await countSkips(ctx, webhookId, now);
  const next = webhook.disabled === undefined ? await firstDue(ctx, webhookId) : null;
  const nextAt = hasMoreSkips ? now : next;
  if (nextAt !== null && nextAt <= now && !isLong) return true;
  const again = nextAt === null ? undefined : Math.max(nextAt, now);
  // A new time, so that this run does not go on as well.
  const planned = again === wakeAt ? again + 1 : again;
  await ctx.db.patch("webhookPumps", pump._id, { wakeAt: planned });
  // Nothing is late once a run ends.
  const { retrying = 0, failingSince } = (await findState(ctx, webhookId)) ?? {};
  if (!isLong) await setFull(ctx, pump, { retrying, fails: failingSince !== undefined, lateMs: 0 });
  if (planned !== undefined)
    await ctx.scheduler.runAt(planned, internal.webhooks.send.run, { webhookId, wakeAt: planned });
  return false;
}

async function firstDue(ctx: QueryCtx, webhookId: Id<"webhooks">): Promise<number | null> {
  const row = await ctx.db
    .query("webhookDeliveries")
    .withIndex("by_due", (q) => q.eq("webhookId", webhookId).gt("dueAt", 0))
    .first();
  return row?.dueAt ?? null;
}

/** @returns whether there are more. */
async function countSkips(ctx: MutationCtx, webhookId: Id<"webhooks">, now: number): Promise<boolean> {
  const skips = await ctx.db
    .query("webhookSkips")
    .withIndex("by_webhook", (q) => q.eq("webhookId", webhookId))
    .take(countedAtOnce);
  if (skips.length === 0) return false;
  for (const { _id } of skips) await ctx.db.delete("webhookSkips", _id);
  const { _id, skipped } = await stateOf(ctx, webhookId);
  await ctx.db.patch("webhookStates", _id, { skipped: skipped + skips.length, skippedAt: now });
  return skips.length === countedAtOnce;
}

/** Starts the runs again that were cut off. */
export async function resumePumps(ctx: MutationCtx, now: number): Promise<void> {
  const pumps = await ctx.db
    .query("webhookPumps")
    .withIndex("by_wake", (q) => q.gt("wakeAt", 0).lt("wakeAt", now - cutOffAfterMs))
    .take(resumedAtOnce);
  for (const { _id, webhookId } of pumps) {
    await ctx.db.patch("webhookPumps", _id, { wakeAt: now });
    await ctx.scheduler.runAt(now, internal.webhooks.send.run, { webhookId, wakeAt: now });
  }
}

/** Deletes deliveries at the end of their time. @returns whether there are more. */
export async function deleteOld(ctx: MutationCtx, now: number): Promise<boolean> {
  const rows = await ctx.db
    .query("webhookDeliveries")
    .withIndex("by_age", (q) => q.lt("createdAt", now - keptMs))
    .take(deletedAtOnce);
  for (const { _id, webhookId, state, tries } of rows) {
    await ctx.db.delete("webhookDeliveries", _id);
    // Only a webhook that was disabled for long has such a delivery.
    if (state === "pending" && tries > 0 && (await ctx.db.get("webhooks", webhookId)) !== null) {
      const known = await stateOf(ctx, webhookId);
      await ctx.db.patch("webhookStates", known._id, { retrying: Math.max(0, known.retrying - 1) });
    }
  }
  return rows.length === deletedAtOnce;
}

/** Deletes all that belongs to a removed webhook, in steps. @returns whether there is more. */
export async function purgeWebhook(ctx: MutationCtx, webhookId: Id<"webhooks">): Promise<boolean> {
  const [deliveries, skips] = await Promise.all([
    ctx.db
      .query("webhookDeliveries")
      .withIndex("by_time", (q) => q.eq("webhookId", webhookId))
      .take(deletedAtOnce),
    ctx.db
      .query("webhookSkips")
      .withIndex("by_webhook", (q) => q.eq("webhookId", webhookId))
      .take(deletedAtOnce),
  ]);
  for (const { _id } of deliveries) await ctx.db.delete("webhookDeliveries", _id);
  for (const { _id } of skips) await ctx.db.delete("webhookSkips", _id);
  if (deliveries.length === deletedAtOnce || skips.length === deletedAtOnce) return true;
  const [pump, state] = await Promise.all([findPump(ctx, webhookId), findState(ctx, webhookId)]);
  if (pump !== null) await ctx.db.delete("webhookPumps", pump._id);
  if (state !== null) await ctx.db.delete("webhookStates", state._id);
  return false;
}
