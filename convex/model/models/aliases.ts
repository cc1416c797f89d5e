import { type Infer, v } from "convex/values";
import { changesText } from "../../../app/audit/changes.ts";
import { visibleText } from "../../../app/format/visible.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { boundedText, refuse } from "../refuse.ts";
import { findModel } from "./catalog.ts";

/** Bounds the aliases of an organization: each call of the HTTP API reads them. */
const maxAliases = 50;
/** As long as a model's name may be. */
const maxChars = 200;
/** An alias's uses are noted this often per key, so that a busy key seldom writes. */
const noteEveryMs = 3_600_000;
const maxUsers = 100;

/** A name that stands for a model of the catalog. */
export const aliasRow = v.object({ alias: v.string(), modelId: v.string(), createdAt: v.number() });

export async function aliasesOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof aliasRow>[]> {
  const rows = await ctx.db
    .query("modelAliases")
    .withIndex("by_alias", (q) => q.eq("organizationId", organizationId))
    .take(maxAliases);
  return rows.map(({ alias, modelId, createdAt }) => ({ alias, modelId, createdAt }));
}

export async function findAlias(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  alias: string,
): Promise<Doc<"modelAliases"> | null> {
  return await ctx.db
    .query("modelAliases")
    .withIndex("by_alias", (q) => q.eq("organizationId", organizationId).eq("alias", alias))
    .unique();
}

/**
 * Makes an alias stand for a model from now on. Returns the model before, so that the change can be undone; null for a new
 * alias. Refuses: invalid, not_found (the model), conflict (a model has this name, the model is retired, or there are too many).
 */
export async function setAlias(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  given: { readonly alias: string; readonly modelId: string },
  by: Act,
): Promise<string | null> {
  const alias = boundedText(given.alias, "The name", maxChars);
  const { modelId } = given;
  const [model, namesake, found, all] = await Promise.all([
    findModel(ctx, organizationId, modelId),
    findModel(ctx, organizationId, alias),
    findAlias(ctx, organizationId, alias),
    aliasesOf(ctx, organizationId),
  ]);
  if (model === null) return refuse("not_found", "There is no such model.");
  if (namesake !== null) refuse("conflict", `A model is called ${alias} already. Choose another name.`);
  if (!model.enabled) refuse("conflict", `${modelId} is retired. Reinstate it first.`);
  if (found?.modelId === modelId) return modelId;
  if (found === null) {
    if (all.length === maxAliases) refuse("conflict", `There are at most ${String(maxAliases)} aliases.`);
    await ctx.db.insert("modelAliases", { organizationId, alias, modelId, createdAt: by.at });
  } else await ctx.db.patch("modelAliases", found._id, { modelId });
  const detail = changesText([["model", found?.modelId, modelId]]);
  await record(ctx, { organizationId, ...by, action: "model-alias.set", subject: alias, detail });
  return found?.modelId ?? null;
}

/** Removes an alias: requests for it are refused from now on. Returns its model. Refuses: not_found. */
export async function removeAlias(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  alias: string,
  by: Act,
): Promise<string> {
  const found = await findAlias(ctx, organizationId, alias);
  if (found === null) return refuse("not_found", "There is no such alias.");
  await ctx.db.delete("modelAliases", found._id);
  const detail = changesText([["model", found.modelId, null]]);
  await record(ctx, { organizationId, ...by, action: "model-alias.removed", subject: alias, detail });
  return found.modelId;
}

/** Notes that a key used an alias. */
export async function noteAliasUse(
  ctx: MutationCtx,
  { organizationId, _id: apiKeyId }: Doc<"apiKeys">,
  alias: string,
  now: number,
): Promise<void> {
  const found = await ctx.db
    .query("aliasUses")
    .withIndex("by_key", (q) =>
      q.eq("organizationId", organizationId).eq("alias", alias).eq("apiKeyId", apiKeyId),
    )
    .unique();
  if (found === null) await ctx.db.insert("aliasUses", { organizationId, alias, apiKeyId, usedAt: now });
  else if (now - found.usedAt >= noteEveryMs) await ctx.db.patch("aliasUses", found._id, { usedAt: now });
}

/** A key that used an alias. `usedAt`: its last use, to the hour. */
export const aliasUser = v.object({ keyId: v.id("apiKeys"), name: v.string(), usedAt: v.number() });

/** The keys that used an alias and are not revoked: the 100 last ones, newest first. */
export async function usersOfAlias(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  alias: string,
): Promise<Infer<typeof aliasUser>[]> {
  const uses = await ctx.db
    .query("aliasUses")
    .withIndex("by_time", (q) => q.eq("organizationId", organizationId).eq("alias", alias))
    .order("desc")
    .take(maxUsers);
  const users = await Promise.all(
    uses.map(async ({ apiKeyId, usedAt }) => {
      const key = await ctx.db.get("apiKeys", apiKeyId);
      if (key === null || key.revokedAt !== undefined) return [];
      return [{ keyId: apiKeyId, name: visibleText(key.name), usedAt }];
    }),
  );
  return users.flat();
}
