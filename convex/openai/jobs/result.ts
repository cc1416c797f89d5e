import { assertNever } from "../../../app/assert-never.ts";
import type { CallForm } from "../../../app/jobs/call-forms.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import { messageBody } from "../../anthropic/messageBody.ts";
import type { RequesterJob } from "../../model/requests/requesterJob.ts";
import type { RequestView } from "../../model/requests/watch.ts";
import { wholeBody } from "../../ollama/textBody.ts";
import { embedBody, embeddingBody } from "../../ollama/vectorsBody.ts";
import { type AnswerHead, textOf, tokensOf, vectorsOf } from "../answerForm.ts";
import { chatForm } from "../chatForm.ts";
import { completionForm } from "../completionForm.ts";
import { type Encoding, encodings, vectorsBody } from "../embeddings/vectorsBody.ts";
import type { Caller } from "../endpoint.ts";
import { endOf, type PromptField, wrongParameter } from "../errors.ts";
import { follow } from "../follow.ts";
import { answerHeaders, type ApiError, errorResponse, jobErrorResponse, json } from "../respond.ts";
import { endStatus, parseEcho, responseBody, type ResponseHead } from "../responses/responseBody.ts";
import { tokensBody } from "../tokens/tokens.ts";
import { askedWait } from "../wait/askedWait.ts";
import { answerAccepted } from "./accepted.ts";

const promptFields = {
  chat: "messages",
  completion: "prompt",
  embedding: "input",
  tokens: "prompt",
} as const satisfies Readonly<Record<RequesterJob["kind"], PromptField>>;

/** The same for calls that answer in another form. */
const promptFieldsOfForms = {
  response: "input",
  message: "messages",
  "ollama-chat": "messages",
  "ollama-generate": "prompt",
  "ollama-embed": "input",
  "ollama-embeddings": "prompt",
} as const satisfies Readonly<Record<CallForm, PromptField>>;

/** The field of a job's call that holds the prompt. */
export function promptFieldOf(
  { kind, callForm }: Pick<RequesterJob, "kind" | "callForm">,
  isRanking = false,
): PromptField {
  if (isRanking) return "documents";
  return callForm === null ? promptFields[kind] : promptFieldsOfForms[callForm];
}

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
  const asked = await askedResult(ctx, request, caller);
  if ("error" in asked) return errorResponse(asked.error);
  const { encoding, giveUpAt } = asked;
  if (giveUpAt !== null) {
    const { signal } = request;
    for await (const _view of follow(ctx, { keyId, jobId, giveUpAt, stream: false }, { signal })) {
      if (signal.aborted) break;
    }
  }
  const {
    job,
    model: file,
    view,
    echo,
  } = await ctx.runQuery(internal.requests.resultAdmitted, { keyId, jobId });
  const { result } = view;
  if (result !== null) {
    const { kind, callForm, submittedAt: created, finishedAt, modelId: model } = job;
    const head = {
      jobId,
      created,
      model,
      sha256: file.sha256,
      priority: view.priority,
    };
    const body =
      callForm !== null
        ? formBody(callForm, head, { result, echo, endedAt: finishedAt ?? created })
        : kind === "tokens"
          ? tokensBody(tokensOf(result), file.contextTokens)
          : answerBody(kind, head, result, encoding);
    return json(200, body, answerHeaders(head, view));
  }
  const error = endOf(view, promptFieldOf(job));
  return error === null ? await answerAccepted(ctx, { keyId, jobId }) : jobErrorResponse(error, jobId);
}

/**
 * The form of vectors and the wait that a reader of a result asks for. `giveUpAt`: ms since the epoch; null: the reader does not wait.
 */
export async function askedResult(
  ctx: ActionCtx,
  request: Request,
  caller: Caller,
): Promise<{ readonly encoding: Encoding; readonly giveUpAt: number | null } | { readonly error: ApiError }> {
  const asked = new URL(request.url).searchParams.get("encoding_format") ?? "float";
  const encoding = encodings.find((each) => each === asked);
  if (encoding === undefined) return { error: wrongParameter("encoding_format", encodings) };
  const wait = await askedWait(ctx, request, caller);
  return "error" in wait ? wait : { encoding, ...wait };
}

type Ended = {
  readonly result: Result;
  /** The fields of its request that a response repeats, as JSON. */
  readonly echo: string | null;
  /** ms since the epoch. */
  readonly endedAt: number;
};

/** The body of a call that does not answer in the usual form. */
export function formBody(
  form: CallForm,
  head: Omit<ResponseHead, "echo">,
  { result, echo, endedAt }: Ended,
): object {
  const { opinion = null } = head;
  switch (form) {
    case "response": {
      const text = textOf(result);
      return responseBody({ ...head, echo: parseEcho(echo) }, endStatus(text), { result: text });
    }
    case "message":
      return messageBody(head, textOf(result), opinion);
    case "ollama-chat":
      return wholeBody("chat", head, textOf(result), opinion, endedAt);
    case "ollama-generate":
      return wholeBody("generate", head, textOf(result), opinion, endedAt);
    case "ollama-embed":
      return embedBody(head.model, vectorsOf(result), endedAt - head.created);
    case "ollama-embeddings":
      return embeddingBody(vectorsOf(result));
    default:
      return assertNever(form);
  }
}

type Result = NonNullable<RequestView["result"]>;

/** The body in the usual form of the job's kind. */
export function answerBody(
  kind: Exclude<RequesterJob["kind"], "tokens">,
  head: AnswerHead,
  result: Result,
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
