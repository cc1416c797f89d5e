import { assertNever } from "../../../app/assert-never.ts";
import { type BatchEndpoint, batchLimits } from "../../../app/batches/limits.ts";
import { FileCheck, type Line, parseLine } from "../../../app/batches/parse-line.ts";
import type { BodyParse } from "../../../app/jobs/parse/parse-body.ts";
import { parseEmbedding } from "../../../app/jobs/parse/parse-embedding.ts";
import type { JobPriority } from "../../../app/jobs/priority.ts";
import type { Work } from "../../../app/jobs/work.ts";
import { defaultAlias } from "../../../app/models/aliases.ts";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { CutRequest } from "../../model/batches/cut.ts";
import type { ModelView } from "../../model/models/catalog.ts";
import { asMutable } from "../../model/validators.ts";
import type { Caller } from "../endpoint.ts";
import { fromParse, missingModel, unknownModel } from "../errors.ts";
import { readParts, type StoredPart } from "../files/readParts.ts";
import { namedModel } from "../namedModel.ts";
import type { ApiError } from "../respond.ts";
import { chatCall, completionCall, textWork } from "../textCalls.ts";
import { LineSplitter } from "./splitLines.ts";

/** A Convex action ends after ten minutes. Another one goes on. */
const stepMs = 4 * 60_000;

/**
 * Checks the file of a batch, or submits its requests in pieces until all are submitted or have to wait. Each piece is a
 * transaction that also notes how far the file is cut. So after a crash at any point the next step goes on from there.
 */
export async function cutFile(ctx: ActionCtx, batchId: Id<"batches">): Promise<void> {
  const until = Date.now() + stepMs;
  const first = await ctx.runQuery(internal.batches.nextCut, { batchId });
  if (first?.step === "check") {
    const check = await checkFile(ctx, first);
    await ctx.runMutation(internal.batches.start, { batchId, ...check });
  }
  const next = first?.step === "check" ? await ctx.runQuery(internal.batches.nextCut, { batchId }) : first;
  if (next?.step !== "cut") return;
  for await (const piece of piecesOf(ctx, next)) {
    const outcome = await ctx.runMutation(internal.batches.addPiece, { batchId, ...piece });
    if (outcome !== "added") return;
    if (Date.now() < until || piece.isLast) continue;
    await ctx.scheduler.runAfter(0, internal.batchSteps.cut, { batchId });
    return;
  }
}

type CutFile = {
  readonly endpoint: BatchEndpoint;
  readonly parts: readonly StoredPart[];
  readonly from: { readonly bytes: number; readonly lines: number };
  readonly caller: Caller;
};

/** Reads the whole file once. It is never in memory as a whole. */
async function checkFile(ctx: ActionCtx, file: CutFile) {
  const check = new FileCheck(file.endpoint);
  for await (const line of linesOf(ctx, file)) if (!check.add(line)) break;
  return { total: check.total, mistakes: check.mistakes.map((mistake) => ({ ...mistake })) };
}

async function* linesOf(ctx: ActionCtx, { parts, from }: CutFile): AsyncGenerator<Line> {
  const splitter = new LineSplitter(batchLimits.lineBytes, from);
  for await (const chunk of readParts(ctx, parts, { from: from.bytes })) yield* splitter.push(chunk);
  yield* splitter.end();
}

type Piece = { readonly from: number; readonly requests: CutRequest[]; readonly isLast: boolean };

/** The rest of the file in pieces, each small enough for one transaction. The last one may be empty. */
async function* piecesOf(ctx: ActionCtx, file: CutFile): AsyncGenerator<Piece> {
  let from = file.from.bytes;
  let requests: CutRequest[] = [];
  let bytes = 0;
  for await (const line of linesOf(ctx, file)) {
    const size = line.text?.length ?? 0;
    if (requests.length === batchLimits.pieceLines || bytes + size > batchLimits.pieceBytes) {
      const end = requests.at(-1)?.end ?? from;
      if (requests.length > 0) yield { from, requests, isLast: false };
      from = end;
      requests = [];
      bytes = 0;
    }
    requests.push(await requestOf(line, file));
    bytes += size;
  }
  yield { from, requests, isLast: true };
}

async function requestOf(line: Line, { endpoint, caller }: CutFile): Promise<CutRequest> {
  const parsed = parseLine(line, endpoint);
  // The check has refused such files.
  if (parsed.kind === "refused") throw new Error("a line of a checked file is wrong");
  const { customId, body } = parsed.request;
  return { line: line.number, customId, end: line.end, asked: await askedBy(body, endpoint, caller) };
}

/** Reads a body as its own call would. */
async function askedBy(body: string, endpoint: BatchEndpoint, caller: Caller): Promise<CutRequest["asked"]> {
  switch (endpoint) {
    case "/v1/chat/completions":
      return await askedFor(chatCall.parse(body), caller, (call) => textWork(chatCall, call));
    case "/v1/completions":
      return await askedFor(completionCall.parse(body), caller, (call) => textWork(completionCall, call));
    case "/v1/embeddings":
      return await askedFor(parseEmbedding(body), caller, ({ asked: { request } }) =>
        Promise.resolve({ kind: "embedding", request }),
      );
    default:
      return assertNever(endpoint);
  }
}

type Asked = {
  readonly model: string | null;
  readonly priority: JobPriority;
  readonly stream?: boolean;
  readonly encoding?: "float" | "base64";
};

async function askedFor<Body extends Asked>(
  parsed: BodyParse<Body>,
  caller: Caller,
  workOf: (call: {
    readonly asked: Body;
    readonly model: ModelView;
    readonly idempotencyKey: null;
  }) => Promise<Work>,
): Promise<CutRequest["asked"]> {
  if (parsed.kind === "refused") return failure(fromParse(parsed.refusal));
  const { asked } = parsed;
  if (asked.stream === true) return failure(streamed);
  const name = asked.model ?? defaultAlias;
  const named = namedModel(caller, (each) => each === name);
  if (named === undefined) return failure(asked.model === null ? missingModel : unknownModel(name));
  const { model, alias } = named;
  return {
    kind: "work",
    model: model.modelId,
    ...(alias === null ? {} : { alias: alias.alias }),
    work: asMutable(await workOf({ asked, model, idempotencyKey: null })),
    isHigh: asked.priority === "high",
    base64: asked.encoding === "base64",
  };
}

const streamed: ApiError = {
  status: 400,
  type: "invalid_request_error",
  code: "invalid_value",
  param: "stream",
  message: "Invalid 'stream': a request of a batch cannot be streamed.",
};

function failure({ status, type, code, message, param = null }: ApiError): CutRequest["asked"] {
  return { kind: "failure", failure: { kind: "error", status, type, code, message, param } };
}
