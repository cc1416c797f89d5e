import { type Infer, v } from "convex/values";
import { type Change, changesText } from "../../../app/audit/changes.ts";
import { mistakeInWords } from "../../../app/format/mistake.ts";
import { type CatalogEntry, catalogEntry } from "../../../app/models/catalog-entry.ts";
import { formatPrice } from "../../../app/money/credits.ts";
import { piecesText } from "../../../app/signatures/catalog.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { hashSecret as sha256 } from "../authenticate.ts";
import { refuse } from "../refuse.ts";
import { price } from "../validators/prices.ts";
import { findAlias } from "./aliases.ts";
import { allModels, findModel, keepPieces, maxModels, modelEntry, piecesView } from "./catalog.ts";
import { endJobsOfModel } from "./endJobs.ts";
import { priceAt } from "./prices.ts";
import { addVersion, checkedPrice } from "./priceVersions.ts";
import { changeCatalog } from "./signCatalog.ts";

/** A new entry of the catalog; app/models/catalog-entry.ts has its bounds. */
export const newEntry = v.object({ ...modelEntry, pieces: v.union(piecesView, v.null()) });

/** Refuses (invalid) an entry that is out of bounds, and names the field. */
function checkedEntry(given: Infer<typeof newEntry>): CatalogEntry {
  const parsed = catalogEntry.safeParse(given, { error: mistakeInWords });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") ?? "";
  return refuse("invalid", `${field === "" ? "The model" : field}: ${issue?.message ?? "is out of bounds"}.`);
}

/** Adds a model to the catalog, and returns its name. Refuses: invalid, conflict (the name is taken, or there are too many). */
export async function addModel(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  given: { readonly entry: Infer<typeof newEntry>; readonly price: Infer<typeof price> },
  by: Act,
): Promise<string> {
  const { pieces, template, ...entry } = checkedEntry(given.entry);
  if ((await findModel(ctx, organizationId, entry.modelId)) !== null) {
    refuse("conflict", `A model called ${entry.modelId} exists already. Choose another name.`);
  }
  if ((await findAlias(ctx, organizationId, entry.modelId)) !== null) {
    refuse("conflict", `${entry.modelId} is an alias of a model. Choose another name.`);
  }
  if ((await allModels(ctx, organizationId)).length === maxModels) {
    refuse("conflict", `A catalog has at most ${String(maxModels)} models, retired ones included.`);
  }
  const pieceFields =
    pieces === null
      ? {}
      : { pieceCount: pieces.pieceHashes.length, piecesHash: await sha256(piecesText(pieces)) };
  const row = {
    organizationId,
    ...entry,
    ...(template === null ? {} : { template }),
    ...pieceFields,
    price: checkedPrice(given.price),
    enabled: true,
    createdAt: by.at,
  };
  await changeCatalog(ctx, organizationId, by.at, async () => {
    await ctx.db.insert("models", row);
  });
  const first = { kind: "model", modelId: entry.modelId, price: row.price } as const;
  await addVersion(ctx, organizationId, first, { from: null, why: null }, by);
  if (pieces !== null) await keepPieces(ctx, organizationId, entry.sha256, pieces);
  const detail = `${entry.source}, ${String(entry.sizeBytes)} bytes, SHA-256 ${entry.sha256}`;
  await record(ctx, {
    organizationId,
    ...by,
    action: "model.added",
    subject: entry.modelId,
    detail,
  });
  return entry.modelId;
}

/** The changes that a model allows. Its name and its file stay. */
export const modelChange = v.object({
  source: v.optional(v.string()),
  licence: v.optional(v.string()),
  contextTokens: v.optional(v.number()),
  template: v.optional(v.union(v.string(), v.null())),
  price: v.optional(price),
});

/** Changes a model's price, source and use. Refuses: invalid. */
export async function changeModel(
  ctx: MutationCtx,
  model: Doc<"models">,
  change: Infer<typeof modelChange>,
  by: Act,
): Promise<void> {
  const { modelId, sha256, sizeBytes, organizationId } = model;
  const { template, ...entry } = checkedEntry({
    modelId,
    sha256,
    sizeBytes,
    pieces: null,
    source: change.source ?? model.source,
    licence: change.licence ?? model.licence ?? "",
    contextTokens: change.contextTokens ?? model.contextTokens,
    template: change.template === undefined ? (model.template ?? null) : change.template,
  });
  const { source, licence, contextTokens } = entry;
  const { value: valid } = priceAt(model, by.at);
  const changed = {
    source,
    licence,
    contextTokens,
    template: template ?? undefined,
    price: change.price === undefined ? valid : checkedPrice(change.price),
  };
  const changes = differences({ ...model, price: valid }, changed);
  if (changes === "") return;
  const { price: wanted, ...others } = changed;
  await changeCatalog(ctx, organizationId, by.at, () => ctx.db.patch("models", model._id, others));
  if (wanted.promptMicro !== valid.promptMicro || wanted.completionMicro !== valid.completionMicro) {
    const ofOne = { kind: "model", modelId, price: wanted } as const;
    await addVersion(ctx, organizationId, ofOne, { from: null, why: null }, by);
  }
  await record(ctx, {
    organizationId,
    ...by,
    action: "model.changed",
    subject: modelId,
    detail: changes,
  });
}

/**
 * Retires a model or reinstates it. Devices may delete the file of a retired one, and new jobs for it are refused. Waiting
 * jobs end with an error, and running ones may finish.
 */
export async function enableModel(
  ctx: MutationCtx,
  { _id, modelId, organizationId, enabled: was }: Doc<"models">,
  enabled: boolean,
  by: Act,
): Promise<void> {
  if (was === enabled) return;
  await changeCatalog(ctx, organizationId, by.at, () => ctx.db.patch("models", _id, { enabled }));
  if (!enabled) await endJobsOfModel(ctx, organizationId, modelId);
  await record(ctx, {
    organizationId,
    ...by,
    action: enabled ? "model.reinstated" : "model.retired",
    subject: modelId,
  });
}

function differences(
  model: Doc<"models">,
  changed: Pick<Doc<"models">, "source" | "contextTokens" | "price"> & {
    readonly licence: string;
    readonly template: string | undefined;
  },
): string {
  const priceOf = ({ promptMicro, completionMicro }: Doc<"models">["price"]): string =>
    `${formatPrice(promptMicro)} + ${formatPrice(completionMicro)}`;
  // A template is a page of text, so only its presence is listed.
  const templateOf = (template: string | undefined): string =>
    template === undefined ? "the file's" : "own";
  const template: Change =
    model.template !== undefined && changed.template !== undefined && model.template !== changed.template
      ? ["template", "own", "another"]
      : ["template", templateOf(model.template), templateOf(changed.template)];
  return changesText([
    ["source", model.source, changed.source],
    ["licence", model.licence, changed.licence],
    ["context", model.contextTokens, changed.contextTokens],
    ["price per 1,000 tokens", priceOf(model.price), priceOf(changed.price)],
    template,
  ]);
}
