import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { refuse } from "../refuse.ts";

const maxOrganizations = 100;

/** This deployment's organizations, the oldest first. */
export async function allOrganizations(ctx: QueryCtx): Promise<Doc<"organizations">[]> {
  return await ctx.db.query("organizations").take(maxOrganizations);
}

/** The named organization, or the only one there is. */
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
