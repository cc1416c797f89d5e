import { beforeEach, describe, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  allJobs,
  type Backend,
  completeWith,
  type Device,
  fail,
  modelId,
  type Organization,
  signIn,
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

const withKey = () => ({ authorization: `Bearer ${acme.apiKey}` });

async function post(path: string, body: object, headers: object = withKey()): Promise<Response> {
  return await t.fetch(path, {
    method: "POST",
    headers: { ...headers },
    body: JSON.stringify({ model: modelId, ...body }),
  });
}

const get = async (path: string): Promise<Response> => await t.fetch(path, { headers: withKey() });

/** The lines of a streamed answer. */
async function linesOf(response: Response): Promise<readonly Line[]> {
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  const text = await response.text();
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}
type Line = {
  readonly done: boolean;
  readonly response?: string;
  readonly message?: { readonly content: string; readonly tool_calls?: readonly object[] };
};

const hello = [{ role: "user", content: "Hi" }];
const report = {
  usage: { promptTokens: 10, completionTokens: 3, cachedPromptTokens: 7 },
  timing: { prefillMs: 1.5, generateMs: 250 },
};
const toolCalls = [{ id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' }];
const weather = { type: "function", function: { name: "weather", parameters: { type: "object" } } };

describe("a call without a prompt", () => {
  const empty = { message: { role: "assistant", content: "" } };

  it.each([
    ["/api/chat", { messages: [] }, empty, "load"],
    ["/api/chat", { keep_alive: 0 }, empty, "unload"],
    ["/api/generate", { prompt: "", keep_alive: "0s" }, { response: "" }, "unload"],
    ["/api/generate", { keep_alive: "10m" }, { response: "" }, "load"],
    ["/api/generate", {}, { response: "" }, "load"],
  ])("of %s with %j is answered at once, as by Ollama", async (path, body, answer, done_reason) => {
    const response = await post(path, { ...body, stream: false });
    const { created_at, ...said } = (await response.json()) as { created_at: string };
    expect(said).toEqual({ model: modelId, ...answer, done: true, done_reason });
    expect(created_at).toBe(new Date(created_at).toISOString());
    expect(await linesOf(await post(path, body))).toMatchObject([{ ...answer, done: true }]);
    expect(await allJobs(t, acme)).toEqual([]);
  });

  it("is refused for its other fields as any call", async () => {
    const noModel = await post("/api/chat", { model: "other", messages: [] });
    expect([noModel.status, await noModel.json()]).toMatchObject([404, { code: "model_not_found" }]);
    const unknown = await post("/api/generate", { options: { temprature: 1 } });
    expect(await unknown.json()).toMatchObject({ param: "options.temprature" });
    const wrong = await post("/api/chat", { messages: {} });
    expect(await wrong.json()).toMatchObject({ param: "messages" });
  });
});

describe("POST /api/chat", () => {
  it("answers with a message and what is known about its time", async () => {
    const asked = post("/api/chat", {
      messages: [{ role: "system", content: "Be brief." }, ...hello],
      stream: false,
      options: { num_predict: 3, num_ctx: 4_096 },
      keep_alive: "5m",
    });
    await takeJob(t, device, async ({ prompt, attemptId, maxTokens }) => {
      expect([prompt, maxTokens]).toEqual(["Be brief.\nHi", 3]);
      await completeWith(t, device, attemptId, { result: { text: "Hello", finishReason: "length" }, report });
    });
    const response = await asked;
    expect(response.status).toBe(200);
    const body = (await response.json()) as { created_at: string; total_duration: number };
    expect(body).toEqual({
      model: modelId,
      created_at: new Date(body.created_at).toISOString(),
      message: { role: "assistant", content: "Hello" },
      done: true,
      done_reason: "length",
      total_duration: expect.any(Number) as number,
      prompt_eval_count: 10,
      prompt_eval_cached_count: 7,
      prompt_eval_duration: 1_500_000,
      eval_count: 3,
      eval_duration: 250_000_000,
    });
    expect(body.total_duration % 1e6).toBe(0);
  });

  it("streams lines by default", async () => {
    const asked = post("/api/chat", { messages: hello });
    await takeJob(t, device, async ({ append, complete }) => {
      await append(0, "Blue ");
      await new Promise((resolve) => setTimeout(resolve, 60));
      await append(1, "sky.");
      await complete("Blue sky.");
    });
    const lines = await linesOf(await asked);
    expect(lines.map(({ message }) => message?.content ?? "").join("")).toBe("Blue sky.");
    expect(lines.map(({ done }) => done)).toEqual([...lines.slice(1).map(() => false), true]);
    expect(lines.at(-1)).toMatchObject({ done_reason: "stop", message: { content: "" }, eval_count: 3 });
  });

  it.each([true, false])("calls a tool, with stream: %s", async (stream) => {
    const asked = post("/api/chat", { messages: hello, tools: [weather], stream });
    await takeJob(t, device, async ({ request, attemptId }) => {
      expect(request).toMatchObject({ tools: [{ name: "weather" }] });
      await completeWith(t, device, attemptId, {
        result: { text: "", finishReason: "tool_calls", toolCalls },
        report,
      });
    });
    const response = await asked;
    const lines = stream ? await linesOf(response) : [(await response.json()) as Line];
    expect(lines.flatMap(({ message }) => message?.tool_calls ?? [])).toEqual([
      { id: "call_1", function: { index: 0, name: "weather", arguments: { city: "Oslo" } } },
    ]);
    expect(lines.at(-1)).toMatchObject({ done: true, done_reason: "stop" });
  });

  it("tells the log probabilities", async () => {
    const asked = post("/api/chat", { messages: hello, stream: false, logprobs: true, top_logprobs: 1 });
    await takeJob(t, device, async ({ request, attemptId }) => {
      expect(request).toMatchObject({ logprobs: 1 });
      const logprobs = [{ token: "é", logprob: -1, top: [{ token: "b", logprob: -0.5 }] }];
      await completeWith(t, device, attemptId, {
        result: { text: "é", finishReason: "stop", logprobs },
        report,
      });
    });
    expect(await (await asked).json()).toMatchObject({
      logprobs: [
        {
          token: "é",
          logprob: -1,
          bytes: [195, 169],
          top_logprobs: [{ token: "b", logprob: -0.5, bytes: [98] }],
        },
      ],
    });
  });

  it("ends a stream with an error if its job fails after its beginning", async () => {
    const asked = post("/api/chat", { messages: hello });
    await takeJob(t, device, async ({ append, attemptId }) => {
      await append(0, "Bl");
      await new Promise((resolve) => setTimeout(resolve, 100));
      await fail(t, device, attemptId, { retryable: false });
    });
    const lines = await linesOf(await asked);
    expect(lines[0]).toMatchObject({ message: { content: "Bl" } });
    expect(lines.at(-1)).toMatchObject({
      error: "The input is too long for this model's context.",
      param: "messages",
    });
  });

  it("finds a model by its name with the tag that some clients add", async () => {
    const asked = post("/api/chat", { model: `${modelId}:latest`, messages: hello, stream: false });
    await takeJob(t, device, async ({ complete }) => await complete("Hello"));
    expect(await (await asked).json()).toMatchObject({ model: modelId });
  });

  it.each<[object, number, string, RegExp]>([
    [{ model: "none" }, 404, "model_not_found", /'none'/],
    [{ messages: [{ ...hello[0], images: ["aGk="] }] }, 400, "unsupported_parameter", /images/],
    [{ tool_choice: "auto" }, 400, "unknown_parameter", /'tool_choice'/],
    [{ options: { mirostat: 1 } }, 400, "unsupported_value", /'options.mirostat'/],
  ])("refuses %j in the form of this API", async (over, status, code, message) => {
    const response = await post("/api/chat", { messages: hello, ...over });
    expect(response.status).toBe(status);
    expect(response.headers.get("access-control-expose-headers")).toContain("x-request-id");
    const body: unknown = await response.json();
    expect(body).toMatchObject({ error: expect.stringMatching(message) as string, code });
  });

  it("refuses a call without a key", async () => {
    const response = await post("/api/chat", { messages: hello }, {});
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: expect.stringContaining("API key") as string });
  });
});

describe("POST /api/generate", () => {
  it("asks in a chat, or continues a raw prompt", async () => {
    for (const raw of [false, true]) {
      const asked = post("/api/generate", { prompt: "Once", raw, stream: false });
      await takeJob(t, device, async ({ request, complete }) => {
        expect(request).toMatchObject(
          raw ? { prompt: "Once" } : { messages: [{ role: "user", content: "Once" }] },
        );
        await complete(" upon a time");
      });
      const body = (await (await asked).json()) as Line;
      expect(body).toMatchObject({ response: " upon a time", done: true, done_reason: "stop" });
      expect(body.message).toBeUndefined();
    }
  });

  it("streams", async () => {
    const asked = post("/api/generate", { prompt: "Once" });
    await takeJob(t, device, async ({ append, complete }) => {
      await append(0, " upon");
      await complete(" upon a time");
    });
    const lines = await linesOf(await asked);
    expect(lines.map(({ response }) => response).join("")).toBe(" upon a time");
  });
});

describe("vectors", () => {
  const packed = [Buffer.from(new Float32Array([0.6, 0.8]).buffer).toString("base64")];
  const answerVector = async (path: string, body: object): Promise<unknown> => {
    const asked = post(path, body);
    await takeJob(t, device, async ({ prompt, attemptId }) => {
      expect(prompt).toBe("Hi");
      await completeWith(t, device, attemptId, {
        result: { embeddings: packed },
        report: {
          usage: { promptTokens: 2, completionTokens: 0 },
          timing: { prefillMs: 1, generateMs: 0 },
        },
      });
    });
    const response = await asked;
    expect(response.status).toBe(200);
    return await response.json();
  };
  const vector = [expect.closeTo(0.6) as number, expect.closeTo(0.8) as number];

  /** Each input is a number, and so is its vector. */
  const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => String(at));
  const packedNumber = (input: unknown): string =>
    Buffer.from(new Float32Array([Number(input)]).buffer).toString("base64");

  it("of many inputs come in their order, from several jobs", async () => {
    const asked = post("/api/embed", { input: numbers(300) });
    for (let job = 0; job < 10; job += 1) {
      await takeJob(t, device, async ({ request, attemptId }) => {
        if (!("inputs" in request)) throw new Error("a job without inputs");
        await completeWith(t, device, attemptId, {
          result: { embeddings: request.inputs.map(packedNumber) },
          report: {
            usage: { promptTokens: request.inputs.length, completionTokens: 0 },
            timing: { prefillMs: 1, generateMs: 0 },
          },
        });
      });
    }
    const response = await asked;
    expect(await response.json()).toEqual({
      model: modelId,
      embeddings: numbers(300).map((input) => [Number(input)]),
      total_duration: expect.any(Number) as number,
      prompt_eval_count: 300,
    });
    expect(response.headers.get("x-gleaner-job")?.split(", ")).toHaveLength(10);
  });

  it("of more inputs than a call takes are refused by name", async () => {
    const response = await post("/api/embed", { input: numbers(2_049) });
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: string }).error).toMatch(/'input'.*2048/);
  });

  it("come from /api/embed and, one by one, from /api/embeddings", async () => {
    expect(await answerVector("/api/embed", { input: ["Hi"] })).toEqual({
      model: modelId,
      embeddings: [vector],
      total_duration: expect.any(Number) as number,
      prompt_eval_count: 2,
    });
    expect(await answerVector("/api/embeddings", { prompt: "Hi" })).toEqual({ embedding: vector });
  });
});

