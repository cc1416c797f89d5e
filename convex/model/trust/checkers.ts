import type { WorkerView } from "@gleaner/queue/validators";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";

/** The devices that are read, online ones first. Mostly one of the first can check. */
const pageSizes = [10, 100, 200] as const;

/**
 * Whether a device in service that is online could replay answers of a model, beside those that may not. In a larger fleet than is
 * read, there is one.
 */
export async function hasChecker(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  modelId: string,
  without: readonly Id<"devices">[],
): Promise<boolean> {
  const isAble = ({ status, online, externalId, capabilities }: WorkerView): boolean =>
    status === "active" &&
    online &&
    externalId !== null &&
    !without.some((deviceId) => deviceId === externalId) &&
    capabilities?.kinds.includes("replay") === true &&
    (capabilities.models ?? []).includes(modelId);
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
