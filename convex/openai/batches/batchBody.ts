import type { Infer } from "convex/values";
import { expectedPrice } from "../../../app/batches/expected-price.ts";
import type { BatchStatus } from "../../../app/batches/limits.ts";
import { shownId, unixSeconds } from "../../../app/batches/openai-objects.ts";
import { parseJson } from "../../../app/json.ts";
import { needsText } from "../../../app/keys/parse-needs.ts";
import type { BatchView, RequesterBatch } from "../../model/batches/batches.ts";
import type { batchForecast } from "../../model/validators/batches.ts";
import { correctionBody, waitBody } from "../respond.ts";

/** The path of a batch is this and its id. */
export const batchesPath = "/v1/batches/";

/**
 * OpenAI's batch object, and `price_micro`: its cost so far, in micro-credits. `expected_price_micro`: the probable cost of all its
 * requests. `forecast`: when it will end. Both are null if they are not known, and once it is canceled or has ended. `found_wrong`: the
 * answers that checks found wrong; null if there are none. `requirements`: those that it named, as its header; null for none.
 * `waits_for`: null in the answers to calls that change it.
 */
export function batchBody(batch: BatchView & Partial<RequesterBatch>): object {
  const { batchId, status, mistakes, usage, startedAt, cancelingAt } = batch;
  const { promptTokens, completionTokens, cachedPromptTokens = 0 } = usage;
  const expected = expectedPrice(batch);
  const requirements = needsText(batch.requires);
  const endedIn = (...wanted: readonly BatchStatus[]): number | null =>
    batch.endedAt !== null && wanted.includes(status) ? unixSeconds(batch.endedAt) : null;
  return {
    id: shownId("batch", batchId),
    object: "batch",
    endpoint: batch.endpoint,
    errors: mistakes.length === 0 ? null : { object: "list", data: mistakes },
    input_file_id: shownId("file", batch.inputFileId),
    completion_window: batch.window,
    status,
    waits_for: waitBody(batch.waitsFor ?? null),
    output_file_id: batch.outputFileId === null ? null : shownId("file", batch.outputFileId),
    error_file_id: batch.errorFileId === null ? null : shownId("file", batch.errorFileId),
    created_at: unixSeconds(batch.createdAt),
    in_progress_at: startedAt === null ? null : unixSeconds(startedAt),
    expires_at: unixSeconds(batch.expiresAt),
    finalizing_at: null,
    completed_at: endedIn("completed"),
    failed_at: endedIn("failed"),
    expired_at: endedIn("expired"),
    cancelling_at: cancelingAt === null ? null : unixSeconds(cancelingAt),
    cancelled_at: endedIn("cancelled"),
    request_counts: { total: batch.total, completed: batch.completed, failed: batch.failed },
    usage: {
      input_tokens: promptTokens,
      input_tokens_details: { cached_tokens: cachedPromptTokens },
      output_tokens: completionTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: promptTokens + completionTokens,
    },
    metadata: batch.metadata === null ? null : parseJson(batch.metadata),
    requirements: requirements === "" ? null : requirements,
    price_micro: String(batch.priceMicro),
    expected_price_micro: expected === null ? null : String(expected),
    forecast: batch.forecast === null ? null : forecastBody(batch.forecast),
    found_wrong:
      batch.wrongCount === 0 ? null : { count: batch.wrongCount, lines: batch.wrongLines.map(lineBody) },
  };
}

function lineBody(line: BatchView["wrongLines"][number]): object {
  const { customId, jobId, index } = line;
  return {
    custom_id: customId,
    job: jobId,
    index: index ?? null,
    ...correctionBody(line),
  };
}

/** The forecast of a batch, in seconds of Unix time. Null: in more than a week. */
export function forecastBody({ expectedAt, latestAt, onTime, madeAt }: Infer<typeof batchForecast>): object {
  return {
    expected_at: expectedAt === null ? null : unixSeconds(expectedAt),
    latest_at: latestAt === null ? null : unixSeconds(latestAt),
    on_time: Math.round(100 * onTime) / 100,
    made_at: unixSeconds(madeAt),
  };
}
