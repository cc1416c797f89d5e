import OpenAI from "openai";
import type { DemoPrompt } from "./prompts.ts";

export type Answer = {
  readonly prompt: DemoPrompt;
  readonly streamed: boolean;
  readonly seconds: number;
  readonly outcome:
    | {
        readonly kind: "answered";
        readonly text: string;
        readonly promptTokens: number;
        readonly completionTokens: number;
      }
    | { readonly kind: "failed"; readonly message: string };
};

/** A plain OpenAI client, like any requester's. Only the base URL and the key are ours. */
export function makeClient(siteUrl: string, apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${siteUrl}/v1`, apiKey, maxRetries: 0, timeout: 180_000 });
}

/** Sends one request and waits for its answer. Never rejects, because a failure is an outcome, too. */
export async function ask(
  client: OpenAI,
  model: string,
  prompt: DemoPrompt,
  streamed: boolean,
): Promise<Answer> {
  const start = performance.now();
  const outcome = await (
    streamed ? askStreamed(client, model, prompt) : askWhole(client, model, prompt)
  ).catch(
    (error: unknown) =>
      ({ kind: "failed", message: error instanceof Error ? error.message : String(error) }) as const,
  );
  return { prompt, streamed, seconds: (performance.now() - start) / 1000, outcome };
}

async function askWhole(client: OpenAI, model: string, prompt: DemoPrompt): Promise<Answer["outcome"]> {
  const completion = await client.chat.completions.create({ model, ...parameters(prompt) });
  return answered(completion.choices[0]?.message.content, completion.usage);
}

async function askStreamed(client: OpenAI, model: string, prompt: DemoPrompt): Promise<Answer["outcome"]> {
  const stream = await client.chat.completions.create({
    model,
    ...parameters(prompt),
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = "";
  let usage: OpenAI.CompletionUsage | null | undefined;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? "";
    usage = chunk.usage ?? usage;
  }
  return answered(text, usage);
}

function parameters(prompt: DemoPrompt): {
  messages: [{ role: "user"; content: string }];
  temperature: 0;
  max_completion_tokens: number;
} {
  return { messages: [{ role: "user", content: prompt.prompt }], temperature: 0, max_completion_tokens: 128 };
}

function answered(
  text: string | null | undefined,
  usage: OpenAI.CompletionUsage | null | undefined,
): Answer["outcome"] {
  if (typeof text !== "string" || text === "") return { kind: "failed", message: "the answer was empty" };
  if (!usage) return { kind: "failed", message: "the answer came without its usage" };
  return {
    kind: "answered",
    text,
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
  };
}
