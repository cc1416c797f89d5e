import type { ChatRequest } from "../../app/jobs/chat.ts";
import type { BodyParse } from "../../app/jobs/parse/parse-body.ts";
import { parseChat } from "../../app/jobs/parse/parse-chat.ts";
import { parseCompletion } from "../../app/jobs/parse/parse-completion.ts";
import type { ParsedText, Vote } from "../../app/jobs/parse/parse-sampling.ts";
import { type CompletionRequest, type TextWork, withSeed } from "../../app/jobs/work.ts";
import type { KeyScope } from "../../app/keys/scopes.ts";
import type { ActionCtx } from "../_generated/server.js";
import { hashSecret } from "../model/authenticate.ts";
import type { ModelView } from "../model/models/catalog.ts";
import { headOf, type TextForm, textOf } from "./answerForm.ts";
import { chatForm } from "./chatForm.ts";
import { answerChoices } from "./choices/choices.ts";
import { chunkEvents } from "./chunkEvents.ts";
import { completionForm } from "./completionForm.ts";
import type { Caller } from "./endpoint.ts";
import type { PromptField } from "./errors.ts";
import { answerWhole } from "./follow.ts";
import { type Call, readCall } from "./readCall.ts";
import { answerWithJob } from "./requestedJob.ts";
import { errorResponse } from "./respond.ts";
import { answerWithJobs } from "./severalJobs.ts";
import { streamText } from "./stream.ts";
import { answerVotes, type VotedForm } from "./votes/answerVotes.ts";
import { votedForm } from "./votes/votedForm.ts";

export const chatCall: TextCall<ChatRequest> = {
  promptField: "messages",
  parse: parseChat,
  workOf: (chat) => ({ kind: "chat", request: chat }),
  form: chatForm,
};

export const completionCall: TextCall<CompletionRequest> = {
  promptField: "prompt",
  parse: parseCompletion,
  workOf: (completion) => ({ kind: "completion", request: completion }),
  form: completionForm,
};

/** POST /v1/chat/completions. */
export async function chatCompletions(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  return await answerText(ctx, request, caller, chatCall);
}

/** POST /v1/completions. */
export async function completions(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  return await answerText(ctx, request, caller, completionCall);
}

/** The fields that a requester may leave out. */
type Defaults = { readonly maxTokens: number; readonly seed: number };

/** The differences between the calls that are answered with text. */
export type TextCall<TextRequest> = {
  readonly promptField: PromptField;
  readonly parse: (json: string) => BodyParse<ParsedText<TextRequest>>;
  readonly workOf: (request: Omit<TextRequest, keyof Defaults> & Defaults) => TextWork;
  readonly form: TextForm;
};

async function answerText<TextRequest>(
  ctx: ActionCtx,
  request: Request,
  caller: Caller,
  textCall: TextCall<TextRequest>,
): Promise<Response> {
  const { promptField, parse, form } = textCall;
  const read = await readCall(request, caller, parse);
  if (read.kind === "refused") return errorResponse(read.error);
  const { call } = read;
  const { stream, includeUsage, vote } = call.asked;
  const created = Date.now();
  if (vote !== null) {
    const { signal } = request;
    const options = { vote, promptField, signal, form: votedForm(form, includeUsage) };
    return await answerVoted(ctx, caller, call, textCall, options);
  }
  const works = await textWorks(textCall, call);
  const [work] = works;
  if (works.length > 1) {
    const { signal } = request;
    const options = { stream, promptField, signal };
    return await answerWithJobs(ctx, caller, call, works, options, async (jobs) => {
      return await answerChoices(ctx, jobs, { form, created, stream, includeUsage, signal });
    });
  }
  return await answerWithJob(ctx, caller, call, { work, stream, promptField }, async (job) => {
    const head = headOf(job, created);
    if (stream) return await streamText(ctx, job, request.signal, chunkEvents(form, head, includeUsage));
    return await answerWhole(ctx, job, request.signal, (result) => form.whole(head, textOf(result)));
  });
}

type VotedCall = {
  readonly vote: Vote;
  readonly form: VotedForm;
  readonly promptField: PromptField;
  /** The scope that a key needs to fetch the answer later. */
  readonly answerScope?: KeyScope;
  /** Aborts when the client has left or the server stops. */
  readonly signal: AbortSignal;
};

/** Answers a call that wants second opinions. */
export async function answerVoted<TextRequest>(
  ctx: ActionCtx,
  caller: Caller,
  call: Call<ParsedText<TextRequest>>,
  textCall: Pick<TextCall<TextRequest>, "workOf">,
  { vote, ...options }: VotedCall,
): Promise<Response> {
  const kept = call.idempotencyKey !== null;
  const named = { ...call, idempotencyKey: call.idempotencyKey ?? crypto.randomUUID() };
  const workFor = async (model: ModelView, index: number): Promise<TextWork> =>
    withSeed(await textWork(textCall, { ...named, model }), index);
  const { maxTokens } = call.asked.request;
  return await answerVotes(ctx, caller, named, {
    ...vote,
    ...options,
    maxTokens: maxTokens ?? defaultMaxTokens,
    kept,
    workFor,
  });
}

/** The work of each choice of a parsed call, with its own seed. The choices of a prompt follow each other. */
export async function textWorks<TextRequest>(
  textCall: Pick<TextCall<TextRequest>, "workOf">,
  call: Parameters<typeof textWork<TextRequest>>[1],
): Promise<readonly [TextWork, ...TextWork[]]> {
  const { choices, further = [] } = call.asked;
  const [work, ...others] = withSeeds(await textWork(textCall, call), choices);
  for (const request of further)
    others.push(
      ...withSeeds(await textWork(textCall, { ...call, asked: { ...call.asked, request } }), choices),
    );
  return [work, ...others];
}

function withSeeds(work: TextWork, choices: number): [TextWork, ...TextWork[]] {
  const others = Array.from({ length: choices - 1 }, (_, index) => withSeed(work, index + 1));
  return [work, ...others];
}

const defaultMaxTokens = 1_024;

/** The work that a parsed call asks for, with the defaults of its model. */
export async function textWork<TextRequest>(
  { workOf }: Pick<TextCall<TextRequest>, "workOf">,
  { asked, model, idempotencyKey }: Pick<Call<ParsedText<TextRequest>>, "asked" | "model" | "idempotencyKey">,
): Promise<TextWork> {
  const { maxTokens, seed } = asked.request;
  return workOf({
    ...asked.request,
    // A bound beyond the context is as good as the context.
    maxTokens: Math.min(maxTokens ?? defaultMaxTokens, model.contextTokens),
    seed: seed ?? (await chosenSeed(idempotencyKey)),
  });
}

/** Derives the seed from an idempotency key if there is one, so that a repeated request is the same request. */
async function chosenSeed(idempotencyKey: string | null): Promise<number> {
  if (idempotencyKey === null) return Math.floor(Math.random() * 2 ** 31);
  return Number.parseInt((await hashSecret(idempotencyKey)).slice(0, 8), 16) % 2 ** 31;
}
