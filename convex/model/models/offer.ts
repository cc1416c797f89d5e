import { type Infer, v } from "convex/values";
import { jobBytesOf } from "../../../app/devices/filter.ts";
import { offerFor } from "../../../app/models/shelf.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { fleetCountsOf } from "../fleet/counts.ts";
import { present } from "../refuse.ts";
import { allModels } from "./catalog.ts";

/** Up to this number, the devices' memory is looked at. A large fleet's changes must not run this again. */
const maxDevices = 40;

/** A model of the shelf. `fitting`: how many of the devices could run it; null in a large fleet. */
export const shelfOffer = v.object({
  name: v.string(),
  link: v.string(),
  downloadGb: v.number(),
  memoryGb: v.number(),
  devices: v.number(),
  fitting: v.union(v.number(), v.null()),
});

/** The model that is offered to an organization. Null if it has a model that does not come with the program. */
export async function offerOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof shelfOffer> | null> {
  const organization = present(await ctx.db.get("organizations", organizationId), "organization");
  if (organization.offerDismissed === true) return null;
  const models = await allModels(ctx, organizationId);
  if (models.some(({ source }) => source !== "bundled")) return null;
  const { states } = await fleetCountsOf(ctx, organizationId);
  const counted = Object.values(states).reduce((sum, devices) => sum + devices, 0);
  const isLarge = counted > maxDevices;
  const { model, devices, fitting } = offerFor(isLarge ? [] : await memoriesOf(ctx, organizationId));
  const { name, link, downloadGb, memoryGb } = model;
  const fits = isLarge ? { devices: counted, fitting: null } : { devices, fitting };
  return { name, link, downloadGb, memoryGb, ...fits };
}

/** The memory for jobs of each device in service, in bytes. 0 where it is unknown. */
async function memoriesOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<readonly number[]> {
  const devices = await ctx.db
    .query("deviceListings")
    .withIndex("by_name", (q) => q.eq("organizationId", organizationId))
    .take(maxDevices);
  return devices.map(jobBytesOf).filter((bytes) => bytes !== null);
}

/** Dismisses the offer, or shows it again. */
export async function setOffer(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  isShown: boolean,
  by: Act,
): Promise<void> {
  const before = present(await ctx.db.get("organizations", organizationId), "organization");
  if ((before.offerDismissed !== true) === isShown) return;
  await ctx.db.patch("organizations", organizationId, { offerDismissed: isShown ? undefined : true });
  const action = isShown ? "model-offer.restored" : "model-offer.dismissed";
  await record(ctx, { organizationId, ...by, action, subject: "shelf" });
}
