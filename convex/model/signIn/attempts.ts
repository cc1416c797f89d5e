import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { hashSecret } from "../authenticate.ts";
import { countProviderVisit } from "../rates.ts";
import { refuse } from "../refuse.ts";
import { usableProvider } from "./providers.ts";

const attemptMs = 10 * 60_000;

/** Notes that somebody goes to a provider. Refuses: not_found, rate_limited. */
export async function beginAttempt(
  ctx: MutationCtx,
  attempt: {
    readonly providerId: Id<"ssoProviders">;
    readonly state: string;
    readonly session: string;
    readonly nonce: string;
    readonly verifier: string;
    readonly returnTo: string;
  },
  now: number,
): Promise<Doc<"ssoProviders">> {
  await countProviderVisit(ctx);
  const { state, session, ...row } = attempt;
  const provider = await usableProvider(ctx, attempt.providerId);
  if (provider === null) return refuse("not_found", "This provider is not in use.");
  const attemptId = await ctx.db.insert("ssoAttempts", {
    ...row,
    organizationId: provider.organizationId,
    stateHash: await hashSecret(state),
    sessionHash: await hashSecret(session),
    expiresAt: now + attemptMs,
  });
  await ctx.scheduler.runAfter(attemptMs, internal.access.signIn.forgetAttempt, { attemptId });
  return provider;
}

/** The attempt of a callback, and its provider. Its state counts once. Null: no such attempt, or it took too long. */
export async function takeState(
  ctx: MutationCtx,
  state: string,
  now: number,
): Promise<{ readonly attempt: Doc<"ssoAttempts">; readonly provider: Doc<"ssoProviders"> } | null> {
  const stateHash = await hashSecret(state);
  const attempt = await ctx.db
    .query("ssoAttempts")
    .withIndex("by_state", (q) => q.eq("stateHash", stateHash))
    .unique();
  if (attempt === null || attempt.expiresAt <= now) return null;
  const provider = await usableProvider(ctx, attempt.providerId);
  await ctx.db.patch("ssoAttempts", attempt._id, { stateHash: undefined });
  return provider === null ? null : { attempt, provider };
}

/**
 * Uses up an attempt in the browser that began it. It takes both the code, which only the browser at the provider got, and the
 * session, which only the browser that began it knows. So nobody can make another person finish their sign-in. Refuses:
 * unauthorized.
 */
export async function takeAttempt(
  ctx: MutationCtx,
  code: string,
  session: string,
  now: number,
): Promise<Doc<"ssoAttempts"> & { readonly memberId: Id<"members"> }> {
  const codeHash = await hashSecret(code);
  const attempt = await ctx.db
    .query("ssoAttempts")
    .withIndex("by_code", (q) => q.eq("codeHash", codeHash))
    .unique();
  const isSame = attempt?.sessionHash === (await hashSecret(session));
  if (attempt?.memberId === undefined || !isSame || attempt.expiresAt <= now) {
    return refuse("unauthorized", "This sign-in has ended. Try again.");
  }
  await ctx.db.delete("ssoAttempts", attempt._id);
  return { ...attempt, memberId: attempt.memberId };
}
