import { shownId, storedId, unixSeconds } from "../../../app/batches/openai-objects.ts";
import { parseUpload, parseUploadCompletion } from "../../../app/batches/parse-upload.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { StoredPart } from "../../model/files/seals.ts";
import type { UploadView } from "../../model/files/uploads.ts";
import { type Caller, idBelow } from "../endpoint.ts";
import { errorOf, unknownUrl, wrongMethod } from "../errors.ts";
import { outcomeOf } from "../outcome.ts";
import { readJson } from "../readCall.ts";
import { errorResponse, json } from "../respond.ts";
import { fileBody } from "./fileBody.ts";
import { readUpload } from "./readUpload.ts";
import { deleteUnlessOk, storeContent } from "./storeContent.ts";

/** The path of an upload is this and its id. */
export const uploadsPath = "/v1/uploads/";

/** POST /v1/uploads. Announces a file that comes in parts. */
export async function createUpload(ctx: ActionCtx, request: Request, { keyId }: Caller): Promise<Response> {
  const read = await readJson(request, parseUpload);
  if (read.kind === "refused") return errorResponse(read.error);
  const { name, bytes, keptSeconds } = read.asked;
  const kept = keptSeconds === undefined ? {} : { keptSeconds };
  return json(
    200,
    uploadBody(await ctx.runMutation(internal.files.createUpload, { keyId, name, bytes, ...kept })),
  );
}

type Which = Pick<Caller, "keyId"> & { readonly uploadId: string };
type Answer = (ctx: ActionCtx, request: Request, which: Which) => Promise<Response>;

/** The calls about one upload, by their path below /v1/uploads/ID. */
const calls: ReadonlyMap<string, Answer> = new Map([
  ["/parts", addPart],
  ["/complete", complete],
  ["/cancel", cancel],
]);

/** Every call below /v1/uploads/ID. A key sees its own uploads only. */
export async function callUpload(ctx: ActionCtx, request: Request, { keyId }: Caller): Promise<Response> {
  const { id, rest } = idBelow(request, uploadsPath);
  const answer = calls.get(rest);
  if (id === "" || answer === undefined) return errorResponse(unknownUrl(request));
  if (request.method !== "POST") return errorResponse(wrongMethod(request, ["POST"]));
  return await answer(ctx, request, { keyId, uploadId: storedId("upload", id) });
}

async function addPart(ctx: ActionCtx, request: Request, which: Which): Promise<Response> {
  const parts: StoredPart[] = [];
  const added = await deleteUnlessOk(ctx, parts, async () => {
    const read = await readUpload(request, "data", async (content) => {
      await storeContent(ctx, which.keyId, content, parts);
    });
    if (read.kind === "refused") return read;
    return await outcomeOf(ctx.runMutation(internal.files.addUploadPart, { ...which, pieces: parts }));
  });
  if (added.kind !== "ok") return errorResponse("error" in added ? added.error : errorOf(added));
  const { partId, createdAt } = added.value;
  return json(200, {
    id: shownId("part", partId),
    object: "upload.part",
    created_at: unixSeconds(createdAt),
    upload_id: shownId("upload", which.uploadId),
  });
}

async function complete(ctx: ActionCtx, request: Request, which: Which): Promise<Response> {
  const read = await readJson(request, parseUploadCompletion);
  if (read.kind === "refused") return errorResponse(read.error);
  const partIds = read.asked.partIds.map((id) => storedId("part", id));
  return json(200, uploadBody(await ctx.runMutation(internal.files.completeUpload, { ...which, partIds })));
}

async function cancel(ctx: ActionCtx, _request: Request, which: Which): Promise<Response> {
  return json(200, uploadBody(await ctx.runMutation(internal.files.cancelUpload, which)));
}

/** OpenAI's upload object. */
function uploadBody({ uploadId, name, bytes, status, createdAt, expiresAt, file }: UploadView): object {
  return {
    id: shownId("upload", uploadId),
    object: "upload",
    bytes,
    created_at: unixSeconds(createdAt),
    expires_at: unixSeconds(expiresAt),
    filename: name,
    purpose: "batch",
    status,
    file: file === null ? null : fileBody(file),
  };
}
