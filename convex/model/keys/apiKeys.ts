import { priority } from "@gleaner/queue/validators";
import type { PaginationOptions, PaginationResult } from "convex/server";
import { type Infer, v } from "convex/values";
import { mergedStream, stream } from "convex-helpers/server/stream";
import { visibleText } from "../../../app/format/visible.ts";
import { limits } from "../../../app/jobs/limits.ts";
import { highestOf } from "../../../app/jobs/priority.ts";
import { restrictionOf } from "../../../app/keys/restriction.ts";
import { microPerCredit } from "../../../app/money/credits.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import schema from "../../schema.ts";
import { type Act, record } from "../audit.ts";
import { balanceOf } from "../ledger/balance.ts";
import { projectTransfer } from "../ledger/project.ts";
import { issuanceAccount, keyAccount, transfer } from "../ledger/transfer.ts";
import type { Owners } from "../memberCalls.ts";
import { ownerName, ownerView } from "../owners.ts";
import { queue } from "../queue.ts";
import { boundedText, checkedHash, pageAt, pageSize, refuse } from "../refuse.ts";
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

/** A key in a choice. */
export const keyName = v.object({
  keyId: v.id("apiKeys"),
  name: v.string(),
  prefix: v.string(),
  isRevoked: v.boolean(),
});

/**
 * The newest 200 keys of the list, for choices. Unlike the list they have no balance, so a job that ends does not run the caller
 * again.
 */
export async function keyNames(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owners: Owners,
): Promise<Infer<typeof keyName>[]> {
  const keys = await listedKeys(ctx, organizationId, owners).take(maxListed);
  return keys.map(({ _id, name, prefix, revokedAt }) => ({
    keyId: _id,
    name: visibleText(name),
    prefix,
    isRevoked: revokedAt !== undefined,
  }));
}

/** The keys of some owners or of all, newest first, without ended keys of the playground. */
function listedKeys(ctx: QueryCtx, organizationId: Id<"organizations">, owners: Owners) {
  const keys = stream(ctx.db, schema).query("apiKeys");
  if (owners === null) {
    return keys
      .withIndex("by_organization_listed", (q) =>
        q.eq("organizationId", organizationId).eq("playgroundEnded", undefined),
      )
      .order("desc");
  }
  const ofOwners = owners.map((owner) =>
    stream(ctx.db, schema)
      .query("apiKeys")
      .withIndex("by_owner_listed", (q) => q.eq("owner", owner).eq("playgroundEnded", undefined))
      .order("desc"),
  );
  return mergedStream(ofOwners, ["_creationTime"]);
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

/** Each key has an owner, a limit, a balance, and entries that are not in the balance yet. */
const maxPage = 50;

/** A page of the keys, newest first: of some owners, or of all. Ended keys of the playground are left out. */
export async function keyPage(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owners: Owners,
  { now, paginationOpts }: { readonly now: number; readonly paginationOpts: PaginationOptions },
): Promise<PaginationResult<KeyRow>> {
  const numItems = pageSize(paginationOpts.numItems, maxPage);
  const found = await pageAt(() =>
    listedKeys(ctx, organizationId, owners).paginate({ ...paginationOpts, numItems }),
  );
  return { ...found, page: await Promise.all(found.page.map((key) => keyRowOf(ctx, key, now))) };
}

/** The key of the list with that id, which may be any text, if it is of those owners. */
export async function findKey(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owners: Owners,
  { now, text }: { readonly now: number; readonly text: string },
): Promise<KeyRow[]> {
  const id = ctx.db.normalizeId("apiKeys", text);
  const key = id === null ? null : await ctx.db.get("apiKeys", id);
  if (key?.organizationId !== organizationId || key.playgroundEnded === true) return [];
  const isVisible = owners === null || owners.some((owner) => owner === key.owner);
  return isVisible ? [await keyRowOf(ctx, key, now)] : [];
}

type KeyRow = Infer<typeof keyRow>;

async function keyRowOf(ctx: QueryCtx, key: Doc<"apiKeys">, now: number): Promise<KeyRow> {
  const [owner, balance, limit] = await Promise.all([
    ownerView(ctx, key.owner),
    balanceOf(ctx, keyAccount(key._id)),
    queue.limits.get(ctx, key.organizationId, "requester", key._id),
  ]);
  return {
    keyId: key._id,
    name: visibleText(key.name),
    prefix: key.prefix,
    owner,
    createdAt: key.createdAt,
    revokedAt: key.revokedAt ?? null,
    balanceMicro: balance.micro,
    playgroundUntil: key.playgroundUntil ?? null,
    dataClass: key.dataClass ?? null,
    concurrency: limit?.concurrency ?? null,
    weight: limit?.weight ?? 1,
    highestPriority: highestOf(key),
    ...rightsOf(key),
    restriction: restrictionOf(key, now),
  };
}
