import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { answer, question, type Server } from "./server.ts";

const run = promisify(execFile);

export function testCurl(server: () => Server): void {
  const curl = async (path: string, body: object | null, ...options: string[]): Promise<string> => {
    const { site, apiKey } = server();
    const data = body === null ? [] : ["--json", JSON.stringify({ model: server().model, ...body })];
    const { stdout } = await run("curl", [
      ...["--silent", "--show-error", "--no-buffer", "--max-time", "60"],
      ...["--header", `Authorization: Bearer ${apiKey}`, ...data, ...options, `${site}${path}`],
    ]);
    return stdout;
  };
  const chat = { messages: [{ role: "user", content: question }], temperature: 0, max_tokens: 16 };

  test("a chat is answered, whole and streamed", async () => {
    const whole: unknown = JSON.parse(await curl("/v1/chat/completions", chat));
    expect(whole).toMatchObject({ choices: [{ message: { content: answer } }] });
    const events = (await curl("/v1/chat/completions", { ...chat, stream: true })).split("\n\n");
    expect(events.at(-2)).toBe("data: [DONE]");
    const chunks = events.slice(0, -2).map((event) => JSON.parse(event.slice("data: ".length)) as Chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe(answer);
  });

  test("a call of Ollama's API streams lines", async () => {
    const { messages } = chat;
    const lines = (await curl("/api/chat", { messages, options: { temperature: 0 } })).trimEnd().split("\n");
    const parts = lines.map((line) => JSON.parse(line) as Part);
    expect(parts.map(({ message }) => message.content).join("")).toBe(answer);
    expect(parts.at(-1)?.done).toBe(true);
  });

  test("a refusal has a status and says why", async () => {
    const [body = "", status] = (
      await curl("/v1/chat/completions", { ...chat, messages: [] }, "--write-out", "\n%{http_code}")
    ).split("\n");
    expect(status).toBe("400");
    expect(JSON.parse(body)).toMatchObject({ error: { param: "messages" } });
    expect(JSON.parse(await curl("/v1/models", null))).toMatchObject({ data: [{ id: server().model }] });
  });
}

type Chunk = { readonly choices: readonly { readonly delta: { readonly content?: string } }[] };
type Part = { readonly message: { readonly content: string }; readonly done: boolean };
