import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { memberMutation, memberQuery, ownMember, ownTeam } from "../model/memberCalls.ts";
import { memberPage } from "../model/people/find.ts";
import { leftThings } from "../model/people/handOver.ts";
import { holdings as heldCounts, holdingsOf } from "../model/people/holdings.ts";
import {
  invitationRow,
  invitationRows,
  invite as inviteMember,
  newInvitation,
  revokeInvitation as revoke,
} from "../model/people/invitations.ts";
import { changeMember, memberChange, memberRow, memberView, removeMember } from "../model/people/members.ts";
import {
  deleteSession,
  idleMinutesOf,
  lastUseOf,
  sessionRow,
  sessionsOf,
  sessionView,
  sessionWords,
  setIdleMinutes,
} from "../model/people/sessions.ts";
import { createLink } from "../model/people/signIn.ts";
import {
  createTeam as create,
  removeTeam as removeTeamOf,
  renameTeam as rename,
  setTeamsOf,
  teamRow,
  teamRows,
} from "../model/people/teams.ts";
import { owned, refuse } from "../model/refuse.ts";
import { endAccessOf } from "../model/signIn/endAccess.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const ofMember = { memberId: v.id("members") };

const ofTeam = { teamId: v.id("teams") };

/** The organization's members, oldest first. `search`: only those with such a name or e-mail address, at most 50. */
export const list = memberQuery("people.read")({
  args: { paginationOpts: paginationOptsValidator, search: v.optional(v.string()) },
  returns: paginationResultValidator(memberRow),
  handler: async (ctx, { paginationOpts, search = "" }) => {
    const found = await memberPage(ctx, ctx.organizationId, search, paginationOpts);
    return { ...found, page: found.page.map(memberView) };
  },
});

/**
 * How many keys and devices a member has, and when they last used the console, to five minutes. Apart from \`list\`, so that a
 * change of one device does not read all members again. Refuses: not_found.
 */
export const holdings = memberQuery("people.read")({
  args: ofMember,
  returns: v.object({ ...heldCounts.fields, usedAt: v.union(v.number(), v.null()) }),
  handler: async (ctx, { memberId }) => {
    const { _id } = await ownMember(ctx, memberId);
    const [held, usedAt] = await Promise.all([holdingsOf(ctx, _id), lastUseOf(ctx, _id)]);
    return { ...held, usedAt };
  },
});

/** The same counts of a team. Refuses: not_found. */
export const teamHoldings = memberQuery("people.read")({
  args: ofTeam,
  returns: heldCounts,
  handler: async (ctx, { teamId }) => await holdingsOf(ctx, (await ownTeam(ctx, teamId))._id),
});

/** Changes a member's name, address and roles. Refuses: not_found, invalid, forbidden, conflict. */
export const change = memberMutation("people.change")({
  args: { ...ofMember, change: memberChange },
  returns: v.null(),
  handler: async (ctx, { memberId, change: wanted }) => {
    const isOwner = ctx.member.roles.includes("owner");
    await changeMember(ctx, await ownMember(ctx, memberId), wanted, isOwner, ctx.by);
    return null;
  },
});

/**
 * Removes a member, whose sessions end. Given credits that they have not used are taken back. `things`: the new owner of their keys and devices, or "end" to revoke and retire them.
 * Refuses: not_found, forbidden, invalid, conflict (the last owner; things without an answer).
 */
export const remove = memberMutation("people.change")({
  args: { ...ofMember, things: v.optional(leftThings) },
  returns: v.null(),
  handler: async (ctx, { memberId, things }) => {
    await removeMember(ctx, await ownMember(ctx, memberId), things, ctx.member, ctx.by);
    return null;
  },
});

/** Creates a one-time link with which a member signs in. The browser made its token. Refuses: not_found, forbidden, invalid. */
export const signInLink = memberMutation("people.change")({
  args: { ...ofMember, tokenHash: v.string() },
  returns: v.null(),
  handler: async (ctx, { memberId, tokenHash }) => {
    const member = await ownMember(ctx, memberId);
    if (member.roles.includes("owner") && !ctx.member.roles.includes("owner"))
      refuse("forbidden", "Only an owner can make a sign-in link for an owner.");
    await createLink(ctx, member, tokenHash, ctx.by);
    return null;
  },
});

/** A member's sessions, newest first. Refuses: not_found. */
export const sessions = memberQuery("people.read")({
  args: ofMember,
  returns: v.array(sessionRow),
  handler: async (ctx, { memberId }) => {
    const found = await sessionsOf(ctx, (await ownMember(ctx, memberId))._id);
    return await Promise.all(found.map((session) => sessionView(ctx, session)));
  },
});

