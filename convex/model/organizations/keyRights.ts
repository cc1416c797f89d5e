import { highestOf, isAbove, type JobPriority } from "../../../app/jobs/priority.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { refuse } from "../refuse.ts";

/** What an admin sets for a key. */
export type KeyRights = { readonly highestPriority: JobPriority };

/** Changes what a key may ask for. It counts for jobs that are submitted or raised from now on. */
export async function setRights(
  ctx: MutationCtx,
  { _id: subject, organizationId }: Doc<"apiKeys">,
  { highestPriority }: KeyRights,
  at: number,
): Promise<void> {
  await ctx.db.patch("apiKeys", subject, { highestPriority });
  const detail = `highest priority: ${highestPriority}`;
  await record(ctx, {
    organizationId,
    at,
    actor: "admin",
    action: "api-key.rights-changed",
    subject,
    detail,
  });
}

/** Refuses (priority_not_allowed) a priority above the highest one that the key may ask for. */
export function checkPriority(key: Doc<"apiKeys">, wanted: JobPriority): void {
  const highest = highestOf(key);
  if (!isAbove(wanted, highest)) return;
  refuse(
    "priority_not_allowed",
    `This API key may ask for ${highest} priority at most, not for ${wanted}. Ask your administrator, who can change that.`,
  );
}
