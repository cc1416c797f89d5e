import { v } from "convex/values";
import { visibleText } from "../../app/format/visible.ts";
import { mutation, query } from "../_generated/server.js";
import { record } from "../model/audit.ts";
import { findSession } from "../model/authenticate.ts";
import { memberMutation, memberQuery } from "../model/memberCalls.ts";
import { memberPage } from "../model/people/find.ts";
import {
  acceptInvitation,
  acceptOutcome,
  showInvitation,
  shownInvitation,
} from "../model/people/invitations.ts";
import { changeMember, checkedEmail } from "../model/people/members.ts";
import {
  deleteSession,
  noteUse,
  sessionRow,
  sessionsOf,
  sessionView,
  sessionWords,
} from "../model/people/sessions.ts";
import { signedIn, signedInView } from "../model/people/signIn.ts";
import { teamRows } from "../model/people/teams.ts";
import { refuse } from "../model/refuse.ts";
import { signInByLink, signInOutcome } from "../model/signIn/byLink.ts";
import { endAccessOf } from "../model/signIn/endAccess.ts";
import { checkProof } from "../model/signIn/proof.ts";
import { language } from "../model/validators/people.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const newSession = { token: v.string(), session: v.string(), agent: v.optional(v.string()) };

/** Trades a one-time link's token for a session. The browser made the secret `session`. `agent`: the browser's name. */
export const signIn = mutation({
  args: newSession,
  returns: signInOutcome,
  handler: async (ctx, args) => await signInByLink(ctx, args, Date.now()),
});

/** An invitation, for the holder of its token, before they accept it. Queries have no clock: \`expiresAt\` may be past. */
export const invitation = query({
  args: { token: v.string() },
  returns: shownInvitation,
  handler: async (ctx, { token }) => await showInvitation(ctx, token),
});

/** Trades an invitation's token for a membership and a session. Refuses: invalid, conflict. */
export const acceptInvite = mutation({
  args: { ...newSession, name: v.optional(v.string()) },
  returns: acceptOutcome,
  handler: async (ctx, args) => await acceptInvitation(ctx, args, Date.now()),
});

/** Ends the session. Does nothing if it has ended already. */
export const signOut = mutation({
  args: { session: v.string() },
  returns: v.null(),
  handler: async (ctx, { session }) => {
    const found = await findSession(ctx, session);
    if (found === null) return null;
    const { organizationId, _id: memberId } = found.member;
    const actor = { memberId, sessionId: found.session._id };
    const at = Date.now();
    await record(ctx, { organizationId, at, actor, action: "member.signed-out", subject: memberId });
    await deleteSession(ctx, found.session._id);
    return null;
  },
});

/** The signed-in member; null without a valid session. */
export const me = query({
  args: { session: v.string() },
  returns: v.union(signedIn, v.null()),
  handler: async (ctx, { session }) => {
    const found = await findSession(ctx, session);
    return found === null ? null : await signedInView(ctx, found.member, found.session);
  },
});

/**
 * Tells that somebody uses the session, which would end otherwise. An open page calls it every few minutes. `language`: that of the page,
 * in which mails to the member are written.
 */
export const use = memberMutation("account", { beforeSecondFactor: true })({
  args: { language: v.optional(language) },
  returns: v.null(),
  handler: async (ctx, { language: shown }) => {
    await noteUse(ctx, ctx.session._id, ctx.at);
    if (shown !== undefined && shown !== ctx.member.language)
      await ctx.db.patch("members", ctx.member._id, { language: shown });
    return null;
  },
});

/**
 * The members and teams to whom somebody may hand a key or a device over, by name. `search`: only members with such a name or
 * e-mail address. `more`: there are more members.
 */
export const owners = memberQuery("account")({
  args: { search: v.optional(v.string()) },
  returns: v.object({
    members: v.array(v.object({ id: v.id("members"), name: v.string() })),
    teams: v.array(v.object({ id: v.id("teams"), name: v.string() })),
    more: v.boolean(),
  }),
  handler: async (ctx, { search = "" }) => {
    const { organizationId } = ctx;
    const [found, teams] = await Promise.all([
      memberPage(ctx, organizationId, search, { numItems: 50, cursor: null }),
      teamRows(ctx, organizationId),
    ]);
    return {
      members: found.page.map(({ _id: id, name }) => ({ id, name: visibleText(name) })),
      teams: teams.map(({ teamId: id, name }) => ({ id, name })),
      more: !found.isDone,
    };
  },
});

/**
 * Changes the own name or address. Another address needs a recent proof, since mails to it can open the account. Refuses: invalid,
 * conflict, proof_needed.
 */
export const change = memberMutation("account")({
  args: { name: v.optional(v.string()), email: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, wanted) => {
    if (wanted.email !== undefined && checkedEmail(wanted.email) !== ctx.member.email)
      await checkProof(ctx, ctx, ctx.at);
    await changeMember(ctx, ctx.member, wanted, false, ctx.by);
    return null;
  },
});

/** The own sessions, newest first. */
export const sessions = memberQuery("account")({
  args: {},
  returns: v.array(sessionRow),
  handler: async (ctx) => {
    const found = await sessionsOf(ctx, ctx.member._id);
    return await Promise.all(found.map((session) => sessionView(ctx, session)));
  },
});

/** Ends one of the own sessions. Refuses: not_found. */
export const endSession = memberMutation("account")({
  args: { sessionId: v.id("sessions") },
  returns: v.null(),
  handler: async (ctx, { sessionId }) => {
    const session = await ctx.db.get("sessions", sessionId);
    if (session?.memberId !== ctx.member._id) refuse("not_found", "This session has ended already.");
    await ctx.audit("member.session-ended", ctx.member._id, sessionWords(session));
    await deleteSession(ctx, sessionId);
    return null;
  },
});

/** Ends all own sessions but this one, unfinished sign-ins and unused links. @returns how many sessions. */
export const endOtherSessions = memberMutation("account")({
  args: {},
  returns: v.object({ ended: v.number() }),
  handler: async (ctx) => {
    return { ended: await endAccessOf(ctx, ctx.member, ctx.session._id, ctx.by) };
  },
});
