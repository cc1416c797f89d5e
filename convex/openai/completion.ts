import type { FinishReason, Usage } from "../../app/jobs/chat.ts";

/** What every body about one job says. `created`: ms epoch. */
export type CompletionHead = {
  readonly jobId: string;
  readonly created: number;
  readonly model: string;
  readonly sha256: string;
};

/** OpenAI's chat.completion object. */
export function completionBody(
  head: CompletionHead,
  result: { readonly text: string; readonly finishReason: FinishReason; readonly usage: Usage },
): object {
  return {
    ...common(head, "chat.completion"),
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: result.text, refusal: null },
        logprobs: null,
        finish_reason: result.finishReason,
      },
    ],
    usage: usageBody(result.usage),
  };
}

/** OpenAI's chat.completion.chunk object with one step of the answer. */
export function chunkBody(
  head: CompletionHead,
  delta: { readonly role?: "assistant"; readonly content?: string },
  finishReason: FinishReason | null,
): object {
  return {
    ...common(head, "chat.completion.chunk"),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
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

function usageBody({ promptTokens, completionTokens }: Usage): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
