import { type Infer, v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { deviceSpan } from "../validators/fleet.ts";

const dayMs = 24 * 3_600_000;
const keptDays = 8;
/** A device that changes more often on one day keeps the day's first spans and its last one. */
const maxSpans = 200;

type Span = Infer<typeof deviceSpan>;

/** Adds a transition to the device's journal. Does nothing if its last span has the same state and reason. */
export async function noteState(
  ctx: MutationCtx,
  { _id: deviceId, organizationId }: Doc<"devices">,
  span: Span,
): Promise<void> {
  const startAt = Math.floor(span.at / dayMs) * dayMs;
  const last = await lastDay(ctx, deviceId);
  const before = last?.spans.at(-1);
  if (before !== undefined && before.state === span.state && before.reason === span.reason) return;
  // A late transition cannot begin before the one that is known already.
  const at = Math.max(span.at, before?.at ?? 0);
  if (last !== null && last.startAt >= startAt) {
    const spans = [...last.spans.slice(0, maxSpans - 1), { ...span, at }];
    await ctx.db.patch("deviceDays", last._id, { spans });
    return;
  }
  await ctx.db.insert("deviceDays", { organizationId, deviceId, startAt, spans: [{ ...span, at }] });
  await forgetOld(ctx, deviceId, startAt - keptDays * dayMs);
}

/** The newest day stays, however old: it has the state that lasts. */
async function forgetOld(ctx: MutationCtx, deviceId: Id<"devices">, before: number): Promise<void> {
  const old = await ctx.db
    .query("deviceDays")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId).lt("startAt", before))
    .take(keptDays);
  // One older day tells how the week began.
  for (const { _id } of old.slice(0, -1)) await ctx.db.delete("deviceDays", _id);
}

async function lastDay(ctx: QueryCtx, deviceId: Id<"devices">): Promise<Doc<"deviceDays"> | null> {
  return await ctx.db
    .query("deviceDays")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId))
    .order("desc")
    .first();
}

export const journal = v.array(deviceSpan);

/** The states of a device in the last days, oldest first. Each lasts until the next one; the last one lasts now. */
export async function journalOf(ctx: QueryCtx, deviceId: Id<"devices">): Promise<Span[]> {
  const days = await ctx.db
    .query("deviceDays")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId))
    .order("desc")
    .take(keptDays + 1);
  return days.reverse().flatMap(({ spans }) => spans);
}
