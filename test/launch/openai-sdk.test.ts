import { gzipSync } from "node:zlib";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { makeClient } from "../../launch/farm/ask.ts";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";

/** Every kind of job with the official client, on a running backend and a donor with the demo model. */
let farm: Farm;
let client: OpenAI;

beforeAll(async () => {
  farm = await startFarm();
  await farm.startDonor("openai-sdk");
  client = makeClient(farm.backend.siteUrl, farm.organization.apiKey);
});
afterAll(async () => {
  await farm.close();
});

const norway = { prompt: "The capital of Norway is", temperature: 0, max_tokens: 3 };

test("a completion continues its prompt", async () => {
  const completion = await client.completions.create({ model: farm.modelId, ...norway, logprobs: 2 });
  expect(completion).toMatchObject({
    object: "text_completion",
    model: farm.modelId,
    choices: [{ index: 0, text: " Oslo" }],
  });
  const [choice] = completion.choices;
  expect(choice?.logprobs?.tokens?.join("")).toBe(" Oslo");
  expect(choice?.logprobs?.token_logprobs?.[0]).toBeLessThanOrEqual(0);
  expect(Object.keys(choice?.logprobs?.top_logprobs?.[0] ?? {}).length).toBeGreaterThanOrEqual(2);
  const { prompt_tokens, completion_tokens, total_tokens } = completion.usage!;
  expect(prompt_tokens).toBeGreaterThan(1);
  expect(completion_tokens).toBe(3);
  expect(total_tokens).toBe(prompt_tokens + completion_tokens);
});

test("a completion can be streamed", async () => {
  const stream = await client.completions.create({
    model: farm.modelId,
    ...norway,
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = "";
  let usage: OpenAI.CompletionUsage | undefined;
  const ends: string[] = [];
  for await (const chunk of stream) {
    const [choice] = chunk.choices;
    text += choice?.text ?? "";
    if (choice?.finish_reason != null) ends.push(choice.finish_reason);
    usage = chunk.usage ?? usage;
  }
  expect(text).toBe(" Oslo");
  expect(ends).toHaveLength(1);
  expect(usage?.completion_tokens).toBe(3);
});

test("a prompt is completed in several ways, whole and streamed", async () => {
  const several = { model: farm.modelId, prompt: "The", temperature: 1, seed: 1, max_tokens: 8, n: 3 };
  const whole = await client.completions.create(several);
  expect(whole.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
  const wanted = whole.choices.map(({ text }) => text);
  expect(new Set(wanted).size).toBeGreaterThan(1);
  const texts = ["", "", ""];
  for await (const { choices } of await client.completions.create({ ...several, stream: true })) {
    for (const { index, text } of choices) texts[index] = (texts[index] ?? "") + text;
  }
  expect(texts).toEqual(wanted);
});

test("a completion follows a grammar", async () => {
  const grammar = { grammar: 'root ::= " " ("Paris" | "Rome")' };
  const completion = await client.completions.create({
    model: farm.modelId,
    ...norway,
    ...grammar,
    max_tokens: 16,
  });
  expect(completion.choices[0]?.text).toMatch(/^ (Paris|Rome)$/);
});

const product = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, each, index) => sum + each * (b[index] ?? 0), 0);

test("embeddings keep the order of their inputs, and are equal in every encoding", async () => {
  const input = ["the harbour in Oslo", "9 * 7 = 63", "the harbour in Oslo"];
  // The client asks for base64 by itself, and decodes it.
  const byDefault = await client.embeddings.create({ model: farm.modelId, input });
  expect(byDefault).toMatchObject({ object: "list", model: farm.modelId });
  expect(byDefault.data.map(({ index, object }) => [index, object])).toEqual([
    [0, "embedding"],
    [1, "embedding"],
    [2, "embedding"],
  ]);
  const [first = [], second = [], third = []] = byDefault.data.map(({ embedding }) => embedding);
  expect(first).toHaveLength(128);
  expect(product(first, first)).toBeCloseTo(1, 4);
  expect(product(first, third)).toBeCloseTo(1, 4);
  expect(product(first, second)).toBeLessThan(0.9);
  const { prompt_tokens, total_tokens } = byDefault.usage;
  expect(prompt_tokens).toBeGreaterThan(input.length);
  expect(total_tokens).toBe(prompt_tokens);

  const floats = await client.embeddings.create({ model: farm.modelId, input, encoding_format: "float" });
  floats.data.forEach(({ embedding }, index) => {
    expect(product(embedding, byDefault.data[index]?.embedding ?? [])).toBeCloseTo(1, 4);
  });
  const packed = await client.embeddings.create({ model: farm.modelId, input, encoding_format: "base64" });
  const text: unknown = packed.data[1]?.embedding;
  if (typeof text !== "string") throw new Error("no base64");
  const bytes = Buffer.from(text, "base64");
  const numbers = Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(4 * index));
  expect(product(numbers, second)).toBeCloseTo(1, 4);
});

