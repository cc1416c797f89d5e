import type { BodyParse } from "../../app/jobs/parse-body.ts";
import type { ParsedText } from "../../app/jobs/parse-sampling.ts";
import type { Work } from "../../app/jobs/work.ts";
import type { ActionCtx } from "../_generated/server.js";
import { hashSecret } from "../model/keys/hash.ts";
import type { TextForm } from "./answerForm.ts";
import { textOf } from "./answerOf.ts";
import { abandon, type AskedJob } from "./requestedJob.ts";
import { errorResponse, type PromptField } from "./errors.ts";
import { prepare, type Prepared } from "./readCall.ts";
import { streamText } from "./stream.ts";
import { submitWork } from "./submitWork.ts";
import { waitLimitMs } from "./wait.ts";
import { answerWhole } from "./whole.ts";

/** Answers this long are long enough for whoever asks for no length. */
const defaultMaxTokens = 1_024;

type Decided<Request> = Omit<Request, "maxTokens" | "seed"> & {
  readonly maxTokens: number;
  readonly seed: number;
};

/** One of OpenAI's calls that are answered with text. */
export type TextCall<Request> = {
  readonly promptField: PromptField;
  readonly parse: (json: string) => BodyParse<ParsedText<Request>>;
  readonly workOf: (request: Decided<Request>) => Work;
  readonly form: TextForm;
};

export async function answerText<Request>(
  ctx: ActionCtx,
  request: globalThis.Request,
  { promptField, parse, workOf, form }: TextCall<Request>,
): Promise<Response> {
  const outcome = await prepare(ctx, request, parse);
  if (outcome.kind === "refused") return errorResponse(outcome.error);
  const { prepared } = outcome;
  const { stream, includeUsage } = prepared.asked;
  const created = Date.now();
  const work = workOf({ ...prepared.asked.request, ...(await decide(prepared)) });
  const jobId = await submitWork(ctx, prepared, work, stream);
  const { modelId, sha256 } = prepared.model;
  const asked: AskedJob = {
    apiKey: prepared.apiKey,
    jobId,
    giveUpAt: created + waitLimitMs,
    stream,
    kept: prepared.idempotencyKey !== null,
    promptField,
  };
  const head = { jobId, created, model: modelId, sha256 };
  try {
    if (stream) return await streamText(ctx, asked, { form, head, includeUsage });
    return await answerWhole(ctx, asked, request.signal, (result) => form.whole(head, textOf(result)));
  } catch (thrown) {
    await abandon(ctx, asked);
    throw thrown;
  }
}

/** What the requester left to us. */
async function decide({
  asked: { request },
  model,
  idempotencyKey,
}: Prepared<ParsedText<unknown>>): Promise<{ readonly maxTokens: number; readonly seed: number }> {
  return {
    maxTokens: request.maxTokens ?? Math.min(defaultMaxTokens, model.contextTokens),
    seed: request.seed ?? (await chosenSeed(idempotencyKey)),
  };
}

/** By the idempotency key where there is one, so that a repeated request is the same request. */
async function chosenSeed(idempotencyKey: string | null): Promise<number> {
  if (idempotencyKey === null) return Math.floor(Math.random() * 2 ** 31);
  return Number.parseInt((await hashSecret(idempotencyKey)).slice(0, 8), 16) % 2 ** 31;
}
