import type { ActionCtx } from "../../_generated/server.js";
import { type Outcome, outcomeOf } from "../outcome.ts";
import type { StoredPart } from "./readParts.ts";

/** Stores content, and adds it by a mutation. If that does not succeed, the content is deleted again. */
export async function storePart<Added>(
  ctx: ActionCtx,
  content: Blob,
  add: (part: StoredPart) => Promise<Added>,
): Promise<Outcome<Added>> {
  const storageId = await ctx.storage.store(content);
  const added = await outcomeOf(add({ storageId, bytes: content.size }));
  if (added.kind !== "ok") await ctx.storage.delete(storageId);
  return added;
}
