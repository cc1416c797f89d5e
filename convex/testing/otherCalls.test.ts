import { beforeEach, describe, expect, it } from "vitest";
import { expectError } from "./apiError.fixture.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  answer,
  type Backend,
  completeWith,
  type Device,
  expectBooksInOrder,
  fail,
  modelId,
  type Organization,
  startBackend,
} from "./backend.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";

let t: Backend;
let acme: Organization;
let device: Device;

beforeEach(async () => {
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
});

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return await t.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${acme.apiKey}`, ...headers },
    body: JSON.stringify({ model: modelId, ...body }),
  });
}

async function get(path: string): Promise<unknown> {
  const response = await t.fetch(path, { headers: { authorization: `Bearer ${acme.apiKey}` } });
  return await response.json();
}

const events = async (response: Response): Promise<string[]> =>
  (await response.text())
    .split("\n\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => line.slice("data: ".length));

describe("a completion", () => {
  const complete = async (body: object) => await post("/v1/completions", body);

  it("answers a completion as a whole, with the tokens' log probabilities", async () => {
    const asked = complete({ prompt: "Once", logprobs: 1, max_tokens: 2 });
    await takeJob(t, device, async ({ attemptId, prompt }) => {
      expect(prompt).toBe("Once");
      await completeWith(t, device, attemptId, {
        result: {
          text: " 🐦 a",
          finishReason: "length",
          logprobs: [
            { token: " 🐦", logprob: -1, top: [{ token: " b", logprob: -0.5 }] },
            { token: " a", logprob: -0.25, top: [{ token: " a", logprob: -0.25 }] },
          ],
        },
        report: {
          usage: { promptTokens: 2, completionTokens: 2 },
          timing: { prefillMs: 1, generateMs: 1 },
        },
      });
    });
    const response = await asked;
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      id: `cmpl-${String(response.headers.get("x-gleaner-job"))}`,
      object: "text_completion",
      model: modelId,
      choices: [
        {
          index: 0,
          text: " 🐦 a",
          logprobs: {
            tokens: [" 🐦", " a"],
            token_logprobs: [-1, -0.25],
            top_logprobs: [{ " 🐦": -1, " b": -0.5 }, { " a": -0.25 }],
            text_offset: [0, 2],
          },
          finish_reason: "length",
        },
      ],
      usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
    });
    await expectBooksInOrder(t);
  });

  it("streams a completion as it comes", async () => {
    const asked = complete({ prompt: "Once", stream: true, stream_options: { include_usage: true } });
    await takeJob(t, device, async (job) => {
      expect(job.watched).toBe(true);
      await job.append(0, " upon");
      await asked;
      await job.complete(" upon a time");
    });
    const lines = await events(await asked);
    expect(lines.at(-1)).toBe("[DONE]");
    const chunks = lines.slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);
    const choice = (text: string, finish_reason: string | null) => [
      { index: 0, text, logprobs: null, finish_reason },
    ];
    expect(chunks.map(({ object }) => object)).toEqual(Array(4).fill("text_completion"));
    expect(chunks.map(({ choices }) => choices)).toEqual([
      choice(" upon", null),
      choice(" a time", null),
      choice("", "stop"),
      [],
    ]);
    expect(chunks.at(-1)).toMatchObject({ usage: { total_tokens: 13 } });
  });

  it("names the prompt of a completion that does not fit", async () => {
    const tooLong = { code: "context_length_exceeded", param: "prompt" };
    const asked = complete({ prompt: "Once ".repeat(300) });
    await takeJob(t, device, async ({ attemptId }) => {
      const { code } = tooLong;
      await fail(t, device, attemptId, { code, message: "It has 2000 tokens.", retryable: false });
    });
    await expectError(await asked, 400, tooLong);
  });

  it("refuses a completion with unsupported fields, and submits no job", async () => {
    await expectError(await complete({}), 400, { code: "missing_required_parameter", param: "prompt" });
    await expectError(await complete({ prompt: "a", echo: true }), 400, { param: "echo" });
    await expectError(await complete({ prompt: "a", model: "gpt-9" }), 404, { code: "model_not_found" });
    expect(await allJobs(t, acme)).toEqual([]);
  });
});

describe("embeddings", () => {
  const embed = async (body: object) => await post("/v1/embeddings", body);
  const vectors = [
    [1, 0],
    [0.5, -0.25],
  ];
  const packed = vectors.map((vector) =>
    Buffer.from(new Uint8Array(new Float32Array(vector).buffer)).toString("base64"),
  );

  async function answer(embeddings: string[]): Promise<void> {
    await takeJob(t, device, async ({ attemptId }) => {
      await completeWith(t, device, attemptId, {
        result: { embeddings },
        report: {
          usage: { promptTokens: 9, completionTokens: 0 },
          timing: { prefillMs: 1, generateMs: 0 },
        },
      });
    });
  }

  it.each([
    [undefined, vectors],
    ["float", vectors],
    ["base64", packed],
  ])(
    "returns embeddings in the order of their inputs, from one job (%s)",
    async (encoding_format, expected) => {
      const asked = embed({ input: ["a", "b"], encoding_format });
      await answer(packed);
      const response = await asked;
      expect(await response.json()).toEqual({
        object: "list",
        data: expected.map((embedding, index) => ({ object: "embedding", index, embedding })),
        model: modelId,
        usage: { prompt_tokens: 9, total_tokens: 9 },
      });
      expect((await allJobs(t, acme)).map(({ kind }) => kind)).toEqual(["embedding"]);
      expect(response.headers.get("x-gleaner-job")).toBe((await allJobs(t, acme))[0]?.jobId);
      await expectBooksInOrder(t);
    },
  );

  it("answers with an error if embeddings do not fit one job", async () => {
    const asked = embed({ input: ["a", "b"] });
    await takeJob(t, device, async ({ attemptId }) => {
      await fail(t, device, attemptId, {
        code: "result_too_large",
        message: "Ask for fewer.",
        retryable: false,
      });
    });
    await expectError(await asked, 400, { code: "result_too_large", param: "input" });
  });

  it("answers with an error if the model's vectors have another length than was asked for", async () => {
    const asked = embed({ input: "a", dimensions: 2 });
    await takeJob(t, device, async ({ attemptId }) => {
      await fail(t, device, attemptId, { code: "wrong_dimensions", message: "No.", retryable: false });
    });
    await expectError(await asked, 400, { code: "wrong_dimensions", param: "dimensions" });
    await expectBooksInOrder(t);
  });

  it("refuses embeddings with unsupported fields", async () => {
    await expectError(await embed({ input: ["a", ""] }), 400, { param: "input[1]" });
    await expectError(await embed({ input: "x".repeat(300_000) }), 413, { param: "input" });
    expect(await allJobs(t, acme)).toEqual([]);
  });
});

describe("a ranking", () => {
  const rerank = async (body: object) => await post("/v1/rerank", body);
  const pack = (vector: readonly number[]): string =>
    Buffer.from(new Uint8Array(new Float32Array(vector).buffer)).toString("base64");
  const report = {
    usage: { promptTokens: 9, completionTokens: 0 },
    timing: { prefillMs: 1, generateMs: 0 },
  };

  /** Does the next job: the vector of a text is the direction of its first letter. */
  async function work(): Promise<void> {
    await takeJob(t, device, async ({ attemptId, request }) => {
      const inputs = "inputs" in request ? request.inputs : [];
      const texts = inputs.filter((input) => typeof input === "string");
      const embeddings = texts.map((input) => {
        const angle = (input.charCodeAt(0) - "a".charCodeAt(0)) / 10;
        return pack([Math.cos(angle), Math.sin(angle)]);
      });
      await completeWith(t, device, attemptId, { result: { embeddings }, report });
    });
  }

  it("orders documents by the cosine of their vectors with the query's", async () => {
    const documents = ["e", { text: "b" }, "a", "c"];
    const asked = rerank({ query: "a?", documents, top_n: 3 });
    await work();
    const response = await asked;
    const result = (index: number, text: string, angle: number) => ({
      index,
      relevance_score: expect.closeTo(Math.cos(angle), 5) as number,
      document: { text },
    });
    const [job] = await allJobs(t, acme);
    expect(await response.json()).toEqual({
      id: `rerank-${String(job?.jobId)}`,
      object: "list",
      model: modelId,
      results: [result(2, "a", 0), result(1, "b", 0.1), result(3, "c", 0.2)],
      usage: { prompt_tokens: 9, total_tokens: 9 },
    });
    expect(response.headers.get("x-gleaner-job")).toBe(job?.jobId);
    await expectBooksInOrder(t);
  });

  it("of many documents is several jobs, and may leave the documents out", async () => {
    const documents = Array.from({ length: 40 }, (_, n) => (n === 35 ? "a" : "c"));
    const asked = rerank({ query: "a", documents, top_n: 1, return_documents: false });
    await work();
    await work();
    expect(await (await asked).json()).toMatchObject({
      results: [{ index: 35, relevance_score: expect.closeTo(1, 5) as number }],
      usage: { total_tokens: 18 },
    });
    expect(await allJobs(t, acme)).toHaveLength(2);
  });

  it("names the documents if one of them does not fit", async () => {
    const asked = rerank({ query: "a", documents: ["Once ".repeat(300)] });
    await takeJob(t, device, async ({ attemptId }) => {
      const error = { code: "context_length_exceeded", message: "Too long.", retryable: false };
      await fail(t, device, attemptId, error);
    });
    await expectError(await asked, 400, { code: "context_length_exceeded", param: "documents" });
  });

  it("is refused with unsupported fields, and submits no job", async () => {
    const body = { query: "a", documents: ["b"] };
    await expectError(await rerank({ documents: ["b"] }), 400, { param: "query" });
    await expectError(await rerank({ ...body, documents: [] }), 400, { param: "documents" });
    await expectError(await rerank({ ...body, documents: ["b", ""] }), 400, {});
    await expectError(await rerank({ ...body, max_tokens_per_doc: 9 }), 400, { param: "max_tokens_per_doc" });
    const long = ["b", "x".repeat(300_000)];
    await expectError(await rerank({ ...body, documents: long }), 413, { param: "documents[1]" });
    expect(await allJobs(t, acme)).toEqual([]);
  });
});

describe("tokens", () => {
  const report = {
    usage: { promptTokens: 3, completionTokens: 0 },
    timing: { prefillMs: 1, generateMs: 0 },
  };

  /** Does the next job, and returns its request. */
  async function work(result: Parameters<typeof completeWith>[3]["result"]): Promise<unknown> {
    let asked: unknown;
    await takeJob(t, device, async ({ attemptId, request }) => {
      asked = request;
      await completeWith(t, device, attemptId, { result, report });
    });
    return asked;
  }

  it("of a text come from a device, and cost nothing", async () => {
    const asked = post("/v1/tokenize", { prompt: "Hi, you", add_special_tokens: false });
    expect(await work({ tokenIds: "7 30000 2" })).toMatchObject({ tokenize: "Hi, you", addSpecial: false });
    const response = await asked;
    expect(await response.json()).toEqual({ count: 3, max_model_len: 1_024, tokens: [7, 30_000, 2] });
    const [job] = await allJobs(t, acme);
    await expectBooksInOrder(t);
    const path = `/v1/jobs/${String(job?.jobId)}`;
    expect(await get(`${path}/result`)).toMatchObject({ tokens: [7, 30_000, 2] });
    expect(await get(path)).toMatchObject({
      endpoint: "/v1/tokenize",
      status: "succeeded",
      usage: { prompt_tokens: 3 },
      price_micro: "0",
    });
  });

  it("of a chat are those of its prompt", async () => {
    const messages = [{ role: "user", content: "Hi" }];
    const asked = post("/v1/tokenize", { messages });
    expect(await work({ tokenIds: "1 2 3" })).toMatchObject({ tokenizeChat: { messages } });
    expect(await (await asked).json()).toMatchObject({ count: 3 });
  });

  it.each([
    [{ tokenIds: "1 x 3" }, "no ids"],
    [{ tokenIds: "1 2" }, "another number of tokens"],
    [answer("Hi").result, "another kind"],
  ])("are refused if the device sends %j", async (result, why) => {
    expect((await post("/v1/tokenize", { prompt: "Hi" }, { prefer: "respond-async" })).status).toBe(202);
    await takeJob(t, device, async ({ attemptId }) => {
      expect(await completeWith(t, device, attemptId, { result, report })).toMatchObject({
        kind: "refused",
        why: expect.stringContaining(why) as string,
      });
    });
  });

  it("are asked for with a text or with messages", async () => {
    const messages = [{ role: "user", content: "Hi" }];
    const refused = async (body: object, param: string): Promise<void> =>
      await expectError(await post("/v1/tokenize", body), 400, { param });
    await refused({}, "prompt");
    await refused({ prompt: "" }, "prompt");
    await refused({ prompt: "Hi", messages }, "messages");
    await refused({ prompt: "Hi", tools: [{ type: "function", function: { name: "f" } }] }, "tools");
    await refused({ messages, add_special_tokens: true }, "add_special_tokens");
    await refused({ messages, add_generation_prompt: false }, "add_generation_prompt");
    expect(await allJobs(t, acme)).toEqual([]);
  });

  it("in place of a text go to the device as they are", async () => {
    const asked = post("/v1/completions", { prompt: [5, 6], max_tokens: 4 });
    await takeJob(t, device, async ({ request, complete }) => {
      expect(request).toMatchObject({ prompt: { tokenIds: "5 6" } });
      await complete("Oslo");
    });
    expect(await (await asked).json()).toMatchObject({ choices: [{ text: "Oslo" }] });
    const long = { prompt: Array<number>(9_000).fill(5) };
    await expectError(await post("/v1/completions", long), 400, { code: "context_length_exceeded" });
  });

  it("of another model are refused by name, if a device says so", async () => {
    const asked = post("/v1/embeddings", { input: [[5, 6]] });
    await takeJob(t, device, async ({ attemptId }) => {
      await fail(t, device, attemptId, { code: "wrong_tokens", message: "Other ids.", retryable: false });
    });
    await expectError(await asked, 400, { code: "wrong_tokens", param: "input" });
  });
});
