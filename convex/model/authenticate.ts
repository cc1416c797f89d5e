import type { Doc } from "../_generated/dataModel.js";
import type { QueryCtx } from "../_generated/server.js";
import { refuse } from "./refuse.ts";
import { hashSecret } from "./keys/hash.ts";

/** The device that a key belongs to, retired ones included. Throws `unauthorized`. */
export async function authenticateDevice(ctx: QueryCtx, key: string): Promise<Doc<"devices">> {
  const keyHash = await hashSecret(key);
  const device = await ctx.db
    .query("devices")
    .withIndex("by_hash", (q) => q.eq("keyHash", keyHash))
    .unique();
  return device ?? refuse("unauthorized", "This device key is not known here. Enrol the device again.");
}

/** The requester's key. Throws `unauthorized` or `revoked`. */
export async function authenticateApiKey(ctx: QueryCtx, apiKey: string): Promise<Doc<"apiKeys">> {
  const keyHash = await hashSecret(apiKey);
  const key = await ctx.db
    .query("apiKeys")
    .withIndex("by_hash", (q) => q.eq("keyHash", keyHash))
    .unique();
  if (key === null) refuse("unauthorized", "This API key is not known here.");
  if (key.revokedAt !== undefined) refuse("revoked", "This API key was revoked.");
  return key;
}

/**
 * The admin's session, or null. Queries pass no `now`: a session's row is deleted when it expires,
 * so they need no clock; mutations check it besides.
 */
export async function findSession(
  ctx: QueryCtx,
  session: string,
  now?: number,
): Promise<Doc<"sessions"> | null> {
  const sessionHash = await hashSecret(session);
  const found = await ctx.db
    .query("sessions")
    .withIndex("by_hash", (q) => q.eq("sessionHash", sessionHash))
    .unique();
  if (found === null || (now !== undefined && found.expiresAt <= now)) return null;
  return found;
}

/** The same, where there must be one. Throws `unauthorized`. */
export async function authenticateSession(
  ctx: QueryCtx,
  session: string,
  now?: number,
): Promise<Doc<"sessions">> {
  return (
    (await findSession(ctx, session, now)) ??
    refuse("unauthorized", "You are not signed in any more. Ask for a new sign-in link.")
  );
}
