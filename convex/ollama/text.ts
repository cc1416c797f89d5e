import type { ChatRequest } from "../../app/jobs/chat.ts";
import { parseOllamaChat } from "../../app/jobs/parse/ollama/ollama-chat.ts";
import { parseOllamaGenerate } from "../../app/jobs/parse/ollama/ollama-generate.ts";
import { type ParsedLoad, parseOrLoad } from "../../app/jobs/parse/ollama/ollama-load.ts";
import type { ParsedText, Vote } from "../../app/jobs/parse/parse-sampling.ts";
import type { CompletionRequest, Work } from "../../app/jobs/work.ts";
import type { ActionCtx } from "../_generated/server.js";
import type { ModelView } from "../model/models/catalog.ts";
import { headOf, textOf } from "../openai/answerForm.ts";
import type { Caller } from "../openai/endpoint.ts";
import { answerWhole } from "../openai/follow.ts";
import type { Call } from "../openai/readCall.ts";
import { answerWithJob } from "../openai/requestedJob.ts";
import { cors, json } from "../openai/respond.ts";
import { streamText } from "../openai/stream.ts";
import { answerVoted, chatCall, completionCall, textWork } from "../openai/textCalls.ts";
import type { VotedForm } from "../openai/votes/answerVotes.ts";
import { answerRead } from "./endpoint.ts";
import { linesType, loadedBody, type TextCall, textLines, wholeBody } from "./textBody.ts";

/** POST /api/chat. */
export async function chat(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  return await answerRead(request, caller, chatOrLoad, async ({ asked, ...of }) => {
    if ("loads" in asked) return answerLoad("chat", of.model, asked);
    const call = { ...of, asked };
    const { vote } = asked;
    if (vote !== null)
      return await answerVoted(ctx, caller, call, chatCall, votedCall(request, "chat", vote));
    return await answerText(ctx, request, caller, call, {
      call: "chat",
      work: await textWork(chatCall, call),
    });
  });
}

const chatOrLoad = parseOrLoad(parseOllamaChat, "messages", [{ role: "user", content: "Hello" }]);
const generateOrLoad = parseOrLoad(parseOllamaGenerate, "prompt", "Hello");

/** POST /api/generate: a chat of one message, or the continuation of a raw prompt. */
export async function generate(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  return await answerRead(request, caller, generateOrLoad, async ({ asked, ...call }) => {
    if ("loads" in asked) return answerLoad("generate", call.model, asked);
    if (asked.vote !== null) {
      const options = votedCall(request, "generate", asked.vote);
      return asked.kind === "chat"
        ? await answerVoted(ctx, caller, { ...call, asked }, chatCall, options)
        : await answerVoted(ctx, caller, { ...call, asked }, completionCall, options);
    }
    const work =
      asked.kind === "chat"
        ? await textWork(chatCall, { ...call, asked })
        : await textWork(completionCall, { ...call, asked });
    return await answerText(ctx, request, caller, { ...call, asked }, { call: "generate", work });
  });
}

/** Devices load models by themselves, so nothing has to be done. */
function answerLoad(call: TextCall, { modelId }: ModelView, { loads, stream }: ParsedLoad): Response {
  const body = loadedBody(call, modelId, loads);
  if (!stream) return json(200, body);
  return new Response(`${JSON.stringify(body)}\n`, { headers: { ...cors, "content-type": linesType } });
}

function votedCall({ signal }: Request, call: TextCall, vote: Vote) {
  const form: VotedForm = {
    callForm: `ollama-${call}`,
    whole: (...answer) => wholeBody(call, ...answer),
    events: (...answer) => textLines(call, ...answer),
  };
  return { vote, promptField: promptFields[call], signal, form };
}

const promptFields = { chat: "messages", generate: "prompt" } as const;

async function answerText(
  ctx: ActionCtx,
  request: Request,
  caller: Caller,
  asked: Call<ParsedText<ChatRequest | CompletionRequest>>,
  { call, work }: { readonly call: TextCall; readonly work: Work },
): Promise<Response> {
  const { stream } = asked.asked;
  const created = Date.now();
  const options = {
    work,
    callForm: `ollama-${call}`,
    stream,
    promptField: promptFields[call],
  } as const;
  return await answerWithJob(ctx, caller, asked, options, async (job) => {
    const head = headOf(job, created);
    if (stream) return await streamText(ctx, job, request.signal, textLines(call, head));
    return await answerWhole(ctx, job, request.signal, (result) => wholeBody(call, head, textOf(result)));
  });
}
