import { batchEndpointNames } from "../../../app/batches/limits.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import { asMutable } from "../../model/mutable.ts";
import { readAsked } from "../batches/readLines.ts";
import type { Caller } from "../endpoint.ts";
import { unknownUrl } from "../errors.ts";
import { priceBody } from "../jobs/jobBody.ts";
import { readJson, readNeeds } from "../readCall.ts";
import { errorResponse, json } from "../respond.ts";

/** POST /v1/estimate/chat/completions and others are below it. */
export const quotesPath = "/v1/estimate/";

/**
 * POST /v1/estimate/chat/completions, and the same for responses, messages, completions and embeddings. Tells what the call with this body would
 * cost, without making it. Second opinions are not in it. It reads the header with the requirements, since the data class may change the price.
 */
export async function quote(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const path = `/v1/${new URL(request.url).pathname.slice(quotesPath.length)}`;
  const endpoint = batchEndpointNames.find((each) => each === path);
  if (endpoint === undefined) return errorResponse(unknownUrl(request));
  const body = await readJson(request, (text) => ({ kind: "parsed", asked: text }));
  if (body.kind === "refused") return errorResponse(body.error);
  const read = await readAsked(body.asked, endpoint, caller, () => null);
  if (read.kind === "refused") return errorResponse(read.error);
  const { model, works, asked } = read;
  const needs = readNeeds(request);
  if (needs.kind === "refused") return errorResponse(needs.error);
  const requires = asMutable(needs.requires);
  const { keyId } = caller;
  const { priority } = asked;
  const quoteFor = async (work: (typeof works)[number]) =>
    await ctx.runQuery(internal.requests.quote, {
      keyId,
      model,
      work: asMutable(work),
      priority,
      requires,
    });
  const { choices = 1, further = [] } = asked;
  const [first, ...others] = works;
  // The choices of a prompt differ by their seeds only.
  const quoted = others.filter((_, index) => (index + 1) % choices === 0);
  const told = await quoteFor(first);
  const parts = [told, ...(await Promise.all(quoted.map(quoteFor)))];
  const sumOf = (micro: (part: typeof told) => bigint): string =>
    String(parts.reduce((sum, part) => sum + micro(part), 0n) * BigInt(choices));
  const tokensOf = (tokens: (part: typeof told) => number): number =>
    parts.reduce((sum, part) => sum + tokens(part), 0) * choices;
  return json(200, {
    object: "estimate",
    endpoint,
    model,
    answers: choices * (1 + further.length),
    price: priceBody({ ...told, pricePercent: told.percent }),
    expected_usage: {
      prompt_tokens: tokensOf(({ expected }) => expected.promptTokens),
      completion_tokens: tokensOf(({ expected }) => expected.completionTokens),
    },
    expected_price_micro: sumOf(({ expectedMicro }) => expectedMicro),
    most_price_micro: sumOf(({ mostMicro }) => mostMicro),
    /** The call would be accepted with so many credits, and holds `reserved_micro` of them until its end. */
    reserved_micro: sumOf(({ reservedMicro }) => reservedMicro),
  });
}
