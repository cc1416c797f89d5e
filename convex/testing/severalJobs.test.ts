import type { FunctionReference } from "convex/server";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { internal } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import { embeddings } from "../openai/embeddings/embeddings.ts";
import { chatCompletions } from "../openai/textCalls.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  type Backend,
  modelId,
  type Organization,
  startBackend,
} from "./backend.fixture.ts";

// A call of several jobs waits for all of them as one call.

let t: Backend;
let acme: Organization;
let client: AbortController;
/** The waits of the call for changes, as on the embedded backend. */
let asleep: { readonly withinMs: number; readonly wake: () => void }[];

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  vi.stubEnv("CONVEX_EMBEDDED_WAIT_FOR_CHANGE", "embedded:wait");
  t = startBackend();
  acme = await addOrganization(t);
  await addDevice(t, acme);
  client = new AbortController();
  asleep = [];
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** The real backend. Only the test wakes its waits. */
const ctx = {
  runQuery: async (query: FunctionReference<"query">, args: Record<string, unknown>): Promise<unknown> =>
    await t.query(query, args),
  runMutation: async (
    mutation: FunctionReference<"mutation">,
    args: Record<string, unknown>,
  ): Promise<unknown> => await t.mutation(mutation, args),
  runAction: async (_wait: unknown, { withinMs }: { readonly withinMs: number }): Promise<boolean> =>
    await new Promise((resolve) => asleep.push({ withinMs, wake: () => resolve(false) })),
} as unknown as ActionCtx;

const messages = [{ role: "user", content: "Hi" }];
const calls = [
  ["whole choices", chatCompletions, { messages, n: 3 }],
  ["streamed choices", chatCompletions, { messages, n: 3, stream: true }],
  ["many embeddings", embeddings, { input: Array.from({ length: 70 }, (_, at) => String(at)) }],
] as const;
type Call = (typeof calls)[number][1];

const statuses = async () => (await allJobs(t, acme)).map(({ status }) => status);
const waits = async () => await t.run(async (run) => await run.db.query("waits").collect());
const allAsleep = async () => await expect.poll(() => asleep.length).toBe(3);

/** Begins a call of three jobs, until it waits for changes of each. `text`: of its answer. */
async function begin(call: Call, body: object): Promise<{ readonly text: Promise<string> }> {
  const caller = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
  const asked = new Request("https://test/v1", {
    method: "POST",
    body: JSON.stringify({ model: modelId, ...body }),
    signal: client.signal,
  });
  const text = call(ctx, asked, caller).then(async (response) => await response.text());
  await allAsleep();
  return { text };
}

it.each(calls)("counts as one waiting call, from its fifth second on: %s", async (_, call, body) => {
  const { text } = await begin(call, body);
  expect(await waits()).toEqual([]);
  vi.setSystemTime(Date.now() + 4_900);
  for (const { wake } of asleep.splice(0)) wake();
  await allAsleep();
  // The waits end when the call begins to count, not seconds later.
  expect(Math.max(...asleep.map(({ withinMs }) => withinMs))).toBeLessThanOrEqual(100);
  vi.setSystemTime(Date.now() + 100);
  for (const { wake } of asleep.splice(0)) wake();
  await allAsleep();
  expect(await waits()).toHaveLength(1);
  client.abort();
  await text;
  expect(await waits()).toEqual([]);
});

it.each(calls)("ends at once when the server stops or the client has left: %s", async (_, call, body) => {
  const { text } = await begin(call, body);
  client.abort();
  expect(await text).toContain('"code":"server_stopping"');
  expect(await statuses()).toEqual(["canceled", "canceled", "canceled"]);
});
