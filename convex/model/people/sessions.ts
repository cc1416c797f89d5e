import { type Infer, v } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";
import { idleMinutes } from "../../../app/people/idle.ts";
import type { SignInMethod } from "../../../app/people/sign-in-methods.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { hashSecret } from "../authenticate.ts";
import { endPlaygroundOf } from "../keys/playgroundKeys.ts";
import { boundedInteger, refuse, reportedText } from "../refuse.ts";
import { signInMethod } from "../validators/people.ts";

const minuteMs = 60_000;
/** The longest time that a session lasts. */
const sessionMs = 7 * 24 * 60 * minuteMs;
/** Uses within this time are one, so that an open page writes seldom. */
const useMs = 5 * minuteMs;

export const maxAgentChars = 300;
const maxAddressChars = 64;

/** The program of a session, as far as it is known. */
export type Client = { readonly agent?: string };

/** Starts a session. The browser made its secret. Refuses: invalid, conflict. */
export async function startSession(
  ctx: MutationCtx,
  { _id: memberId, organizationId }: Doc<"members">,
  asked: {
    readonly session: string;
    readonly method: SignInMethod;
    readonly client?: Client;
    /** The longest time that it lasts. */
    readonly lastsMs?: number;
    /** Whether the member gave a second factor. */
    readonly secondFactor?: boolean;
  },
  now: number,
): Promise<Doc<"sessions">> {
  const { session, method, client = {}, lastsMs = sessionMs, secondFactor = false } = asked;
  if (!/^gs_[A-Za-z0-9_-]{43,128}$/.test(session)) {
    refuse("invalid", 'A session is "gs_" and 256 random bits, in hex or base64url.');
  }
  const sessionHash = await hashSecret(session);
  const taken = await ctx.db
    .query("sessions")
    .withIndex("by_hash", (q) => q.eq("sessionHash", sessionHash))
    .unique();
  if (taken !== null) refuse("conflict", "This session exists already.");
  const { agent = "" } = client;
  const { ip } = await ctx.meta.getRequestMetadata();
  const sessionId = await ctx.db.insert("sessions", {
    organizationId,
    sessionHash,
    memberId,
    method,
    startedAt: now,
    provenAt: now,
    ...(secondFactor ? { secondFactorAt: now } : {}),
    ...(agent.trim() === ""
      ? {}
      : { agent: reportedText(agent.slice(0, maxAgentChars), "agent", maxAgentChars) }),
    ...(ip === null ? {} : { address: ip.slice(0, maxAddressChars) }),
    expiresAt: now + lastsMs,
  });
  const endsAt = now + (await idleMinutesOf(ctx, organizationId)) * minuteMs;
  await ctx.scheduler.runAt(endsAt, internal.maintenance.endSession, { sessionId });
  const actor = { memberId, sessionId };
  await record(ctx, {
    organizationId,
    at: now,
    actor,
    action: "member.signed-in",
    subject: memberId,
    detail: secondFactor ? `${method}, second factor` : method,
  });
  return (await ctx.db.get("sessions", sessionId)) ?? refuse("unauthorized", "The session has ended.");
}

/** Notes that a session is used. Writes at most every five minutes. */
export async function noteUse(ctx: MutationCtx, sessionId: Id<"sessions">, now: number): Promise<void> {
  const last = await lastUse(ctx, sessionId);
  if (last === null) await ctx.db.insert("sessionUses", { sessionId, at: now });
  else if (now - last.at >= useMs) await ctx.db.patch("sessionUses", last._id, { at: now });
}

async function lastUse(ctx: QueryCtx, sessionId: Id<"sessions">): Promise<Doc<"sessionUses"> | null> {
  return await ctx.db
    .query("sessionUses")
    .withIndex("by_session", (q) => q.eq("sessionId", sessionId))
    .unique();
}

/** After how many minutes without use an organization's sessions end. */
export async function idleMinutesOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<number> {
  return (await ctx.db.get("organizations", organizationId))?.idleMinutes ?? idleMinutes.usual;
}

/** Sets that time, which counts for open sessions, too. Refuses: invalid. */
export async function setIdleMinutes(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  wanted: number,
  by: Act,
): Promise<void> {
  const minutes = boundedInteger(wanted, "The idle time in minutes", idleMinutes.least, idleMinutes.most);
  const before = await idleMinutesOf(ctx, organizationId);
  if (minutes === before) return;
  await ctx.db.patch("organizations", organizationId, { idleMinutes: minutes });
  await ctx.scheduler.runAfter(0, internal.maintenance.endIdleSessions, { organizationId, cursor: null });
  const detail = `${String(before)} minutes → ${String(minutes)} minutes`;
  const action = "session.idle-time-changed";
  await record(ctx, { organizationId, ...by, action, subject: organizationId, detail });
}

const perBatch = 50;

