import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limits } from "../app/jobs/limits.ts";
import { internal } from "./_generated/api.js";
import type { RefusalCode } from "./model/refuse.ts";
import {
  addOrganization,
  allJobs,
  type Backend,
  chat,
  expectRefusal,
  modelId,
  type Organization,
  secret,
  startBackend,
  submit,
} from "./testing/backend.fixture.ts";

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

const submitted = async (over: Parameters<typeof chat>[1], model = modelId) =>
  await t.mutation(internal.requests.submit, {
    apiKey: acme.apiKey,
    model,
    request: chat("Hi", over),
    stream: false,
  });

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
  ])("refuses %s", async (_what, over, code) => {
    await expectRefusal(submitted(over), code);
    expect(await allJobs(t, acme)).toEqual([]);
  });

  it("refuses a prompt that is certain not to fit", async () => {
    const tiny = await addOrganization(t, { name: "Tiny", contextTokens: 128 });
    const request = chat("x".repeat(128 * 256 + 1));
    await expectRefusal(
      t.mutation(internal.requests.submit, { apiKey: tiny.apiKey, model: modelId, request, stream: false }),
      "context_length_exceeded",
    );
  });

  it("refuses a model that the organization does not have, or has switched off", async () => {
    await expectRefusal(submitted({}, "gpt-9"), "model_not_found");
    await t.run(async (ctx) => {
      const model = await ctx.db.query("models").first();
      if (model !== null) await ctx.db.patch("models", model._id, { enabled: false });
    });
    await expectRefusal(submitted({}), "model_not_found");
    expect(await t.query(internal.requests.models, { apiKey: acme.apiKey })).toEqual([]);
  });

  it("refuses a key that nobody knows", async () => {
    const apiKey = secret("sk-gleaner-");
    await expectRefusal(submit(t, { ...acme, apiKey }), "unauthorized");
    await expectRefusal(t.query(internal.requests.models, { apiKey }), "unauthorized");
  });

  it("makes one job of a repeated idempotency key, and refuses the key for another request", async () => {
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
