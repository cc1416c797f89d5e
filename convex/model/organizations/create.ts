import { type Infer, type ObjectType, v } from "convex/values";
import { limits } from "../../../app/jobs/limits.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { createCode } from "../devices/enrollmentCodes.ts";
import { createKey } from "../keys/apiKeys.ts";
import { addModel, newEntry } from "../models/change.ts";
import { firstOwner } from "../people/members.ts";
import { createLink } from "../people/signIn.ts";
import { boundedText, refuse } from "../refuse.ts";
import { masterKey } from "../texts/masterKey.ts";
import { price } from "../validators/prices.ts";

const { modelId, sha256, sizeBytes, contextTokens, source, licence, template, pieces } = newEntry.fields;

/** The first model of the catalog, with its price. */
const newModel = v.object({
  modelId,
  sha256,
  sizeBytes,
  contextTokens,
  source,
  licence: v.optional(licence),
  template: v.optional(template),
  pieces: v.optional(pieces),
  ...price.fields,
});

export const newOrganization = {
  name: v.string(),
  signInTokenHash: v.string(),
  apiKeyHash: v.string(),
  apiKeyName: v.string(),
  apiKeyPrefix: v.string(),
  enrollmentCodeHash: v.string(),
  /** Devices that the first code admits, 1 by default. */
  enrollmentCodeUses: v.optional(v.number()),
  model: newModel,
  creditsMicro: v.int64(),
};

/** Creates an organization and all it needs to start: an owner with a sign-in link, an API key with credits, a code and a model. */
export async function createOrganization(
  ctx: MutationCtx,
  wanted: ObjectType<typeof newOrganization>,
  now: number,
): Promise<Id<"organizations">> {
  const name = boundedText(wanted.name, "The organization's name", limits.nameChars);
  const organizationId = await ctx.db.insert("organizations", { name, createdAt: now });
  if (masterKey() !== null) await ctx.scheduler.runAfter(0, internal.data.keys.makeFirst, { organizationId });
  const by: Act = { actor: "setup", at: now };
  await record(ctx, { organizationId, ...by, action: "organization.created", subject: organizationId });
  await createLink(ctx, await firstOwner(ctx, organizationId, now), wanted.signInTokenHash, by);
  const key = {
    organizationId,
    keyHash: wanted.apiKeyHash,
    name: wanted.apiKeyName,
    prefix: wanted.apiKeyPrefix,
    creditsMicro: wanted.creditsMicro,
  };
  await createKey(ctx, key, by);
  const code = {
    organizationId,
    codeHash: wanted.enrollmentCodeHash,
    label: "First devices",
    ...(wanted.enrollmentCodeUses === undefined ? {} : { uses: wanted.enrollmentCodeUses }),
  };
  await createCode(ctx, code, by);
  await addFirstModel(ctx, organizationId, wanted.model, by);
  return organizationId;
}

async function addFirstModel(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  { promptMicro, completionMicro, ...given }: Infer<typeof newModel>,
  by: Act,
): Promise<void> {
  const entry = { licence: "", template: null, pieces: null, ...given };
  await addModel(ctx, organizationId, { entry, price: { promptMicro, completionMicro } }, by);
}

const maxOrganizations = 100;

/** This deployment's organizations, oldest first. */
export async function allOrganizations(ctx: QueryCtx): Promise<Doc<"organizations">[]> {
  return await ctx.db.query("organizations").take(maxOrganizations);
}

/** The organization with this id or, without an id, the deployment's only one. Refuses: not_found, invalid. */
export async function chosenOrganization(
  ctx: QueryCtx,
  organizationId: Id<"organizations"> | undefined,
): Promise<Id<"organizations">> {
  if (organizationId !== undefined) {
    return (
      (await ctx.db.get("organizations", organizationId))?._id ?? refuse("not_found", "No such organization.")
    );
  }
  const [only, another] = await allOrganizations(ctx);
  if (only === undefined) refuse("not_found", "There is no organization yet: run setup.createOrganization.");
  if (another !== undefined)
    refuse("invalid", "There are several organizations: name one by organizationId.");
  return only._id;
}
