import type { MutationCtx } from "../../_generated/server.js";
import { allOrganizations } from "../setup/organizations.ts";
import { rotateSecret, secretMs } from "../devices/sharing.ts";

/** Replaces each organization's secret that has had its week, and makes those that are missing. */
export async function rotateDue(ctx: MutationCtx, now: number): Promise<void> {
  for (const { _id: organizationId } of await allOrganizations(ctx)) {
    const found = await ctx.db
      .query("sharingSecrets")
      .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
      .unique();
    if (found === null || found.rotatedAt + secretMs <= now) {
      await rotateSecret(ctx, organizationId, "routine", now);
    }
  }
}
