import { parseCacheOwner, parseWork } from "../../../../app/jobs/payload/payload.ts";
import { type CanaryShape, shapeOf } from "../../../../app/trust/canaries.ts";
import type { Doc, Id } from "../../../_generated/dataModel.js";
import type { QueryCtx } from "../../../_generated/server.js";
import { queue } from "../../queue.ts";
import { ofOtherSides } from "../checkers.ts";

/** The last jobs that are looked at, and those of them whose request is read. */
const mostOrders = 50;
const mostRead = 8;
/** Newer jobs are left out, so that a canary does not conflict with their submissions. */
const leastAgeMs = 60_000;

/** A recent chat, as far as a canary resembles it. `cacheOwner`: the name of its key for devices. */
export type UsualChat = { readonly shape: CanaryShape; readonly cacheOwner: string };

/**
 * Draws one of the last chats of the organization with the model. A canary has its numbers and the name of its key, so that no device can
 * know a canary by these. It has no text of it. Chats with a data class are left out. So are chats by keys of the people who have the
 * devices: these people know each prompt of their keys. Null: no chat is left.
 */
export async function drawUsualChat(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  { modelId, devices }: { readonly modelId: string; readonly devices: readonly Doc<"devices">[] },
  now: number,
): Promise<UsualChat | null> {
  const orders = await ctx.db
    .query("orders")
    .withIndex("by_organization", (q) =>
      q.eq("organizationId", organizationId).lt("_creationTime", now - leastAgeMs),
    )
    .order("desc")
    .take(mostOrders);
  const usual = orders.filter((order) => order.modelId === modelId && isUsual(order));
  const keyIds = [...new Set(usual.map(({ apiKeyId }) => apiKeyId))];
  const keys = await Promise.all(keyIds.map(async (keyId) => await ctx.db.get("apiKeys", keyId)));
  const known = keys.flatMap((key) => key ?? []);
  const apart = new Set((await ofOtherSides(ctx, organizationId, known, devices)).map(({ _id }) => _id));
  const able = usual
    .filter(({ apiKeyId }) => apart.has(apiKeyId))
    .map((order) => ({ order, place: Math.random() }))
    .sort((one, other) => one.place - other.place);
  for (const { order } of able.slice(0, mostRead)) {
    const payload = (await queue.payload(ctx, organizationId, order.jobId))?.payload;
    const work = payload === undefined ? null : parseWork("chat", payload);
    const cacheOwner = payload === undefined ? undefined : parseCacheOwner(payload);
    const shape = work?.kind === "chat" ? shapeOf(work.request) : null;
    if (shape !== null && cacheOwner !== undefined) return { shape, cacheOwner };
  }
  return null;
}

function isUsual({ canary, vectors, dataClass }: Doc<"orders">): boolean {
  return canary === undefined && vectors === undefined && dataClass === undefined;
}
