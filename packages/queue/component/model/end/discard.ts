import type { Doc, MutationCtx } from "../../builders.ts";
import { deleteBodies } from "./purge.ts";
import { isDead } from "./retry.ts";

/** Deletes a dead letter's payload now; its record stays for as long as it would. */
export async function discard(
  ctx: MutationCtx,
  job: Doc<"jobs">,
): Promise<{ kind: "discarded" } | { kind: "not-dead" }> {
  if (!isDead(job)) return { kind: "not-dead" };
  await deleteBodies(ctx, job._id);
  return { kind: "discarded" };
}
