import { ConvexHttpClient } from "convex/browser";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { api } from "../../convex/_generated/api.js";
import { makeClient } from "../../launch/farm/ask.ts";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { readDemoModel } from "../../launch/organization/demo-model.ts";
import { makeSecret } from "../../launch/organization/secrets.ts";
import { type FirstOrganization, Setup } from "../../launch/organization/setup.ts";

/** Every bad input that a requester can send, against a running backend with a donor. */
let farm: Farm;
let other: FirstOrganization;

const openAiError = z.object({
  error: z.object({
    message: z.string().min(10),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});

beforeAll(async () => {
  farm = await startFarm();
  await farm.startDonor("bad-input");
  other = await new Setup(farm.backend).createOrganization("Another organization", await readDemoModel());
});
afterAll(async () => {
  await farm.close();
});

async function post(
  body: string,
  apiKey = farm.organization.apiKey,
): Promise<{ status: number; error: z.infer<typeof openAiError>["error"] }> {
  const response = await fetch(`${farm.backend.siteUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body,
  });
  return { status: response.status, error: openAiError.parse(await response.json()).error };
}

function chat(content: string, extra: object = {}): string {
  return JSON.stringify({ model: farm.modelId, messages: [{ role: "user", content }], ...extra });
}

test("a wrong key is refused", async () => {
  const { status, error } = await post(chat("Hello"), makeSecret("sk-gleaner-"));
  expect(status).toBe(401);
  expect(error.code).toBe("invalid_api_key");
});

test("a call without a key is refused", async () => {
  const response = await fetch(`${farm.backend.siteUrl}/v1/models`);
  expect(response.status).toBe(401);
  openAiError.parse(await response.json());
});

test("the error for a revoked key says that it was revoked", async () => {
  const client = new ConvexHttpClient(farm.backend.url, { logger: false });
  const session = makeSecret("gs_");
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  await client.mutation(api.console.account.signIn, { token, session });
  const apiKey = await farm.setup.issueKey(farm.organization.organizationId, "to be revoked");
  const { keyId } = (await client.query(api.console.keys.names, { session })).find(
    ({ name }) => name === "to be revoked",
  )!;
  await client.mutation(api.console.keys.revoke, { session, keyId });
  const { status, error } = await post(chat("Hello"), apiKey);
  expect(status).toBe(401);
  expect(error.message).toMatch(/revoked/i);
});

test("an unknown model is refused, and named in the error", async () => {
  const { status, error } = await post(chat("Hello", { model: "gpt-9" }));
  expect(status).toBe(404);
  expect(error.code).toBe("model_not_found");
  expect(error.message).toContain("gpt-9");
});

test.each([
  ["text that is not JSON", '{"model": "gleaner-demo", "messages": ['],
  ["JSON that is not a request", "[1, 2, 3]"],
  ["no body", ""],
])("a call with %s is refused", async (_name, body) => {
  const { status } = await post(body);
  expect(status).toBe(400);
});

test.each([
  ["temperature", { temperature: 9 }],
  ["max_tokens", { max_tokens: -1 }],
  ["n", { n: 9 }],
  ["messages", { messages: [] }],
  ["messages", { messages: [{ role: "wizard", content: "Hello" }] }],
])("a bad %s is refused, and named in the error", async (param, extra) => {
  const { status, error } = await post(chat("Hello", extra));
  expect(status).toBe(400);
  expect(error.param).toContain(param);
});

test("a prompt of 5 MB is refused as too large", async () => {
  const { status, error } = await post(chat("word ".repeat(1024 * 1024)));
  expect(status).toBe(413);
  expect(error.message).toMatch(/\d/);
});

test("a prompt that does not fit the model's context is refused", async () => {
  const { status, error } = await post(chat("zebra 1234 ".repeat(2_000)));
  expect(status).toBe(400);
  expect(error.code).toBe("context_length_exceeded");
});

test("another organization's job cannot be seen or canceled", async () => {
  const stranger = new ConvexHttpClient(farm.backend.url, { logger: false });
  const response = await makeClient(farm.backend.siteUrl, farm.organization.apiKey)
    .chat.completions.create({ model: farm.modelId, messages: [{ role: "user", content: "Hello" }] })
    .withResponse();
  const jobId = response.response.headers.get("x-gleaner-job")!;
  const own = await stranger.query(api.requests.watch, {
    apiKey: farm.organization.apiKey,
    jobId: jobId,
  });
  expect(own.status).toBe("succeeded");
  const asStranger = { apiKey: other.apiKey, jobId: jobId as never };
  await expect(stranger.query(api.requests.watch, asStranger)).rejects.toMatchObject({
    data: { code: "not_found" },
  });
  await expect(stranger.mutation(api.requests.cancel, asStranger)).rejects.toMatchObject({
    data: { code: "not_found" },
  });
});

test("the official client turns our errors into its own error classes", async () => {
  const client = makeClient(farm.backend.siteUrl, "sk-gleaner-wrong");
  await expect(client.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  const models = await makeClient(farm.backend.siteUrl, farm.organization.apiKey).models.list();
  expect(models.data.map(({ id }) => id)).toEqual([farm.modelId]);
});
