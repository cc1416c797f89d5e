import { type Infer, v } from "convex/values";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { checkedHash, present } from "../refuse.ts";
import { lacksSecondFactor } from "../secondFactor/required.ts";
import { memberRow, memberView } from "./members.ts";

const linkMs = 24 * 3_600_000;

/** A signed-in member. `expiresAt`: milliseconds since the epoch. */
export const signedIn = v.object({
  organization: v.object({ id: v.id("organizations"), name: v.string() }),
  member: memberRow,
  sessionId: v.id("sessions"),
  expiresAt: v.number(),
  /** Whether the member must set up a second factor, or confirm with one, before anything else works. */
  needsSecondFactor: v.boolean(),
});

export async function signedInView(
  ctx: QueryCtx,
  member: Doc<"members">,
  session: Doc<"sessions">,
): Promise<Infer<typeof signedIn>> {
  const { _id: id, name } = present(await ctx.db.get("organizations", member.organizationId), "organization");
  const { _id: sessionId, expiresAt } = session;
  const needsSecondFactor = await lacksSecondFactor(ctx, session);
  return { organization: { id, name }, member: memberView(member), sessionId, expiresAt, needsSecondFactor };
}

/** Creates a member's one-time sign-in link from its token's hash. It expires after a day, if not told otherwise. Refuses: invalid. */
export async function createLink(
  ctx: MutationCtx,
  { _id: memberId, organizationId }: Doc<"members">,
  hash: string,
  by: Act,
  lastsMs = linkMs,
): Promise<void> {
  const tokenHash = checkedHash(hash, "tokenHash");
  await ctx.db.insert("signInLinks", { organizationId, tokenHash, memberId, expiresAt: by.at + lastsMs });
  await record(ctx, { organizationId, ...by, action: "sign-in-link.created", subject: memberId });
}
