import { type Infer, v } from "convex/values";
import { changesText } from "../../../app/audit/changes.ts";
import { visibleText } from "../../../app/format/visible.ts";
import { limits } from "../../../app/jobs/limits.ts";
import { type Role, roles } from "../../../app/people/roles.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { takeBackUnused } from "../credits/grants.ts";
import { forgetViewsOf } from "../fleet/views.ts";
import { boundedText, refuse } from "../refuse.ts";
import { role } from "../validators/people.ts";
import { leaveThings, type leftThings } from "./handOver.ts";
import { endSessionsOf } from "./sessions.ts";

export const maxMembers = 10_000;
const maxEmailChars = 254;

export type Member = Doc<"members">;

export const memberRow = v.object({
  memberId: v.id("members"),
  name: v.string(),
  email: v.union(v.string(), v.null()),
  /** Whether nobody but the member says that the address is theirs. */
  emailClaimed: v.boolean(),
  roles: v.array(role),
  teamIds: v.array(v.id("teams")),
  createdAt: v.number(),
  removedAt: v.union(v.number(), v.null()),
});

export function memberView(member: Member): Infer<typeof memberRow> {
  const { _id: memberId, name, email, emailClaimed, roles: held, teamIds, createdAt, removedAt } = member;
  return {
    memberId,
    name: visibleText(name),
    email: email ?? null,
    emailClaimed: emailClaimed === true,
    roles: held,
    teamIds,
    createdAt,
    removedAt: removedAt ?? null,
  };
}

/** An e-mail address in lower case. It is checked roughly: only a message to it can tell whether it is right. Refuses: invalid. */
export function checkedEmail(given: string): string {
  const email = boundedText(given, "The e-mail address", maxEmailChars).toLowerCase();
  if (!/^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(email)) refuse("invalid", "This is no e-mail address.");
  return email;
}

/** Roles without repetition, in their usual order. Refuses (invalid) an empty list. */
export function checkedRoles(given: readonly Role[]): Role[] {
  if (given.length === 0) refuse("invalid", "Choose at least one role.");
  return roles.filter((one) => given.includes(one));
}

/** The current member with this address, or null. */
export async function memberByEmail(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  email: string,
): Promise<Member | null> {
  const found = await ctx.db
    .query("members")
    .withIndex("by_email", (q) => q.eq("organizationId", organizationId).eq("email", email))
    .collect();
  return found.find(({ removedAt }) => removedAt === undefined) ?? null;
}

/** Refuses (conflict) an address that a current member has. */
export async function checkFreeEmail(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  email: string,
): Promise<void> {
  if ((await memberByEmail(ctx, organizationId, email)) === null) return;
  refuse("conflict", "A member with this e-mail address exists already.");
}

/** Adds a member. Refuses: invalid, conflict (the address is taken). */
export async function addMember(
  ctx: MutationCtx,
  given: {
    readonly organizationId: Id<"organizations">;
    readonly name: string;
    readonly email?: string;
    readonly roles: readonly Role[];
  },
  at: number,
): Promise<Member> {
  const { organizationId } = given;
  const email = given.email === undefined ? {} : { email: checkedEmail(given.email) };
  if (email.email !== undefined) await checkFreeEmail(ctx, organizationId, email.email);
  const id = await ctx.db.insert("members", {
    organizationId,
    name: boundedText(given.name, "The name", limits.nameChars),
    ...email,
    roles: checkedRoles(given.roles),
    teamIds: [],
    createdAt: at,
  });
  return (await ctx.db.get("members", id)) ?? refuse("not_found", "There is no such member.");
}

/** The organization's current members, oldest first. */
export async function currentMembers(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  limit = maxMembers,
): Promise<Member[]> {
  return await ctx.db
    .query("members")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("removedAt", undefined))
    .take(limit);
}

/** The owner who was there first. An organization of an earlier version gets one now. */
export async function firstOwner(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  at: number,
): Promise<Member> {
  const members = await currentMembers(ctx, organizationId);
  const owner = members.find((member) => member.roles.includes("owner"));
  return owner ?? (await addMember(ctx, { organizationId, name: "Owner", roles: ["owner"] }, at));
}

/** A change of a member. A field that is left out stays. */
export const memberChange = v.object({
  name: v.optional(v.string()),
  email: v.optional(v.string()),
  roles: v.optional(v.array(role)),
});

