import { type Infer, v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { refuse } from "../refuse.ts";
import { price } from "../validators.ts";
import { maxModels } from "./catalog.ts";
import { checkedEntry, checkedPrice, type newEntry } from "./entry.ts";
import { keepPieces } from "./pieces.ts";

export type Actor = "admin" | "setup";

/** Adds a model to the catalogue. Refuses: invalid, conflict (the name is taken, or there are too many). */
export async function addModel(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  given: { readonly entry: Infer<typeof newEntry>; readonly price: Infer<typeof price> },
  actor: Actor,
  now: number,
): Promise<void> {
  const { pieces, template, ...entry } = checkedEntry(given.entry);
  if ((await findModel(ctx, organizationId, entry.modelId)) !== null) {
    refuse("conflict", `There is a model called ${entry.modelId} already. Choose another name.`);
  }
  const rows = await ctx.db
    .query("models")
    .withIndex("by_organization_model", (q) => q.eq("organizationId", organizationId))
    .take(maxModels);
  if (rows.length === maxModels) {
    refuse(
      "conflict",
      `A catalogue holds at most ${String(maxModels)} models, with those that were retired.`,
    );
  }
  await ctx.db.insert("models", {
    organizationId,
    ...entry,
    ...(template === null ? {} : { template }),
    ...(pieces === null ? {} : { pieceCount: pieces.pieceHashes.length }),
    price: checkedPrice(given.price),
    enabled: true,
    createdAt: now,
  });
  if (pieces !== null) await keepPieces(ctx, organizationId, entry.sha256, pieces);
  const detail = `${entry.source}, ${String(entry.sizeBytes)} bytes, SHA-256 ${entry.sha256}`;
  await record(ctx, {
    ...{ organizationId, at: now, actor },
    ...{ action: "model.added", subject: entry.modelId, detail },
  });
}

/** What can be changed of a model: all but its name and its file. */
export const modelChange = v.object({
  source: v.optional(v.string()),
  licence: v.optional(v.string()),
  contextTokens: v.optional(v.number()),
  template: v.optional(v.union(v.string(), v.null())),
  price: v.optional(price),
});

/** Changes what a model costs, where it comes from and how it is used. Refuses: invalid. */
export async function changeModel(
  ctx: MutationCtx,
  model: Doc<"models">,
  change: Infer<typeof modelChange>,
  now: number,
): Promise<void> {
  const { modelId, sha256, sizeBytes, organizationId } = model;
  const { template, ...entry } = checkedEntry({
    ...{ modelId, sha256, sizeBytes, pieces: null },
    source: change.source ?? model.source,
    licence: change.licence ?? model.licence ?? "",
    contextTokens: change.contextTokens ?? model.contextTokens,
    template: change.template === undefined ? (model.template ?? null) : change.template,
  });
  const { source, licence, contextTokens } = entry;
  const changed = {
    ...{ source, licence, contextTokens },
    template: template ?? undefined,
    price: change.price === undefined ? model.price : checkedPrice(change.price),
  };
  const changes = differences(model, changed);
  if (changes.length === 0) return;
  await ctx.db.patch("models", model._id, changed);
  await record(ctx, {
    ...{ organizationId, at: now, actor: "admin" as const },
    ...{ action: "model.changed", subject: modelId, detail: changes.join("; ") },
  });
}

/** Takes a model out of the catalogue, or puts it back. Devices give its file up; jobs that ask for it are refused. */
export async function enableModel(
  ctx: MutationCtx,
  { _id, modelId, organizationId, enabled: was }: Doc<"models">,
  enabled: boolean,
  now: number,
): Promise<void> {
  if (was === enabled) return;
  await ctx.db.patch("models", _id, { enabled });
  await record(ctx, {
    ...{ organizationId, at: now, actor: "admin" as const },
    ...{ action: enabled ? "model.reinstated" : "model.retired", subject: modelId },
  });
}

/** The organization's model of that name, retired ones included. */
export async function findModel(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  modelId: string,
): Promise<Doc<"models"> | null> {
  return await ctx.db
    .query("models")
    .withIndex("by_organization_model", (q) => q.eq("organizationId", organizationId).eq("modelId", modelId))
    .unique();
}

function differences(
  model: Doc<"models">,
  changed: Pick<Doc<"models">, "source" | "contextTokens" | "price"> & {
    readonly licence: string;
    readonly template: string | undefined;
  },
): string[] {
  const priceOf = ({ promptMicro, completionMicro }: Doc<"models">["price"]): string =>
    `${String(promptMicro)} + ${String(completionMicro)}`;
  const rows: readonly (readonly [string, string, string])[] = [
    ["source", model.source, changed.source],
    ["licence", model.licence ?? "", changed.licence],
    ["context", String(model.contextTokens), String(changed.contextTokens)],
    ["price", priceOf(model.price), priceOf(changed.price)],
  ];
  const said = rows.flatMap(([what, before, after]) =>
    before === after ? [] : [`${what} ${before} → ${after}`],
  );
  // A template is a page of text: that it changed is enough to know.
  return model.template === changed.template ? said : [...said, "template"];
}