test("embeddings take from one to 2,048 texts", async () => {
  const one = await client.embeddings.create({ model: farm.modelId, input: "alone" });
  expect(one.data).toHaveLength(1);
  const input = Array.from({ length: 2_048 }, (_, index) => `text ${String(index)}`);
  const many = await client.embeddings.create({ model: farm.modelId, input });
  expect(many.data.map(({ index }) => index)).toEqual(input.map((_, index) => index));
  for (const index of [0, 31, 32, 1_000, 2_047]) {
    const { data } = await client.embeddings.create({ model: farm.modelId, input: input[index] ?? "" });
    expect(product(many.data[index]?.embedding ?? [], data[0]?.embedding ?? [])).toBeCloseTo(1, 4);
  }
  await expect(
    client.embeddings.create({ model: farm.modelId, input: [...input, "one more"] }),
  ).rejects.toMatchObject({ status: 400, param: "input" });
});

test("embeddings are refused if one input does not fit the model's context", async () => {
  const input = ["short", "zebra 1234 ".repeat(2_000)];
  const asked = client.embeddings.create({ model: farm.modelId, input });
  await expect(asked).rejects.toMatchObject({ status: 400, code: "context_length_exceeded", param: "input" });
});

test("the client gets a bad request for unsupported parameters", async () => {
  const { modelId: model } = farm;
  const refusals = [
    [() => client.completions.create({ model, ...norway, echo: true }), "echo"],
    [() => client.completions.create({ model, ...norway, prompt: Array<string>(33).fill("a") }), "prompt"],
    [() => client.completions.create({ model, ...norway, prompt: [9_999_999] }), "prompt"],
    [() => client.completions.create({ model, ...norway, suffix: "." }), "suffix"],
    [() => client.embeddings.create({ model, input: "a", dimensions: 64 }), "dimensions"],
    [() => client.embeddings.create({ model, input: [[9_999_999]] }), "input"],
  ] as const;
  for (const [ask, param] of refusals) {
    const thrown: unknown = await ask().then(
      () => null,
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(OpenAI.BadRequestError);
    expect(thrown).toMatchObject({ status: 400, param });
  }
});

test("one call continues several prompts, as it continues each of them alone", async () => {
  const { modelId: model } = farm;
  const prompts = [norway.prompt, "The capital of Greece is"];
  const ask = async (prompt: string | string[]) =>
    (await client.completions.create({ model, ...norway, temperature: 0, prompt })).choices;
  const alone = [await ask(norway.prompt), await ask("The capital of Greece is")];
  const together = await ask(prompts);
  expect(together.map(({ index, text }) => [index, text])).toEqual(
    alone.map(([only], index) => [index, only?.text]),
  );
});

test("a call need not wait: its job is followed to its end, and has the answer", async () => {
  type Job = { readonly id: string; readonly status: string; readonly result_url: string | null };
  const asked = {
    model: farm.modelId,
    messages: [{ role: "user" as const, content: "What is the capital of Greece?" }],
  };
  const job = await client.post<Job>("/chat/completions", {
    body: { ...asked, temperature: 0, stream: true },
    headers: { prefer: "respond-async" },
  });
  const events = await client.get<Response>(`/jobs/${job.id}/events`, { __binaryResponse: true });
  const text = await events.text();
  const [, last = "null"] = /event: job\ndata: (.*)\n\n$/.exec(text) ?? [];
  const ended = JSON.parse(last) as Job;
  expect(ended).toMatchObject({ id: job.id, status: "succeeded" });
  const pieces = [...text.matchAll(/event: text\ndata: (.*)/g)].map(
    ([, data = ""]) => JSON.parse(data) as { text: string },
  );
  const answer = await client.get<OpenAI.ChatCompletion>(String(ended.result_url).replace("/v1", ""));
  expect(answer.choices[0]?.message.content).toContain("Athens");
  expect(pieces.map((piece) => piece.text).join("")).toBe(answer.choices[0]?.message.content);
  const { data } = await client.get<{ data: Job[] }>("/jobs?limit=1");
  expect(data[0]?.id).toBe(job.id);
});

test("a response is whole, streamed, or fetched later, as the client reads it", async () => {
  const asked = {
    model: farm.modelId,
    input: "What is 7 + 5?",
    instructions: "Answer with a number.",
    metadata: { task: "7" },
    temperature: 0,
    max_output_tokens: 16,
  };
  const whole = await client.responses.create(asked);
  const { created_at: _, ...fetched } = await client.responses.retrieve(whole.id);
  expect(whole).toMatchObject(fetched);
  expect(fetched).toMatchObject({
    background: false,
    instructions: asked.instructions,
    metadata: asked.metadata,
  });
  expect(whole.status === "completed" || whole.status === "incomplete").toBe(true);
  expect(whole.output_text.length).toBeGreaterThan(0);
  expect(whole.usage?.output_tokens).toBeGreaterThan(0);

  const stream = client.responses.stream(asked);
  let text = "";
  stream.on("response.output_text.delta", ({ delta }) => {
    text += delta;
  });
  const streamed = await stream.finalResponse();
  expect(streamed.output_text).toBe(whole.output_text);
  expect(text).toBe(whole.output_text);

  let later = await client.responses.create({ ...asked, background: true });
  expect(later.background).toBe(true);
  while (later.status === "queued" || later.status === "in_progress") {
    await new Promise((resolve) => setTimeout(resolve, 200));
    later = await client.responses.retrieve(later.id);
  }
  expect(later.output_text).toBe(whole.output_text);
  expect(later).toMatchObject({ background: true, metadata: asked.metadata, temperature: 0 });
});

test("a strict schema is held in what no grammar enforces, whole and streamed", async () => {
  const numbers = z.object({ n: z.int().min(0).lt(1_000_000), stars: z.int().min(1).max(5) });
  const ask = (round: number) => ({
    model: farm.modelId,
    messages: [{ role: "user" as const, content: `Say ${String(round)} numbers.` }],
    response_format: {
      type: "json_schema" as const,
      json_schema: { name: "numbers", schema: z.toJSONSchema(numbers), strict: true },
    },
    max_tokens: 40,
  });
  const whole = async (round: number): Promise<string> =>
    (await client.chat.completions.create(ask(round))).choices[0]?.message.content ?? "";
  const streamed = async (round: number): Promise<string> => {
    let text = "";
    for await (const chunk of await client.chat.completions.create({ ...ask(round), stream: true }))
      text += chunk.choices[0]?.delta.content ?? "";
    return text;
  };
  const answers: string[] = [];
  for (const answer of [whole, streamed]) {
    await answer(answers.length + 1).then(
      (text) => answers.push(text),
      (error: unknown) => {
        // A model this small may fail three times.
        expect(error).toMatchObject({ code: "schema_not_met" });
      },
    );
  }
  for (const text of answers) expect(() => numbers.parse(JSON.parse(text))).not.toThrow();
});

test("requests take the tokens of a text in its place", async () => {
  const { modelId: model } = farm;
  const text = "The capital of Norway is";
  type Tokens = { readonly count: number; readonly tokens: number[] };
  const { tokens, count } = await client.post<Tokens>("/tokenize", { body: { model, prompt: text } });
  expect(tokens).toHaveLength(count);
  const ask = { model, max_tokens: 3, temperature: 0 };
  const byText = await client.completions.create({ ...ask, prompt: text });
  const byIds = await client.completions.create({ ...ask, prompt: tokens });
  expect(byIds.choices[0]?.text).toBe(byText.choices[0]?.text);
  expect(byIds.usage?.prompt_tokens).toBe(count);
  const ofText = await client.embeddings.create({ model, input: text });
  const ofIds = await client.embeddings.create({ model, input: [tokens, tokens] });
  expect(ofIds.data.map(({ embedding }) => embedding)).toEqual([
    ofText.data[0]?.embedding,
    ofText.data[0]?.embedding,
  ]);
  const messages = [{ role: "user" as const, content: "What is the capital of Norway?" }];
  const chat = await client.post<Tokens>("/tokenize", { body: { model, messages } });
  const answer = await client.chat.completions.create({ ...ask, messages });
  expect(answer.usage?.prompt_tokens).toBe(chat.count);
});

test("documents are ordered by their relevance to a query", async () => {
  const documents = ["9 * 7 = 63", "the harbour in Oslo", "7 + 5 = 12"];
  const body = { model: farm.modelId, query: "the harbour in Oslo", documents };
  type Ranking = {
    readonly results: readonly { readonly index: number; readonly relevance_score: number }[];
  };
  const { results } = await client.post<Ranking>("/rerank", { body });
  expect(results.map(({ index }) => index).toSorted()).toEqual([0, 1, 2]);
  expect(results[0]?.index).toBe(1);
  expect(results[0]?.relevance_score).toBeCloseTo(1, 4);
  expect(results[1]?.relevance_score).toBeLessThan(0.9);
});

test("tools are offered together with a format, in a compressed body", async () => {
  const schema = { type: "object", properties: { city: { enum: ["Lisbon", "Oslo"] } } };
  const body = {
    model: farm.modelId,
    messages: [
      { role: "user", content: "Return JSON with name and city: Clara Novak moved to Lisbon last year." },
    ],
    temperature: 0,
    response_format: { type: "json_schema", json_schema: { name: "place", schema } },
    tools: [{ type: "function", function: { name: "clock", parameters: {} } }],
  };
  const response = await fetch(`${farm.backend.siteUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${farm.organization.apiKey}`, "content-encoding": "gzip" },
    body: gzipSync(JSON.stringify(body)),
  });
  expect(response.status).toBe(200);
  const { choices, service_tier } = (await response.json()) as OpenAI.ChatCompletion;
  expect(service_tier).toBe("default");
  expect(choices[0]?.finish_reason).toBe("stop");
  expect(choices[0]?.message.content).toMatch(/^\{\s*"city":\s*"(?:Lisbon|Oslo)"\s*\}$/);
});