/** Ends one session of a member. Refuses: not_found. */
export const endSession = memberMutation("people.change")({
  args: { sessionId: v.id("sessions") },
  returns: v.null(),
  handler: async (ctx, { sessionId }) => {
    const session = owned(await ctx.db.get("sessions", sessionId), ctx.organizationId, "session");
    await ctx.audit("member.session-ended", session.memberId ?? "unknown", sessionWords(session));
    await deleteSession(ctx, sessionId);
    return null;
  },
});

/** Ends all sessions of a member, their unfinished sign-ins and unused links. Refuses: not_found. @returns how many sessions. */
export const endSessions = memberMutation("people.change")({
  args: ofMember,
  returns: v.object({ ended: v.number() }),
  handler: async (ctx, { memberId }) => {
    return { ended: await endAccessOf(ctx, await ownMember(ctx, memberId), null, ctx.by) };
  },
});

/** After how many minutes without use a session ends. */
export const idle = memberQuery("sign-in.read")({
  args: {},
  returns: v.number(),
  handler: async (ctx) => await idleMinutesOf(ctx, ctx.organizationId),
});

/** Sets that time: 15 minutes to 7 days. It counts for open sessions, too. Refuses: invalid. */
export const setIdle = memberMutation("sign-in.change")({
  args: { minutes: v.number() },
  returns: v.null(),
  handler: async (ctx, { minutes }) => {
    await setIdleMinutes(ctx, ctx.organizationId, minutes, ctx.by);
    return null;
  },
});

/** The organization's invitations, newest first. */
export const invitations = memberQuery("people.read")({
  args: {},
  returns: v.array(invitationRow),
  handler: async (ctx) => await invitationRows(ctx, ctx.organizationId),
});

/** Invites somebody by a link whose token the browser made. Refuses: invalid, forbidden, conflict. */
export const invite = memberMutation("people.change")({
  args: newInvitation,
  returns: v.object({ invitationId: v.id("invitations") }),
  handler: async (ctx, invitation) => ({
    invitationId: await inviteMember(ctx, ctx.member, invitation, ctx.by),
  }),
});

/** Revokes an invitation that nobody has accepted. Refuses: not_found. */
export const revokeInvitation = memberMutation("people.change")({
  args: { invitationId: v.id("invitations") },
  returns: v.null(),
  handler: async (ctx, { invitationId }) => {
    const found = owned(await ctx.db.get("invitations", invitationId), ctx.organizationId, "invitation");
    await revoke(ctx, found, ctx.by);
    return null;
  },
});

/** The organization's teams, oldest first. */
export const teams = memberQuery("people.read")({
  args: {},
  returns: v.array(teamRow),
  handler: async (ctx) => await teamRows(ctx, ctx.organizationId),
});

/** The members of a team, oldest first. A page may have few or none of them: it is a part of all members. Refuses: not_found. */
export const teamMembers = memberQuery("people.read")({
  args: { ...ofTeam, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(memberRow),
  handler: async (ctx, { teamId, paginationOpts }) => {
    await ownTeam(ctx, teamId);
    const found = await memberPage(ctx, ctx.organizationId, "", paginationOpts);
    return { ...found, page: found.page.filter(({ teamIds }) => teamIds.includes(teamId)).map(memberView) };
  },
});

/** Creates a team. Refuses: invalid, conflict. */
export const createTeam = memberMutation("people.change")({
  args: { name: v.string() },
  returns: v.object({ teamId: v.id("teams") }),
  handler: async (ctx, { name }) => ({ teamId: await create(ctx, ctx.organizationId, name, ctx.by) }),
});

/** Renames a team. Refuses: not_found, invalid, conflict. */
export const renameTeam = memberMutation("people.change")({
  args: { ...ofTeam, name: v.string() },
  returns: v.null(),
  handler: async (ctx, { teamId, name }) => {
    await rename(ctx, await ownTeam(ctx, teamId), name, ctx.by);
    return null;
  },
});

/** Removes a team without keys, devices and credits. Refuses: not_found, conflict. */
export const removeTeam = memberMutation("people.change")({
  args: ofTeam,
  returns: v.null(),
  handler: async (ctx, { teamId }) => {
    await removeTeamOf(ctx, await ownTeam(ctx, teamId), ctx.by);
    return null;
  },
});

/** Sets the teams of a member. Refuses: not_found. */
export const setTeams = memberMutation("people.change")({
  args: { ...ofMember, teamIds: v.array(v.id("teams")) },
  returns: v.null(),
  handler: async (ctx, { memberId, teamIds }) => {
    await setTeamsOf(ctx, await ownMember(ctx, memberId), teamIds, ctx.by);
    return null;
  },
});
