import { isRecord, parseJson, recordOf } from "../../../app/json.ts";

/** An answer of the API, as far as it has come. */
export type Answer = {
  readonly text: string;
  /** Calls of tools, in the API's words. */
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: string | null;
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | null;
  /** The vectors of an embedding: how many there are, their length, and the first numbers of each. */
  readonly vectors: { readonly length: number; readonly starts: readonly (readonly number[])[] } | null;
};

type ToolCall = Readonly<Record<string, unknown>>;

export type ApiFailure = { readonly code: string; readonly message: string };

export const noAnswer: Answer = { text: "", toolCalls: [], finishReason: null, usage: null, vectors: null };

/** Adds a body or a streamed chunk of the API to an answer. */
export function withBody(answer: Answer, body: unknown): Answer {
  const { choices, data, usage } = recordOf(body);
  const choice = recordOf(Array.isArray(choices) ? (choices as unknown[])[0] : undefined);
  const said = recordOf(choice["delta"] ?? choice["message"]);
  const text = said["content"] ?? choice["text"];
  const calls = said["tool_calls"];
  return {
    text: answer.text + (typeof text === "string" ? text : ""),
    toolCalls: Array.isArray(calls)
      ? (calls as unknown[]).reduce(withCall, answer.toolCalls)
      : answer.toolCalls,
    finishReason: typeof choice["finish_reason"] === "string" ? choice["finish_reason"] : answer.finishReason,
    usage: isRecord(usage) ? usageOf(usage) : answer.usage,
    vectors: Array.isArray(data) ? vectorsOf(data) : answer.vectors,
  };
}

/** Adds a call, or the next part of its arguments. Chunks say to which call a part belongs. */
function withCall(calls: Answer["toolCalls"], added: unknown): Answer["toolCalls"] {
  const { index = calls.length, ...call } = recordOf(added);
  const before = calls[Number(index)];
  if (before === undefined) return [...calls, call];
  const begun = recordOf(before["function"]);
  const parts = [begun["arguments"], recordOf(call["function"])["arguments"]];
  const json = parts.filter((part) => typeof part === "string").join("");
  return calls.with(Number(index), { ...before, function: { ...begun, arguments: json } });
}

/** The error in a body or a streamed chunk; null if it has none. */
export function failureOf(body: unknown): ApiFailure | null {
  const { error } = recordOf(body);
  if (!isRecord(error)) return null;
  const { code, message } = error;
  return { code: String(code), message: typeof message === "string" ? message : "The call failed." };
}

function usageOf(usage: Readonly<Record<string, unknown>>): Answer["usage"] {
  const count = (field: string): number => (typeof usage[field] === "number" ? usage[field] : 0);
  return { promptTokens: count("prompt_tokens"), completionTokens: count("completion_tokens") };
}

const shownNumbers = 4;

function vectorsOf(data: readonly unknown[]): Answer["vectors"] {
  const vectors = data.map((each) => {
    const { embedding } = recordOf(each);
    return Array.isArray(embedding) ? embedding.filter((one): one is number => typeof one === "number") : [];
  });
  return { length: vectors[0]?.length ?? 0, starts: vectors.map((vector) => vector.slice(0, shownNumbers)) };
}

/** The bodies of server-sent events, in order, without the closing `[DONE]` and comments. */
export async function* eventBodies(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split("\n");
      rest = done ? "" : (lines.pop() ?? "");
      for (const line of lines) {
        const data = /^data: ?(.*?)\r?$/.exec(line)?.[1];
        if (data === undefined || data === "[DONE]") continue;
        yield parseJson(data);
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
