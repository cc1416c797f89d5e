import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { hashSecret } from "../authenticate.ts";
import { checkedHash, present, refuse } from "../refuse.ts";

const linkMs = 24 * 3_600_000;
const sessionMs = 12 * 3_600_000;

/** A signed-in admin. `expiresAt`: milliseconds since the epoch. */
export const signedIn = v.object({
  organization: v.object({ id: v.id("organizations"), name: v.string() }),
  role: v.literal("admin"),
  expiresAt: v.number(),
});

export const signInOutcome = v.union(
  v.object({ kind: v.literal("signed-in"), ...signedIn.fields }),
  v.object({
    kind: v.literal("refused"),
    reason: literals("unknown-link", "expired", "used"),
  }),
);

/** Trades a one-time link for a session. The browser made the session's secret. Refuses: invalid, conflict. */
export async function signIn(
  ctx: MutationCtx,
  asked: { readonly token: string; readonly session: string },
  now: number,
): Promise<Infer<typeof signInOutcome>> {
  if (!/^gs_[A-Za-z0-9_-]{43,128}$/.test(asked.session)) {
    refuse("invalid", 'A session is "gs_" and 256 random bits, in hex or base64url.');
  }
  const tokenHash = await hashSecret(asked.token);
  const link = await ctx.db
    .query("signInLinks")
    .withIndex("by_hash", (q) => q.eq("tokenHash", tokenHash))
    .unique();
  // Wrong tokens are not counted: nobody guesses 256 bits, and a limit could only lock people out.
  if (link === null) return { kind: "refused", reason: "unknown-link" };
  if (link.usedAt !== undefined) return { kind: "refused", reason: "used" };
  if (link.expiresAt <= now) return { kind: "refused", reason: "expired" };

  const { organizationId, role } = link;
  const expiresAt = now + sessionMs;
  await ctx.db.patch("signInLinks", link._id, { usedAt: now });
  const sessionHash = await hashSecret(asked.session);
  const taken = await ctx.db
    .query("sessions")
    .withIndex("by_hash", (q) => q.eq("sessionHash", sessionHash))
    .unique();
  if (taken !== null) refuse("conflict", "This session exists already.");
  const sessionId = await ctx.db.insert("sessions", { organizationId, sessionHash, role, expiresAt });
  await ctx.scheduler.runAt(expiresAt, internal.maintenance.endSession, { sessionId });
  await record(ctx, { organizationId, at: now, actor: "admin", action: "admin.signed-in", subject: role });
  const { name } = present(await ctx.db.get("organizations", organizationId), "organization");
  return { kind: "signed-in", organization: { id: organizationId, name }, role, expiresAt };
}

/** Creates a one-time sign-in link from its token's hash. It expires after a day. Refuses: invalid. */
export async function createLink(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  hash: string,
  now: number,
): Promise<void> {
  const tokenHash = checkedHash(hash, "tokenHash");
  await ctx.db.insert("signInLinks", { organizationId, tokenHash, role: "admin", expiresAt: now + linkMs });
  await record(ctx, {
    organizationId,
    at: now,
    actor: "setup",
    action: "sign-in-link.created",
    subject: "admin",
  });
}
