import type { Infer } from "convex/values";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limits } from "../../app/jobs/limits.ts";
import { parseCacheOwner } from "../../app/jobs/payload/payload.ts";
import { api, internal } from "../_generated/api.js";
import { hashSecret } from "../model/authenticate.ts";
import { queue } from "../model/queue.ts";
import type { RefusalCode } from "../model/refuse.ts";
import type { completionRequest, work as workValidator } from "../model/validators/requests.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  type Backend,
  chat,
  expectRefusal,
  modelId,
  type Organization,
  secret,
  signIn,
  startBackend,
  submit,
  submitWork,
} from "./backend.fixture.ts";

let t: Backend;
let acme: Organization;

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startBackend();
  acme = await addOrganization(t);
});

afterEach(() => {
  vi.useRealTimers();
});

const completion = (prompt = "Once", over: Partial<Infer<typeof completionRequest>> = {}) => {
  const { messages: _messages, ...sampling } = chat();
  return { ...sampling, prompt, ...over };
};

const submitOne = async (work: Infer<typeof workValidator>, idempotencyKey?: string) =>
  await submitWork(t, acme.apiKey, work, idempotencyKey === undefined ? {} : { idempotencyKey });

const submitted = async (over: Parameters<typeof chat>[1], model = modelId) =>
  await submitWork(t, acme.apiKey, { kind: "chat", request: chat("Hi", over) }, { model });

