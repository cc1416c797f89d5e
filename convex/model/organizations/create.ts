import { type Infer, v } from "convex/values";
import { limits } from "../../../app/jobs/limits.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { createLink } from "./signIn.ts";
import { record } from "../audit.ts";
import { createCode } from "../devices/enrollmentCodes.ts";
import { createKey } from "./apiKeys.ts";
import { addModel } from "../models/change.ts";
import { piecesView } from "../models/pieces.ts";
import { boundedText } from "../refuse.ts";
import { modelSource } from "../validators.ts";

export const newModel = v.object({
  modelId: v.string(),
  sha256: v.string(),
  sizeBytes: v.number(),
  contextTokens: v.number(),
  source: modelSource,
  licence: v.optional(v.string()),
  template: v.optional(v.union(v.string(), v.null())),
  pieces: v.optional(v.union(piecesView, v.null())),
  promptMicro: v.int64(),
  completionMicro: v.int64(),
});

export const newOrganization = {
  name: v.string(),
  signInTokenHash: v.string(),
  apiKeyHash: v.string(),
  apiKeyName: v.string(),
  apiKeyPrefix: v.string(),
  enrolmentCodeHash: v.string(),
  model: newModel,
  creditsMicro: v.int64(),
};

/** What a caller need not say of the first model. */
const unsaid = { licence: "", template: null, pieces: null };

const firstCodeUses = 1_000;
const firstCodeHours = 24 * 30;

/** An organization with all that its first day needs: an admin's link, a key, a code, a model, credits. */
export async function createOrganization(
  ctx: MutationCtx,
  wanted: {
    readonly name: string;
    readonly signInTokenHash: string;
    readonly apiKeyHash: string;
    readonly apiKeyName: string;
    readonly apiKeyPrefix: string;
    readonly enrolmentCodeHash: string;
    readonly model: Infer<typeof newModel>;
    readonly creditsMicro: bigint;
  },
  now: number,
): Promise<Id<"organizations">> {
  const name = boundedText(wanted.name, "The organization's name", limits.nameChars);
  const organizationId = await ctx.db.insert("organizations", { name, createdAt: now });
  await record(ctx, {
    organizationId,
    at: now,
    actor: "setup",
    action: "organization.created",
    subject: organizationId,
  });
  await createLink(ctx, organizationId, wanted.signInTokenHash, now);
  await createKey(
    ctx,
    {
      organizationId,
      keyHash: wanted.apiKeyHash,
      name: wanted.apiKeyName,
      prefix: wanted.apiKeyPrefix,
      creditsMicro: wanted.creditsMicro,
    },
    "setup",
    now,
  );
  await createCode(
    ctx,
    {
      organizationId,
      codeHash: wanted.enrolmentCodeHash,
      label: "First devices",
      uses: firstCodeUses,
      expiresInHours: firstCodeHours,
    },
    "setup",
    now,
  );
  const { promptMicro, completionMicro, ...entry } = wanted.model;
  const price = { promptMicro, completionMicro };
  await addModel(ctx, organizationId, { entry: { ...unsaid, ...entry }, price }, "setup", now);
  return organizationId;
}