test("a stream brings log probabilities with the text, and a call in parts", async () => {
  const messages = [{ role: "user" as const, content: "What is the capital of Norway?" }];
  const asked = { model: farm.modelId, messages, temperature: 0, max_tokens: 40 };
  const plain = { ...asked, logprobs: true, top_logprobs: 2 };
  const whole = await client.chat.completions.create(plain);
  const spoken = client.chat.completions.stream({ ...plain, stream: true });
  let withBoth = 0;
  spoken.on("chunk", ({ choices: [choice] }) => {
    const isSpoken = (choice?.delta.content ?? "") !== "";
    if (isSpoken && choice?.logprobs?.content?.length) withBoth += 1;
  });
  const [choice] = (await spoken.finalChatCompletion()).choices;
  expect(choice?.message.content).toBe(whole.choices[0]?.message.content);
  expect(choice?.logprobs?.content).toEqual(whole.choices[0]?.logprobs?.content);
  expect(withBoth).toBeGreaterThan(0);

  const parameters = {
    type: "object",
    properties: { city: { type: "string", maxLength: 200 }, note: { type: "string", maxLength: 200 } },
  };
  const tools = [{ type: "function" as const, function: { name: "weather", parameters } }];
  const called = client.chat.completions.stream({
    ...asked,
    stream: true,
    tools,
    tool_choice: "required",
    temperature: 1,
    seed: 3,
  });
  const parts: string[] = [];
  const names: string[] = [];
  called.on("chunk", ({ choices: [part] }) => {
    for (const call of part?.delta.tool_calls ?? []) {
      if (call.function?.name !== undefined) names.push(call.function.name);
      parts.push(call.function?.arguments ?? "");
    }
  });
  const { message } = (await called.finalChatCompletion()).choices[0]!;
  const [call] = message.tool_calls ?? [];
  expect(names).toEqual(["weather"]);
  expect(call).toMatchObject({ function: { name: "weather", arguments: parts.join("") } });
  expect(parts.length).toBeGreaterThan(1);
});