/**
 * Changes a member. Only an owner may make or unmake owners, and the last owner stays one. Refuses: invalid, forbidden,
 * conflict.
 */
export async function changeMember(
  ctx: MutationCtx,
  member: Member,
  change: Infer<typeof memberChange>,
  mayMakeOwners: boolean,
  by: Act,
): Promise<void> {
  const { _id, organizationId } = member;
  const name =
    change.name === undefined ? member.name : boundedText(change.name, "The name", limits.nameChars);
  const email = change.email === undefined ? member.email : checkedEmail(change.email);
  const held = change.roles === undefined ? member.roles : checkedRoles(change.roles);
  if (email !== undefined && email !== member.email) await checkFreeEmail(ctx, organizationId, email);
  if (held.includes("owner") !== member.roles.includes("owner")) {
    if (!mayMakeOwners) refuse("forbidden", "Only an owner can change who is an owner.");
    if (!held.includes("owner")) await checkAnotherOwner(ctx, member);
  }
  const isSelf = typeof by.actor !== "string" && "memberId" in by.actor && by.actor.memberId === _id;
  // Links for a forgotten password go to this address.
  if (email !== member.email && member.roles.includes("owner") && !mayMakeOwners && !isSelf) {
    refuse("forbidden", "Only an owner can change the address of an owner.");
  }
  const emailClaimed = claimsEmail(member, change.email === undefined ? undefined : email, isSelf);
  const changes = changesText([
    ["name", member.name, name],
    ["e-mail", member.email, email],
    ["roles", member.roles, held],
  ]);
  const isConfirmed = member.emailClaimed === true && !emailClaimed;
  const detail = [changes, isConfirmed ? "e-mail confirmed" : ""].filter((part) => part !== "").join("; ");
  if (detail === "") return;
  const address = email === undefined ? {} : { email, emailClaimed };
  await ctx.db.patch("members", _id, { name, ...address, roles: held });
  await record(ctx, { organizationId, ...by, action: "member.changed", subject: _id, detail });
}

/**
 * Whether an address is only the member's own claim. Single sign-on must not link by it: else a member could claim somebody's
 * address and get their roles. An owner has all roles already, and an administrator confirms the address of somebody else.
 */
function claimsEmail(
  { email, emailClaimed = false, roles: held }: Member,
  typed: string | undefined,
  isSelf: boolean,
): boolean {
  if (typed === undefined) return emailClaimed;
  if (!isSelf) return false;
  return typed === email ? emailClaimed : !held.includes("owner");
}

/** Refuses (conflict) if the member is the organization's last owner. */
async function checkAnotherOwner(ctx: QueryCtx, member: Member): Promise<void> {
  if (!(await isLastOwner(ctx, member))) return;
  refuse("conflict", "An organization needs an owner. Make somebody else an owner first.");
}

/** Whether nobody else is an owner. */
export async function isLastOwner(
  ctx: QueryCtx,
  { _id, organizationId, roles: held }: Member,
): Promise<boolean> {
  if (!held.includes("owner")) return false;
  const members = await currentMembers(ctx, organizationId);
  return !members.some((other) => other._id !== _id && other.roles.includes("owner"));
}

/**
 * Removes a member, whose sessions end. Given credits that they have not used are taken back. `things`: what happens to their keys and
 * devices. Refuses: forbidden (an owner, by somebody who is none), conflict (the last owner; things without an answer), invalid,
 * not_found.
 */
export async function removeMember(
  ctx: MutationCtx,
  member: Member,
  things: Infer<typeof leftThings> | undefined,
  remover: Member,
  by: Act,
): Promise<void> {
  if (member.removedAt !== undefined) return;
  const { _id: subject, organizationId } = member;
  if (member.roles.includes("owner")) {
    if (!remover.roles.includes("owner")) refuse("forbidden", "Only an owner can remove an owner.");
    await checkAnotherOwner(ctx, member);
  }
  await leaveThings(ctx, member, things, by);
  await takeBackUnused(ctx, member, remover._id, by);
  await ctx.db.patch("members", subject, { removedAt: by.at, allowance: undefined });
  await endSessionsOf(ctx, subject);
  await forgetViewsOf(ctx, subject);
  await record(ctx, { organizationId, ...by, action: "member.removed", subject });
}
