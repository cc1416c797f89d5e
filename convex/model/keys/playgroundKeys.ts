import { changesText } from "../../../app/audit/changes.ts";
import { formatExactCredits, microPerCredit } from "../../../app/money/credits.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { maxCreditsMicro } from "../credits/grants.ts";
import { balanceOf } from "../ledger/balance.ts";
import { keyAccount } from "../ledger/transfer.ts";
import { present, refuse } from "../refuse.ts";
import { createKey } from "./apiKeys.ts";
import { revokeKey } from "./keyEnds.ts";

/** The console's playground calls the API with a key of its own. The key ends with its session, or after this time. */
const keyMs = 24 * 3_600_000;

/** Credits that a member may spend in the playground within `keyMs`, unless an administrator sets another number. */
const defaultMicro = 100_000n * microPerCredit;

/** A member who makes more keys in a day does not work by hand. Bounds the reads of `spentToday`, too. */
const maxKeysPerDay = 50;

/** The credits that each member of the organization may spend in the playground within a day. */
export async function playgroundMicroOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<bigint> {
  const organization = present(await ctx.db.get("organizations", organizationId), "organization");
  return organization.playgroundMicro ?? defaultMicro;
}

/** Sets them, for keys that are made from now on. Refuses: invalid. */
export async function setPlaygroundMicro(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  micro: bigint,
  by: Act,
): Promise<void> {
  if (micro < 0n || micro > maxCreditsMicro) refuse("invalid", "The credits are out of bounds.");
  const before = await playgroundMicroOf(ctx, organizationId);
  if (before === micro) return;
  await ctx.db.patch("organizations", organizationId, { playgroundMicro: micro });
  const [was, is] = [before, micro].map(formatExactCredits);
  const detail = changesText([["credits of a member for a day", was, is]]);
  await record(ctx, {
    organizationId,
    ...by,
    action: "playground.credits-changed",
    subject: organizationId,
    detail,
  });
}

/** The session's key of the playground; null without one. */
export async function playgroundKeyOf(
  ctx: QueryCtx,
  sessionId: Id<"sessions">,
): Promise<Doc<"apiKeys"> | null> {
  const newest = await ctx.db
    .query("apiKeys")
    .withIndex("by_playground_session", (q) => q.eq("playgroundSession", sessionId))
    .order("desc")
    .first();
  return newest?.revokedAt === undefined ? newest : null;
}

/**
 * Makes the session's key, in place of an earlier one. Its credits are what the member did not spend of this day's.
 * Refuses: quota_exceeded (nothing is left), rate_limited, invalid, conflict.
 */
export async function beginPlayground(
  ctx: MutationCtx,
  { _id: session, organizationId }: Doc<"sessions">,
  owner: Id<"members">,
  { keyHash, prefix }: { readonly keyHash: string; readonly prefix: string },
  by: Act,
): Promise<void> {
  await endPlaygroundOf(ctx, session, by.at);
  const allowed = await playgroundMicroOf(ctx, organizationId);
  if (allowed === 0n)
    refuse("quota_exceeded", "The playground is closed: an administrator gave it no credits.");
  const creditsMicro = allowed - (await spentToday(ctx, owner, by.at));
  if (creditsMicro <= 0n)
    refuse(
      "quota_exceeded",
      "You have spent this day's credits of the playground. They come back within 24 hours, and an administrator can raise them.",
    );
  const until = by.at + keyMs;
  const key = {
    organizationId,
    owner,
    keyHash,
    prefix,
    name: "Playground",
    creditsMicro,
    playground: { session, until },
  };
  const apiKeyId = await createKey(ctx, key, by);
  await ctx.scheduler.runAt(until, internal.maintenance.endPlaygroundKey, { apiKeyId });
}

/** Revokes the session's key, if it has one. */
export async function endPlaygroundOf(
  ctx: MutationCtx,
  sessionId: Id<"sessions">,
  at: number,
): Promise<void> {
  const key = await playgroundKeyOf(ctx, sessionId);
  if (key !== null) await revokeKey(ctx, key, { actor: "system", at });
}

/** Credits that the member's keys of the last day have spent or reserved. */
async function spentToday(ctx: QueryCtx, owner: Id<"members">, now: number): Promise<bigint> {
  const keys = await ctx.db
    .query("apiKeys")
    .withIndex("by_owner_playground", (q) => q.eq("owner", owner).gt("playgroundUntil", now))
    .take(maxKeysPerDay);
  if (keys.length === maxKeysPerDay)
    refuse("rate_limited", "You have opened the playground too often today. Try again tomorrow.");
  const spent = await Promise.all(
    keys.map(async ({ _id, playgroundMicro = 0n }) => {
      return playgroundMicro - (await balanceOf(ctx, keyAccount(_id))).micro;
    }),
  );
  return spent.reduce((sum, micro) => sum + micro, 0n);
}
