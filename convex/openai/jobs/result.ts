import { assertNever } from "../../../app/assert-never.ts";
import { parsePrefer } from "../../../app/jobs/parse/parse-prefer.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { RequesterJob } from "../../model/requests/requesterJob.ts";
import type { RequestView } from "../../model/requests/watch.ts";
import { type AnswerHead, textOf, tokensOf, vectorsOf } from "../answerForm.ts";
import { chatForm } from "../chatForm.ts";
import { completionForm } from "../completionForm.ts";
import { vectorsBody } from "../embeddings/vectorsBody.ts";
import type { Caller } from "../endpoint.ts";
import { endOf, type PromptField, wrongParameter } from "../errors.ts";
import { follow } from "../follow.ts";
import { refusedWait, waitLimitMs } from "../requestedJob.ts";
import { answerHeaders, errorResponse, jobErrorResponse, json } from "../respond.ts";
import { tokensBody } from "../tokens/tokens.ts";
import { answerAccepted } from "./accepted.ts";

export const promptFields = {
  chat: "messages",
  completion: "prompt",
  embedding: "input",
  tokens: "prompt",
} as const satisfies Readonly<Record<RequesterJob["kind"], PromptField>>;

const encodings = ["float", "base64"] as const;
export type Encoding = (typeof encodings)[number];

/**
 * GET /v1/jobs/ID/result. The answer or the error that the job's own call would have got. Before the end: the job, with 202, and
 * after the wait that `Prefer: wait=N` asks for. `?encoding_format=base64` gives vectors as base64.
 */
export async function getResult(
  ctx: ActionCtx,
  request: Request,
  caller: Caller,
  jobId: string,
): Promise<Response> {
  const { keyId } = caller;
  const asked = new URL(request.url).searchParams.get("encoding_format") ?? "float";
  const encoding = encodings.find((each) => each === asked);
  if (encoding === undefined) return errorResponse(wrongParameter("encoding_format", encodings));
  const { waitMs } = parsePrefer(request.headers.get("prefer") ?? "");
  if (waitMs !== null && waitMs > 0) {
    const full = await refusedWait(ctx, caller);
    if (full !== null) return errorResponse(full);
    const giveUpAt = Date.now() + Math.min(waitMs, waitLimitMs);
    const { signal } = request;
    for await (const _view of follow(ctx, { keyId, jobId, giveUpAt, stream: false }, { signal })) {
      if (signal.aborted) break;
    }
  }
  const { job, model: file, view } = await ctx.runQuery(internal.requests.resultAdmitted, { keyId, jobId });
  const { result } = view;
  if (result !== null) {
    const { submittedAt: created, modelId: model } = job;
    const head = { jobId, created, model, sha256: file.sha256, priority: view.priority };
    const body =
      job.kind === "tokens"
        ? tokensBody(tokensOf(result), file.contextTokens)
        : answerBody(job.kind, head, result, encoding);
    return json(200, body, answerHeaders(head, view));
  }
  const error = endOf(view, promptFields[job.kind]);
  return error === null ? await answerAccepted(ctx, { keyId, jobId }) : jobErrorResponse(error, jobId);
}

/** The body with which the job's own call would have answered. */
export function answerBody(
  kind: Exclude<RequesterJob["kind"], "tokens">,
  head: AnswerHead,
  result: NonNullable<RequestView["result"]>,
  encoding: Encoding,
): object {
  switch (kind) {
    case "chat":
      return chatForm.whole(head, textOf(result));
    case "completion":
      return completionForm.whole(head, textOf(result));
    case "embedding":
      return vectorsBody(head.model, encoding, vectorsOf(result));
    default:
      return assertNever(kind);
  }
}
