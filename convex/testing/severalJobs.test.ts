import type { FunctionReference } from "convex/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { internal } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import { embeddings } from "../openai/embeddings/embeddings.ts";
import { chatCompletions } from "../openai/textCalls.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  type Backend,
  complete,
  completeWith,
  type Device,
  expectBooksInOrder,
  modelId,
  type Organization,
  startBackend,
  take,
} from "./backend.fixture.ts";

// A call of several jobs waits for all of them as one call.

let t: Backend;
let acme: Organization;
let device: Device;
let client: AbortController;
/** The waits of the call for changes, as on the embedded backend. */
let asleep: { readonly withinMs: number; readonly wake: (isChanged?: boolean) => void }[];

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  vi.stubEnv("CONVEX_EMBEDDED_WAIT_FOR_CHANGE", "embedded:wait");
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
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
    await new Promise((resolve) =>
      asleep.push({ withinMs, wake: (isChanged = false) => resolve(isChanged) }),
    ),
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

const retry = { "user-agent": "OpenAI/JS 6.1.0", "x-stainless-retry-count": "1" };
const ids = async () => (await allJobs(t, acme)).map(({ jobId }) => jobId);
const left = async () => await t.run(async (run) => await run.db.query("leftCalls").collect());

/** Lets the scheduled end of left calls come. */
async function endLeftCalls(): Promise<void> {
  for (const { _id: leftId } of await left()) await t.mutation(internal.requests.endLeftCall, { leftId });
}

/** Takes the next job and answers it, with text or with a vector for each input. */
async function answerNext(): Promise<void> {
  const [job] = await take(t, device, 1);
  const { inputs = null } = job!.payload as { inputs?: readonly string[] };
  if (inputs === null) {
    await complete(t, device, job!.attemptId);
    return;
  }
  const vector = Buffer.from(new Uint8Array(Float32Array.of(1).buffer)).toString("base64");
  await completeWith(t, device, job!.attemptId, {
    result: { embeddings: inputs.map(() => vector) },
    report: {
      usage: { promptTokens: inputs.length, completionTokens: 0 },
      timing: { prefillMs: 1, generateMs: 0 },
    },
  });
}

/** Begins a call of three jobs. */
function begun(call: Call, body: object, headers: Readonly<Record<string, string>> = {}) {
  const asked = new Request("https://test/v1", {
    method: "POST",
    headers,
    body: JSON.stringify({ model: modelId, ...body }),
    signal: client.signal,
  });
  const caller = t.query(internal.requests.identify, { apiKey: acme.apiKey });
  return { response: caller.then(async (known) => await call(ctx, asked, known)) };
}

/** Begins a call of three jobs, until it waits for changes of each. `text`: of its answer. */
async function begin(call: Call, body: object): Promise<{ readonly text: Promise<string> }> {
  const text = begun(call, body).response.then(async (response) => await response.text());
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

it.each(calls)("ends at once when the server stops or the client has left: %s", async (name, call, body) => {
  const { text } = await begin(call, body);
  client.abort();
  expect(await text).toContain('"code":"server_stopping"');
  // A retry finds the jobs of a whole call for a while.
  if (name !== "streamed choices") {
    expect(await statuses()).toEqual(["ready", "ready", "ready"]);
    await endLeftCalls();
  }
  expect(await statuses()).toEqual(["canceled", "canceled", "canceled"]);
  await expectBooksInOrder(t);
});

describe.each(calls.filter(([name]) => name !== "streamed choices"))("the jobs of %s", (_, call, body) => {
  /** A call that its client leaves when one of its three jobs has an answer. Returns the ids of the jobs. */
  async function leave(): Promise<readonly string[]> {
    const { text } = await begin(call, body);
    await answerNext();
    client.abort();
    await text;
    client = new AbortController();
    asleep = [];
    return await ids();
  }

  it("are found by a retry, also those that have ended, and are paid once", async () => {
    const jobs = await leave();
    expect((await statuses()).toSorted()).toEqual(["ready", "ready", "succeeded"]);
    const { response } = begun(call, body, retry);
    await expect.poll(() => asleep.length).toBe(2);
    expect(await waits()).toHaveLength(1);
    await endLeftCalls();
    for (let at = 0; at < 2; at += 1) await answerNext();
    for (const { wake } of asleep.splice(0)) wake(true);
    const answered = await response;
    expect(answered.status).toBe(200);
    expect(answered.headers.get("x-gleaner-job")?.split(", ").toSorted()).toEqual([...jobs].toSorted());
    expect(await ids()).toEqual(jobs);
    const orders = await t.run(async (run) => await run.db.query("orders").collect());
    const paid = orders.reduce((sum, { priceMicro = 0n }) => sum + priceMicro, 0n);
    expect(answered.headers.get("x-gleaner-price")).toBe(String(paid));
    expect(await waits()).toEqual([]);
    await expectBooksInOrder(t);
  });

  it("are found by a retry whose first call seems to wait, although the first job has ended", async () => {
    const { text } = await begin(call, body);
    const jobs = await ids();
    await answerNext();
    const first = client;
    client = new AbortController();
    const { response } = begun(call, body, retry);
    await expect.poll(() => asleep.length).toBe(5);
    // The first call is noticed to have left, and its jobs stay.
    first.abort();
    await text;
    expect(await left()).toEqual([]);
    for (let at = 0; at < 2; at += 1) await answerNext();
    for (const { wake } of asleep.splice(0)) wake(true);
    expect((await response).status).toBe(200);
    expect(await ids()).toEqual(jobs);
    await expectBooksInOrder(t);
  });

  it("are not found by an equal request while their call waits, nor after the time for a retry", async () => {
    await begin(call, body);
    const second = begun(call, body);
    await expect.poll(() => asleep.length).toBe(6);
    expect(await ids()).toHaveLength(6);
    client.abort();
    await second.response;
    await expect.poll(async () => await left()).toHaveLength(2);
    await endLeftCalls();
    expect(new Set(await statuses())).toEqual(new Set(["canceled"]));
    client = new AbortController();
    begun(call, body, retry);
    await expect.poll(ids).toHaveLength(9);
    client.abort();
  });

  it("are asked for again if some were canceled, as by a restart of the backend", async () => {
    await leave();
    await t.mutation(internal.maintenance.cancelCutOffCalls, {});
    begun(call, body, retry);
    await expect.poll(ids).toHaveLength(6);
    client.abort();
  });
});
