import { assertNever } from "../../../app/assert-never.ts";
import { type BatchEndpoint, batchLimits } from "../../../app/batches/limits.ts";
import type { Line } from "../../../app/batches/parse-line.ts";
import type { CallForm } from "../../../app/jobs/call-forms.ts";
import type { BodyParse } from "../../../app/jobs/parse/parse-body.ts";
import { parseEmbedding } from "../../../app/jobs/parse/parse-embedding.ts";
import { parseMessages } from "../../../app/jobs/parse/parse-messages.ts";
import { parseResponse } from "../../../app/jobs/parse/parse-response.ts";
import type { JobPriority } from "../../../app/jobs/priority.ts";
import { keptEcho, type ResponseEcho } from "../../../app/jobs/response-echo.ts";
import { embeddingParts } from "../../../app/jobs/vectors/embedding-parts.ts";
import type { EmbeddingRequest, Work } from "../../../app/jobs/work.ts";
import { defaultAlias } from "../../../app/models/aliases.ts";
import type { ActionCtx } from "../../_generated/server.js";
import type { CutRequest } from "../../model/batches/cut.ts";
import type { OpenPart } from "../../model/files/seals.ts";
import type { ModelView } from "../../model/models/catalog.ts";
import { asMutable } from "../../model/mutable.ts";
import type { Caller } from "../endpoint.ts";
import { fromParse, unknownModel } from "../errors.ts";
import { readParts } from "../files/readParts.ts";
import { namedModel } from "../namedModel.ts";
import type { ApiError } from "../respond.ts";
import { chatCall, completionCall, textWorks } from "../textCalls.ts";
import { LineSplitter } from "./splitLines.ts";

/** The lines of a file from an offset on, which is behind so many lines. */
export async function* linesOf(
  ctx: ActionCtx,
  parts: readonly OpenPart[],
  from: { readonly bytes: number; readonly lines: number } = { bytes: 0, lines: 0 },
): AsyncGenerator<Line> {
  const splitter = new LineSplitter(batchLimits.lineBytes, from);
  const stretch = { from: from.bytes, to: Infinity };
  for await (const chunk of readParts(ctx, parts, stretch)) yield* splitter.push(chunk);
  yield* splitter.end();
}

/** Reads the body of a batch's line as its own call would. Refuses second opinions and streams. */
export async function askedBy(
  body: string,
  endpoint: BatchEndpoint,
  caller: Caller,
): Promise<CutRequest["asked"]> {
  const read = await readAsked(body, endpoint, caller, mistakeInBatch);
  if (read.kind === "refused") return failure(read.error);
  const { model, alias, works, asked } = read;
  const [first] = works;
  return {
    kind: "work",
    model,
    ...(alias === null ? {} : { alias }),
    works: works.map(asMutable),
    ...formOf(endpoint),
    ...(asked.echo !== undefined && first.kind === "chat"
      ? { echo: keptEcho(asked.echo, first.request) }
      : {}),
    isHigh: asked.priority === "high",
    base64: asked.encoding === "base64",
  };
}

/** The form in which the line's call answers, if it is not the usual one of the job's kind. */
function formOf(endpoint: BatchEndpoint): { readonly callForm?: CallForm } {
  if (endpoint === "/v1/responses") return { callForm: "response" };
  return endpoint === "/v1/messages" ? { callForm: "message" } : {};
}

type Works = readonly [Work, ...Work[]];

/** A body that its own call accepts. */
type Read =
  | {
      readonly kind: "read";
      readonly model: string;
      readonly alias: string | null;
      /** Its jobs, in the order of its answer. */
      readonly works: Works;
      readonly asked: Asked;
    }
  | { readonly kind: "refused"; readonly error: ApiError };

/** Reads a body as its own call would. @param mistakeOf what else is refused; null: nothing. */
export async function readAsked(
  body: string,
  endpoint: BatchEndpoint,
  caller: Caller,
  mistakeOf: (asked: Asked) => ApiError | null,
): Promise<Read> {
  switch (endpoint) {
    case "/v1/chat/completions":
      return await readFor(chatCall.parse(body), caller, mistakeOf, (call) => textWorks(chatCall, call));
    case "/v1/responses":
      return await readFor(parseResponse(body), caller, mistakeOf, (call) => textWorks(chatCall, call));
    case "/v1/messages":
      return await readFor(parseMessages(body), caller, mistakeOf, (call) => textWorks(chatCall, call));
    case "/v1/completions":
      return await readFor(completionCall.parse(body), caller, mistakeOf, (call) =>
        textWorks(completionCall, call),
      );
    case "/v1/embeddings":
      return await readFor(parseEmbedding(body), caller, mistakeOf, ({ asked: { request } }) =>
        Promise.resolve(embeddingWorks(request)),
      );
    default:
      return assertNever(endpoint);
  }
}

function embeddingWorks(request: EmbeddingRequest): Works {
  const [first, ...others] = embeddingParts(request.inputs).map((inputs) => ({
    kind: "embedding" as const,
    request: { ...request, inputs },
  }));
  return [first ?? { kind: "embedding", request }, ...others];
}

type Asked = {
  readonly model: string | null;
  readonly priority: JobPriority;
  readonly stream?: boolean;
  readonly choices?: number;
  readonly further?: readonly object[];
  readonly vote?: object | null;
  readonly encoding?: "float" | "base64";
  /** Only of a response. */
  readonly echo?: ResponseEcho;
};

async function readFor<Body extends Asked>(
  parsed: BodyParse<Body>,
  caller: Caller,
  mistakeOf: (asked: Asked) => ApiError | null,
  worksOf: (call: {
    readonly asked: Body;
    readonly model: ModelView;
    readonly idempotencyKey: null;
  }) => Promise<Works>,
): Promise<Read> {
  if (parsed.kind === "refused") return { kind: "refused", error: fromParse(parsed.refusal) };
  const { asked } = parsed;
  const mistake = mistakeOf(asked);
  if (mistake !== null) return { kind: "refused", error: mistake };
  const name = asked.model ?? defaultAlias;
  const named = namedModel(caller, (each) => each === name);
  if (named === undefined) return { kind: "refused", error: unknownModel(asked.model, caller.models) };
  const { model, alias } = named;
  const works = await worksOf({ asked, model, idempotencyKey: null });
  return { kind: "read", model: model.modelId, alias: alias?.alias ?? null, works, asked };
}

function mistakeInBatch({ stream, vote }: Asked): ApiError | null {
  if (stream === true) return streamed;
  return vote == null ? null : oneVote;
}

const streamed: ApiError = {
  status: 400,
  type: "invalid_request_error",
  code: "invalid_value",
  param: "stream",
  message: "Invalid 'stream': a request of a batch cannot be streamed.",
};

const oneVote: ApiError = {
  status: 400,
  type: "invalid_request_error",
  code: "invalid_value",
  param: "x_gleaner.votes",
  message:
    "Invalid 'x_gleaner.votes': a request of a batch has no second opinions, which idle devices give. Ask for several choices (n), or send it in several lines.",
};

function failure({ status, type, code, message, param = null }: ApiError): CutRequest["asked"] {
  return { kind: "failure", failure: { kind: "error", status, type, code, message, param } };
}
