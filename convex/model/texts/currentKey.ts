import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { unwrap } from "./masterKey.ts";

/** A data key that is in use, with its id, by which ciphertexts name it. */
export type OpenKey = { readonly id: Id<"dataKeys">; readonly bytes: Uint8Array };

/** The key with which an organization's texts are encrypted. It is not destroyed. Null: it has none yet. */
export async function currentKey(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"dataKeys"> | null> {
  return await ctx.db
    .query("dataKeys")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("destroyedAt", undefined))
    .first();
}

/** A key's bytes. Null if it was destroyed, or if the deployment lacks its master key. */
export function bytesOfKey({ wrapped, organizationId }: Doc<"dataKeys">): Uint8Array | null {
  return wrapped === undefined ? null : unwrap(wrapped, purposeOf(organizationId));
}

/** Binds a stored data key to its organization. */
export function purposeOf(organizationId: Id<"organizations">): string {
  return `data key ${organizationId}`;
}
