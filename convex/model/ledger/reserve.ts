import { limits } from "../../../app/jobs/limits.ts";
import { type Price, priceOf } from "../../../app/money/credits.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { escrowOf, keyAccount } from "./accounts.ts";
import { transfer } from "./transfer.ts";

/** Tokens that a chat template may put around each message, and around all of them. Generous on purpose. */
const templateTokensPerMessage = 32;
const templateTokens = 64;

/**
 * The most that a job can cost, known before any tokenizer has seen it: a token covers at least one byte
 * of the prompt, and an answer has at most `maxTokens`.
 */
export function worstCasePrice(
  price: Price,
  request: { readonly messages: readonly unknown[]; readonly maxTokens: number },
  promptBytes: number,
): bigint {
  const promptTokens =
    Math.min(promptBytes, limits.promptBytes) +
    templateTokensPerMessage * request.messages.length +
    templateTokens;
  return priceOf(price, { promptTokens, completionTokens: request.maxTokens });
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
