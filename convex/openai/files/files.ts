import { batchLimits } from "../../../app/batches/limits.ts";
import { shownId, storedId } from "../../../app/batches/openai-objects.ts";
import { formatBytes } from "../../../app/format/quantity.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { StoredPart } from "../../model/files/seals.ts";
import { type Caller, idBelow, methodOf } from "../endpoint.ts";
import { errorOf, missingParameter, unknownUrl, wrongMethod, wrongParameter } from "../errors.ts";
import { outcomeOf } from "../outcome.ts";
import { listBody, pagingOf } from "../paging.ts";
import { type ApiError, cors, errorResponse, json } from "../respond.ts";
import { fileBody, filesPath } from "./fileBody.ts";
import { type Chunks, readParts } from "./readParts.ts";
import { readUpload } from "./readUpload.ts";
import { deleteUnlessOk, storeContent } from "./storeContent.ts";
import { zipContent } from "./zipContent.ts";

/** POST /v1/files. A file of requests for a batch. */
export async function uploadFile(ctx: ActionCtx, request: Request, { keyId }: Caller): Promise<Response> {
  const parts: StoredPart[] = [];
  const added = await deleteUnlessOk(ctx, parts, async () => {
    const read = await readUpload(request, "file", async (content) => {
      await storeContent(ctx, keyId, content, parts);
    });
    if (read.kind === "refused") return read;
    const { name, fields } = read.upload;
    const purpose = fields.get("purpose");
    if (purpose === undefined) return { kind: "refused", error: missingParameter("purpose") } as const;
    if (purpose !== "batch") {
      return { kind: "refused", error: wrongParameter("purpose", ["batch"]) } as const;
    }
    const keptSeconds = keptSecondsOf(fields);
    const kept = keptSeconds === undefined ? {} : { keptSeconds };
    return await outcomeOf(ctx.runMutation(internal.files.add, { keyId, name, parts, ...kept }));
  });
  if (added.kind === "ok") return json(200, fileBody(added.value));
  return errorResponse("error" in added ? added.error : errorOf(added));
}

/** The wanted time until the file is deleted. NaN, which is then refused, if it is no number. Undefined: the default. */
function keptSecondsOf(fields: ReadonlyMap<string, string>): number | undefined {
  const asked = fields.get("expires_after[seconds]");
  if (asked === undefined) return undefined;
  return /^\d{1,9}$/.test(asked) ? Number(asked) : Number.NaN;
}

const orders = ["desc", "asc"] as const;

/**
 * GET /v1/files. The key's files, newest first, or oldest first with `?order=asc`. `?limit=20&after=ID` goes on behind a page's
 * last file. `?purpose=batch_output` leaves out others.
 */
export async function listFiles(ctx: ActionCtx, request: Request, { keyId }: Caller): Promise<Response> {
  const asked = new URL(request.url).searchParams;
  const order = orders.find((each) => each === (asked.get("order") ?? "desc"));
  if (order === undefined) return errorResponse(wrongParameter("order", orders));
  const purpose = asked.get("purpose");
  const { files, isDone } = await ctx.runQuery(internal.files.list, {
    keyId,
    ...pagingOf(request, "file"),
    ...(purpose === null ? {} : { purpose }),
    isOldestFirst: order === "asc",
  });
  const data = files.map((file) => ({ id: shownId("file", file.fileId), body: fileBody(file) }));
  return json(200, listBody(data, isDone));
}

/** Every call of /v1/files/ID and below. A key sees its own files only. */
export async function callFile(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const { id, rest } = idBelow(request, filesPath);
  const methods = rest === "" ? ["GET", "DELETE"] : rest === "/content" ? ["GET"] : [];
  if (id === "" || methods.length === 0) return errorResponse(unknownUrl(request));
  if (!methods.includes(methodOf(request))) return errorResponse(wrongMethod(request, methods));
  const which = { keyId: caller.keyId, fileId: storedId("file", id) };
  if (rest === "/content") return await contentOf(ctx, request, which);
  if (methodOf(request) === "GET") {
    return json(200, fileBody(await ctx.runQuery(internal.files.get, which)));
  }
  await ctx.runMutation(internal.files.remove, which);
  return json(200, { id, object: "file", deleted: true });
}

const contentHeaders = { ...cors, "content-type": "application/jsonl", "accept-ranges": "bytes" };

/**
 * The content of a file, or the part of it that `Range: bytes=FROM-TO` or `bytes=-LAST` asks for. A file that is too long for one
 * answer is compressed if the client can read that, as the SDKs can.
 */
