import { type Infer, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel.js";
import { mutation, query, type QueryCtx } from "./_generated/server.js";
import { authenticateSession } from "./model/authenticate.ts";
import { allModels, findModel, offered, offeredModel } from "./model/models/catalog.ts";
import { addModel, changeModel, enableModel, modelChange, newEntry } from "./model/models/change.ts";
import {
  countFleet,
  countOf,
  devicesOfModel,
  fleetCounts,
  fleetOf,
  modelDeviceRow,
} from "./model/models/fleet.ts";
import { refuse } from "./model/refuse.ts";
import { price } from "./model/validators.ts";

const modelRow = v.object({
  ...offeredModel.fields,
  /** The number of known piece hashes. With 0 the file is checked as a whole and not shared. */
  pieceCount: v.number(),
  price,
  retired: v.boolean(),
  createdAt: v.number(),
  fleet: fleetCounts,
});

/** The catalog, retired models included, with counts of each model in the fleet. */
export const list = query({
  args: { session: v.string() },
  returns: v.array(modelRow),
  handler: async (ctx, { session }) => {
    const { organizationId } = await authenticateSession(ctx, session);
    const [models, fleet] = await Promise.all([allModels(ctx, organizationId), fleetOf(ctx, organizationId)]);
    const counts = countFleet(fleet);
    return models.map((model): Infer<typeof modelRow> => ({
      ...offered(model),
      pieceCount: model.pieceCount ?? 0,
      price: model.price,
      retired: !model.enabled,
      createdAt: model.createdAt,
      fleet: counts.get(model.modelId) ?? countOf([]),
    }));
  },
});

/** The devices that reported a model, at most 300. Devices that are not ready with it come first. */
export const devices = query({
  args: { session: v.string(), modelId: v.string() },
  returns: v.array(modelDeviceRow),
  handler: async (ctx, { session, modelId }) => {
    const { organizationId } = await authenticateSession(ctx, session);
    return await devicesOfModel(ctx, organizationId, modelId);
  },
});

/** Adds a model. Refuses: unauthorized, invalid (names the wrong field), conflict (the name is taken). */
export const add = mutation({
  args: { session: v.string(), entry: newEntry, price },
  returns: v.null(),
  handler: async (ctx, { session, ...given }) => {
    const now = Date.now();
    const { organizationId } = await authenticateSession(ctx, session, now);
    await addModel(ctx, organizationId, given, "admin", now);
    return null;
  },
});

/** Changes a model. Its name and file stay: for another file, add another model and retire this one. */
export const change = mutation({
  args: { session: v.string(), modelId: v.string(), change: modelChange },
  returns: v.null(),
  handler: async (ctx, { session, modelId, change: wanted }) => {
    const now = Date.now();
    const { organizationId } = await authenticateSession(ctx, session, now);
    await changeModel(ctx, await ownedModel(ctx, organizationId, modelId), wanted, now);
    return null;
  },
});

/** Retires a model: new requests for it are refused, and devices may delete its file. */
export const retire = mutation({
  args: { session: v.string(), modelId: v.string() },
  returns: v.null(),
  handler: async (ctx, { session, modelId }) => {
    const now = Date.now();
    const { organizationId } = await authenticateSession(ctx, session, now);
    await enableModel(ctx, await ownedModel(ctx, organizationId, modelId), false, now);
    return null;
  },
});

/** Puts a retired model back into the catalog. */
export const reinstate = mutation({
  args: { session: v.string(), modelId: v.string() },
  returns: v.null(),
  handler: async (ctx, { session, modelId }) => {
    const now = Date.now();
    const { organizationId } = await authenticateSession(ctx, session, now);
    await enableModel(ctx, await ownedModel(ctx, organizationId, modelId), true, now);
    return null;
  },
});

async function ownedModel(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  modelId: string,
): Promise<Doc<"models">> {
  const found = await findModel(ctx, organizationId, modelId);
  return found ?? refuse("not_found", "There is no such model.");
}
