import type { Infer } from "convex/values";
import { unreliabilityWords } from "../../app/devices/reliability.ts";
import { internal } from "../_generated/api.js";
import type { Doc } from "../_generated/dataModel.js";
import type { MutationCtx } from "../_generated/server.js";
import { record } from "./audit.ts";
import { retire, setService } from "./devices/service.ts";
import { rotateSecret } from "./devices/sharing.ts";
import { keepOldestVersion } from "./devices/versions.ts";
import { cancelJobsOf } from "./keys/keyEnds.ts";
import { signCatalog, type signOutcome } from "./models/signCatalog.ts";
import { allOrganizations } from "./organizations/create.ts";
import { deleteSession } from "./people/sessions.ts";
import { erase } from "./texts/dataKeys.ts";
import { keepWebhookRemoved, keepWebhookSettings } from "./webhooks/restored.ts";

/** Documents of these tables can become stricter: revoked, rotated, used, retired, removed. A restore must not take that back. */
export const carriedTables = [
  "apiKeys",
  "enrolmentCodes",
  "signInLinks",
  "devices",
  "organizations",
  "metricsTokens",
  "webhooks",
  "removedWebhooks",
  "dataKeys",
] as const;

const perBatch = 500;

/** The fields of documents that can only become stricter. Documents of other versions may lack them. */
type Replaced = Parameters<typeof keepWebhookSettings>[1] &
  Parameters<typeof keepWebhookRemoved>[1] & {
    readonly _id?: string;
    readonly keyHash?: string;
    readonly codeHash?: string;
    readonly tokenHash?: string;
    readonly prefix?: string;
    readonly former?: Doc<"apiKeys">["former"];
    readonly secretChangedAt?: number;
    readonly expiresAt?: number;
    readonly revokedAt?: number;
    readonly destroyedAt?: number;
    readonly scopes?: Doc<"apiKeys">["scopes"];
    readonly models?: Doc<"apiKeys">["models"];
    readonly addresses?: Doc<"apiKeys">["addresses"];
    readonly quotas?: Doc<"apiKeys">["quotas"];
    readonly usedAt?: number;
    readonly used?: number;
    readonly status?: string;
    readonly pause?: Doc<"devices">["pause"];
    readonly oldestVersion?: string;
  };

/**
 * Makes restored documents as strict as they were in the replaced state. Secrets are recognized by their hashes, and
 * organizations by their ids.
 */
export async function keepRestrictions(
  ctx: MutationCtx,
  table: string,
  documents: readonly Replaced[],
  now: number,
): Promise<void> {
  const keep = keepers[table as (typeof carriedTables)[number]];
  for (const document of documents) await keep(ctx, document, now);
}

type Keeper = (ctx: MutationCtx, replaced: Replaced, now: number) => Promise<void>;