async function contentOf(
  ctx: ActionCtx,
  request: Request,
  which: { readonly keyId: Caller["keyId"]; readonly fileId: string },
): Promise<Response> {
  const { file, parts } = await ctx.runQuery(internal.files.open, which);
  if (parts === null) return errorResponse(contentDeleted);
  // A file may be too long for one answer, and still tell its length.
  if (request.method === "HEAD") {
    return new Response(null, { headers: { ...contentHeaders, "content-length": String(file.bytes) } });
  }
  const range = rangeOf(request.headers.get("range"), file.bytes);
  if (range === null) return errorResponse(outOfRange(file.bytes));
  const { from, to, isPart } = range;
  if (!isPart && file.bytes > batchLimits.fileBytes) {
    const zipped =
      takesGzip(request) && file.bytes <= mostZipped
        ? await zipContent(readParts(ctx, parts, { from: 0, to: file.bytes }), batchLimits.fileBytes)
        : null;
    if (zipped === null) return errorResponse(askForParts(file.bytes));
    return new Response(zipped.stream(), {
      headers: { ...zippedHeaders, "content-length": String(zipped.size) },
    });
  }
  return new Response(await bodyOf(readParts(ctx, parts, { from, to })), {
    status: isPart ? 206 : 200,
    headers: {
      ...contentHeaders,
      // A client notices by it that the body broke off.
      "content-length": String(to - from),
      ...(isPart ? { "content-range": `bytes ${String(from)}-${String(to - 1)}/${String(file.bytes)}` } : {}),
    },
  });
}

/** To compress a longer file takes seconds, and it would hardly be small enough. */
const mostZipped = 6 * batchLimits.fileBytes;
const zippedHeaders = { ...contentHeaders, "content-encoding": "gzip", vary: "accept-encoding" };

function takesGzip(request: Request): boolean {
  const accepted = (request.headers.get("accept-encoding") ?? "").split(",");
  return accepted.some((each) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(each));
}

/**
 * A body that has one chunk at a time in memory. If the first one was changed, that is an error and no half answer. A stream of bytes
 * gives its chunks away, so that their memory can be given back once they are sent. The action reads the file, even if another
 * function reads the body.
 */
async function bodyOf(chunks: Chunks): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const first = await chunks.next();
  let ask = (): void => undefined;
  const nextAsked = (): Promise<void> => new Promise((resolve) => (ask = resolve));
  const send = async (controller: ReadableByteStreamController): Promise<void> => {
    let asked = nextAsked();
    for (let next = first; next.done !== true; next = await chunks.next()) {
      await asked;
      asked = nextAsked();
      controller.enqueue(next.value);
    }
    controller.close();
    controller.byobRequest?.respond(0);
  };
  return new ReadableStream(
    {
      type: "bytes",
      start(controller) {
        void send(controller).catch((thrown: unknown) => {
          controller.error(thrown);
        });
      },
      pull() {
        ask();
      },
      async cancel() {
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
}

/** `isPart`: bytes were asked for, which may be all that there are. Clients read the file's length in `content-range`. */
type Range = { readonly from: number; readonly to: number; readonly isPart: boolean };

/** The wanted bytes, `to` excluded and cut to what one answer may have. Null: the file has none of them. */
function rangeOf(header: string | null, bytes: number): Range | null {
  const [, end] = /^bytes=-(\d{1,15})$/.exec(header ?? "") ?? [];
  if (end !== undefined) {
    const most = Math.min(Number(end), batchLimits.fileBytes);
    return most > 0 && bytes > 0 ? { from: Math.max(0, bytes - most), to: bytes, isPart: true } : null;
  }
  const [, first, last = ""] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === undefined) return { from: 0, to: bytes, isPart: false };
  const from = Number(first);
  const to = Math.min(bytes, last === "" ? bytes : Number(last) + 1, from + batchLimits.fileBytes);
  return from < to ? { from, to, isPart: true } : null;
}

function outOfRange(bytes: number): ApiError {
  return {
    status: 416,
    type: "invalid_request_error",
    code: "invalid_range",
    param: "Range",
    message: `The file has no such bytes: it has ${String(bytes)}.`,
    headers: { "content-range": `bytes */${String(bytes)}` },
  };
}

const contentDeleted: ApiError = {
  status: 410,
  type: "invalid_request_error",
  code: "content_deleted",
  message: "The content of this file was deleted: an owner of the organization destroyed its data key.",
};

/** One answer has at most 16 MiB, also if it is compressed. */
function askForParts(bytes: number): ApiError {
  const most = formatBytes(batchLimits.fileBytes);
  return {
    status: 413,
    type: "invalid_request_error",
    code: "file_too_large",
    message:
      `The file has ${String(bytes)} bytes, and an answer at most ${most}. Send Accept-Encoding: gzip, which makes most files ` +
      `small enough, or read it in parts, each with a header such as: Range: bytes=0-${String(batchLimits.fileBytes - 1)}.`,
  };
}
