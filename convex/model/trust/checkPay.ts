import type { Infer } from "convex/values";
import { priceOf } from "../../../app/money/credits.ts";
import { withFactors } from "../../../app/money/price-list.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { checkAccount, deviceAccount, heldAccount, transfer } from "../ledger/transfer.ts";
import { factorsAt } from "../models/prices.ts";
import { areOneOwner } from "../owners.ts";
import { present } from "../refuse.ts";
import type { reply } from "../validators/prices.ts";
import { modeOf } from "./mode.ts";
import { isPayHeld, noteHeldPay } from "./pay.ts";

/**
 * Pays a device for a replay: the price of the prompt and the answer as read tokens, at low priority. The organization pays, not the
 * requester. A requester's own device gets nothing, so that nobody earns by their own requests. If the organization acts on checks, the
 * pay of a new device is held with that of its answers: a wrong copy of the model checks wrongly, too.
 * @param readTokens as the device reports them. It is paid for no more than the answer had.
 */
export async function payChecker(
  ctx: MutationCtx,
  replayJobId: string,
  order: Doc<"orders">,
  checker: Id<"devices">,
  readTokens: number,
  at: number,
): Promise<Infer<typeof reply>> {
  const { organizationId, apiKeyId, price, usage } = order;
  const [device, key, factors] = await Promise.all([
    ctx.db.get("devices", checker),
    ctx.db.get("apiKeys", apiKeyId),
    factorsAt(ctx, organizationId, at),
  ]);
  const { low: percent } = factors.value;
  const { promptTokens, completionTokens } = present(usage ?? null, "usage of a replayed answer");
  const paid = { promptTokens: Math.min(readTokens, promptTokens + completionTokens), completionTokens: 0 };
  const isOwn = await areOneOwner(ctx, key?.owner, device?.owner);
  const micro = isOwn ? 0n : priceOf({ ...price, percent }, paid);
  const owner = device?.owner ?? null;
  const isHeld =
    micro > 0n && (await modeOf(ctx, organizationId)) === "act" && (await isPayHeld(ctx, order, checker, at));
  await transfer(ctx, {
    key: `check:${replayJobId}`,
    organizationId,
    kind: "move",
    at,
    jobId: replayJobId,
    entries: [
      isHeld
        ? { account: heldAccount(checker), micro }
        : { account: deviceAccount(checker), micro, jobs: 1, owner },
      { account: checkAccount(organizationId), micro: -micro },
    ],
  });
  if (isHeld) {
    const ofCheck = { organizationId, jobId: replayJobId, modelId: order.modelId, apiKeyId };
    await noteHeldPay(ctx, ofCheck, { deviceId: checker, micro, bonusMicro: 0n, at });
  }
  return {
    earnedMicro: micro,
    price,
    ...(percent === 100
      ? {}
      : { pricePercent: percent, priceParts: { priority: percent, kind: 100, hour: 100 } }),
    ...(order.priceVersion === undefined
      ? {}
      : { priceVersion: withFactors(order.priceVersion, factors.version) }),
    ...(isOwn ? { ownJob: true } : {}),
    ...(isHeld ? { held: true } : {}),
  };
}
