import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
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
  listKeys,
  modelId,
  type Organization,
  signIn,
  startBackend,
  submit,
  take,
} from "./backend.fixture.ts";
import { eventsOf } from "./events.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let devices: readonly Device[];

const large = "large-1b";

/** Attempts that a device has seen already: it may be shown them again. */
const seen = new Set<string>();

beforeEach(async () => {
  seen.clear();
  t = startBackend();
  acme = await addOrganization(t);
  session = await signIn(t, acme);
  const both = [modelId, large];
  devices = [
    await addDevice(t, acme, "one", both),
    await addDevice(t, acme, "two", both),
    await addDevice(t, acme, "three", both),
  ];
  // The lane exists from now on, so idle devices wait in it.
  await submit(t, acme);
  await takeJob(t, devices[0]!, async ({ complete }) => await complete("Hi."));
});

const chat = {
  model: modelId,
  messages: [{ role: "user", content: "Which city?" }],
  seed: 7,
  max_tokens: 64,
  x_gleaner: { votes: 3 },
};

async function post(
  body: object,
  headers: object = {},
  path = "/v1/chat/completions",
  signal?: AbortSignal,
): Promise<Response> {
  return await t.fetch(path, {
    method: "POST",
    ...(signal === undefined ? {} : { signal }),
    headers: { authorization: `Bearer ${acme.apiKey}`, ...headers },
    body: JSON.stringify(body),
  });
}

/** The devices wait for jobs from now on. */
async function wait(...idle: readonly Device[]): Promise<void> {
  for (const device of idle) expect(await take(t, device)).toEqual([]);
}

