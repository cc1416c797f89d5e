import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import { expectError } from "./apiError.fixture.ts";
import {
  addDevice,
  addOrganization,
  type Backend,
  completeWith,
  type Device,
  expectRefusal,
  modelId,
  type Organization,
  signIn,
  startBackend,
} from "./backend.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;
const other = "qwen3-4b";

beforeEach(async () => {
  t = startBackend();
  acme = await addOrganization(t);
  session = await signIn(t, acme);
  device = await addDevice(t, acme);
});

afterEach(() => {
  vi.useRealTimers();
});

const set = async (alias: string, model = modelId) =>
  await t.mutation(api.console.aliases.set, { session, alias, modelId: model });
const remove = async (alias: string) => await t.mutation(api.console.aliases.remove, { session, alias });
const list = async () => await t.query(api.console.aliases.list, { session });
const usersOf = async (alias: string) => await t.query(api.console.aliases.users, { session, alias });
const addModel = async (name = other) =>
  await t.mutation(api.console.models.add, {
    session,
    price: { promptMicro: 1n, completionMicro: 1n },
    entry: {
      modelId: name,
      source: "https://models.example.org/qwen.gguf",
      sha256: "cd".repeat(32),
      sizeBytes: 2 ** 20,
      licence: "",
      contextTokens: 4_096,
      template: null,
      pieces: null,
    },
  });

