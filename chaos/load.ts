import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import OpenAI from "openai";
import type { Farm } from "../launch/farm/farm.ts";
import { demoPrompts } from "../launch/farm/prompts.ts";

/**
 * Requesters that retry. They resend a request with the same idempotency key if the connection breaks, or if a
 * starting backend asks for it.
 */
export class Load {
  readonly #client: OpenAI;
  readonly #model: string;
  sent = 0;
  answered = 0;
  /** The number of resent requests. */
  resent = 0;
  readonly errors: string[] = [];

  constructor(farm: Farm) {
    this.#model = farm.modelId;
    this.#client = new OpenAI({
      baseURL: `${farm.backend.siteUrl}/v1`,
      apiKey: farm.organization.apiKey,
      maxRetries: 0,
      timeout: 180_000,
    });
  }

  /** @param streamed read the answers as they are written. Then the devices stream their text. */
  async send(count: number, streamed = false): Promise<void> {
    await Promise.all(demoPrompts(count).map(({ prompt }) => this.#one(prompt, streamed)));
  }

  async #one(content: string, streamed: boolean): Promise<void> {
    this.sent++;
    const headers = { "Idempotency-Key": randomUUID() };
    const body = {
      model: this.#model,
      messages: [{ role: "user" as const, content }],
      temperature: 0,
      max_completion_tokens: 128,
    };
    for (let attempt = 0; attempt < 60; attempt++) {
      try {
        const text = streamed
          ? await this.#streamed(body, headers)
          : (await this.#client.chat.completions.create(body, { headers })).choices[0]?.message.content;
        if (text) this.answered++;
        else this.errors.push("an answer was empty");
        return;
      } catch (error) {
        // A stream that another device could not continue says so. Its text is not the answer.
        if (error instanceof OpenAI.APIError && error.code === "attempt_diverged") {
          headers["Idempotency-Key"] = randomUUID();
        } else if (!isWorthAnotherTry(error)) {
          this.errors.push(error instanceof Error ? error.message : String(error));
          return;
        }
        this.resent++;
        await sleep(1_000);
      }
    }
    this.errors.push("gave up after 60 tries");
  }

  async #streamed(
    body: OpenAI.Chat.ChatCompletionCreateParamsNonStreaming,
    headers: Readonly<Record<string, string>>,
  ): Promise<string> {
    let text = "";
    const chunks = await this.#client.chat.completions.create({ ...body, stream: true }, { headers });
    for await (const chunk of chunks) text += chunk.choices[0]?.delta.content ?? "";
    return text;
  }
}

function isWorthAnotherTry(error: unknown): boolean {
  if (error instanceof OpenAI.APIConnectionError) return true;
  return error instanceof OpenAI.InternalServerError && error.headers.has("retry-after");
}
