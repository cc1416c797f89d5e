import { shownId, storedId } from "../../../app/batches/openai-objects.ts";
import { parseBatch } from "../../../app/batches/parse-batch.ts";
import { parseClient } from "../../../app/jobs/parse/parse-client.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import { asMutable } from "../../model/mutable.ts";
import { type Caller, idBelow, methodOf } from "../endpoint.ts";
import { unknownUrl, wrongMethod } from "../errors.ts";
import { listBody, pagingOf } from "../paging.ts";
import { readJson, readNeeds } from "../readCall.ts";
import { errorResponse, json } from "../respond.ts";
import { batchBody, batchesPath } from "./batchBody.ts";
import { estimatePath } from "./estimate.ts";

/**
 * POST /v1/batches. An `Idempotency-Key` finds the batch of an earlier call, and so does a retry of OpenAI's clients. The requirements
 * count for each of its requests.
 */
export async function createBatch(ctx: ActionCtx, request: Request, { keyId }: Caller): Promise<Response> {
  const needs = readNeeds(request);
  if (needs.kind === "refused") return errorResponse(needs.error);
  const { requires } = needs;
  const read = await readJson(request, parseBatch);
  if (read.kind === "refused") return errorResponse(read.error);
  const { fileId, metadata, outputKeptMs, ...asked } = read.asked;
  const idempotencyKey = request.headers.get("idempotency-key");
  const { isRetry } = parseClient((header) => request.headers.get(header));
  const batch = await ctx.runMutation(internal.batches.create, {
    keyId,
    ...asked,
    fileId: storedId("file", fileId),
    metadata: metadata === null ? null : JSON.stringify(metadata),
    ...(outputKeptMs === null ? {} : { outputKeptMs }),
    ...(Object.keys(requires).length === 0 ? {} : { requires: asMutable(requires) }),
    ...(idempotencyKey === null ? {} : { idempotencyKey }),
    ...(isRetry ? { isRetry } : {}),
  });
  return json(200, batchBody(batch));
}

/** GET /v1/batches. The key's batches, newest first. `?limit=20&after=ID` goes on after a page's last batch. */
export async function listBatches(ctx: ActionCtx, request: Request, { keyId }: Caller): Promise<Response> {
  const paging = pagingOf(request, "batch");
  const { batches, isDone } = await ctx.runQuery(internal.batches.list, { keyId, ...paging });
  const data = batches.map((batch) => ({ id: shownId("batch", batch.batchId), body: batchBody(batch) }));
  return json(200, listBody(data, isDone));
}

/** Every call of /v1/batches/ID and below. A key sees its own batches only. */
export async function callBatch(ctx: ActionCtx, request: Request, { keyId }: Caller): Promise<Response> {
  const { id, rest } = idBelow(request, batchesPath);
  const method = rest === "" ? "GET" : rest === "/cancel" ? "POST" : null;
  if (id === "" || method === null) return errorResponse(unknownUrl(request));
  // No batch has this id.
  if (new URL(request.url).pathname === estimatePath) return errorResponse(wrongMethod(request, ["POST"]));
  if (methodOf(request) !== method) return errorResponse(wrongMethod(request, [method]));
  const which = { keyId, batchId: storedId("batch", id) };
  const batch =
    method === "GET"
      ? await ctx.runQuery(internal.batches.get, which)
      : await ctx.runMutation(internal.batches.cancel, which);
  return json(200, batchBody(batch));
}
