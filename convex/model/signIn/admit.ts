import { rolesOfGroups, type SsoRefusal } from "../../../app/people/single-sign-on.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { addMember, isLastOwner, type Member, memberByEmail } from "../people/members.ts";
import type { Identity } from "./identity.ts";

type Admission = { readonly member: Member } | { readonly refused: SsoRefusal };

/**
 * The member whom a provider describes, with the roles of their groups. The provider's subject identifies them. A new subject
 * is linked to the member with its verified address, or becomes a member if the provider may admit unknown people.
 */
export async function admitIdentity(
  ctx: MutationCtx,
  provider: Doc<"ssoProviders">,
  identity: Identity,
  now: number,
): Promise<Admission> {
  const roles = rolesOfGroups(provider.groups, identity.groups);
  if (roles.length === 0) return { refused: identity.groupsCut ? "too-many-groups" : "no-role" };
  const account = await accountOf(ctx, provider, identity.subject);
  const known = account === null ? null : await ctx.db.get("members", account.memberId);
  if (known !== null && known.removedAt === undefined) {
    return { member: await withRoles(ctx, known, provider, roles, now) };
  }
  const { organizationId } = provider;
  const email = linkableEmail(provider, identity);
  if (typeof email !== "string") return email;
  const found = await memberByEmail(ctx, organizationId, email);
  if (found?.emailClaimed === true) return { refused: "claimed-address" };
  // A removed person comes back only if somebody invites them.
  if (found === null && known !== null) return { refused: "removed" };
  if (found === null && !provider.admitsUnknown) return { refused: "unknown" };
  const name = identity.name ?? email;
  const member = found ?? (await addMember(ctx, { organizationId, name, email, roles }, now));
  await link(ctx, provider, identity.subject, member._id, account?._id ?? null, now);
  if (found !== null) return { member: await withRoles(ctx, found, provider, roles, now) };
  const joined = { action: "member.joined", subject: member._id, detail: provider.name } as const;
  await record(ctx, { organizationId, at: now, actor: "system", ...joined });
  return { member };
}

async function accountOf(
  ctx: QueryCtx,
  { organizationId, issuer }: Doc<"ssoProviders">,
  subject: string,
): Promise<Doc<"ssoAccounts"> | null> {
  return await ctx.db
    .query("ssoAccounts")
    .withIndex("by_subject", (q) =>
      q.eq("organizationId", organizationId).eq("issuer", issuer).eq("subject", subject),
    )
    .unique();
}

/** An address by which a person may be linked to a member. An unverified one could be somebody else's. */
function linkableEmail(
  { emailDomains, trustsEmail }: Doc<"ssoProviders">,
  { email, emailVerified }: Identity,
): string | { readonly refused: SsoRefusal } {
  if (email === null) return { refused: "no-address" };
  if (!emailVerified && !trustsEmail) return { refused: "unverified-address" };
  const domain = email.slice(email.lastIndexOf("@") + 1);
  if (emailDomains.length > 0 && !emailDomains.includes(domain)) return { refused: "domain" };
  return email;
}

async function link(
  ctx: MutationCtx,
  { organizationId, issuer, name }: Doc<"ssoProviders">,
  subject: string,
  memberId: Id<"members">,
  earlier: Id<"ssoAccounts"> | null,
  now: number,
): Promise<void> {
  if (earlier === null) await ctx.db.insert("ssoAccounts", { organizationId, issuer, subject, memberId });
  else await ctx.db.patch("ssoAccounts", earlier, { memberId });
  const linked = { action: "member.linked", subject: memberId, detail: name } as const;
  await record(ctx, { organizationId, at: now, actor: "system", ...linked });
}

/** Gives a member the roles of their groups. The last owner stays one, so that groups cannot lock everybody out. */
async function withRoles(
  ctx: MutationCtx,
  member: Member,
  { name }: Doc<"ssoProviders">,
  ofGroups: Member["roles"],
  now: number,
): Promise<Member> {
  const keepsOwner = !ofGroups.includes("owner") && (await isLastOwner(ctx, member));
  const roles: Member["roles"] = keepsOwner ? ["owner", ...ofGroups] : ofGroups;
  const { _id: subject, organizationId } = member;
  if (roles.join() === member.roles.join()) return member;
  await ctx.db.patch("members", subject, { roles });
  const detail = `roles: ${member.roles.join(", ")} → ${roles.join(", ")} (groups of ${name})`;
  await record(ctx, { organizationId, at: now, actor: "system", action: "member.changed", subject, detail });
  return { ...member, roles };
}
