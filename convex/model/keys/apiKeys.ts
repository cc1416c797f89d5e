import { priority } from "@gleaner/queue/validators";
import type { PaginationOptions, PaginationResult } from "convex/server";
import { type Infer, v } from "convex/values";
import { mergedStream, stream } from "convex-helpers/server/stream";
import { visibleText } from "../../../app/format/visible.ts";
import { limits } from "../../../app/jobs/limits.ts";
import { highestOf } from "../../../app/jobs/priority.ts";
import { restrictionOf } from "../../../app/keys/restriction.ts";
import { microPerCredit } from "../../../app/money/credits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import schema from "../../schema.ts";
import { type Act, record } from "../audit.ts";
import { allowanceOf, allowanceRow } from "../credits/allowances.ts";
import { issueCredits, maxCreditsMicro } from "../credits/grants.ts";
import { rulesRow } from "../credits/houseRules.ts";
import { balanceOf } from "../ledger/balance.ts";
import { projectedUse } from "../ledger/keyDays.ts";
import { keyAccount } from "../ledger/transfer.ts";
import type { Owners } from "../memberCalls.ts";
import { ownerName, ownerView } from "../owners.ts";
import { queue } from "../queue.ts";
import { boundedPage, boundedText, checkCursors, refuse } from "../refuse.ts";
import { keyUse, restriction } from "../validators/keys.ts";
import { accessOf, beginAccess, keyAccess } from "./keyAccess.ts";
import { keyRights, rightsOf } from "./keyRights.ts";
import { lastUseOf } from "./keyUse.ts";
import { checkedSecret } from "./rotation.ts";

/** Credits of a new key by default. */
const defaultCreditsMicro = 1_000_000n * microPerCredit;

/** Arguments that describe a new key. `prefix` is the part of the secret that may be shown. */
export const newKey = {
  keyHash: v.string(),
  name: v.string(),
  prefix: v.string(),
  creditsMicro: v.optional(v.int64()),
};

/** Creates an API key from its hash and issues credits to it. Refuses: conflict (the key exists), and as `setAccess`. */
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
    /** How it may be used; left out: without bounds. */
    readonly access?: Partial<Infer<typeof keyAccess>>;
    /** Only for a key of the playground: its session, and its end. */
    readonly playground?: { readonly session: Id<"sessions">; readonly until: number };
  },
  by: Act,
): Promise<Id<"apiKeys">> {
  const { organizationId, creditsMicro = defaultCreditsMicro, dataClass, owner, playground } = key;
  if (creditsMicro < 0n || creditsMicro > maxCreditsMicro)
    refuse("invalid", "creditsMicro is out of bounds.");
  const apiKeyId = await ctx.db.insert("apiKeys", {
    organizationId,
    ...(await checkedSecret(ctx, key)),
    name: boundedText(key.name, "The key's name", limits.nameChars),
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
  await issueCredits(ctx, {
    key: `issue:${apiKeyId}`,
    organizationId,
    apiKeyId,
    micro: creditsMicro,
    at: by.at,
  });
  const detail = await beginAccess(ctx, { _id: apiKeyId, organizationId }, key.access ?? {}, by.at);
  await record(ctx, {
    organizationId,
    ...by,
    action: "api-key.created",
    subject: apiKeyId,
    ...(detail === "" ? {} : { detail }),
  });
  return apiKeyId;
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
  /** Whether it asks canaries. Members may only revoke it. */
  ofCanaries: v.boolean(),
  dataClass: v.union(v.string(), v.null()),
  /** Jobs that may run at once; null: no limit. */
  concurrency: v.union(v.number(), v.null()),
  /** Its turns for each turn of a key of weight 1. */
  weight: v.number(),
  /** The highest priority that it may ask for. */
  highestPriority: priority,
  /** What devices its jobs require, and whether its requests may require more. */
  ...keyRights.fields,
  /** How it may be used. */
  ...keyAccess.fields,
  /** Its use on the present day and in the present month, at most some two minutes old. Null: it has no quotas. */
  use: v.union(keyUse, v.null()),
  /** The shown part and the end of the secret before the last rotation, while it works; null without one. */
  former: v.union(v.object({ prefix: v.string(), until: v.number() }), v.null()),
  /** To the minute; null: never. */
  lastUsedAt: v.union(v.number(), v.null()),
  /** Credits that it gets at the start of each period; null: none. */
  allowance: v.union(allowanceRow, v.null()),
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
  checkCursors(paginationOpts);
  const found = await listedKeys(ctx, organizationId, owners).paginate(boundedPage(paginationOpts, maxPage));
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
  const [owner, balance, limit, lastUsedAt, use, allowance, rules] = await Promise.all([
    ownerView(ctx, key.owner),
    balanceOf(ctx, keyAccount(key._id)),
    queue.limits.get(ctx, key.organizationId, "requester", key._id),
    lastUseOf(ctx, key._id),
    key.quotas === undefined ? null : projectedUse(ctx, key._id, now),
    allowanceOf(ctx, { table: "apiKeys", row: key }),
    rulesRow(ctx, key.organizationId),
  ]);
  const { former } = key;
  return {
    keyId: key._id,
    name: visibleText(key.name),
    prefix: key.prefix,
    owner,
    createdAt: key.createdAt,
    revokedAt: key.revokedAt ?? null,
    balanceMicro: balance.micro,
    playgroundUntil: key.playgroundUntil ?? null,
    ofCanaries: rules?.canaryKey === key._id,
    dataClass: key.dataClass ?? null,
    concurrency: limit?.concurrency ?? null,
    weight: limit?.weight ?? 1,
    highestPriority: highestOf(key),
    ...rightsOf(key),
    ...accessOf(key),
    use,
    former:
      former === undefined || former.until <= now ? null : { prefix: former.prefix, until: former.until },
    lastUsedAt,
    allowance,
    restriction: restrictionOf(key, now),
  };
}
