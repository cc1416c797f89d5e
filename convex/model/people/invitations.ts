import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { visibleText } from "../../../app/format/visible.ts";
import { limits } from "../../../app/jobs/limits.ts";
import type { Role } from "../../../app/people/roles.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { hashSecret } from "../authenticate.ts";
import { boundedInteger, boundedText, checkedHash, refuse } from "../refuse.ts";
import { recordRefusedSignIn } from "../refusedSignIns.ts";
import { role } from "../validators/people.ts";
import { addMember, checkedEmail, checkedRoles, checkFreeEmail, memberByEmail } from "./members.ts";
import { startSession } from "./sessions.ts";
import { signedIn, signedInView } from "./signIn.ts";

const dayMs = 24 * 3_600_000;
const maxDays = 90;
const maxListed = 200;

/** Arguments that describe an invitation. It ends after `days` days, 7 by default. */
export const newInvitation = {
  tokenHash: v.string(),
  name: v.string(),
  email: v.optional(v.string()),
  roles: v.array(role),
  days: v.optional(v.number()),
};

/** Invites somebody. Refuses: invalid, forbidden (an owner, by somebody who is none), conflict (a member has the address). */
export async function invite(
  ctx: MutationCtx,
  inviter: Doc<"members">,
  given: {
    readonly tokenHash: string;
    readonly name: string;
    readonly email?: string;
    readonly roles: readonly Role[];
    readonly days?: number;
  },
  by: Act,
): Promise<Id<"invitations">> {
  const { organizationId } = inviter;
  const roles = checkedRoles(given.roles);
  if (roles.includes("owner") && !inviter.roles.includes("owner"))
    refuse("forbidden", "Only an owner can invite an owner.");
  const email = given.email === undefined ? {} : { email: checkedEmail(given.email) };
  if (email.email !== undefined) await checkFreeEmail(ctx, organizationId, email.email);
  const invitationId = await ctx.db.insert("invitations", {
    organizationId,
    tokenHash: checkedHash(given.tokenHash, "tokenHash"),
    ...email,
    name: boundedText(given.name, "The name", limits.nameChars),
    roles,
    invitedBy: inviter._id,
    createdAt: by.at,
    expiresAt: by.at + boundedInteger(given.days ?? 7, "days", 1, maxDays) * dayMs,
  });
  const detail = `${given.name}, ${roles.join(", ")}`;
  await record(ctx, { organizationId, ...by, action: "member.invited", subject: invitationId, detail });
  return invitationId;
}

export const invitationRow = v.object({
  invitationId: v.id("invitations"),
  name: v.string(),
  email: v.union(v.string(), v.null()),
  roles: v.array(role),
  createdAt: v.number(),
  expiresAt: v.number(),
  acceptedBy: v.union(v.id("members"), v.null()),
  revokedAt: v.union(v.number(), v.null()),
});

