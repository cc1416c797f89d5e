import { type Infer, v } from "convex/values";
import type { Doc } from "../_generated/dataModel.js";
import type { QueryCtx } from "../_generated/server.js";
import { type MemberCtx, memberMutation, memberQuery, visibleOwners } from "../model/memberCalls.ts";
import { allModels, findModel, offered, offeredModel } from "../model/models/catalog.ts";
import { addModel, changeModel, enableModel, modelChange, newEntry } from "../model/models/change.ts";
import { countFleet, countOf, devicesOfModel, fleetCounts, modelDeviceRow } from "../model/models/fleet.ts";
import { inspect as inspectLink, inspectionOf } from "../model/models/inspection.ts";
import { offerOf, setOffer, shelfOffer } from "../model/models/offer.ts";
import { priceAt } from "../model/models/prices.ts";
import { signatureOf } from "../model/models/signCatalog.ts";
import { priorityPricesOf, setPriorityPrices as setPrices } from "../model/organizations/priorityPrices.ts";
import { impactOfRetirement, retirementImpact } from "../model/organizations/retirement.ts";
import { present, refuse } from "../model/refuse.ts";
import { restRollout, startRollout } from "../model/rollouts/act.ts";
import { inspectionOutcome, rolloutPace, stageSize } from "../model/validators/models.ts";
import { price, priorityPrices as prices } from "../model/validators/prices.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const modelRow = v.object({
  ...offeredModel.fields,
  /** The number of known piece hashes. With 0 only the whole file is checked, and only complete files are shared. */
  pieceCount: v.number(),
  price,
  retired: v.boolean(),
  createdAt: v.number(),
  fleet: fleetCounts,
});

/** The catalog, retired models included, with counts of each model in the fleet. */
export const list = memberQuery("models.read")({
  args: {},
  returns: v.array(modelRow),
  handler: async (ctx) => {
    const { organizationId } = ctx;
    const now = Date.now();
    const [models, counts] = await Promise.all([
      allModels(ctx, organizationId),
      countFleet(ctx, organizationId),
    ]);
    return models.map((model): Infer<typeof modelRow> => ({
      ...offered(model),
      pieceCount: model.pieceCount ?? 0,
      price: priceAt(model, now).value,
      retired: !model.enabled,
      createdAt: model.createdAt,
      fleet: counts.get(model.modelId) ?? countOf([], null),
    }));
  },
});

/** The public key that signs the catalog; null if it is not signed. Devices show the same. */
export const signingKey = memberQuery("models.read")({
  args: {},
  returns: v.union(v.string(), v.null()),
  handler: async (ctx) => (await signatureOf(ctx, ctx.organizationId))?.publicKey ?? null,
});

/** The devices that reported a model and that the member may see, at most 300. Those that are not ready with it come first. */
export const devices = memberQuery("devices.read")({
  args: { modelId: v.string() },
  returns: v.array(modelDeviceRow),
  handler: async (ctx, { modelId }) =>
    await devicesOfModel(ctx, ctx.organizationId, visibleOwners(ctx), modelId),
});

/** Begins to read the facts about a model from its file. `inspection` tells them. Refuses: invalid. */
export const inspect = memberMutation("models.change")({
  args: { link: v.string() },
  returns: v.null(),
  handler: async (ctx, { link }) => {
    await inspectLink(ctx, ctx.member, link);
    return null;
  },
});

/** The member's last inspection. `outcome` is null while the file is being read. */
export const inspection = memberQuery("models.change")({
  args: {},
  returns: v.union(v.object({ link: v.string(), outcome: v.union(inspectionOutcome, v.null()) }), v.null()),
  handler: async (ctx) => {
    const found = await inspectionOf(ctx, ctx.member._id);
    return found === null ? null : { link: found.link, outcome: found.outcome ?? null };
  },
});

/** A model of the shelf for an organization without a model of its own; null once it has one or somebody dismissed the offer. */
export const offer = memberQuery("models.change")({
  args: {},
  returns: v.union(shelfOffer, v.null()),
  handler: async (ctx) => await offerOf(ctx, ctx.organizationId),
});

/** Dismisses the offer, or shows it again. */
export const showOffer = memberMutation("models.change")({
  args: { isShown: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { isShown }) => {
    await setOffer(ctx, ctx.organizationId, isShown, ctx.by);
    return null;
  },
});

/**
 * Adds a model, for all devices at once or in stages. Refuses: unauthorized, invalid (names the wrong field), conflict (the name
 * is taken).
 */
export const add = memberMutation("models.change")({
  args: {
    entry: newEntry,
    price,
    rollout: v.optional(v.object({ sizes: v.array(stageSize), pace: rolloutPace })),
  },
  returns: v.null(),
  handler: async (ctx, { rollout, ...given }) => {
    const modelId = await addModel(ctx, ctx.organizationId, given, ctx.by);
    if (rollout === undefined) return null;
    const added = present(await findModel(ctx, ctx.organizationId, modelId), "added model");
    await startRollout(ctx, added, rollout, true, ctx.by);
    return null;
  },
});

/** Changes a model. Its name and file stay: for another file, add another model and retire this one. */
export const change = memberMutation("models.change")({
  args: { modelId: v.string(), change: modelChange },
  returns: v.null(),
  handler: async (ctx, { modelId, change: wanted }) => {
    await changeModel(ctx, await ownedModel(ctx, modelId), wanted, ctx.by);
    return null;
  },
});

/** The jobs, aliases and devices that retiring a model would touch now. Refuses: not_found. */
export const impact = memberQuery("models.change")({
  args: { modelId: v.string() },
  returns: retirementImpact,
  handler: async (ctx, { modelId }) =>
    await impactOfRetirement(ctx, ctx.organizationId, (await ownedModel(ctx, modelId)).modelId),
});

/** Retires a model: new requests for it are refused, and devices may delete its file. */
export const retire = memberMutation("models.change")({
  args: { modelId: v.string() },
  returns: v.null(),
  handler: async (ctx, { modelId }) => {
    const model = await ownedModel(ctx, modelId);
    await restRollout(ctx, { ...model, enabled: false });
    await enableModel(ctx, model, false, ctx.by);
    return null;
  },
});

/** Puts a retired model back into the catalog. */
export const reinstate = memberMutation("models.change")({
  args: { modelId: v.string() },
  returns: v.null(),
  handler: async (ctx, { modelId }) => {
    const model = await ownedModel(ctx, modelId);
    await restRollout(ctx, { ...model, enabled: true });
    await enableModel(ctx, model, true, ctx.by);
    return null;
  },
});

async function ownedModel(ctx: QueryCtx & MemberCtx, modelId: string): Promise<Doc<"models">> {
  const found = await findModel(ctx, ctx.organizationId, modelId);
  return found ?? refuse("not_found", "There is no such model.");
}

/** What jobs cost because of their priority, in percent of the models' prices. */
export const priorityPrices = memberQuery("models.read")({
  args: {},
  returns: prices,
  handler: async (ctx) => await priorityPricesOf(ctx, ctx.organizationId, Date.now()),
});

/**
 * Sets them for jobs that are submitted, or raised, from now on. Refuses: invalid.
 * @returns the prices before. The same call with them undoes the change.
 */
export const setPriorityPrices = memberMutation("money.change")({
  args: prices.fields,
  returns: prices,
  handler: async (ctx, wanted) => await setPrices(ctx, ctx.organizationId, wanted, ctx.by),
});