const keepers: Readonly<Record<(typeof carriedTables)[number], Keeper>> = {
  apiKeys: async (ctx, { _id = "", keyHash = "", revokedAt, expiresAt, ...replaced }) => {
    const id = ctx.db.normalizeId("apiKeys", _id);
    const sameHash = ctx.db.query("apiKeys").withIndex("by_hash", (q) => q.eq("keyHash", keyHash));
    const key = (id === null ? null : await ctx.db.get("apiKeys", id)) ?? (await sameHash.unique());
    if (key === null || key.revokedAt !== undefined) return;
    if (expiresAt !== undefined && expiresAt < (key.expiresAt ?? Infinity))
      await ctx.db.patch("apiKeys", key._id, { expiresAt });
    const { scopes, models, addresses, quotas } = replaced;
    await ctx.db.patch("apiKeys", key._id, {
      ...(key.scopes === undefined && scopes !== undefined ? { scopes } : {}),
      ...(key.models === undefined && models !== undefined ? { models } : {}),
      ...(key.addresses === undefined && addresses !== undefined ? { addresses } : {}),
      ...(key.quotas === undefined && quotas !== undefined ? { quotas } : {}),
    });
    // A secret that was replaced may be known to others.
    const { prefix = key.prefix, former, secretChangedAt = 0 } = replaced;
    if (secretChangedAt > (key.secretChangedAt ?? 0))
      await ctx.db.patch("apiKeys", key._id, { keyHash, prefix, former, secretChangedAt });
    if (revokedAt === undefined) return;
    await ctx.db.patch("apiKeys", key._id, { revokedAt });
    await cancelJobsOf(ctx, key, { code: "key_revoked", message: "This API key was revoked." });
  },
  enrolmentCodes: async (ctx, { codeHash = "", revokedAt, used = 0 }) => {
    const code = await ctx.db
      .query("enrolmentCodes")
      .withIndex("by_hash", (q) => q.eq("codeHash", codeHash))
      .unique();
    if (code === null) return;
    const isNews = used > code.used || (revokedAt !== undefined && code.revokedAt === undefined);
    if (!isNews) return;
    await ctx.db.patch("enrolmentCodes", code._id, {
      used: Math.max(used, code.used),
      ...(revokedAt === undefined ? {} : { revokedAt }),
    });
  },
  signInLinks: async (ctx, { tokenHash = "", usedAt }) => {
    if (usedAt === undefined) return;
    const link = await ctx.db
      .query("signInLinks")
      .withIndex("by_hash", (q) => q.eq("tokenHash", tokenHash))
      .unique();
    if (link !== null && link.usedAt === undefined) await ctx.db.patch("signInLinks", link._id, { usedAt });
  },
  devices: async (ctx, { keyHash = "", status, pause }, now) => {
    if (status !== "retired" && pause === undefined) return;
    const device = await ctx.db
      .query("devices")
      .withIndex("by_hash", (q) => q.eq("keyHash", keyHash))
      .unique();
    if (device === null) return;
    if (status === "retired") await retire(ctx, device, { actor: "setup", at: now });
    else if (device.pause === undefined && pause !== undefined) await keepPause(ctx, device, pause, now);
  },
  organizations: async (ctx, { _id = "", oldestVersion }, now) => {
    const organizationId = ctx.db.normalizeId("organizations", _id);
    if (organizationId === null || oldestVersion === undefined) return;
    const organization = await ctx.db.get("organizations", organizationId);
    if (organization !== null) await keepOldestVersion(ctx, organization, oldestVersion, now);
  },
  metricsTokens: async (ctx, { tokenHash = "", revokedAt }) => {
    if (revokedAt === undefined) return;
    const token = await ctx.db
      .query("metricsTokens")
      .withIndex("by_hash", (q) => q.eq("tokenHash", tokenHash))
      .unique();
    if (token !== null && token.revokedAt === undefined)
      await ctx.db.patch("metricsTokens", token._id, { revokedAt });
  },
  webhooks: keepWebhookSettings,
  removedWebhooks: keepWebhookRemoved,
  dataKeys: async (ctx, { _id = "", destroyedAt }, now) => {
    const id = destroyedAt === undefined ? null : ctx.db.normalizeId("dataKeys", _id);
    const key = id === null ? null : await ctx.db.get("dataKeys", id);
    if (key === null || key.destroyedAt !== undefined) return;
    await erase(ctx, key, now);
    const { organizationId } = key;
    const canceled = { organizationId, cursor: null, before: now };
    await ctx.scheduler.runAfter(0, internal.data.keys.cancelJobs, canceled);
    // A next key is made at once if the backup has none.
    await ctx.scheduler.runAfter(0, internal.data.keys.keep, {});
  },
};

async function keepPause(
  ctx: MutationCtx,
  device: Doc<"devices">,
  pause: NonNullable<Doc<"devices">["pause"]>,
  at: number,
): Promise<void> {
  await setService(ctx, device, { pause }, { actor: "setup", at });
  const { _id: subject, organizationId } = device;
  const detail = `Paused before the restore, and it stays so: ${unreliabilityWords(pause)}`;
  await record(ctx, { organizationId, at, actor: "setup", action: "device.paused", subject, detail });
}

const unsignedDetails: Readonly<Partial<Record<Infer<typeof signOutcome>, string>>> = {
  "changed-outside":
    "The models of the backup are not those that were signed, so devices refuse them. docs/signatures.md says what to do",
  "other-key":
    "The models are signed with a key that this backend does not have, so devices refuse them. docs/signatures.md says " +
    "what to do",
};

/**
 * Ends all sessions, those of the backup, too, replaces the sharing secrets, signs the catalogs as the newest, and records the
 * restore for every organization. Devices refuse a catalog that is older than one they have seen. A device that was retired
 * since the backup knows the backup's sharing secret.
 */
export async function endRestore(
  ctx: MutationCtx,
  { isKnown, isRevoked }: { readonly isKnown: boolean; readonly isRevoked: boolean },
  now: number,
): Promise<void> {
  await endSessions(ctx);
  for (const { _id: organizationId } of await allOrganizations(ctx)) {
    await rotateSecret(ctx, organizationId, "restored", now);
    const carried = isRevoked
      ? "All API keys, devices, enrollment codes, sign-in links and tokens for metrics of the backup were revoked"
      : isKnown
        ? "Whatever was revoked, used, retired or removed since the backup stays so"
        : "The data before the restore could not be read, or not all of it: keys, codes and devices of the backup may be valid again";
    const unsigned = unsignedDetails[await signCatalog(ctx, organizationId, "renew", now)];
    await record(ctx, {
      organizationId,
      at: now,
      actor: "setup",
      action: "backup.restored",
      subject: organizationId,
      detail: unsigned === undefined ? carried : `${carried}. ${unsigned}`,
    });
  }
}

/** Ends the next sessions. More than one batch is rare, and the others follow at once. */
export async function endSessions(ctx: MutationCtx): Promise<void> {
  const sessions = await ctx.db.query("sessions").take(perBatch);
  for (const { _id } of sessions) await deleteSession(ctx, _id);
  if (sessions.length === perBatch) await ctx.scheduler.runAfter(0, internal.maintenance.endAllSessions, {});
}