/** The organization's invitations, newest first. */
export async function invitationRows(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof invitationRow>[]> {
  const rows = await ctx.db
    .query("invitations")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .order("desc")
    .take(maxListed);
  return rows.map(({ _id, name, email, roles, createdAt, expiresAt, acceptedBy, revokedAt }) => ({
    invitationId: _id,
    name: visibleText(name),
    email: email ?? null,
    roles,
    createdAt,
    expiresAt,
    acceptedBy: acceptedBy ?? null,
    revokedAt: revokedAt ?? null,
  }));
}

/** Revokes an invitation. Does nothing if it was accepted or revoked already. */
export async function revokeInvitation(
  ctx: MutationCtx,
  { _id: subject, organizationId, acceptedBy, revokedAt }: Doc<"invitations">,
  by: Act,
): Promise<void> {
  if (acceptedBy !== undefined || revokedAt !== undefined) return;
  await ctx.db.patch("invitations", subject, { revokedAt: by.at });
  await record(ctx, { organizationId, ...by, action: "member.invitation-revoked", subject });
}

const refused = v.object({
  kind: v.literal("refused"),
  reason: literals("unknown-invitation", "expired", "used", "revoked", "address-taken"),
});

export const acceptOutcome = v.union(v.object({ kind: v.literal("signed-in"), ...signedIn.fields }), refused);

export const shownInvitation = v.union(
  v.object({
    kind: v.literal("open"),
    organization: v.string(),
    /** The name of the member who sent it. */
    invitedBy: v.string(),
    name: v.string(),
    email: v.union(v.string(), v.null()),
    roles: v.array(role),
    expiresAt: v.number(),
  }),
  refused,
);

type RefusalReason = Infer<typeof refused>["reason"];

/** The invitation with this token, and why it cannot be accepted, its time aside. */
async function findInvitation(
  ctx: QueryCtx,
  token: string,
): Promise<{ readonly invitation: Doc<"invitations"> | null; readonly reason: RefusalReason | null }> {
  const tokenHash = await hashSecret(token);
  const invitation = await ctx.db
    .query("invitations")
    .withIndex("by_hash", (q) => q.eq("tokenHash", tokenHash))
    .unique();
  return { invitation, reason: await refusalReason(ctx, invitation) };
}

async function refusalReason(
  ctx: QueryCtx,
  invitation: Doc<"invitations"> | null,
): Promise<RefusalReason | null> {
  if (invitation === null) return "unknown-invitation";
  if (invitation.acceptedBy !== undefined) return "used";
  if (invitation.revokedAt !== undefined) return "revoked";
  const { organizationId, email } = invitation;
  const isTaken = email !== undefined && (await memberByEmail(ctx, organizationId, email)) !== null;
  return isTaken ? "address-taken" : null;
}

/** An invitation as its invitee reads it before accepting it. */
export async function showInvitation(ctx: QueryCtx, token: string): Promise<Infer<typeof shownInvitation>> {
  const { invitation, reason } = await findInvitation(ctx, token);
  if (invitation === null || reason !== null)
    return { kind: "refused", reason: reason ?? "unknown-invitation" };
  const { organizationId, invitedBy, name, email, roles, expiresAt } = invitation;
  const [organization, inviter] = await Promise.all([
    ctx.db.get("organizations", organizationId),
    ctx.db.get("members", invitedBy),
  ]);
  return {
    kind: "open",
    organization: visibleText(organization?.name ?? ""),
    invitedBy: visibleText(inviter?.name ?? ""),
    name: visibleText(name),
    email: email ?? null,
    roles,
    expiresAt,
  };
}

/** Makes the holder of an invitation's token a member, and signs them in. Refuses: invalid, conflict. */
export async function acceptInvitation(
  ctx: MutationCtx,
  asked: {
    readonly token: string;
    readonly session: string;
    readonly name?: string;
    readonly agent?: string;
  },
  now: number,
): Promise<Infer<typeof acceptOutcome>> {
  const { invitation, reason } = await findInvitation(ctx, asked.token);
  if (invitation === null || reason !== null || invitation.expiresAt <= now) {
    const why = reason ?? "expired";
    const organizationId = invitation?.organizationId ?? null;
    await recordRefusedSignIn(
      ctx,
      { organizationId, subject: invitation?._id, why: `invitation: ${why}` },
      now,
    );
    return { kind: "refused", reason: why };
  }
  const { organizationId, email, roles } = invitation;
  const name = asked.name ?? invitation.name;
  const given = { organizationId, name, roles, ...(email === undefined ? {} : { email }) };
  const member = await addMember(ctx, given, now);
  await ctx.db.patch("invitations", invitation._id, { acceptedBy: member._id });
  const client = asked.agent === undefined ? {} : { agent: asked.agent };
  const begun = { session: asked.session, method: "invitation" as const, client };
  const session = await startSession(ctx, member, begun, now);
  const actor = { memberId: member._id, sessionId: session._id };
  await record(ctx, { organizationId, at: now, actor, action: "member.joined", subject: member._id });
  return { kind: "signed-in", ...(await signedInView(ctx, member, session)) };
}
