import { isGiven } from "@gleaner/queue";
import type { WorkerView } from "@gleaner/queue/validators";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";

/** The devices that are read, online ones first. Mostly one of the first can check. */
const pageSizes = [10, 100, 200] as const;

/**
 * Whether a device in service that is online could replay an answer, beside those that may not. It may read the text only if it could
 * have got the job. In a larger fleet than is read, there is one.
 */
export async function hasChecker(
  ctx: QueryCtx,
  { organizationId, jobId, modelId }: Doc<"orders">,
  without: readonly Id<"devices">[],
): Promise<boolean> {
  const needs = (await queue.status(ctx, organizationId, jobId))?.requirements ?? {};
  const isAble = (worker: WorkerView): boolean => {
    const { status, online, externalId, capabilities } = worker;
    return (
      status === "active" &&
      online &&
      isGiven(worker, needs) &&
      externalId !== null &&
      !without.some((deviceId) => deviceId === externalId) &&
      capabilities?.kinds.includes("replay") === true &&
      (capabilities.models ?? []).includes(modelId)
    );
  };
  let cursor: string | null = null;
  for (const numItems of pageSizes) {
    const found: { readonly page: readonly WorkerView[]; readonly isDone: boolean; continueCursor: string } =
      await queue.workers.list(ctx, organizationId, { paginationOpts: { numItems, cursor } });
    if (found.page.some(isAble)) return true;
    if (found.isDone) return false;
    cursor = found.continueCursor;
  }
  return true;
}
