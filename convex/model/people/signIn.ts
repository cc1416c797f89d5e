import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { hashSecret } from "../authenticate.ts";
import { checkedHash, present } from "../refuse.ts";
import { recordRefusedSignIn } from "../refusedSignIns.ts";
import { firstOwner, memberRow, memberView } from "./members.ts";
import { startSession } from "./sessions.ts";

const linkMs = 24 * 3_600_000;

/** A signed-in member. `expiresAt`: milliseconds since the epoch. */
export const signedIn = v.object({
  organization: v.object({ id: v.id("organizations"), name: v.string() }),
  member: memberRow,
  sessionId: v.id("sessions"),
  expiresAt: v.number(),
});

export async function signedInView(
  ctx: QueryCtx,
  member: Doc<"members">,
  { _id: sessionId, expiresAt }: Doc<"sessions">,
): Promise<Infer<typeof signedIn>> {
  const { _id: id, name } = present(await ctx.db.get("organizations", member.organizationId), "organization");
  return { organization: { id, name }, member: memberView(member), sessionId, expiresAt };
}

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
  asked: { readonly token: string; readonly session: string; readonly agent?: string },
  now: number,
): Promise<Infer<typeof signInOutcome>> {
  const tokenHash = await hashSecret(asked.token);
  const link = await ctx.db
    .query("signInLinks")
    .withIndex("by_hash", (q) => q.eq("tokenHash", tokenHash))
    .unique();
  // Wrong tokens are not counted: nobody guesses 256 bits, and a limit could only lock people out.
  const refused = async (reason: "unknown-link" | "expired" | "used") => {
    const why = `one-time link: ${reason}`;
    const organizationId = link?.organizationId ?? null;
    await recordRefusedSignIn(ctx, { organizationId, subject: link?.memberId, why }, now);
    return { kind: "refused", reason } as const;
  };
  if (link === null) return await refused("unknown-link");
  if (link.usedAt !== undefined) return await refused("used");
  if (link.expiresAt <= now) return await refused("expired");
  const { organizationId, memberId } = link;
  const member =
    memberId === undefined
      ? await firstOwner(ctx, organizationId, now)
      : present(await ctx.db.get("members", memberId), "member of a link");
  if (member.removedAt !== undefined) return await refused("expired");
  await ctx.db.patch("signInLinks", link._id, { usedAt: now });
  const client = asked.agent === undefined ? {} : { agent: asked.agent };
  const started = await startSession(ctx, member, { session: asked.session, method: "link", client }, now);
  return { kind: "signed-in", ...(await signedInView(ctx, member, started)) };
}

/** Creates a member's one-time sign-in link from its token's hash. It expires after a day. Refuses: invalid. */
export async function createLink(
  ctx: MutationCtx,
  { _id: memberId, organizationId }: Doc<"members">,
  hash: string,
  by: Act,
): Promise<void> {
  const tokenHash = checkedHash(hash, "tokenHash");
  await ctx.db.insert("signInLinks", { organizationId, tokenHash, memberId, expiresAt: by.at + linkMs });
  await record(ctx, { organizationId, ...by, action: "sign-in-link.created", subject: memberId });
}
