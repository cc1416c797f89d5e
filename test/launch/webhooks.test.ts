import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { ConvexHttpClient } from "convex/browser";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { api } from "../../convex/_generated/api.js";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";

/** Webhooks of a running backend, verified by the official client. */
let farm: Farm;
let client: OpenAI;

beforeAll(async () => {
  farm = await startFarm();
  await farm.startDonor("webhooks-1");
  client = new OpenAI({ baseURL: `${farm.backend.siteUrl}/v1`, apiKey: farm.organization.apiKey });
});
afterAll(async () => {
  await farm.close();
});

type Message = { readonly body: string; readonly headers: IncomingHttpHeaders };

test("the ends of a batch and of a background response come signed, also after a failure, and can be fetched", async () => {
  const messages: Message[] = [];
  const answers = [500];
  const receiver = createServer((request, response) => {
    void text(request).then((body) => {
      messages.push({ body, headers: request.headers });
      response.writeHead(answers.shift() ?? 204).end();
    });
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const url = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}/hook`;

  const convex = new ConvexHttpClient(farm.backend.url);
  const session = `gs_${crypto.randomUUID()}${crypto.randomUUID()}`;
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  await convex.mutation(api.console.account.signIn, { token, session });
  const { secret, webhookId } = await convex.action(api.console.webhooks.endpoints.add, {
    session,
    name: "Launch",
    url,
    events: ["batch.completed", "response.completed", "response.incomplete"],
    apiKeyId: null,
  });

  const line = { custom_id: "1", method: "POST", url: "/v1/chat/completions" };
  const body = { model: farm.modelId, messages: [{ role: "user", content: "Say hello." }], max_tokens: 8 };
  const file = await toFile(Buffer.from(JSON.stringify({ ...line, body })), "prompts.jsonl");
  const batch = await client.batches.create({
    input_file_id: (await client.files.create({ file, purpose: "batch" })).id,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  });
  await vi.waitFor(() => expect(messages.length).toBeGreaterThanOrEqual(2), {
    timeout: 90_000,
    interval: 200,
  });
  const response = await client.responses.create({
    model: farm.modelId,
    input: "Say hello.",
    background: true,
    max_output_tokens: 8,
  });
  await vi.waitFor(() => expect(messages.length).toBeGreaterThanOrEqual(3), {
    timeout: 90_000,
    interval: 200,
  });

  const verifier = new OpenAI({ apiKey: "none", webhookSecret: secret });
  const events = await Promise.all(
    messages.map(
      async (sent) => await verifier.webhooks.unwrap(sent.body, sent.headers as Record<string, string>),
    ),
  );
  // The first try of the batch's end was answered with an error.
  expect(events[1]).toEqual(events[0]);
  expect(messages[1]?.headers["webhook-id"]).toBe(events[0]?.id);
  expect(events[0]).toMatchObject({ object: "event", type: "batch.completed", data: { id: batch.id } });
  expect(await client.batches.retrieve(batch.id)).toMatchObject({ status: "completed" });
  const last = events[2];
  expect(last).toMatchObject({ data: { id: response.id } });
  expect(["response.completed", "response.incomplete"]).toContain(last?.type);
  expect((await client.responses.retrieve(response.id)).status).toBe(last?.type.replace("response.", ""));
  const forged = messages[0]?.body.replace(batch.id, "batch_other") ?? "";
  await expect(
    verifier.webhooks.unwrap(forged, messages[0]?.headers as Record<string, string>),
  ).rejects.toThrow("does not match");

  const paginationOpts = { numItems: 10, cursor: null };
  const listed = async () =>
    (await convex.query(api.console.webhooks.deliveries.list, { session, webhookId, paginationOpts })).page;
  await vi.waitFor(
    async () => expect((await listed()).map(({ state }) => state)).toEqual(["delivered", "delivered"]),
    {
      timeout: 60_000,
    },
  );
  expect((await listed())[1]?.attempts.map(({ status }) => status)).toEqual([500, 204]);
  receiver.close();
});
