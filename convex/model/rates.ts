import { RateLimiter } from "@convex-dev/rate-limiter";
import { rates } from "../../app/jobs/limits.ts";
import { type CallsLeft, callsLeftAfter, callsToCount } from "../../app/jobs/rate-headers.ts";
import type { Id } from "../_generated/dataModel.js";
import type { MutationCtx } from "../_generated/server.js";
import { components } from "./components.ts";
import { refuseUntil } from "./refuse.ts";

const minuteMs = 60_000;
const { burst: apiBurst, spare: spareCalls } = rates.apiCalls;

/** Token buckets with the rates in `app/jobs/limits.ts`. */
const limiter = new RateLimiter(components.rateLimiter, {
  // Simultaneous calls of one key must not all write one row. They are added up a moment later, so a burst of calls may
  // get through. The key then waits longer.
  apiCalls: { ...bucket(rates.apiCalls), capacity: apiBurst + spareCalls, applyUpdates: "asynchronously" },
  wrongCodes: bucket(rates.wrongCodes),
  passwords: bucket(rates.passwords),
  passwordsOfAddress: bucket(rates.passwordsOfAddress),
  secondFactors: bucket(rates.secondFactors),
  passwordResets: bucket(rates.passwordResets),
  confirmedDevices: bucket(rates.confirmedDevices),
  providerVisits: bucket(rates.providerVisits),
  refusedActs: bucket(rates.auditedRefusals),
  refusedSignIns: bucket(rates.auditedRefusals),
});

function bucket({ perMinute, burst }: { readonly perMinute: number; readonly burst: number }) {
  return { kind: "token bucket", rate: perMinute, period: minuteMs, capacity: burst } as const;
}

/** Counts a call of an API key, or its share of a sample. Returns the calls that are left after it. Refuses: rate_limited. */
export async function countCall(ctx: MutationCtx, apiKeyId: Id<"apiKeys">, now: number): Promise<CallsLeft> {
  const { value: calls, ts: at } = await limiter.getValue(ctx, "apiCalls", { key: apiKeyId });
  const count = callsToCount({ calls, at }, now, Math.random());
  if (count > 0) await countCalls(ctx, apiKeyId, count);
  return callsLeftAfter({ calls, at }, now);
}

/** Counts several calls of an API key. Refuses: rate_limited. */
export async function countCalls(ctx: MutationCtx, apiKeyId: Id<"apiKeys">, count: number): Promise<void> {
  const { ok, retryAfter } = await limiter.limit(ctx, "apiCalls", { key: apiKeyId, count });
  if (!ok) refuseUntil("rate_limited", "This API key makes too many calls.", retryAfter);
}

/** One bucket for all callers whose address the deployment does not know. */
const sharedBucket = "unknown";

/**
 * Refuses (rate_limited) once the caller's address has sent too many wrong enrollment codes. It only reads, so callers
 * with right codes do not contend.
 *
 * A code has only 60 random bits, so a known address is refused even with a right code: otherwise guessing would have no
 * limit. The shared bucket never refuses a right code, or one guesser could lock everybody out.
 */
export async function admitGuess(ctx: MutationCtx, isRight: boolean): Promise<void> {
  const { ip } = await ctx.meta.getRequestMetadata();
  if (ip === null && isRight) return;
  const { ok, retryAfter } = await limiter.check(ctx, "wrongCodes", { key: ip ?? sharedBucket });
  if (!ok) refuseUntil("rate_limited", "Too many wrong codes were tried.", retryAfter);
}

/** Counts a wrong code. The caller must commit: throwing a refusal would undo the count. */
export async function countWrongGuess(ctx: MutationCtx): Promise<void> {
  const { ip } = await ctx.meta.getRequestMetadata();
  await limiter.limit(ctx, "wrongCodes", { key: ip ?? sharedBucket });
}

/**
 * Counts a try of a password: of an account, whether it exists or not, and of the caller's address. Without a known address
 * only the account counts, or one guesser could lock everybody out. Refuses: rate_limited.
 */
export async function countPassword(ctx: MutationCtx, account: string): Promise<void> {
  const { ok, retryAfter } = await limiter.limit(ctx, "passwords", { key: account });
  if (!ok) refuseUntil("rate_limited", "Too many passwords were tried for this address.", retryAfter);
  await countOfAddress(ctx, "passwordsOfAddress");
}

/** Counts a try of a member's second factor. Refuses: rate_limited. */
export async function countSecondFactor(ctx: MutationCtx, memberId: Id<"members">): Promise<void> {
  const { ok, retryAfter } = await limiter.limit(ctx, "secondFactors", { key: memberId });
  if (!ok) refuseUntil("rate_limited", "Too many codes were tried.", retryAfter);
}

/** Counts a computer that a member confirms. Refuses: rate_limited. */
export async function countConfirmedDevice(ctx: MutationCtx, memberId: Id<"members">): Promise<void> {
  const { ok, retryAfter } = await limiter.limit(ctx, "confirmedDevices", { key: memberId });
  if (!ok)
    refuseUntil(
      "rate_limited",
      "You added many computers. Wait a while, or use an enrollment code.",
      retryAfter,
    );
}

/** Counts a wish to reset a password, whether anybody has the address or not. Refuses: rate_limited. */
export async function countPasswordReset(ctx: MutationCtx, account: string): Promise<void> {
  const { ok, retryAfter } = await limiter.limit(ctx, "passwordResets", { key: account });
  if (!ok) refuseUntil("rate_limited", "Too many links were asked for.", retryAfter);
  await countOfAddress(ctx, "passwordsOfAddress");
}

/** Counts a sign-in that goes to a provider. Refuses: rate_limited. */
export async function countProviderVisit(ctx: MutationCtx): Promise<void> {
  await countOfAddress(ctx, "providerVisits");
}

async function countOfAddress(
  ctx: MutationCtx,
  name: "passwordsOfAddress" | "providerVisits",
): Promise<void> {
  const { ip } = await ctx.meta.getRequestMetadata();
  if (ip === null) return;
  const { ok, retryAfter } = await limiter.limit(ctx, name, { key: ip });
  if (!ok) refuseUntil("rate_limited", "Too many sign-ins come from your network.", retryAfter);
}

/** Counts a refused act of a member. False if it is not to be recorded: nobody may fill the audit trail. */
export async function admitRefusedAct(ctx: MutationCtx, memberId: Id<"members">): Promise<boolean> {
  return (await limiter.limit(ctx, "refusedActs", { key: memberId })).ok;
}

/** The same for a refused sign-in to an organization. */
export async function admitRefusedSignIn(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
): Promise<boolean> {
  return (await limiter.limit(ctx, "refusedSignIns", { key: organizationId })).ok;
}
