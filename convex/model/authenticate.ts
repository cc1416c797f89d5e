import { sha256 } from "@gleaner/queue";
import { expiredWords } from "../../app/keys/expiry.ts";
import type { Doc, Id } from "../_generated/dataModel.js";
import type { QueryCtx } from "../_generated/server.js";
import { refuse } from "./refuse.ts";

/** Only hashes of secrets are stored. Secrets have 256 random bits, so they need no salt. */
export const hashSecret = sha256;

/** The device whose key has this hash, even if it is retired. */
export async function deviceByHash(ctx: QueryCtx, keyHash: string): Promise<Doc<"devices"> | null> {
  return await ctx.db
    .query("devices")
    .withIndex("by_hash", (q) => q.eq("keyHash", keyHash))
    .unique();
}

/** The device with this key, even if it is retired. Refuses: unauthorized. */
export async function authenticateDevice(ctx: QueryCtx, key: string): Promise<Doc<"devices">> {
  const device = await deviceByHash(ctx, await hashSecret(key));
  return device ?? refuse("unauthorized", "This device key is not known here. Enroll the device again.");
}

/** The device with this key, unless it is retired: such a device reads nothing. Refuses: unauthorized, retired. */
export async function authenticateUnretired(ctx: QueryCtx, key: string): Promise<Doc<"devices">> {
  return unlessRetired(await authenticateDevice(ctx, key));
}

/** The device, unless it is retired. Refuses: retired. */
export function unlessRetired(device: Doc<"devices">): Doc<"devices"> {
  if (device.status === "retired") refuse("retired", "An administrator retired this device.");
  return device;
}

/** The row of the API key with this secret, or with this former secret that still works. Refuses: unauthorized, revoked, expired. */
export async function authenticateApiKey(ctx: QueryCtx, apiKey: string): Promise<Doc<"apiKeys">> {
  const keyHash = await hashSecret(apiKey);
  const key = await ctx.db
    .query("apiKeys")
    .withIndex("by_hash", (q) => q.eq("keyHash", keyHash))
    .unique();
  return usableKey(key ?? (await keyByFormerSecret(ctx, keyHash)));
}

/** Refuses: unauthorized (its time is over). */
async function keyByFormerSecret(ctx: QueryCtx, keyHash: string): Promise<Doc<"apiKeys"> | null> {
  const key = await ctx.db
    .query("apiKeys")
    .withIndex("by_former_hash", (q) => q.eq("former.keyHash", keyHash))
    .unique();
  if (key?.former !== undefined && key.former.until <= Date.now())
    refuse("unauthorized", "This secret of the API key was replaced, and its time is over. Use the new one.");
  return key;
}

/** An API key that may be used. Refuses: unauthorized, revoked, expired. */
export function usableKey(key: Doc<"apiKeys"> | null): Doc<"apiKeys"> {
  if (key === null) refuse("unauthorized", "This API key is not known here.");
  if (key.revokedAt !== undefined) refuse("revoked", "This API key was revoked.");
  const { expiresAt = Infinity } = key;
  if (expiresAt <= Date.now()) refuse("expired", expiredWords(expiresAt));
  return key;
}

/** The row of a key that a call was admitted with. Refuses: unauthorized, revoked (since then), expired (since then). */
export async function admittedKey(ctx: QueryCtx, keyId: Id<"apiKeys">): Promise<Doc<"apiKeys">> {
  return usableKey(await ctx.db.get("apiKeys", keyId));
}

/** A session and its member. */
export type SignedIn = { readonly session: Doc<"sessions">; readonly member: Doc<"members"> };

/**
 * The session with this secret, and its member; or null. Mutations pass `now` to check that it has not expired. Queries have
 * no clock: for them an expired session ends when its row is deleted.
 */
export async function findSession(ctx: QueryCtx, secret: string, now?: number): Promise<SignedIn | null> {
  const sessionHash = await hashSecret(secret);
  const session = await ctx.db
    .query("sessions")
    .withIndex("by_hash", (q) => q.eq("sessionHash", sessionHash))
    .unique();
  // Sessions of earlier versions have no member.
  if (session?.memberId === undefined || (now !== undefined && session.expiresAt <= now)) return null;
  const member = await ctx.db.get("members", session.memberId);
  return member === null || member.removedAt !== undefined ? null : { session, member };
}

/** The same, but refuses without a session: unauthorized. */
export async function authenticateSession(ctx: QueryCtx, secret: string, now?: number): Promise<SignedIn> {
  return (
    (await findSession(ctx, secret, now)) ?? refuse("unauthorized", "Your session has ended. Sign in again.")
  );
}
