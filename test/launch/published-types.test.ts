import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";

/**
 * Holds real answers, of a backend and a donor with the demo model, to the types that OpenAI and Anthropic publish in their packages. The
 * compiler reads them as literals, so it also reports a missing field, an unknown one and a word that is not in a list.
 */
const root = resolve(import.meta.dirname, "../..");

let farm: Farm;

beforeAll(async () => {
  farm = await startFarm();
  await farm.startDonor("published-types");
});
afterAll(async () => {
  await farm.close();
});

/** A value, and the name of the type that it must have. */
type Typed = { readonly type: string; readonly value: unknown };

async function ask(path: string, body: object | FormData): Promise<string> {
  const isForm = body instanceof FormData;
  return await textOf(200, path, {
    method: "POST",
    headers: isForm ? {} : { "content-type": "application/json" },
    body: isForm ? body : JSON.stringify(body),
  });
}

async function textOf(status: number, path: string, { headers, ...init }: RequestInit): Promise<string> {
  const authorization = `Bearer ${farm.organization.apiKey}`;
  const response = await fetch(`${farm.backend.siteUrl}${path}`, {
    ...init,
    headers: { authorization, ...(headers as Record<string, string>) },
  });
  const text = await response.text();
  expect([response.status, text]).toEqual([status, text]);
  return text;
}

async function whole(type: string, path: string, body: object | FormData): Promise<Typed> {
  return { type, value: JSON.parse(await ask(path, body)) as unknown };
}

/** The answer to a call that is fetched later. */
async function later(type: string, path: string, body: object): Promise<Typed> {
  const headers = { "content-type": "application/json", prefer: "respond-async" };
  const asked = await textOf(202, path, { method: "POST", headers, body: JSON.stringify(body) });
  const { id } = JSON.parse(asked) as { readonly id: string };
  const answer = await textOf(200, `/v1/jobs/${id}/result`, { headers: { prefer: "wait=60" } });
  return { type, value: JSON.parse(answer) as unknown };
}

async function streamed(type: string, path: string, body: object): Promise<readonly Typed[]> {
  const text = await ask(path, { ...body, stream: true });
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as unknown);
  expect(events.length).toBeGreaterThan(2);
  return events.map((value) => ({ type, value }));
}

/**
 * The types of the packages. OpenAI's own answers have null for an optional field without a value, which its types do not say. Streamed
 * completions have no reason to finish before their end, and fields of ours are named in docs/api.md.
 */
const types = [
  'import type OpenAI from "openai";',
  'import type Anthropic from "@anthropic-ai/sdk";',
  "type OrNull<T> = T extends object ? { [K in keyof T]: undefined extends T[K] ? OrNull<T[K]> | null : OrNull<T[K]> } : T;",
  "type Own = { x_gleaner?: { [field: string]: unknown } };",
  "type Completion = OrNull<OpenAI.Completion> & { service_tier: string } & Own;",
  "type ChatCompletionChunk = OpenAI.ChatCompletionChunk & Own;",
  "type MessageEvent = Anthropic.RawMessageStreamEvent & Own;",
  'type Finish = OpenAI.CompletionChoice["finish_reason"] | null;',
  'type Piece = Omit<OpenAI.CompletionChoice, "finish_reason"> & { finish_reason: Finish };',
  'type CompletionChunk = Omit<Completion, "choices"> & { choices: Piece[] };',
  "type Batch = OrNull<OpenAI.Batch> & { requirements: string | null; price_micro: string; expected_price_micro: string | null; forecast: object | null; found_wrong: object | null; waits_for: string | null };",
  "type Model = OpenAI.Model & Anthropic.ModelInfo & { context_length: number };",
  // The package adds output_text itself, and leaves out store, which OpenAI's own answers have.
  'type Response = Omit<OrNull<OpenAI.Responses.Response>, "output_text"> & { store: boolean } & Own;',
  'type WithResponse<T> = T extends { response: unknown } ? Omit<T, "response"> & { response: Response } : T;',
  "type ResponseEvent = WithResponse<OrNull<OpenAI.Responses.ResponseStreamEvent>>;",
];

/** The compiler's errors about the values. Empty if all have their types. */
async function complaintsAbout(values: readonly Typed[]): Promise<string> {
  // The packages are found from here.
  const cache = join(root, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "published-types-"));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const file = join(folder, "answers.ts");
  const lines = values.map(
    ({ type, value }, at) => `export const value${String(at)}: ${type} = ${JSON.stringify(value)};`,
  );
  await writeFile(file, [...types, ...lines].join("\n"));
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2024", "--module", "nodenext"];
  const child = spawn(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), ...options, "--ignoreConfig", file],
    { cwd: folder, stdio: ["ignore", "pipe", "inherit"] },
  );
  let said = "";
  child.stdout.on("data", (data: Buffer) => (said += data.toString()));
  await once(child, "close");
  return said.replaceAll(/answers\.ts\((\d+)/g, (_, line: string) => {
    const wrong = lines[Number(line) - types.length - 1] ?? "";
    return `${wrong.slice(0, 1_000)}\n(${line}`;
  });
}

const question = [{ role: "user", content: "What is the capital of Norway?" }];
const properties = { city: { type: "string", enum: ["Oslo", "Rome"] } };
const parameters = { type: "object", properties, required: ["city"], additionalProperties: false };

