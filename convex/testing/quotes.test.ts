import { afterEach, beforeEach, expect, it } from "vitest";
import { equalPrices } from "../../app/jobs/priority.ts";
import { api } from "../_generated/api.js";
import { chat, modelId, submit } from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let { t, acme, session }: Awaited<ReturnType<typeof openWorld>> = {} as Awaited<ReturnType<typeof openWorld>>;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

async function quote(path: string, body: object): Promise<{ status: number; told: Record<string, unknown> }> {
  const response = await t.fetch(`/v1/estimate/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${acme.apiKey}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, told: (await response.json()) as Record<string, unknown> };
}

const { messages } = chat();
const asked = { model: modelId, messages, max_tokens: 64 };

it("tells the price of a call, as its submission reserves it, and makes no job", async () => {
  const { status, told } = await quote("chat/completions", { ...asked, stream: true });
  expect(status).toBe(200);
  expect(told).toMatchObject({
    object: "estimate",
    endpoint: "/v1/chat/completions",
    model: modelId,
    answers: 1,
    price: { version: "1.0", prompt_micro: "2", completion_micro: "6", percent: 100 },
  });
  expect(await t.run(async (ctx) => await ctx.db.query("orders").collect())).toEqual([]);
  await submit(t, acme);
  const [order] = await t.run(async (ctx) => await ctx.db.query("orders").collect());
  expect(told["most_price_micro"]).toBe(String(order?.reservedMicro));
  expect(told["reserved_micro"]).toBe(String(order?.reservedMicro));
  expect(BigInt(told["expected_price_micro"] as string)).toBeLessThanOrEqual(order?.reservedMicro ?? 0n);
});

it("counts the priority, the kind of job and several answers", async () => {
  const factors = { ...equalPrices, high: 200, text: 100, embedding: 50, hours: null };
  await t.mutation(api.console.money.prices.ofAll, { session, factors, from: null, why: null });
  const one = await quote("chat/completions", asked);
  const dear = await quote("chat/completions", { ...asked, service_tier: "priority", n: 2 });
  expect(dear.told).toMatchObject({ answers: 2, price: { version: "1.2", percent: 200 } });
  const most = BigInt(one.told["most_price_micro"] as string);
  expect(dear.told["most_price_micro"]).toBe(String(most * 4n));
  const vectors = await quote("embeddings", { model: modelId, input: "Hi" });
  expect(vectors.told).toMatchObject({ price: { percent: 50 }, expected_usage: { completion_tokens: 0 } });
});

it("counts the tokens of all answers, and each of several prompts", async () => {
  const expectedOf = async (path: string, body: object): Promise<Record<string, number>> =>
    (await quote(path, body)).told["expected_usage"] as Record<string, number>;
  const one = await expectedOf("chat/completions", asked);
  const two = await expectedOf("chat/completions", { ...asked, n: 2 });
  expect(two["prompt_tokens"]).toBe(2 * one["prompt_tokens"]!);
  expect(two["completion_tokens"]).toBe(2 * one["completion_tokens"]!);
  const prompts = ["One", "A prompt that is longer than the other one."];
  const body = { model: modelId, max_tokens: 64, n: 2 };
  const { told } = await quote("completions", { ...body, prompt: prompts });
  expect(told["answers"]).toBe(4);
  const each = [];
  for (const prompt of prompts) each.push((await quote("completions", { ...body, prompt })).told);
  const sum = each.reduce((total, { most_price_micro: most }) => total + BigInt(most as string), 0n);
  expect(told["most_price_micro"]).toBe(String(sum));
  expect(each[0]!["most_price_micro"]).not.toBe(each[1]!["most_price_micro"]);
});

it("refuses what the call would refuse", async () => {
  expect(await quote("chat/completions", { messages: [] })).toMatchObject({ status: 400 });
  expect(await quote("chat/completions", { ...asked, model: "none" })).toMatchObject({ status: 404 });
  expect(await quote("rerank", asked)).toMatchObject({ status: 404 });
});