/** Ends the idle ones of the organization's next sessions. @returns the cursor of the others; null at the end. */
export async function endIdleBatch(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  cursor: string | null,
  now: number,
): Promise<string | null> {
  const { page, isDone, continueCursor } = await ctx.db
    .query("sessions")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .paginate({ cursor, numItems: perBatch });
  for (const { _id } of page) await endIfIdle(ctx, _id, now);
  return isDone ? null : continueCursor;
}

/** Ends a session that nobody uses, or that is too old. Otherwise looks again when that can be. */
export async function endIfIdle(ctx: MutationCtx, sessionId: Id<"sessions">, now: number): Promise<void> {
  const session = await ctx.db.get("sessions", sessionId);
  if (session === null) return;
  const usedAt = (await lastUse(ctx, sessionId))?.at ?? session.startedAt ?? 0;
  const endsAt = Math.min(
    session.expiresAt,
    usedAt + (await idleMinutesOf(ctx, session.organizationId)) * minuteMs,
  );
  if (endsAt > now) {
    await ctx.scheduler.runAt(endsAt, internal.maintenance.endSession, { sessionId });
    return;
  }
  const { organizationId, memberId } = session;
  const detail = endsAt === session.expiresAt ? "it was too old" : "nobody used it";
  const ended = { action: "member.session-ended", subject: memberId ?? "unknown", detail } as const;
  await record(ctx, { organizationId, at: now, actor: "system", ...ended });
  await deleteSession(ctx, sessionId);
}

/** Ends a session, its key of the playground, and all subscriptions through it. */
export async function deleteSession(ctx: MutationCtx, sessionId: Id<"sessions">): Promise<void> {
  const last = await lastUse(ctx, sessionId);
  if (last !== null) await ctx.db.delete("sessionUses", last._id);
  await endPlaygroundOf(ctx, sessionId, Date.now());
  await ctx.db.delete("sessions", sessionId);
}

/** When a member last used the console, to five minutes. Null without a session. */
export async function lastUseOf(ctx: QueryCtx, memberId: Id<"members">): Promise<number | null> {
  const uses = (await sessionsOf(ctx, memberId)).map(
    async ({ _id, startedAt = 0 }) => (await lastUse(ctx, _id))?.at ?? startedAt,
  );
  return uses.length === 0 ? null : Math.max(...(await Promise.all(uses)));
}

/** At most this many of a member's sessions are read. */
const maxSessions = 50;

/** A member's sessions, newest first. */
export async function sessionsOf(ctx: QueryCtx, memberId: Id<"members">): Promise<Doc<"sessions">[]> {
  return await ctx.db
    .query("sessions")
    .withIndex("by_member", (q) => q.eq("memberId", memberId))
    .order("desc")
    .take(maxSessions);
}

/**
 * Ends the sessions of a member, except one. Those that one transaction cannot end are ended right after it; sessions that begin
 * later stay. @returns how many are ended at once.
 */
export async function endSessionsOf(
  ctx: MutationCtx,
  memberId: Id<"members">,
  kept: Id<"sessions"> | null = null,
  before: number = Number.MAX_VALUE,
): Promise<number> {
  const found = await ctx.db
    .query("sessions")
    .withIndex("by_member", (q) => q.eq("memberId", memberId).lte("_creationTime", before))
    .order("desc")
    .take(perBatch + 1);
  const ended = found.filter(({ _id }) => _id !== kept);
  for (const { _id } of ended) await deleteSession(ctx, _id);
  const last = found.at(-1);
  if (found.length > perBatch && last !== undefined) {
    const rest = { memberId, kept, before: last._creationTime };
    await ctx.scheduler.runAfter(0, internal.maintenance.endSessionsOfMember, rest);
  }
  return ended.length;
}

export const sessionRow = v.object({
  sessionId: v.id("sessions"),
  method: v.union(signInMethod, v.null()),
  startedAt: v.number(),
  /** To five minutes. */
  usedAt: v.number(),
  agent: v.union(v.string(), v.null()),
  address: v.union(v.string(), v.null()),
});

export async function sessionView(
  ctx: QueryCtx,
  { _id: sessionId, method, startedAt = 0, agent, address }: Doc<"sessions">,
): Promise<Infer<typeof sessionRow>> {
  return {
    sessionId,
    method: method ?? null,
    startedAt,
    usedAt: (await lastUse(ctx, sessionId))?.at ?? startedAt,
    agent: agent === undefined ? null : visibleText(agent),
    address: address ?? null,
  };
}

/** A session in words, for the audit trail. */
export function sessionWords({ method, agent, startedAt }: Doc<"sessions">): string {
  const began = startedAt === undefined ? [] : [`began ${new Date(startedAt).toISOString()}`];
  return [method ?? "unknown method", ...began, ...(agent === undefined ? [] : [visibleText(agent)])].join(
    ", ",
  );
}