test("answers and the events of streams have the types that OpenAI publishes", async () => {
  const chat = { model: farm.modelId, messages: question, max_completion_tokens: 16, temperature: 0 };
  const tools = [{ type: "function", function: { name: "weather", parameters } }];
  const called = { ...chat, max_completion_tokens: 64, tools, tool_choice: "required" };
  const response = {
    model: farm.modelId,
    input: "What is the capital of Norway?",
    max_output_tokens: 16,
    temperature: 0,
  };
  const responseTool = { type: "function", name: "weather", parameters, strict: true };
  const form = new FormData();
  form.set("purpose", "batch");
  form.set(
    "file",
    new Blob(['{"custom_id":"a","method":"POST","url":"/v1/embeddings","body":{"input":"a"}}']),
  );
  const file = await whole("OpenAI.FileObject", "/v1/files", form);
  const batch = {
    input_file_id: (file.value as { id: string }).id,
    endpoint: "/v1/embeddings",
    completion_window: "24h",
  };
  const values = [
    file,
    await whole("OpenAI.ChatCompletion", "/v1/chat/completions", {
      ...chat,
      n: 2,
      logprobs: true,
      top_logprobs: 2,
    }),
    await later("OpenAI.ChatCompletion", "/v1/chat/completions", { ...chat, n: 2 }),
    await whole("OpenAI.ChatCompletion", "/v1/chat/completions", called),
    ...(await streamed("ChatCompletionChunk", "/v1/chat/completions", {
      ...chat,
      logprobs: true,
      stream_options: { include_usage: true },
    })),
    ...(await streamed("ChatCompletionChunk", "/v1/chat/completions", called)),
    await whole("Completion", "/v1/completions", {
      model: farm.modelId,
      prompt: "The capital of Norway",
      max_tokens: 8,
      logprobs: 2,
    }),
    ...(await streamed("CompletionChunk", "/v1/completions", {
      model: farm.modelId,
      prompt: "The capital",
      max_tokens: 8,
    })),
    await whole("OpenAI.CreateEmbeddingResponse", "/v1/embeddings", {
      model: farm.modelId,
      input: ["a", "b"],
    }),
    await later("Completion", "/v1/completions", {
      model: farm.modelId,
      prompt: ["The capital of Norway", "The capital of Italy"],
      max_tokens: 8,
    }),
    await whole("Response", "/v1/responses", response),
    await whole("Response", "/v1/responses", {
      ...response,
      tools: [responseTool],
      tool_choice: "required",
      max_output_tokens: 64,
    }),
    ...(await streamed("ResponseEvent", "/v1/responses", response)),
    ...(await streamed("ResponseEvent", "/v1/responses", {
      ...response,
      tools: [responseTool],
      tool_choice: "required",
      max_output_tokens: 64,
    })),
    await whole("Batch", "/v1/batches", batch),
  ];
  expect(await complaintsAbout(values)).toBe("");
});

test("responses without an answer have the types that OpenAI publishes", async () => {
  const begin = async (input: string): Promise<Typed & { readonly path: string }> => {
    const asked = await whole("Response", "/v1/responses", { model: farm.modelId, input, background: true });
    return { ...asked, path: `/v1/responses/${(asked.value as { readonly id: string }).id}` };
  };
  const [canceled, failed] = [await begin("Hi"), await begin("word ".repeat(20_000))];
  const cancel = await fetch(`${farm.backend.siteUrl}${canceled.path}/cancel`, {
    method: "POST",
    headers: { authorization: `Bearer ${farm.organization.apiKey}` },
  });
  const ended = await textOf(200, failed.path, { headers: { prefer: "wait=60" } });
  const values = [canceled, failed, { type: "Response", value: JSON.parse(ended) as unknown }];
  expect(values.at(-1)?.value).toMatchObject({ status: "failed", error: { code: "invalid_prompt" } });
  // The job may have its answer by now.
  if (cancel.status === 200) values.push({ type: "Response", value: await cancel.json() });
  expect(await complaintsAbout(values)).toBe("");
});

test("messages, the events of their streams and models have the types that Anthropic publishes", async () => {
  const message = { model: farm.modelId, messages: question, max_tokens: 16 };
  const tools = [{ name: "weather", input_schema: parameters }];
  const called = { ...message, max_tokens: 64, tools, tool_choice: { type: "tool", name: "weather" } };
  const values = [
    await whole("Anthropic.Message", "/v1/messages", message),
    await whole("Anthropic.Message", "/v1/messages", called),
    ...(await streamed("MessageEvent", "/v1/messages", message)),
    ...(await streamed("MessageEvent", "/v1/messages", called)),
    await whole("Anthropic.MessageTokensCount", "/v1/messages/count_tokens", {
      model: farm.modelId,
      messages: question,
    }),
    {
      type: "Model",
      value: JSON.parse(await textOf(200, `/v1/models/${farm.modelId}`, {})) as unknown,
    },
  ];
  expect(await complaintsAbout(values)).toBe("");
});

test("the compiler reports a missing field, an unknown one and a wrong word", async () => {
  const good = { object: "embedding", index: 0, embedding: [1] };
  const type = "OpenAI.Embedding";
  expect(await complaintsAbout([{ type, value: good }])).toBe("");
  const { index: _, ...missing } = good;
  for (const value of [missing, { ...good, unknown: 1 }, { ...good, object: "vector" }])
    expect(await complaintsAbout([{ type, value }])).toContain("error TS");
});
