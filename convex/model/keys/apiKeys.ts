import { priority } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";
import { limits } from "../../../app/jobs/limits.ts";
import { highestOf } from "../../../app/jobs/priority.ts";
import { restrictionOf } from "../../../app/keys/restriction.ts";
import { microPerCredit } from "../../../app/money/credits.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { balanceOf } from "../ledger/balance.ts";
import { projectTransfer } from "../ledger/project.ts";
import { issuanceAccount, keyAccount, transfer } from "../ledger/transfer.ts";
import type { Owners } from "../memberCalls.ts";
import { ownerName, ownerView } from "../owners.ts";
import { queue } from "../queue.ts";
import { boundedText, checkedHash, refuse } from "../refuse.ts";
import { restriction } from "../validators.ts";
import { keyRights, rightsOf } from "./keyRights.ts";

/** Credits of a new key by default. */
const defaultCreditsMicro = 1_000n * microPerCredit;

export const maxCreditsMicro = 1_000_000_000n * microPerCredit;
const maxPrefixChars = 32;

/** Arguments that describe a new key. `prefix` is the part of the secret that may be shown. */
export const newKey = {
  keyHash: v.string(),
  name: v.string(),
  prefix: v.string(),
  creditsMicro: v.optional(v.int64()),
};

/** Creates an API key from its hash and issues credits to it. Refuses: invalid, conflict (the key exists). */
export async function createKey(
  ctx: MutationCtx,
  key: {
    readonly organizationId: Id<"organizations">;
    readonly keyHash: string;
    readonly name: string;
    readonly prefix: string;
    readonly creditsMicro?: bigint;
    /** To whom it belongs; left out: the organization. */
    readonly owner?: Id<"members"> | Id<"teams">;
    /** The data class of all its jobs. */
    readonly dataClass?: string;
    /** Only for a key of the playground: its session, and its end. */
    readonly playground?: { readonly session: Id<"sessions">; readonly until: number };
  },
  by: Act,
): Promise<Id<"apiKeys">> {
  const { organizationId, creditsMicro = defaultCreditsMicro, dataClass, owner, playground } = key;
  const keyHash = checkedHash(key.keyHash, "keyHash");
  if (creditsMicro < 0n || creditsMicro > maxCreditsMicro)
    refuse("invalid", "creditsMicro is out of bounds.");
  const earlier = await ctx.db
    .query("apiKeys")
    .withIndex("by_hash", (q) => q.eq("keyHash", keyHash))
    .unique();
  if (earlier !== null) refuse("conflict", "This API key exists already.");
  const apiKeyId = await ctx.db.insert("apiKeys", {
    organizationId,
    keyHash,
    name: boundedText(key.name, "The key's name", limits.nameChars),
    prefix: boundedText(key.prefix, "prefix", maxPrefixChars),
    createdAt: by.at,
    ...(owner === undefined ? {} : { owner }),
    ...(dataClass === undefined
      ? {}
      : { dataClass: boundedText(dataClass, "The data class", limits.nameChars) }),
    ...(playground === undefined
      ? {}
      : {
          playgroundSession: playground.session,
          playgroundUntil: playground.until,
          playgroundMicro: creditsMicro,
        }),
  });
  await issue(ctx, organizationId, apiKeyId, creditsMicro, by.at);
  await record(ctx, { organizationId, ...by, action: "api-key.created", subject: apiKeyId });
  return apiKeyId;
}

/** Moves credits from the issuance account. They are projected at once, so the new key can spend them at once. */
async function issue(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  apiKeyId: Id<"apiKeys">,
  micro: bigint,
  now: number,
): Promise<void> {
  await transfer(ctx, {
    key: `issue:${apiKeyId}`,
    organizationId,
    kind: "issue",
    at: now,
    entries: [
      { account: issuanceAccount(organizationId), micro: -micro },
      { account: keyAccount(apiKeyId), micro },
    ],
  });
  await projectTransfer(ctx, `issue:${apiKeyId}`);
}

/** Revokes a key for good. Its waiting jobs are canceled; running ones may finish. False if it is revoked already. */
export async function revokeKey(ctx: MutationCtx, key: Doc<"apiKeys">, by: Act): Promise<boolean> {
  if (key.revokedAt !== undefined) return false;
  const { _id: subject, organizationId } = key;
  const ended = key.playgroundUntil === undefined ? {} : { playgroundEnded: true };
  await ctx.db.patch("apiKeys", subject, { revokedAt: by.at, ...ended });
  await cancelJobsOf(ctx, key);
  await ctx.scheduler.runAfter(0, internal.batches.endOfKey, { apiKeyId: subject });
  await record(ctx, { organizationId, ...by, action: "api-key.revoked", subject });
  return true;
}

/** Interval between checks for jobs that a device returned to the queue. */
const recheckMs = 10_000;

