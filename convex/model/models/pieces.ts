import { v } from "convex/values";
import type { ModelPieces } from "../../../app/models/catalogue-entry.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";

export const piecesView = v.object({ pieceBytes: v.number(), pieceHashes: v.array(v.string()) });

/** The hashes of a file's pieces; null where the organization has none. */
export async function piecesOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  sha256: string,
): Promise<Doc<"modelPieces"> | null> {
  return await ctx.db
    .query("modelPieces")
    .withIndex("by_organization_hash", (q) => q.eq("organizationId", organizationId).eq("sha256", sha256))
    .unique();
}

/** Keeps the hashes of a file's pieces; those that there were before give way. */
export async function keepPieces(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  sha256: string,
  { pieceBytes, pieceHashes }: ModelPieces,
): Promise<void> {
  const row = { pieceBytes, pieceHashes: [...pieceHashes] };
  const found = await piecesOf(ctx, organizationId, sha256);
  if (found === null) await ctx.db.insert("modelPieces", { organizationId, sha256, ...row });
  else await ctx.db.patch("modelPieces", found._id, row);
}