describe("models", () => {
  it("are listed with their aliases, and shown one by one", async () => {
    const session = await signIn(t, acme);
    await t.mutation(api.console.aliases.set, { session, alias: "small", modelId });
    const { models } = (await (await get("/api/tags")).json()) as { models: readonly object[] };
    const [model, alias] = models;
    expect(model).toMatchObject({ name: modelId, model: modelId, details: { format: "gguf" } });
    expect(alias).toMatchObject({ name: "small", details: { parent_model: modelId } });
    const { size, digest } = model as { size: number; digest: string };
    expect(size).toBeGreaterThan(0);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    const shown = (await (await post("/api/show", { model: "small" })).json()) as object;
    expect(shown).toMatchObject({
      details: { parent_model: modelId },
      model_info: { "gleaner.context_length": expect.any(Number) as number },
      capabilities: ["completion", "tools", "embedding"],
    });
    expect((await post("/api/show", { model: "none" })).status).toBe(404);
  });

  it("are changed in the console only", async () => {
    for (const call of ["pull", "push", "create", "copy"]) {
      const response = await post(`/api/${call}`, {});
      expect([response.status, await response.json()]).toMatchObject([
        403,
        { error: expect.stringContaining("console's page Models") as string },
      ]);
    }
    const deleted = await t.fetch("/api/delete", { method: "DELETE", headers: withKey() });
    expect(deleted.status).toBe(403);
    expect((await get("/api/ps")).status).toBe(403);
  });
});

it("tells the version of Ollama whose API it is", async () => {
  expect(await (await get("/api/version")).json()).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
  });
});

it("refuses unknown URLs and wrong methods in the form of this API, and answers browsers", async () => {
  const unknown = await post("/api/blobs/sha256:0", {});
  expect([unknown.status, await unknown.json()]).toMatchObject([
    404,
    { error: "Unknown request URL: POST /api/blobs/sha256:0.", code: "unknown_url" },
  ]);
  const wrong = await get("/api/chat");
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
  expect((await t.fetch("/api/chat", { method: "OPTIONS" })).status).toBe(204);
});