async function call(path: string, body?: object, headers = {}): Promise<Response> {
  return await t.fetch(path, {
    method: body === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${acme.apiKey}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
const messages = [{ role: "user", content: "Hi" }];
/** Asks for a chat completion, lets the device answer, and returns the answer's body and its job. */
async function answerTo(body: object, headers = {}): Promise<{ model: unknown; jobId: string }> {
  const asked = call("/v1/chat/completions", { messages, ...body }, headers);
  await takeJob(t, device, async ({ complete }) => await complete("Hello"));
  const response = await asked;
  const { model, error } = (await response.json()) as { model?: unknown; error?: unknown };
  expect(error).toBeUndefined();
  return { model, jobId: response.headers.get("x-gleaner-job") ?? "" };
}
describe("an alias", () => {
  it("answers with the model for which it stands, and the job names both", async () => {
    await set("gpt-4o-mini");
    const { model, jobId } = await answerTo({ model: "gpt-4o-mini" });
    expect(model).toBe(modelId);
    expect(await t.query(api.console.jobs.get, { session, jobId })).toMatchObject({
      model: modelId,
      alias: "gpt-4o-mini",
    });
    const plain = await answerTo({ model: modelId });
    expect(await t.query(api.console.jobs.get, { session, jobId: plain.jobId })).toMatchObject({
      alias: null,
    });
  });

  it("works for completions, embeddings and streams", async () => {
    await set("small");
    await expectError(await call("/v1/completions", { model: "tiny", prompt: "Once" }), 404, {
      code: "model_not_found",
    });
    const completion = call("/v1/completions", { model: "small", prompt: "Once" });
    await takeJob(t, device, async ({ complete }) => await complete(" a"));
    expect(await (await completion).json()).toMatchObject({ model: modelId });
    const vectors = call("/v1/embeddings", { model: "small", input: "Hi", encoding_format: "base64" });
    await takeJob(t, device, async ({ attemptId }) => {
      const embeddings = [Buffer.from(new Float32Array([1, 0, 0, 0]).buffer).toString("base64")];
      await completeWith(t, device, attemptId, {
        result: { embeddings },
        report: { usage: { promptTokens: 2, completionTokens: 0 }, timing: { prefillMs: 1, generateMs: 0 } },
      });
    });
    expect(await (await vectors).json()).toMatchObject({ model: modelId });
    const streamed = call("/v1/chat/completions", { model: "small", messages, stream: true });
    await takeJob(t, device, async ({ complete }) => await complete("Hello"));
    expect(await (await streamed).text()).toContain(`"model":"${modelId}"`);
  });

  it("is in the list of models, and tells its model", async () => {
    await set("org/small v1");
    const body = { id: "org/small v1", object: "model", owned_by: "organization", root: modelId };
    const { data } = (await (await call("/v1/models")).json()) as { data: object[] };
    expect(data).toEqual([expect.objectContaining({ id: modelId }), expect.objectContaining(body)]);
    expect(data[0]).not.toHaveProperty("root");
    for (const escaped of ["org%2Fsmall%20v1", "org/small%20v1"]) {
      expect(await (await call(`/v1/models/${escaped}`)).json()).toMatchObject(body);
    }
    await expectError(await call("/v1/models/%E0%A4%A"), 404, { code: "model_not_found" });
    await expectError(await call("/v1/models/tiny"), 404, { code: "model_not_found" });
  });

  it("stands for another model at once, and can be put back", async () => {
    await addModel();
    expect(await set("small")).toBeNull();
    expect(await set("small", other)).toBe(modelId);
    expect(await (await call("/v1/models/small")).json()).toMatchObject({ root: other });
    expect(await set("small", modelId)).toBe(other);
    expect((await answerTo({ model: "small" })).model).toBe(modelId);
    expect(await remove("small")).toBe(modelId);
    await expectError(await call("/v1/chat/completions", { model: "small", messages }), 404, {
      code: "model_not_found",
    });
    await expectRefusal(remove("small"), "not_found");
    const page = await t.query(api.console.audit.list, {
      session,
      paginationOpts: { numItems: 4, cursor: null },
    });
    expect(page.page.map(({ action, subject, detail }) => [action, subject, detail])).toEqual([
      ["model-alias.removed", "small", `model: ${modelId} → not set`],
      ["model-alias.set", "small", `model: ${other} → ${modelId}`],
      ["model-alias.set", "small", `model: ${modelId} → ${other}`],
      ["model-alias.set", "small", `model: not set → ${modelId}`],
    ]);
  });

  it("finds a repeated request's job after it was repointed, and names the model that did it", async () => {
    await addModel();
    await set("small");
    const once = { "idempotency-key": "same" };
    const first = await answerTo({ model: "small" }, once);
    await set("small", other);
    const response = await call("/v1/chat/completions", { model: "small", messages }, once);
    expect(response.headers.get("x-gleaner-job")).toBe(first.jobId);
    expect(await response.json()).toMatchObject({ model: modelId });
  });

  it("cannot be a model's name, and no model can have its name", async () => {
    await addModel();
    await expectRefusal(set(other), "conflict");
    await set("small");
    await expectRefusal(addModel("small"), "conflict");
    await expectRefusal(set("tiny", "nothing"), "not_found");
    await expectRefusal(set(" "), "invalid");
    await expectRefusal(set("x".repeat(201)), "invalid");
    await expectRefusal(set("a\u202eb"), "invalid");
    await t.mutation(api.console.models.retire, { session, modelId: other });
    await expectRefusal(set("tiny", other), "conflict");
    expect((await list()).map(({ alias }) => alias)).toEqual(["small"]);
  });

  it("is refused and not listed while its model is retired", async () => {
    await addModel();
    await set("small", other);
    await t.mutation(api.console.models.retire, { session, modelId: other });
    await expectError(await call("/v1/chat/completions", { model: "small", messages }), 404, {
      code: "model_not_found",
    });
    const { data } = (await (await call("/v1/models")).json()) as { data: object[] };
    expect(data).toHaveLength(1);
  });

  it("is one of 50 at most", async () => {
    for (let at = 0; at < 50; at += 1) await set(`a${String(at)}`);
    await expectRefusal(set("one more"), "conflict");
    expect(await set("a7")).toBe(modelId);
  });

  it("tells the keys that used it, newest first, and notes a use once an hour", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    await set("small");
    const uses = async () => await t.run(async (ctx) => await ctx.db.query("aliasUses").collect());
    await answerTo({ model: modelId });
    expect(await usersOf("small")).toEqual([]);
    await answerTo({ model: "small" });
    const [first] = await uses();
    vi.setSystemTime(Date.now() + 60_000);
    await answerTo({ model: "small" });
    expect(await uses()).toEqual([first]);
    vi.setSystemTime(Date.now() + 3_600_000);
    await answerTo({ model: "small" });
    const [user, ...more] = await usersOf("small");
    expect(more).toEqual([]);
    expect(user).toMatchObject({ keyId: first?.apiKeyId, name: "first key" });
    expect(user?.usedAt).toBeGreaterThan(first?.usedAt ?? Infinity);
    await t.mutation(api.console.keys.revoke, { session, keyId: user!.keyId });
    expect(await usersOf("small")).toEqual([]);
  });

  it("belongs to one organization", async () => {
    await set("small");
    const rival = await addOrganization(t, { name: "Rival" });
    const theirs = { session: await signIn(t, rival) };
    expect(await t.query(api.console.aliases.list, theirs)).toEqual([]);
    expect(await t.query(api.console.aliases.users, { ...theirs, alias: "small" })).toEqual([]);
    await expectRefusal(t.mutation(api.console.aliases.remove, { ...theirs, alias: "small" }), "not_found");
    expect((await t.query(internal.requests.identify, { apiKey: rival.apiKey })).aliases).toEqual([]);
  });
});

describe("the default model", () => {
  it("answers requests that name no model, or `default`", async () => {
    await expectError(await call("/v1/chat/completions", { messages }), 400, {
      code: "missing_required_parameter",
      param: "model",
      message: expect.stringContaining(`no default model. It offers ${modelId}`) as string,
    });
    await set("default");
    for (const body of [{}, { model: null }, { model: "default" }]) {
      const { model, jobId } = await answerTo(body);
      expect(model).toBe(modelId);
      expect(await t.query(api.console.jobs.get, { session, jobId })).toMatchObject({ alias: "default" });
    }
  });
});
