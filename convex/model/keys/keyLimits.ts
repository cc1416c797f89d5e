import { changesText } from "../../../app/audit/changes.ts";
import { keyLimits } from "../../../app/jobs/limits.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, actorName, record } from "../audit.ts";
import { queue } from "../queue.ts";
import { boundedInteger } from "../refuse.ts";

/** Sets how many jobs of a key may run at once, and its turns for each turn of a key of weight 1. Null: the default. Refuses: invalid. */
export async function limitKey(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  {
    keyId,
    concurrency,
    weight,
  }: { readonly keyId: Id<"apiKeys">; readonly concurrency: number | null; readonly weight: number | null },
  by: Act,
): Promise<void> {
  const before = await queue.limits.get(ctx, organizationId, "requester", keyId);
  await queue.limits.set(ctx, organizationId, {
    of: "requester",
    name: keyId,
    concurrency:
      concurrency === null ? null : boundedInteger(concurrency, "concurrency", 1, keyLimits.maxConcurrency),
    weight: weight === null ? null : boundedInteger(weight, "weight", 1, keyLimits.maxWeight),
    actor: actorName(by.actor),
  });
  const detail = changesText([
    ["jobs at once", before?.concurrency ?? "any", concurrency ?? "any"],
    ["turns", before?.weight ?? 1, weight ?? 1],
  ]);
  const described = detail === "" ? {} : { detail };
  await record(ctx, { organizationId, ...by, action: "limit.set", subject: keyId, ...described });
}