/**
 * Cancels the waiting jobs of a revoked key, since nobody could read their answers. Running jobs may finish. A device may
 * still return one to the queue, so this runs again until none is running.
 */
export async function cancelJobsOf(
  ctx: MutationCtx,
  { _id: apiKeyId, organizationId }: Doc<"apiKeys">,
): Promise<void> {
  await queue.cancelMany(ctx, organizationId, { by: "requester", name: apiKeyId, running: false });
  const { page } = await queue.list(ctx, organizationId, {
    requester: apiKeyId,
    status: "running",
    paginationOpts: { numItems: 1, cursor: null },
  });
  if (page.length > 0) {
    await ctx.scheduler.runAfter(recheckMs, internal.maintenance.cancelJobsOfKey, { apiKeyId });
  }
}

const maxListed = 200;

/** The keys of some owners, newest first, at most 200: also revoked ones, since their jobs stay on record. */
export async function keysOf(ctx: QueryCtx, owners: NonNullable<Owners>): Promise<Doc<"apiKeys">[]> {
  const keys = await Promise.all(
    owners.map((owner) =>
      ctx.db
        .query("apiKeys")
        .withIndex("by_owner", (q) => q.eq("owner", owner))
        .order("desc")
        .take(maxListed),
    ),
  );
  return newest(keys.flat());
}

function newest(keys: readonly Doc<"apiKeys">[]): Doc<"apiKeys">[] {
  return [...keys].sort((a, b) => b._creationTime - a._creationTime).slice(0, maxListed);
}

/** The keys by name, for choices. Unlike the list it has no balance, so a job that ends does not run the caller again. */
export async function keyNames(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owners: Owners,
): Promise<{ keyId: Id<"apiKeys">; name: string }[]> {
  const keys = await listedKeys(ctx, organizationId, owners);
  return keys.map(({ _id, name }) => ({ keyId: _id, name: visibleText(name) }));
}

/** The keys of the list, of some owners or of all, without ended keys of the playground. */
async function listedKeys(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owners: Owners,
): Promise<Doc<"apiKeys">[]> {
  if (owners === null) {
    return await ctx.db
      .query("apiKeys")
      .withIndex("by_organization_listed", (q) =>
        q.eq("organizationId", organizationId).eq("playgroundEnded", undefined),
      )
      .order("desc")
      .take(maxListed);
  }
  const keys = await Promise.all(
    owners.map((owner) =>
      ctx.db
        .query("apiKeys")
        .withIndex("by_owner_listed", (q) => q.eq("owner", owner).eq("playgroundEnded", undefined))
        .order("desc")
        .take(maxListed),
    ),
  );
  return newest(keys.flat());
}

export const keyRow = v.object({
  keyId: v.id("apiKeys"),
  name: v.string(),
  prefix: v.string(),
  owner: ownerName,
  createdAt: v.number(),
  revokedAt: v.union(v.number(), v.null()),
  balanceMicro: v.int64(),
  /** When a key of the playground ends by itself; null for other keys. */
  playgroundUntil: v.union(v.number(), v.null()),
  dataClass: v.union(v.string(), v.null()),
  /** Jobs that may run at once; null: no limit. */
  concurrency: v.union(v.number(), v.null()),
  /** Its turns for each turn of a key of weight 1. */
  weight: v.number(),
  /** The highest priority that it may ask for. */
  highestPriority: priority,
  /** What devices its jobs require, and whether its requests may require more. */
  ...keyRights.fields,
  /** Which of its requests are refused, because such requests stopped the runners of devices. */
  restriction: v.union(restriction, v.null()),
});

/** API keys of an organization, newest first, at most 200. Ended keys of the playground are left out. */
export async function keyRows(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owners: Owners,
  now: number,
): Promise<Infer<typeof keyRow>[]> {
  const [rows, requesterLimits] = await Promise.all([
    listedKeys(ctx, organizationId, owners),
    queue.limits.list(ctx, organizationId),
  ]);
  const limitOf = new Map(
    requesterLimits.filter(({ of }) => of === "requester").map((limit) => [limit.name, limit] as const),
  );
  return await Promise.all(
    rows.map(async (key) => ({
      keyId: key._id,
      name: visibleText(key.name),
      prefix: key.prefix,
      owner: await ownerView(ctx, key.owner),
      createdAt: key.createdAt,
      revokedAt: key.revokedAt ?? null,
      balanceMicro: (await balanceOf(ctx, keyAccount(key._id))).micro,
      playgroundUntil: key.playgroundUntil ?? null,
      dataClass: key.dataClass ?? null,
      concurrency: limitOf.get(key._id)?.concurrency ?? null,
      weight: limitOf.get(key._id)?.weight ?? 1,
      highestPriority: highestOf(key),
      ...rightsOf(key),
      restriction: restrictionOf(key.runnerStops ?? [], now),
    })),
  );
}
