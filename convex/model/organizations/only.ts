import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";

/** The deployment's only organization. Null: it has no organization, or several. */
export async function onlyOrganization(ctx: QueryCtx): Promise<Doc<"organizations"> | null> {
  const [only = null, another] = await ctx.db.query("organizations").take(2);
  return another === undefined ? only : null;
}
