import { ConvexError } from "convex/values";
import { batchLimits } from "../../../app/batches/limits.ts";
import { storedId } from "../../../app/batches/openai-objects.ts";
import { parseBatchEstimate } from "../../../app/batches/parse-batch.ts";
import { FileCheck, type LineParse, parseLine, tooManyRequests } from "../../../app/batches/parse-line.ts";
import { sizeOf } from "../../../app/jobs/size.ts";
import { defaultAlias } from "../../../app/models/aliases.ts";
import { type Price, priceOf } from "../../../app/money/credits.ts";
import { percentOf } from "../../../app/money/price-list.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { BatchFacts } from "../../model/batches/estimate.ts";
import { asMutable } from "../../model/mutable.ts";
import { present } from "../../model/refuse.ts";
import { checkWork } from "../../model/requests/checkWork.ts";
import { highestPrice, priceKindOf } from "../../model/requests/submit.ts";
import type { Caller } from "../endpoint.ts";
import { namedModel } from "../namedModel.ts";
import { readJson, readNeeds } from "../readCall.ts";
import { errorResponse, json } from "../respond.ts";
import { forecastBody } from "./batchBody.ts";
import { askedBy, linesOf } from "./readLines.ts";

/** POST /v1/batches/estimate is this below `/v1/batches/`. */
export const estimatePath = "/v1/batches/estimate";

/** The part of a file that is read. The rest is taken to be like it. */
const readBytes = 1024 * 1024;

/**
 * POST /v1/batches/estimate. Tells what a batch would cost and when it would end, without starting it. Takes the body of
 * POST /v1/batches, and the number of requests of which the file is a sample.
 */
export async function estimateBatch(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const needs = readNeeds(request);
  if (needs.kind === "refused") return errorResponse(needs.error);
  const requires = asMutable(needs.requires);
  const read = await readJson(request, parseBatchEstimate);
  if (read.kind === "refused") return errorResponse(read.error);
  const { endpoint, window, windowMs, fileId, sampleOf } = read.asked;
  const { keyId } = caller;
  const file = storedId("file", fileId);
  const facts = await ctx.runQuery(internal.batches.facts, { keyId, fileId: file, requires });
  const check = new FileCheck();
  const sums = { readTo: 0, refused: 0, expectedMicro: 0n, mostMicro: 0n };
  const { bytes } = facts;
  let isWhole = true;
  for await (const line of linesOf(ctx, facts.parts)) {
    const parsed = parseLine(line, endpoint);
    const goesOn = check.add(line, parsed);
    sums.readTo = line.end;
    const costs = await costsOf(parsed, { endpoint, caller, facts });
    if (costs === null) sums.refused += 1;
    else {
      sums.expectedMicro += costs.expectedMicro;
      sums.mostMicro += costs.mostMicro;
    }
    if (goesOn && line.end < readBytes) continue;
    isWhole = line.end >= bytes;
    break;
  }
  const isExact = isWhole && sampleOf === null;
  const [all, part] = sampleOf === null ? [bytes, sums.readTo] : [sampleOf, check.total];
  const scaled = (micro: bigint): bigint =>
    isExact ? micro : (micro * BigInt(all)) / BigInt(Math.max(1, part));
  const scaledCount = (count: number): number =>
    isExact ? count : Math.round((count * all) / Math.max(1, part));
  const [total, jobs] = [scaledCount(check.total), scaledCount(check.jobs)];
  const named = namedModel(caller, (name) => name === (check.model ?? defaultAlias));
  const model = named?.model.modelId ?? null;
  const outlook = await ctx.runQuery(internal.batches.outlook, {
    keyId,
    endpoint,
    model,
    isHigh: check.isHigh,
    total,
    jobs,
    window,
    windowMs,
    requires,
  });
  // The requests of which the file is a sample may become several batches.
  const tooMany =
    !isWhole && sampleOf === null && jobs > batchLimits.lines ? [{ ...tooManyRequests(0) }] : [];
  const late = outlook.mistake === null ? [] : [outlook.mistake];
  const mistakes = [...check.mistakes, ...tooMany, ...late];
  return json(200, {
    object: "batch.estimate",
    endpoint,
    completion_window: window,
    model,
    requests: { total, is_exact: isExact, refused: isExact ? sums.refused : null },
    /** The batch would not start because of these. */
    errors: mistakes.length === 0 ? null : { object: "list", data: mistakes },
    expected_price_micro: String(scaled(sums.expectedMicro)),
    most_price_micro: String(scaled(sums.mostMicro)),
    forecast: outlook.forecast === null ? null : forecastBody(outlook.forecast),
  });
}

type Asked = {
  readonly endpoint: Parameters<typeof askedBy>[1];
  readonly caller: Caller;
  readonly facts: BatchFacts;
};

/** The expected and the highest price of a line's request; null if it would be refused. */
async function costsOf(
  parsed: LineParse,
  { endpoint, caller, facts }: Asked,
): Promise<{ readonly expectedMicro: bigint; readonly mostMicro: bigint } | null> {
  if (parsed.kind === "refused") return null;
  const asked = await askedBy(parsed.request.body, endpoint, caller);
  if (asked.kind === "failure") return null;
  const model = present(caller.models.find(({ modelId }) => modelId === asked.model) ?? null, "named model");
  const known = facts.models.find(({ modelId }) => modelId === asked.model);
  if (known === undefined) return null;
  const priority = asked.isHigh ? "high" : "low";
  const costs = { expectedMicro: 0n, mostMicro: 0n };
  try {
    for (const work of asked.works) {
      const { factors, dataClass } = facts;
      const priced = { priority, kind: priceKindOf(work), dataClass, at: Date.now() } as const;
      const percent = percentOf(factors, priced);
      const price: Price = { ...known.price, percent };
      const extent = checkWork(work, model);
      const { input, likelyOutput } = sizeOf(extent);
      const answer = Math.min(extent.most.completionTokens, known.meanAnswer ?? likelyOutput);
      costs.expectedMicro += priceOf(price, { promptTokens: input, completionTokens: Math.round(answer) });
      costs.mostMicro += highestPrice(price, extent);
    }
    return costs;
  } catch (thrown) {
    if (thrown instanceof ConvexError) return null;
    throw thrown;
  }
}