describe("submit", () => {
  it.each<[string, Parameters<typeof chat>[1], RefusalCode]>([
    ["no messages", { messages: [] }, "invalid"],
    [
      "too many messages",
      { messages: Array.from({ length: limits.messages + 1 }, () => ({ role: "user", content: "" })) },
      "invalid",
    ],
    ["a huge prompt", { messages: [{ role: "user", content: "x".repeat(5_000_000) }] }, "too_large"],
    ["no tokens", { maxTokens: 0 }, "invalid"],
    ["half a token", { maxTokens: 1.5 }, "invalid"],
    ["a hot temperature", { temperature: 2.1 }, "invalid"],
    ["a temperature that is no number", { temperature: Number.NaN }, "invalid"],
    ["a negative topP", { topP: -0.1 }, "invalid"],
    ["a fractional seed", { seed: 0.5 }, "invalid"],
    ["five stop strings", { stop: ["a", "b", "c", "d", "e"] }, "invalid"],
    ["an empty stop string", { stop: [""] }, "invalid"],
    ["an answer longer than the context", { maxTokens: 1_025 }, "context_length_exceeded"],
  ])("refuses a chat with %s", async (_what, over, code) => {
    await expectRefusal(submitted(over), code);
    expect(await allJobs(t, acme)).toEqual([]);
  });

  it.each<[string, Infer<typeof workValidator>, RefusalCode]>([
    [
      "a completion whose prompt is too large",
      { kind: "completion", request: completion("x".repeat(262_145)) },
      "too_large",
    ],
    ["a completion with half a character", { kind: "completion", request: completion("\ud83d") }, "invalid"],
    [
      "a completion of no tokens",
      { kind: "completion", request: completion("x", { maxTokens: 0 }) },
      "invalid",
    ],
    [
      "a completion longer than the context",
      { kind: "completion", request: completion("x", { maxTokens: 1_025 }) },
      "context_length_exceeded",
    ],
    ["an embedding job without inputs", { kind: "embedding", request: { inputs: [] } }, "invalid"],
    [
      "an embedding job with an empty input",
      { kind: "embedding", request: { inputs: ["a", ""] } },
      "invalid",
    ],
    [
      "an embedding job with half a character",
      { kind: "embedding", request: { inputs: ["\ud83d"] } },
      "invalid",
    ],
    [
      "an embedding job with too many inputs",
      { kind: "embedding", request: { inputs: Array<string>(limits.embeddingInputs + 1).fill("a") } },
      "invalid",
    ],
    [
      "an embedding job whose inputs are too large together",
      { kind: "embedding", request: { inputs: Array<string>(3).fill("x".repeat(100_000)) } },
      "too_large",
    ],
  ])("refuses %s", async (_what, work, code) => {
    await expectRefusal(submitOne(work), code);
    expect(await allJobs(t, acme)).toEqual([]);
  });

  it("reserves the highest possible price of each kind of job", async () => {
    const reserved = async () => {
      const orders = await t.run(async (ctx) => await ctx.db.query("orders").collect());
      return orders.at(-1);
    };
    // The prompt's bytes and added tokens cost 2 each, the answer's tokens 6.
    await submitOne({ kind: "chat", request: chat("Hi") });
    expect(await reserved()).toMatchObject({ reservedMicro: BigInt((2 + 32 + 64) * 2 + 64 * 6) });
    await submitOne({ kind: "completion", request: completion("Once") });
    expect(await reserved()).toMatchObject({ reservedMicro: BigInt((4 + 8) * 2 + 64 * 6) });
    await submitOne({ kind: "embedding", request: { inputs: ["ab", "é"] } });
    expect(await reserved()).toMatchObject({
      reservedMicro: BigInt((2 + 2 + 2 * 8) * 2),
      most: { promptTokens: 2 * 1_024, completionTokens: 0 },
      vectors: 2,
    });
  });

  it("tells requests with one idempotency key apart by all their fields", async () => {
    const request = completion();
    const first = await submitOne({ kind: "completion", request }, "k");
    const { prompt, ...sampling } = request;
    const again = { kind: "completion" as const, request: { ...sampling, prompt } };
    expect(await submitOne(again, "k")).toEqual(first);
    for (const other of [
      { kind: "completion" as const, request: { ...request, topK: 5 } },
      { kind: "completion" as const, request: { ...request, format: { kind: "json" as const } } },
      { kind: "chat" as const, request: chat("Once") },
      { kind: "embedding" as const, request: { inputs: ["Once"] } },
    ]) {
      await expectRefusal(submitOne(other, "k"), "conflict");
    }
  });

  it("tells devices which jobs may share a cached prompt: those of one key and data class", async () => {
    const session = await signIn(t, acme);
    const { deviceId } = await addDevice(t, acme);
    const labels = { groups: [], dataClasses: ["medical", "legal"] };
    await t.mutation(api.console.devices.label, { session, deviceId, ...labels });
    const addKey = async (name: string, dataClass?: string) => {
      const apiKey = secret("sk-gleaner-");
      const key = { session, name, prefix: apiKey.slice(0, 14), keyHash: await hashSecret(apiKey) };
      await t.mutation(api.console.keys.create, {
        ...key,
        ...(dataClass === undefined ? {} : { dataClass }),
      });
      return apiKey;
    };
    const sent = async (apiKey: string) => {
      const jobId = await submit(t, { apiKey });
      const stored = await t.run(async (ctx) => await queue.payload(ctx, acme.organizationId, jobId));
      return stored?.payload;
    };
    const ownerOf = async (apiKey: string) => parseCacheOwner(await sent(apiKey));
    const [other, medical] = [await addKey("other"), await addKey("medical", "medical")];
    const owners = [await ownerOf(acme.apiKey), await ownerOf(other), await ownerOf(medical)];
    expect(new Set(owners)).toHaveLength(3);
    expect(owners).not.toContain(undefined);
    expect(await ownerOf(acme.apiKey)).toBe(owners[0]);
    const { keyId } = await t.query(internal.requests.identify, { apiKey: medical });
    await t.run(async (ctx) => await ctx.db.patch("apiKeys", keyId, { dataClass: "legal" }));
    expect(owners).not.toContain(await ownerOf(medical));
    expect(JSON.stringify(await sent(medical))).not.toMatch(new RegExp(`${medical}|${keyId}|legal`));
  });

  it("refuses a prompt that certainly does not fit", async () => {
    const tiny = await addOrganization(t, { name: "Tiny", contextTokens: 128 });
    const text = "x".repeat(128 * 256 + 1);
    for (const work of [
      { kind: "chat" as const, request: chat(text) },
      { kind: "completion" as const, request: completion(text) },
      { kind: "embedding" as const, request: { inputs: ["short", text] } },
    ]) {
      await expectRefusal(submitWork(t, tiny.apiKey, work), "context_length_exceeded");
    }
  });

  it("refuses an unknown model, and a retired one", async () => {
    await expectRefusal(submitted({}, "gpt-9"), "model_not_found");
    await t.run(async (ctx) => {
      const model = await ctx.db.query("models").first();
      if (model !== null) await ctx.db.patch("models", model._id, { enabled: false });
    });
    await expectRefusal(submitted({}), "model_not_found");
    expect((await t.query(internal.requests.identify, { apiKey: acme.apiKey })).models).toEqual([]);
  });

  it("refuses an unknown key", async () => {
    const apiKey = secret("sk-gleaner-");
    await expectRefusal(submit(t, { ...acme, apiKey }), "unauthorized");
    await expectRefusal(t.mutation(internal.requests.admit, { apiKey }), "unauthorized");
  });

  it("refuses a key that was revoked after its call was admitted", async () => {
    const { keyId } = await t.mutation(internal.requests.admit, { apiKey: acme.apiKey });
    await t.mutation(api.console.keys.revoke, { session: await signIn(t, acme), keyId });
    const work = { kind: "chat" as const, request: chat() };
    const late = t.mutation(internal.requests.submit, { keyId, model: modelId, work, stream: false });
    await expectRefusal(late, "revoked");
  });

  it("submits one job for a repeated idempotency key, and refuses the key for another request", async () => {
    const idempotencyKey = "order-17";
    const first = await submit(t, acme, { idempotencyKey });
    expect(await submit(t, acme, { idempotencyKey })).toBe(first);
    expect(await submit(t, acme, { idempotencyKey, stream: true })).toBe(first);
    await expectRefusal(submit(t, acme, { idempotencyKey, content: "Bye" }), "conflict");
    await expectRefusal(submit(t, acme, { idempotencyKey: "x".repeat(256) }), "invalid");
    await expectRefusal(submit(t, acme, { idempotencyKey: "" }), "invalid");
    const rival = await addOrganization(t, { name: "Rival" });
    expect(await submit(t, rival, { idempotencyKey })).not.toBe(first);
    expect([...(await allJobs(t, acme)), ...(await allJobs(t, rival))]).toHaveLength(2);
  });
});
