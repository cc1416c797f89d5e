import type { ChatResult, FinishReason, ToolCall, Usage } from "../../app/jobs/chat.ts";
import type { TokenChoice } from "../../app/jobs/sampling.ts";

/** What every body about one job says. `created`: ms epoch. */
export type CompletionHead = {
  readonly jobId: string;
  readonly created: number;
  readonly model: string;
  readonly sha256: string;
};

/** OpenAI's chat.completion object. */
export function completionBody(head: CompletionHead, result: Omit<ChatResult, "timing">): object {
  const { text, toolCalls = [], logprobs, finishReason } = result;
  const calls = toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(callBody) };
  return {
    ...common(head, "chat.completion"),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: toolCalls.length > 0 && text === "" ? null : text,
          refusal: null,
          ...calls,
        },
        logprobs: logprobs === undefined ? null : logprobsBody(logprobs),
        finish_reason: finishReason,
      },
    ],
    usage: usageBody(result.usage),
  };
}

/** OpenAI's chat.completion.chunk object with one step of the answer. */
export function chunkBody(
  head: CompletionHead,
  delta: {
    readonly role?: "assistant";
    readonly content?: string;
    readonly toolCalls?: readonly ToolCall[];
    readonly logprobs?: readonly TokenChoice[];
  },
  finishReason: FinishReason | null,
): object {
  const { toolCalls, logprobs, ...said } = delta;
  const calls = toolCalls?.map((call, index) => ({ index, ...callBody(call) }));
  return {
    ...common(head, "chat.completion.chunk"),
    choices: [
      {
        index: 0,
        delta: calls === undefined ? said : { ...said, tool_calls: calls },
        logprobs: logprobs === undefined ? null : logprobsBody(logprobs),
        finish_reason: finishReason,
      },
    ],
  };
}

/** The chunk after the last one, where `stream_options.include_usage` asks for it. */
export function usageChunkBody(head: CompletionHead, usage: Usage): object {
  return { ...common(head, "chat.completion.chunk"), choices: [], usage: usageBody(usage) };
}

function common({ jobId, created, model, sha256 }: CompletionHead, object: string): object {
  return {
    id: `chatcmpl-${jobId}`,
    object,
    created: Math.floor(created / 1_000),
    model,
    system_fingerprint: `fp_${sha256.slice(0, 12)}`,
  };
}

function callBody({ id, name, arguments: json }: ToolCall): object {
  return { id, type: "function", function: { name, arguments: json } };
}

function logprobsBody(choices: readonly TokenChoice[]): object {
  return {
    content: choices.map(({ top, ...chosen }) => ({
      ...tokenBody(chosen),
      top_logprobs: top.map(tokenBody),
    })),
    refusal: null,
  };
}

function tokenBody({ token, logprob }: Omit<TokenChoice, "top">): object {
  return { token, logprob, bytes: [...new TextEncoder().encode(token)] };
}

function usageBody({ promptTokens, completionTokens, cachedPromptTokens = 0 }: Usage): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedPromptTokens },
  };
}
