import { type Price, priceOf } from "../../../app/money/credits.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import type { Extent } from "../requests/extent.ts";
import { escrowOf, keyAccount } from "./accounts.ts";
import { transfer } from "./transfer.ts";

/** The most that a job can cost, known before any tokenizer has seen it. */
export function worstCasePrice(price: Price, { promptBytes, aroundTokens, most }: Extent): bigint {
  const { completionTokens } = most;
  return priceOf(price, { promptTokens: promptBytes + aroundTokens, completionTokens });
}

/** Moves the worst case from the key to escrow, until the job's round is settled or released. */
export async function reserve(
  ctx: MutationCtx,
  order: Pick<Doc<"orders">, "jobId" | "organizationId" | "apiKeyId" | "reservedMicro" | "round">,
  at: number,
): Promise<void> {
  const { jobId, organizationId, apiKeyId, reservedMicro, round } = order;
  const booked = await transfer(ctx, {
    key: `reserve:${jobId}:${String(round)}`,
    organizationId,
    kind: "reserve",
    at,
    jobId,
    entries: [
      { account: keyAccount(apiKeyId), micro: -reservedMicro },
      { account: escrowOf(organizationId), micro: reservedMicro },
    ],
  });
  if (booked === "repeated") throw new Error(`job ${jobId} has reserved already`);
}
