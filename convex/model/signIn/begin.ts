import { type Infer, v } from "convex/values";
import { asksForSecondFactor } from "../../../app/people/second-factor.ts";
import type { SignInMethod } from "../../../app/people/sign-in-methods.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { hashSecret } from "../authenticate.ts";
import { type Client, maxAgentChars, startSession } from "../people/sessions.ts";
import { signedIn, signedInView } from "../people/signIn.ts";
import { secondFactorRuleOf } from "../secondFactor/required.ts";
import { secondFactorOf } from "../secondFactor/stored.ts";
import { watchSession } from "./rechecks.ts";

const pendingMs = 10 * 60_000;

/** The provider that is asked about a session's member each hour. The refresh token is sealed. */
export type Watch = {
  readonly providerId: Id<"ssoProviders">;
  readonly subject: string;
  readonly refreshToken: string;
};

/** How a sign-in went on: with a session, or with the question for the second factor. */
export const begun = v.union(
  v.object({ kind: v.literal("signed-in"), ...signedIn.fields }),
  v.object({ kind: v.literal("second-factor") }),
);

/**
 * Signs a member in who has given the first factor. The session begins only after the second factor, if the member has one. A
 * provider asks for it itself, unless the organization wants it here, too. Refuses: invalid, conflict.
 */
export async function beginSession(
  ctx: MutationCtx,
  member: Doc<"members">,
  asked: {
    readonly session: string;
    readonly method: SignInMethod;
    readonly client: Client;
    readonly lastsMs?: number;
    readonly watch?: Watch;
  },
  now: number,
): Promise<Infer<typeof begun>> {
  if (await asksFor(ctx, member, asked.method)) {
    const { session, client, ...row } = asked;
    const pendingId = await ctx.db.insert("pendingSignIns", {
      ...row,
      organizationId: member.organizationId,
      memberId: member._id,
      sessionHash: await hashSecret(session),
      ...(client.agent === undefined ? {} : { agent: client.agent.slice(0, maxAgentChars) }),
      expiresAt: now + pendingMs,
    });
    await ctx.scheduler.runAfter(pendingMs, internal.access.secondFactor.forgetPending, { pendingId });
    return { kind: "second-factor" };
  }
  const { watch, ...begins } = asked;
  const started = await startSession(ctx, member, begins, now);
  if (watch !== undefined) await watchSession(ctx, started, watch, now);
  return { kind: "signed-in", ...(await signedInView(ctx, member, started)) };
}

async function asksFor(
  ctx: QueryCtx,
  { _id, organizationId }: Doc<"members">,
  method: SignInMethod,
): Promise<boolean> {
  if ((await secondFactorOf(ctx, _id)) === null) return false;
  if (method !== "single-sign-on") return true;
  return asksForSecondFactor(await secondFactorRuleOf(ctx, organizationId), true);
}

/** The sign-in that waits for the second factor in the browser with this session, and its member. */
export async function pendingOf(
  ctx: QueryCtx,
  session: string,
  now: number,
): Promise<{ readonly pending: Doc<"pendingSignIns">; readonly member: Doc<"members"> } | null> {
  const sessionHash = await hashSecret(session);
  const pending = await ctx.db
    .query("pendingSignIns")
    .withIndex("by_session", (q) => q.eq("sessionHash", sessionHash))
    .first();
  if (pending === null || pending.expiresAt <= now) return null;
  const member = await ctx.db.get("members", pending.memberId);
  return member === null || member.removedAt !== undefined ? null : { pending, member };
}

/** Starts the session of a sign-in whose second factor was right. Refuses: invalid, conflict. */
export async function finishPending(
  ctx: MutationCtx,
  { pending, member }: { readonly pending: Doc<"pendingSignIns">; readonly member: Doc<"members"> },
  session: string,
  now: number,
): Promise<Infer<typeof signedIn>> {
  const { _id, method, agent, lastsMs, watch } = pending;
  await ctx.db.delete("pendingSignIns", _id);
  const client = agent === undefined ? {} : { agent };
  const lasts = lastsMs === undefined ? {} : { lastsMs };
  const asked = { session, method, client, ...lasts, secondFactor: true };
  const started = await startSession(ctx, member, asked, now);
  if (watch !== undefined) await watchSession(ctx, started, watch, now);
  return await signedInView(ctx, member, started);
}
