import { type Infer, v } from "convex/values";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import type { Owner } from "../owners.ts";

/** Counting stops here, so this count means "at least". */
export const maxCounted = 100;

/** The numbers of keys that are not revoked, and of devices that are not retired. 100 means 100 or more. */
export const holdings = v.object({ keys: v.number(), devices: v.number() });

export async function holdingsOf(ctx: QueryCtx, owner: Owner): Promise<Infer<typeof holdings>> {
  const [keys, devices] = await Promise.all([
    heldKeys(ctx, owner, maxCounted),
    heldDevices(ctx, owner, maxCounted),
  ]);
  return { keys: keys.length, devices: devices.length };
}

/** The keys of an owner that are not revoked. */
export async function heldKeys(ctx: QueryCtx, owner: Owner, limit: number): Promise<Doc<"apiKeys">[]> {
  return await ctx.db
    .query("apiKeys")
    .withIndex("by_owner", (q) => q.eq("owner", owner).eq("revokedAt", undefined))
    .take(limit);
}

/** The keys of an owner that were not revoked before a moment, up to so many of each kind: those in use, and those revoked since. */
export async function keysSince(
  ctx: QueryCtx,
  owner: Owner,
  since: number,
  limit: number,
): Promise<Doc<"apiKeys">[]> {
  const revoked = ctx.db
    .query("apiKeys")
    .withIndex("by_owner", (q) => q.eq("owner", owner).gte("revokedAt", since));
  return [...(await heldKeys(ctx, owner, limit)), ...(await revoked.take(limit))];
}

/** The enrollment codes of an owner that are not revoked. */
export async function heldCodes(
  ctx: QueryCtx,
  owner: Owner,
  limit: number,
): Promise<Doc<"enrolmentCodes">[]> {
  return await ctx.db
    .query("enrolmentCodes")
    .withIndex("by_owner", (q) => q.eq("owner", owner).eq("revokedAt", undefined))
    .take(limit);
}

/** The devices of an owner that are not retired. */
export async function heldDevices(ctx: QueryCtx, owner: Owner, limit: number): Promise<Doc<"devices">[]> {
  const found: Doc<"devices">[] = [];
  for (const status of ["active", "pending"] as const) {
    const devices = ctx.db
      .query("devices")
      .withIndex("by_owner", (q) => q.eq("owner", owner).eq("status", status));
    found.push(...(await devices.take(limit - found.length)));
    if (found.length === limit) break;
  }
  return found;
}