/** The next job that the device is handed. */
async function handed(device: Device) {
  for (;;) {
    const jobs = await t.query(api.work.handed, { key: device.key });
    const job = jobs.find(({ attemptId }) => !seen.has(attemptId));
    if (job !== undefined) {
      seen.add(job.attemptId);
      return job;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The devices answer one vote each. Which of them has the first one is up to chance. */
async function answerAll(idle: readonly Device[], ...texts: readonly string[]): Promise<void> {
  const jobs = await Promise.all(idle.map(handed));
  const seeds = jobs.map(({ payload }) => (payload as { seed: number }).seed);
  for (const [index, text] of texts.entries()) {
    const at = seeds.indexOf(7 + index);
    await completeWith(t, idle[at]!, jobs[at]!.attemptId, answer(text));
  }
}

async function completeAll(jobs: readonly Awaited<ReturnType<typeof handed>>[]): Promise<void> {
  for (const [at, { attemptId }] of jobs.entries())
    await completeWith(t, devices[at]!, attemptId, answer("Oslo"));
}

/** All devices have a vote. Then the client leaves. */
async function leave(body: object, headers: object = {}) {
  const client = new AbortController();
  await wait(...devices);
  const asked = post(body, headers, undefined, client.signal);
  const jobs = await Promise.all(devices.map(handed));
  client.abort();
  await expectError(await asked, 503, { code: "server_stopping" });
  return jobs;
}

const waits = async () => await t.run(async (ctx) => await ctx.db.query("waits").collect());
const retry = { "x-stainless-retry-count": "1" };

const newJobs = async () => (await allJobs(t, acme)).slice(0, -1).toReversed();
const statuses = async () => (await newJobs()).map(({ status }) => status);

type Answer = {
  readonly id: string;
  readonly model: string;
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly x_gleaner: { readonly confidence: number };
};

const entry = {
  modelId: large,
  source: "https://models.example/large.gguf",
  sha256: "cd".repeat(32),
  sizeBytes: 900_000_000,
  licence: "MIT",
  contextTokens: 1_024,
  template: null,
  pieces: null,
};
const addLarge = async () => {
  const price = { promptMicro: 20n, completionMicro: 60n };
  await t.mutation(api.console.models.add, { session, entry, price });
};

describe("a call with votes", () => {
  it("answers with what most of its devices say, at the price of all of them", async () => {
    await wait(...devices);
    const asked = post(chat);
    await answerAll(devices, "Bergen", "Oslo", "oslo.");
    const response = await asked;
    expect(response.status).toBe(200);
    const ids = response.headers.get("x-gleaner-job")?.split(", ") ?? [];
    expect(ids).toEqual((await newJobs()).map(({ jobId }) => jobId));
    const body = (await response.json()) as Answer;
    expect(body).toMatchObject({
      id: `chatcmpl-${ids[1]}`,
      model: modelId,
      choices: [{ index: 0, message: { content: "Oslo" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 30, completion_tokens: 9, total_tokens: 39 },
      x_gleaner: { votes: 3, agreed: 2, confidence: expect.any(Number), escalated: false },
    });
    expect(body.x_gleaner.confidence).toBeGreaterThan(0.3);
    expect(body.x_gleaner.confidence).toBeLessThan(0.9);
    expect(response.headers.get("x-gleaner-price")).toBe("114");
    expect((await newJobs()).map(({ priority }) => priority)).toEqual(["normal", "low", "low"]);
    await expectBooksInOrder(t);
  });

  it("is surer with each vote that agreed before", async () => {
    const confidences = [];
    for (let call = 0; call < 6; call++) {
      await wait(...devices);
      const asked = post(chat);
      await answerAll(devices, "Oslo", "Oslo", "Oslo");
      confidences.push(((await (await asked).json()) as Answer).x_gleaner.confidence);
    }
    expect(confidences).toEqual(confidences.toSorted((a, b) => a - b));
    expect(confidences.at(-1)).toBeGreaterThan(confidences[0]!);
    const [row] = await t.run(async (ctx) => await ctx.db.query("voteTallies").collect());
    expect(row).toMatchObject({ modelId, tally: { "3": 6 } });
  });

  it("answers at once with what there is if no other device is idle", async () => {
    await wait(devices[0]!);
    const asked = post(chat);
    await answerAll([devices[0]!], "Oslo");
    const begun = Date.now();
    expect(await (await asked).json()).toMatchObject({
      choices: [{ message: { content: "Oslo" } }],
      x_gleaner: { votes: 1, agreed: 1, escalated: false },
    });
    expect(Date.now() - begun).toBeLessThan(1_900);
    expect(await statuses()).toEqual(["succeeded"]);
  });

  it("cancels a vote that is late", async () => {
    const [one, other] = devices;
    await wait(one!, other!);
    const asked = post(chat);
    await answerAll([one!, other!], "Oslo");
    expect(await (await asked).json()).toMatchObject({ x_gleaner: { votes: 1, agreed: 1 } });
    expect(await statuses()).toEqual(["succeeded", "canceled"]);
    await expectBooksInOrder(t);
  });

  it("answers with the other votes if its first job fails, and fails only if all do", async () => {
    await wait(...devices);
    const failsFirst = async (failing: number): Promise<Response> => {
      const asked = post(chat);
      const jobs = await Promise.all(devices.map(handed));
      const seeds = jobs.map(({ payload }) => (payload as { seed: number }).seed);
      for (const index of [0, 1, 2]) {
        const at = seeds.indexOf(7 + index);
        const { attemptId } = jobs[at]!;
        if (index < failing) await fail(t, devices[at]!, attemptId, { retryable: false });
        else await completeWith(t, devices[at]!, attemptId, answer("Oslo"));
      }
      return await asked;
    };
    expect(await (await failsFirst(1)).json()).toMatchObject({ x_gleaner: { votes: 2, agreed: 2 } });
    await wait(...devices);
    await expectError(await failsFirst(3), 400, { code: "context_length_exceeded" });
  });

  it("streams the answer in one piece, and tells at the end how it was found", async () => {
    await wait(...devices);
    const asked = post({ ...chat, stream: true, stream_options: { include_usage: true } });
    await answerAll(devices, "Oslo", "Oslo", "Oslo");
    const response = await asked;
    expect(response.headers.get("content-type")).toMatch("text/event-stream");
    const events = (await response.text()).split("\n\n").filter((event) => event.startsWith("data: "));
    expect(events.at(-1)).toBe("data: [DONE]");
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice("data: ".length)) as object);
    expect(chunks).toMatchObject([
      { choices: [{ delta: { role: "assistant" } }], usage: null },
      { choices: [{ delta: { content: "Oslo" } }], usage: null },
      { choices: [{ finish_reason: "stop" }], usage: null },
      {
        choices: [],
        usage: { prompt_tokens: 30, completion_tokens: 9 },
        x_gleaner: { votes: 3, agreed: 3, escalated: false, queue_ms: null, price_micro: "114" },
      },
    ]);
    expect(chunks[2]).not.toHaveProperty("x_gleaner");
    expect((await newJobs()).every(({ watched }) => !watched)).toBe(true);
  });

  it("cancels all votes when the client of its stream leaves", async () => {
    await wait(...devices);
    const asked = post({ ...chat, stream: true });
    await Promise.all(devices.map(handed));
    const response = await asked;
    await response.body?.cancel();
    await expect.poll(statuses).toEqual(["canceled", "canceled", "canceled"]);
    await expectBooksInOrder(t);
  });

  it("fails with the key, if that is revoked while it waits", async () => {
    await wait(...devices);
    const asked = post(chat);
    await Promise.all(devices.map(handed));
    const { keyId } = (await listKeys(t, session))[0]!;
    await t.mutation(api.console.keys.revoke, { session, keyId });
    await expectError(await asked, 401, { code: "invalid_api_key" });
  });

  it("finds all its votes again by the idempotency key", async () => {
    await wait(...devices);
    const headers = { "idempotency-key": "order-17" };
    const asked = post(chat, headers);
    await answerAll(devices, "Bergen", "Oslo", "Oslo");
    const first = await asked;
    const again = await post(chat, headers);
    expect(again.headers.get("x-gleaner-job")).toBe(first.headers.get("x-gleaner-job"));
    expect(((await again.json()) as Answer).choices).toEqual(((await first.json()) as Answer).choices);
    expect(await newJobs()).toHaveLength(3);
    await expectError(await post({ ...chat, x_gleaner: { votes: 2 } }, headers), 409, {
      code: "idempotency_conflict",
    });
  });

  it("asks no further device and no larger model when it is repeated, and finds the votes although the first job failed", async () => {
    await addLarge();
    const headers = { "idempotency-key": "order-18" };
    await wait(devices[0]!, devices[1]!);
    const asked = post(chat, headers);
    const jobs = await Promise.all(devices.slice(0, 2).map(handed));
    const at = jobs.findIndex(({ payload }) => (payload as { seed: number }).seed === 7);
    await fail(t, devices[at]!, jobs[at]!.attemptId, { retryable: false });
    await completeWith(t, devices[1 - at]!, jobs[1 - at]!.attemptId, answer("Oslo"));
    const first = (await (await asked).json()) as Answer;
    expect(first).toMatchObject({ x_gleaner: { votes: 1, agreed: 1 } });
    // Now more devices are idle than before.
    await wait(...devices);
    // Each call tells its own time, in seconds.
    const again = { ...first, created: expect.any(Number) as number };
    expect(await (await post(chat, headers)).json()).toEqual(again);
    expect(await statuses()).toEqual(["failed", "succeeded"]);
    const [row] = await t.run(async (ctx) => await ctx.db.query("voteTallies").collect());
    expect(row?.tally).toEqual({});
    await expectBooksInOrder(t);
  });

  it("counts among the votes of the model once, though it is repeated", async () => {
    const headers = { "idempotency-key": "order-19" };
    await wait(...devices);
    const asked = post(chat, headers);
    await answerAll(devices, "Oslo", "Oslo", "Oslo");
    await asked;
    await post(chat, headers);
    const [row] = await t.run(async (ctx) => await ctx.db.query("voteTallies").collect());
    expect(row?.tally).toEqual({ "3": 1 });
  });

  it("is found by an equal request while it waits, which asks no further device", async () => {
    const { seed: _, ...unseeded } = chat;
    await wait(devices[0]!);
    const first = post(unseeded);
    const { attemptId } = await handed(devices[0]!);
    await expect.poll(async () => (await newJobs()).length).toBe(1);
    await wait(devices[1]!, devices[2]!);
    const again = post(unseeded, { "x-stainless-retry-count": "1" });
    await expect
      .poll(async () => (await t.run(async (ctx) => await ctx.db.query("waits").collect())).length)
      .toBe(1);
    const ids = async (response: Response) => response.headers.get("x-gleaner-job")?.split(", ")[0];
    await expect.poll(async () => (await newJobs()).length).toBeGreaterThan(1);
    const more = await Promise.all(devices.slice(1).map(handed));
    for (const [at, job] of more.entries())
      await completeWith(t, devices[at + 1]!, job.attemptId, answer("Oslo"));
    await completeWith(t, devices[0]!, attemptId, answer("Oslo"));
    const [one, other] = await Promise.all([first, again]);
    expect(await ids(other)).toBe(await ids(one));
    expect(await newJobs()).toHaveLength(3);
  });

  it("compares completions and JSON", async () => {
    const completion = { model: modelId, prompt: "Which?", seed: 7 };
    await post(completion, { prefer: "respond-async" }, "/v1/completions");
    await takeJob(t, devices[0]!, async ({ complete }) => await complete("This one."));
    await wait(...devices);
    const asked = post({ ...completion, x_gleaner: { votes: 3 } }, {}, "/v1/completions");
    await answerAll(devices, '{"a":1,"b":2}', '{ "b": 2, "a": 1 }', '{"a":1}');
    expect(await (await asked).json()).toMatchObject({
      choices: [{ text: '{"a":1,"b":2}' }],
      x_gleaner: { votes: 3, agreed: 2 },
    });
  });

  it.each([{ n: 2 }, { temperature: 0 }])("is refused with %j", async (more) => {
    const wrong = { code: "invalid_value", param: "x_gleaner.votes" };
    await expectError(await post({ ...chat, ...more }), 400, wrong);
    expect(await newJobs()).toEqual([]);
  });
});

describe("a repeated call with votes", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Lets time pass: a call counts as a waiting one from its fifth second on. */
  const passSeconds = (seconds: number) => {
    vi.useFakeTimers({ now: Date.now() + seconds * 1_000, toFake: ["Date"], shouldAdvanceTime: true });
  };

  async function endLeftCalls(): Promise<void> {
    const left = await t.run(async (ctx) => await ctx.db.query("leftCalls").collect());
    expect(left).toHaveLength(1);
    for (const { _id: leftId } of left) await t.mutation(internal.requests.endLeftCall, { leftId });
  }

  it("takes no votes from the first call when it ends earlier", async () => {
    const headers = { "idempotency-key": "order-20" };
    await wait(...devices);
    const first = post(chat, headers);
    const jobs = await Promise.all(devices.map(handed));
    await expectError(await post(chat, { ...headers, prefer: "wait=1" }), 503, { code: "no_capacity" });
    await completeAll(jobs);
    expect(await (await first).json()).toMatchObject({ x_gleaner: { votes: 3, agreed: 3 } });
  });

  it("takes no larger model from the first call when it ends earlier", async () => {
    await addLarge();
    const headers = { "idempotency-key": "order-21" };
    await wait(...devices);
    const first = post(chat, headers);
    await answerAll(devices, "Oslo", "Bergen", "Narvik");
    await expect.poll(async () => (await newJobs()).length).toBe(4);
    const again = await post(chat, { ...headers, prefer: "wait=1" });
    expect(await again.json()).toMatchObject({ x_gleaner: { votes: 3, escalated: false } });
    await takeJob(t, devices[0]!, async ({ complete }) => await complete("Bergen!"));
    expect(await (await first).json()).toMatchObject({ model: large, x_gleaner: { escalated: true } });
  });

  it("leaves a late first job to the first call, which waits longer for it", async () => {
    await wait(...devices);
    const first = post(chat);
    const jobs = await Promise.all(devices.map(handed));
    passSeconds(20);
    await expect.poll(async () => (await waits()).length).toBe(1);
    const again = post(chat, retry);
    await expect.poll(async () => (await waits()).length).toBe(2);
    const at = jobs.findIndex(({ payload }) => (payload as { seed: number }).seed === chat.seed);
    for (const [other, { attemptId }] of jobs.entries())
      if (other !== at) await completeWith(t, devices[other]!, attemptId, answer("Oslo"));
    expect(await (await again).json()).toMatchObject({ x_gleaner: { votes: 2 } });
    await completeWith(t, devices[at]!, jobs[at]!.attemptId, answer("Oslo"));
    expect(await (await first).json()).toMatchObject({ x_gleaner: { votes: 3, agreed: 3 } });
  });

  it.each([
    ["its idempotency key", { "idempotency-key": "order-22" }, {}],
    ["its equal request", {}, retry],
  ])("gets all votes of a call whose client has left, by %s", async (_, headers, more) => {
    const jobs = await leave(chat, headers);
    const again = post(chat, { ...headers, ...more });
    await completeAll(jobs);
    expect(await (await again).json()).toMatchObject({ x_gleaner: { votes: 3, agreed: 3 } });
    expect(await statuses()).toEqual(["succeeded", "succeeded", "succeeded"]);
    await expectBooksInOrder(t);
  });

  it.each([
    ["waits for the larger model that was asked when the client left, by its idempotency key", true],
    [
      "gets the votes of a call whose client left while a larger model was asked, by its equal request",
      false,
    ],
  ])("%s", async (_, isKept) => {
    await addLarge();
    const headers = isKept ? { "idempotency-key": "order-23" } : {};
    const client = new AbortController();
    await wait(...devices);
    const first = post(chat, headers, undefined, client.signal);
    await answerAll(devices, "Oslo", "Bergen", "Narvik");
    await expect.poll(async () => (await newJobs()).length).toBe(4);
    client.abort();
    await first;
    const again = post(chat, { ...headers, ...retry });
    if (isKept) await takeJob(t, devices[0]!, async ({ complete }) => await complete("Bergen!"));
    expect(await (await again).json()).toMatchObject({ x_gleaner: { votes: 3, escalated: isKept } });
    expect((await statuses()).slice(3)).toEqual([isKept ? "succeeded" : "canceled"]);
    await expectBooksInOrder(t);
  });

  it("that never comes costs nothing: all votes are canceled soon", async () => {
    await leave(chat);
    await endLeftCalls();
    expect(await statuses()).toEqual(["canceled", "canceled", "canceled"]);
    await expectBooksInOrder(t);
  });

  it("that leaves, too, does not keep the votes", async () => {
    const jobs = await leave(chat);
    const client = new AbortController();
    const again = post(chat, retry, undefined, client.signal);
    await expect.poll(async () => (await waits()).length).toBe(1);
    client.abort();
    await expectError(await again, 503, { code: "server_stopping" });
    expect(await waits()).toEqual([]);
    await endLeftCalls();
    expect(await statuses()).toEqual(jobs.map(() => "canceled"));
  });
});

describe("a call whose votes disagree", () => {
  async function disagree(more: object = {}) {
    await wait(...devices);
    const asked = post({ ...chat, ...more });
    await answerAll(devices, "Oslo", "Bergen", "Narvik");
    return { asked };
  }

  it("is answered by a larger model", async () => {
    await addLarge();
    const { asked } = await disagree();
    await takeJob(t, devices[0]!, async ({ complete }) => await complete("Bergen!"));
    const response = await asked;
    const ids = response.headers.get("x-gleaner-job")?.split(", ") ?? [];
    expect(ids).toHaveLength(4);
    expect(await response.json()).toMatchObject({
      id: `chatcmpl-${ids[3]}`,
      model: large,
      choices: [{ message: { content: "Bergen!" } }],
      usage: { prompt_tokens: 40, completion_tokens: 12 },
      x_gleaner: { votes: 3, agreed: 1, confidence: null, escalated: true },
    });
    // Three times 38, and ten times that for the larger model.
    expect(response.headers.get("x-gleaner-price")).toBe(String(3 * 38 + 380));
    expect(response.headers.get("x-gleaner-model-sha256")).toBe(entry.sha256);
    await expectBooksInOrder(t);
  });

  it("gets the first answer if there is no larger model, or if none may be asked", async () => {
    const expected = {
      model: modelId,
      choices: [{ message: { content: "Oslo" } }],
      x_gleaner: { votes: 3, agreed: 1, escalated: false },
    };
    const { asked } = await disagree();
    expect(await (await asked).json()).toMatchObject(expected);
    await addLarge();
    const { asked: again } = await disagree({ x_gleaner: { votes: 3, escalate: false } });
    expect(await (await again).json()).toMatchObject(expected);
  });

  it("gets the first answer if the key may not use the larger model, or its job is canceled", async () => {
    await addLarge();
    const { keyId } = (await listKeys(t, session))[0]!;
    await t.mutation(api.console.keys.setAccess, { session, keyId, models: [modelId] });
    const { asked: narrow } = await disagree();
    expect(await (await narrow).json()).toMatchObject({ model: modelId, x_gleaner: { escalated: false } });
    await t.mutation(api.console.keys.setAccess, { session, keyId, models: [modelId, large] });
    const { asked } = await disagree();
    await takeJob(t, devices[0]!, async ({ jobId }) => {
      await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
    });
    expect(await (await asked).json()).toMatchObject({ model: modelId, x_gleaner: { escalated: false } });
    await expectBooksInOrder(t);
  });
});

describe("a call of another API with votes", () => {
  const { model, messages } = chat;
  const own = { x_gleaner: { votes: 3 } };
  const opinion = { votes: 3, agreed: 3, confidence: expect.any(Number), escalated: false };

  async function asked(path: string, body: object): Promise<Response> {
    await wait(...devices);
    const response = post({ model, ...body, ...own }, {}, path);
    const jobs = await Promise.all(devices.map(handed));
    for (const [at, job] of jobs.entries())
      await completeWith(t, devices[at]!, job.attemptId, answer("Oslo"));
    return await response;
  }

  it("answers as a response", async () => {
    const body = { input: "Which city?" };
    expect(await (await asked("/v1/responses", body)).json()).toMatchObject({
      object: "response",
      status: "completed",
      output: [{ content: [{ text: "Oslo" }] }],
      usage: { input_tokens: 30, output_tokens: 9 },
      x_gleaner: opinion,
    });
    const streamed = await eventsOf(await asked("/v1/responses", { ...body, stream: true }));
    expect(streamed.at(-1)).toMatchObject({
      type: "response.completed",
      response: { usage: { input_tokens: 30 }, x_gleaner: opinion },
    });
  });

  it("answers as a message", async () => {
    const body = { messages, max_tokens: 8 };
    expect(await (await asked("/v1/messages", body)).json()).toMatchObject({
      type: "message",
      content: [{ text: "Oslo" }],
      usage: { input_tokens: 30, output_tokens: 9 },
      x_gleaner: opinion,
    });
    const streamed = await eventsOf(await asked("/v1/messages", { ...body, stream: true }));
    expect(streamed.slice(-2)).toMatchObject([
      { type: "message_delta", usage: { output_tokens: 9 }, x_gleaner: opinion },
      { type: "message_stop" },
    ]);
  });

  it("answers as Ollama does", async () => {
    expect(await (await asked("/api/chat", { messages, stream: false })).json()).toMatchObject({
      message: { content: "Oslo" },
      eval_count: 9,
      x_gleaner: opinion,
    });
    const lines = (await (await asked("/api/generate", { prompt: "Which city?" })).text()).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { response: "Oslo", done: false },
      { done: true, x_gleaner: opinion },
    ]);
    const determined = { model, messages, ...own, options: { temperature: 0 } };
    const refused = await post(determined, {}, "/api/chat");
    expect([refused.status, await refused.json()]).toMatchObject([400, { param: "x_gleaner.votes" }]);
  });
});
