import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { deleteSession } from "../people/sessions.ts";
import { admitIdentity } from "./admit.ts";
import type { Identity } from "./identity.ts";
import { usableProvider } from "./providers.ts";

/** A person whom the provider revokes loses the session after this time at the latest. */
const checkMs = 3_600_000;
/** A session ends if the provider cannot be asked for so long. */
const unconfirmedMs = 12 * checkMs;

/** Watches a session: the provider is asked about its member each hour. */
export async function watchSession(
  ctx: MutationCtx,
  { _id: sessionId, organizationId }: Doc<"sessions">,
  from: { readonly providerId: Id<"ssoProviders">; readonly subject: string; readonly refreshToken: string },
  now: number,
): Promise<void> {
  const { providerId, subject, refreshToken } = from;
  const row = { organizationId, sessionId, providerId, subject, refreshToken, confirmedAt: now };
  await scheduleCheck(ctx, await ctx.db.insert("ssoSessions", row));
}

async function scheduleCheck(ctx: MutationCtx, watchId: Id<"ssoSessions">): Promise<void> {
  await ctx.scheduler.runAfter(checkMs, internal.access.singleSignOn.check, { watchId });
}

/**
 * The provider to ask about a watched session. Null: the session has ended, or ends now because its provider is not in use
 * or could not be asked for a long time. The next check is scheduled here, since an action may be cut off.
 */
export async function beginRecheck(
  ctx: MutationCtx,
  watchId: Id<"ssoSessions">,
  now: number,
): Promise<{
  readonly provider: Doc<"ssoProviders">;
  readonly refreshToken: string;
  readonly subject: string;
} | null> {
  const watch = await ctx.db.get("ssoSessions", watchId);
  if (watch === null) return null;
  if ((await ctx.db.get("sessions", watch.sessionId)) === null) {
    await ctx.db.delete("ssoSessions", watchId);
    return null;
  }
  const provider = await usableProvider(ctx, watch.providerId);
  if (provider === null) {
    await endWatched(ctx, watch, "The provider is not in use anymore", now);
    return null;
  }
  if (now - watch.confirmedAt > unconfirmedMs) {
    await endWatched(ctx, watch, "The provider could not be asked", now);
    return null;
  }
  await scheduleCheck(ctx, watchId);
  const { refreshToken, subject } = watch;
  return { provider, refreshToken, subject };
}

/** Applies what the provider says about the member of a watched session. Null: it does not vouch for them anymore. */
export async function finishRecheck(
  ctx: MutationCtx,
  watchId: Id<"ssoSessions">,
  answer: { readonly identity: Identity; readonly refreshToken: string | null } | null,
  now: number,
): Promise<void> {
  const watch = await ctx.db.get("ssoSessions", watchId);
  const session = watch === null ? null : await ctx.db.get("sessions", watch.sessionId);
  const provider = watch === null ? null : await usableProvider(ctx, watch.providerId);
  if (watch === null || session === null || provider === null) return;
  if (answer === null) {
    await endWatched(ctx, watch, "The provider does not know the person anymore", now);
    return;
  }
  const admitted = await admitIdentity(ctx, provider, answer.identity, now);
  if ("refused" in admitted || admitted.member._id !== session.memberId) {
    const why = "refused" in admitted ? admitted.refused : "another member";
    await endWatched(ctx, watch, `The provider's answer: ${why}`, now);
    return;
  }
  const renewed = answer.refreshToken === null ? {} : { refreshToken: answer.refreshToken };
  await ctx.db.patch("ssoSessions", watchId, { confirmedAt: now, ...renewed });
}

/** Ends a watched session, and all subscriptions through it. */
async function endWatched(
  ctx: MutationCtx,
  { _id, sessionId, organizationId }: Doc<"ssoSessions">,
  detail: string,
  at: number,
): Promise<void> {
  await ctx.db.delete("ssoSessions", _id);
  const session = await ctx.db.get("sessions", sessionId);
  if (session === null) return;
  await deleteSession(ctx, sessionId);
  const subject = session.memberId ?? "unknown";
  const what = { action: "member.session-ended", subject, detail } as const;
  await record(ctx, { organizationId, at, actor: "system", ...what });
}
