import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { findModel } from "../models/catalog.ts";
import { type Answer, readVector } from "./answer.ts";

/**
 * Returns the mistake in the length of an answer's vectors; null if none is known. All vectors of a model have one length.
 * It is known once two devices have sent the same, and written only until then.
 */
export async function lengthMistake(
  ctx: MutationCtx,
  { organizationId, modelId }: Pick<Doc<"orders">, "organizationId" | "modelId">,
  { _id: deviceId }: Doc<"devices">,
  { result }: Answer,
): Promise<string | null> {
  if (!("embeddings" in result)) return null;
  const model = await findModel(ctx, organizationId, modelId);
  const length = readVector(result.embeddings[0] ?? "")?.length;
  if (model === null || length === undefined) return null;
  const { sha256 } = model;
  const known = await ctx.db
    .query("vectorLengths")
    .withIndex("by_organization_hash", (q) => q.eq("organizationId", organizationId).eq("sha256", sha256))
    .unique();
  if (known === null) {
    await ctx.db.insert("vectorLengths", { organizationId, sha256, length, deviceId, agreed: false });
    return null;
  }
  if (known.agreed)
    return known.length === length ? null : "The vectors have another length than the model's.";
  if (known.length !== length) await ctx.db.patch("vectorLengths", known._id, { length, deviceId });
  else if (known.deviceId !== deviceId) await ctx.db.patch("vectorLengths", known._id, { agreed: true });
  return null;
}
