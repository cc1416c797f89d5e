import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import { expectError } from "./apiError.fixture.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  answer as written,
  type Backend,
  completeWith,
  countQueue,
  type Device,
  expectBooksInOrder,
  fail,
  listKeys,
  modelId,
  type Organization,
  pass,
  signIn,
  startBackend,
  take,
} from "./backend.fixture.ts";
import { ask, collectEnds, line, lines, runDue, uploadFile } from "./batchFile.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";

let t: Backend;
let acme: Organization;
let device: Device;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
});

afterEach(() => {
  vi.useRealTimers();
});

type Batch = {
  readonly id: string;
  readonly status: string;
  readonly errors: { readonly data: readonly { readonly code: string; readonly line: number }[] } | null;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
  readonly request_counts: Readonly<Record<"total" | "completed" | "failed", number>>;
  readonly price_micro: string;
  readonly usage: { readonly total_tokens: number };
};

type FileLine = {
  readonly custom_id: string;
  readonly response: {
    readonly status_code: number;
    readonly body: {
      readonly choices: readonly { readonly message: { readonly content: string } }[];
      readonly error?: { readonly code: string };
    };
  } | null;
  readonly error: { readonly code: string } | null;
};

type Init = Pick<RequestInit, "method" | "body"> & { readonly headers?: Readonly<Record<string, string>> };

async function call(path: string, init: Init = {}, apiKey = acme.apiKey): Promise<Response> {
  return await t.fetch(path, { ...init, headers: { authorization: `Bearer ${apiKey}`, ...init.headers } });
}

const upload = async (content: string, apiKey = acme.apiKey): Promise<string> =>
  await uploadFile(t, apiKey, content);

async function create(
  fileId: string,
  over: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const body = { input_file_id: fileId, endpoint: "/v1/chat/completions", completion_window: "24h", ...over };
  return await call("/v1/batches", { method: "POST", body: JSON.stringify(body), headers });
}

async function start(content: string, over: object = {}): Promise<Batch> {
  const response = await create(await upload(content), over);
  expect(response.status).toBe(200);
  const batch = (await response.json()) as Batch;
  await step();
  return batch;
}

const step = async (): Promise<void> => await runDue(t);
const collect = async (): Promise<void> => await collectEnds(t);

const get = async (id: string): Promise<Batch> => (await (await call(`/v1/batches/${id}`)).json()) as Batch;

async function content(fileId: string | null): Promise<FileLine[]> {
  const text = await (await call(`/v1/files/${String(fileId)}/content`)).text();
  return text
    .trimEnd()
    .split("\n")
    .map((each) => JSON.parse(each) as FileLine);
}

/** Answers so many jobs, and lets their answers be collected. */
async function answer(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await takeJob(t, device, async ({ prompt, complete }) => await complete(`To: ${prompt}`));
  }
  await collect();
}

/** Lets so much time pass that the key's balance shows all reservations. */
async function untilProjected(): Promise<void> {
  for (let passed = 0; passed < 12; passed += 1) {
    await t.mutation(internal.maintenance.project, {});
    await pass(t, 30_000);
    await step();
  }
}

describe("a batch", () => {
  it("answers each request of its file, in an output file that can be read meanwhile", async () => {
    const { id } = await start(`${lines(3)}\n\n`, { metadata: { run: "nightly" } });
    expect(await get(id)).toMatchObject({
      object: "batch",
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
      status: "in_progress",
      output_file_id: null,
      request_counts: { total: 3, completed: 0, failed: 0 },
      metadata: { run: "nightly" },
    });
    await answer(1);
    const partly = await get(id);
    expect(partly).toMatchObject({ status: "in_progress", request_counts: { total: 3, completed: 1 } });
    expect(await content(partly.output_file_id)).toHaveLength(1);

    await answer(2);
    const done = await get(id);
    expect(done).toMatchObject({
      status: "completed",
      error_file_id: null,
      request_counts: { total: 3, completed: 3, failed: 0 },
      usage: { total_tokens: 39 },
      price_micro: String(3 * 38),
    });
    const answers = await content(done.output_file_id);
    expect(answers.map(({ custom_id }) => custom_id).sort()).toEqual(["q0", "q1", "q2"]);
    for (const { custom_id, response, error } of answers) {
      expect(error).toBeNull();
      expect(response).toMatchObject({
        status_code: 200,
        body: { object: "chat.completion", model: modelId },
      });
      expect(response!.body.choices[0]!.message.content).toBe(`To: Answer ${custom_id}.`);
    }
    await expectBooksInOrder(t);
  });

  it("ends a request with the error of its own call, and does the others", async () => {
    const { id } = await start(
      [
        line("good"),
        line("no model", { ...ask("x"), model: "gpt-5" }),
        line("wrong", { ...ask("x"), temperature: 3 }),
        line("too long", { ...ask("word ".repeat(60_000)) }),
        line("streamed", { ...ask("x"), stream: true }),
        line("votes", { ...ask("x"), temperature: 1, x_gleaner: { votes: 3 } }),
      ].join("\n"),
    );
    await answer(1);
    const done = await get(id);
    expect(done).toMatchObject({
      status: "completed",
      request_counts: { total: 6, completed: 1, failed: 5 },
    });
    const errors = await content(done.error_file_id);
    expect(
      errors.map(({ custom_id, response }) => [custom_id, response?.status_code, response?.body.error?.code]),
    ).toEqual([
      ["no model", 404, "model_not_found"],
      ["wrong", 400, "invalid_value"],
      ["too long", 413, "request_too_large"],
      ["streamed", 400, "invalid_value"],
      ["votes", 400, "invalid_value"],
    ]);
  });

  it("does not start if a line of its file is no request, and names the lines", async () => {
    const { id } = await start(
      [
        "no json",
        line("a"),
        line("a"),
        line("", ask("x")),
        line("b", ask("x"), { url: "/v1/embeddings" }),
      ].join("\n"),
    );
    const failed = await get(id);
    expect(failed.status).toBe("failed");
    expect(failed.errors?.data.map(({ line, code }) => [line, code])).toEqual([
      [1, "invalid_json_line"],
      [3, "duplicate_custom_id"],
      [4, "invalid_value"],
      [5, "mismatched_endpoint"],
    ]);
    expect(await allJobs(t, acme)).toEqual([]);
    expect(await get((await start("\n\n")).id)).toMatchObject({ status: "failed" });
  });

  it("takes lines of the Responses API", async () => {
    const body = { model: modelId, input: "Hi" };
    const url = "/v1/responses";
    const batch = await start(
      [
        line("a", { ...body, metadata: { task: "7" }, instructions: "Be brief." }, { url }),
        line("b", { ...body, background: "x" }, { url }),
      ].join("\n"),
      { endpoint: url },
    );
    await answer(1);
    const { output_file_id, error_file_id } = await get(batch.id);
    const [answered] = await content(output_file_id);
    expect(answered?.response?.body).toMatchObject({
      object: "response",
      status: "completed",
      background: false,
      instructions: "Be brief.",
      metadata: { task: "7" },
      output: [{ type: "message", content: [{ text: "To: Be brief.\nHi" }] }],
    });
    const [refused] = await content(error_file_id);
    expect(refused?.response?.body).toMatchObject({ error: { param: "background" } });
  });

  it("takes lines of Anthropic's Messages API, and answers with its messages and errors", async () => {
    const url = "/v1/messages";
    const body = { model: modelId, max_tokens: 16, messages: [{ role: "user", content: "Hi" }] };
    const batch = await start(
      [
        line("a", { ...body, system: "Be brief.", stop_sequences: ["END"] }, { url }),
        line("b", { ...body, max_tokens: undefined }, { url }),
        line("c", { ...body, stream: true }, { url }),
      ].join("\n"),
      { endpoint: url },
    );
    await takeJob(t, device, async ({ prompt, attemptId }) => {
      const result = { text: `To: ${prompt}`, finishReason: "stop" as const, stopText: "END" };
      await completeWith(t, device, attemptId, { ...written(), result });
    });
    await collect();
    const { output_file_id, error_file_id, status } = await get(batch.id);
    expect(status).toBe("completed");
    const [answered] = await content(output_file_id);
    expect(answered?.response?.body).toMatchObject({
      id: expect.stringMatching(/^msg_/) as string,
      type: "message",
      content: [{ type: "text", text: "To: Be brief.\nHi" }],
      stop_reason: "stop_sequence",
      stop_sequence: "END",
      usage: { input_tokens: 10, output_tokens: 3 },
    });
    const refused = await content(error_file_id);
    expect(refused.map(({ custom_id, response }) => [custom_id, response?.body])).toMatchObject([
      ["b", { type: "error", error: { type: "invalid_request_error", param: "max_tokens" } }],
      ["c", { type: "error", error: { type: "invalid_request_error", param: "stream" } }],
    ]);
    const [order] = await t.run(async (ctx) => await ctx.db.query("orders").collect());
    const headers = { authorization: `Bearer ${acme.apiKey}` };
    const result = await t.fetch(`/v1/jobs/${order!.jobId}/result`, { headers });
    expect(await result.json()).toMatchObject({ type: "message" });
  });

  it("does vectors, in the encoding that each request asks for", async () => {
    const body = { model: modelId, input: "a text" };
    const { id } = await start(
      [
        line("floats", body, { url: "/v1/embeddings" }),
        line("packed", { ...body, encoding_format: "base64" }, { url: "/v1/embeddings" }),
      ].join("\n"),
      { endpoint: "/v1/embeddings" },
    );
    expect((await allJobs(t, acme)).map(({ kind }) => kind)).toEqual(["embedding", "embedding"]);
    expect(await get(id)).toMatchObject({ status: "in_progress" });
  });

  it("has low priority, unless a request asks for a high one", async () => {
    await start([line("low"), line("high", { ...ask("x"), service_tier: "priority" })].join("\n"));
    expect((await allJobs(t, acme)).map(({ priority }) => priority).sort()).toEqual(["high", "low"]);
  });

  it("looks for ended jobs a few times more before its collection ends, so that two ends seldom conflict", async () => {
    await start(lines(2));
    const batchId = (await t.run(async (ctx) => await ctx.db.query("batches").first()))!._id;
    const isScheduled = async () =>
      (await t.run(async (ctx) => await ctx.db.query("batchCollections").first()))?.scheduled;
    expect(await isScheduled()).toBe(true);
    await takeJob(t, device, async ({ prompt, complete }) => await complete(`To: ${prompt}`));
    expect(await isScheduled()).toBe(true);
    const rest = async (emptyLooks: number) =>
      await t.mutation(internal.batches.restCollection, { batchId, emptyLooks });
    expect(await rest(1)).toBe(false);
    await t.run(async (ctx) => {
      for (const { _id } of await ctx.db.query("batchEnds").collect()) await ctx.db.delete("batchEnds", _id);
    });
    for (const emptyLooks of [1, 2, 3, 4]) {
      expect(await rest(emptyLooks)).toBe(true);
      expect(await isScheduled()).toBe(true);
    }
    expect(await rest(5)).toBe(true);
    expect(await isScheduled()).toBe(false);
  });

  it("puts a job that failed for good into the error file, once", async () => {
    const { id } = await start(line("bad luck"));
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const [job] = await take(t, device);
      await fail(t, device, job!.attemptId, { code: "runner_crashed", retryable: true });
      await pass(t, 120_000);
    }
    await collect();
    const done = await get(id);
    expect(done).toMatchObject({ status: "completed", request_counts: { completed: 0, failed: 1 } });
    expect(await content(done.error_file_id)).toMatchObject([
      { custom_id: "bad luck", response: { status_code: 500, body: { error: { code: "runner_crashed" } } } },
    ]);
  });

  it("that is canceled keeps its answers, and names the requests without one", async () => {
    const { id } = await start(lines(3));
    await answer(1);
    const canceled = await call(`/v1/batches/${id}/cancel`, { method: "POST" });
    expect(await canceled.json()).toMatchObject({ status: "cancelling" });
    await step();
    await collect();
    const done = await get(id);
    expect(done).toMatchObject({
      status: "cancelled",
      request_counts: { total: 3, completed: 1, failed: 2 },
    });
    expect(await content(done.output_file_id)).toHaveLength(1);
    expect((await content(done.error_file_id)).map(({ error }) => error?.code)).toEqual([
      "batch_cancelled",
      "batch_cancelled",
    ]);
    await expectBooksInOrder(t);
    const again = await call(`/v1/batches/${id}/cancel`, { method: "POST" });
    expect(await again.json()).toMatchObject({ status: "cancelled" });
  });

  it("expires with its window", async () => {
    const { id } = await start(lines(2), { completion_window: "1h" });
    await answer(1);
    await pass(t, 3_600_000);
    await countQueue(t);
    await step();
    await collect();
    const done = await get(id);
    expect(done).toMatchObject({ status: "expired", request_counts: { completed: 1, failed: 1 } });
    expect(await content(done.error_file_id)).toMatchObject([{ error: { code: "batch_expired" } }]);
  });

  it("waits for credits while its jobs run, and refuses only what they cannot pay", async () => {
    await start(line("a"));
    const reserved = await t.run(async (ctx) => (await ctx.db.query("orders").first())!.reservedMicro);
    // An answer costs 38. After two of them, the key cannot reserve for a third one.
    acme = await addOrganization(t, { name: "Poor", creditsMicro: reserved + 50n });
    device = await addDevice(t, acme);
    await t.mutation(internal.maintenance.project, {});
    await step();
    const { id } = await start([line("a"), line("b"), line("c")].join("\n"));
    expect(await allJobs(t, acme)).toHaveLength(1);
    await answer(1);
    await untilProjected();
    await answer(1);
    await untilProjected();
    await collect();
    const done = await get(id);
    expect(done).toMatchObject({
      status: "completed",
      request_counts: { total: 3, completed: 2, failed: 1 },
    });
    expect(await content(done.error_file_id)).toMatchObject([
      { custom_id: "c", response: { status_code: 429, body: { error: { code: "insufficient_quota" } } } },
    ]);
  });

  it("ends a request that only the queue refuses, and does its neighbors", async () => {
    // As JSON a control character has six characters.
    const { id } = await start([line("a"), line("b", ask("\u0001".repeat(90_000))), line("c")].join("\n"));
    expect(await allJobs(t, acme)).toHaveLength(2);
    await answer(2);
    const done = await get(id);
    expect(done).toMatchObject({
      status: "completed",
      request_counts: { total: 3, completed: 2, failed: 1 },
    });
    expect(await content(done.error_file_id)).toMatchObject([
      { custom_id: "b", response: { status_code: 413, body: { error: { code: "request_too_large" } } } },
    ]);
  });

  it("leaves room in the queue, and goes on when its jobs have ended", async () => {
    const { id } = (await (await create(await upload(lines(2)))).json()) as Batch;
    const batchId = await t.run(async (ctx) => ctx.db.normalizeId("batches", id.slice("batch_".length))!);
    await t.mutation(internal.batches.start, {
      batchId,
      total: 4_002,
      jobs: 4_002,
      mistakes: [],
      model: modelId,
      isHigh: false,
      forecast: null,
      workHours: null,
    });
    // As if 4,000 other requests came before these two.
    const cut = { bytes: 0, lines: 0, requests: 4_000 };
    await t.run(async (ctx) => await ctx.db.patch("batches", batchId, { cut }));
    await step();
    expect(await allJobs(t, acme)).toEqual([]);
    await t.run(async (ctx) => await ctx.db.patch("batches", batchId, { completed: 1 }));
    await pass(t, 10_000);
    await step();
    expect(await allJobs(t, acme)).toHaveLength(2);
  });

  it("of a key share the key's credits", async () => {
    await start(line("a"));
    const reserved = await t.run(async (ctx) => (await ctx.db.query("orders").first())!.reservedMicro);
    acme = await addOrganization(t, { name: "Poor", creditsMicro: 3n * reserved });
    await t.mutation(internal.maintenance.project, {});
    await step();
    for (let batches = 0; batches < 3; batches += 1) await start([line("a"), line("b")].join("\n"));
    expect(await allJobs(t, acme)).toHaveLength(3);
  });

  it("is refused beside twenty that have not ended", async () => {
    const fileId = await upload(lines(1));
    for (let batches = 0; batches < 20; batches += 1) expect((await create(fileId)).status).toBe(200);
    await expectError(await create(fileId), 429, { code: "queue_full" });
  });

  it("ends when its file cannot be read", async () => {
    const { id } = (await (await create(await upload(lines(1)))).json()) as Batch;
    await t.run(async (ctx) => {
      for (const { _id } of await ctx.db.query("files").collect()) await ctx.db.delete("files", _id);
    });
    await step();
    vi.advanceTimersByTime(26 * 3_600_000);
    await t.mutation(internal.batches.resume, {});
    expect(await get(id)).toMatchObject({
      status: "failed",
      errors: { data: [{ code: "file_unreadable" }] },
    });
  });

  it("keeps its metadata in any letters, and its files as long as it asks for", async () => {
    const metadata = { größe: "groß", $x: "y" };
    const { id } = await start(line("a", { ...ask("x"), model: "none" }), {
      metadata,
      completion_window: "1h",
      output_expires_after: { anchor: "created_at", seconds: 7_200 },
    });
    await collect();
    const done = await get(id);
    expect(done).toMatchObject({ metadata });
    const file = (await (await call(`/v1/files/${String(done.error_file_id)}`)).json()) as Record<
      string,
      number
    >;
    expect(file["expires_at"]! - file["created_at"]!).toBe(7_200);
  });

  it("of many requests is submitted in pieces, each once", async () => {
    const fileId = await upload(lines(1_201));
    const { id } = (await (await create(fileId)).json()) as Batch;
    const batchId = id.slice("batch_".length);
    await step();
    await step();
    expect(await get(id)).toMatchObject({ request_counts: { total: 1_201 } });
    expect(await t.run(async (ctx) => (await ctx.db.query("orders").collect()).length)).toBe(1_201);
    // A step that was repeated finds nothing to do.
    await t.action(internal.batchSteps.cut, { batchId: batchId as never });
    expect(await t.run(async (ctx) => (await ctx.db.query("orders").collect()).length)).toBe(1_201);
  });

  it("goes on from its last piece after a crash", async () => {
    const fileId = await upload(lines(700));
    const { id } = (await (await create(fileId)).json()) as Batch;
    const batchId = await t.run(async (ctx) => ctx.db.normalizeId("batches", id.slice("batch_".length))!);
    // The first piece was submitted. Then the backend was killed, with the action that cut the file.
    const next = async () => await t.query(internal.batches.nextCut, { batchId });
    await t.mutation(internal.batches.start, {
      batchId,
      total: 700,
      jobs: 700,
      mistakes: [],
      model: modelId,
      isHigh: false,
      forecast: null,
      workHours: null,
    });
    const requests = Array.from({ length: 500 }, (_, n) => ({
      line: n + 1,
      customId: `q${n}`,
      end: new TextEncoder().encode(`${lines(n + 1)}\n`).length,
      asked: {
        kind: "failure" as const,
        failure: { kind: "dropped" as const, why: "batch_expired" as const },
      },
    }));
    await t.mutation(internal.batches.addPiece, { batchId, from: 0, requests, isLast: false });
    expect((await next())?.from).toEqual({ bytes: requests.at(-1)!.end, lines: 500 });
    expect(await t.mutation(internal.batches.addPiece, { batchId, from: 0, requests, isLast: false })).toBe(
      "stale",
    );

    vi.advanceTimersByTime(4 * 60_000);
    await t.mutation(internal.batches.resume, {});
    await step();
    expect(await next()).toBeNull();
    const orders = await t.run(async (ctx) => await ctx.db.query("orders").collect());
    expect(orders.map(({ batchLine }) => batchLine!.line).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 200 }, (_, n) => n + 501),
    );
  });

  it("is found again by its idempotency key", async () => {
    const fileId = await upload(lines(1));
    const headers = { "idempotency-key": "nightly-1" };
    const first = (await (await create(fileId, {}, headers)).json()) as Batch;
    const again = (await (await create(fileId, {}, headers)).json()) as Batch;
    expect(again.id).toBe(first.id);
    await t.run(
      async (ctx) => await ctx.db.delete("files", ctx.db.normalizeId("files", fileId.slice("file-".length))!),
    );
    expect(((await (await create(fileId, {}, headers)).json()) as Batch).id).toBe(first.id);
    await expectError(await create(fileId, { completion_window: "2h" }, headers), 409, {
      code: "idempotency_conflict",
    });
  });

  it("is found again by a retry of OpenAI's clients, which got no answer", async () => {
    const fileId = await upload(lines(1));
    const retry = { "x-stainless-retry-count": "1" };
    const idOf = async (over: object, headers: Readonly<Record<string, string>>): Promise<string> =>
      ((await (await create(fileId, over, headers)).json()) as Batch).id;
    const first = await idOf({}, { "x-stainless-retry-count": "0" });
    expect(await idOf({}, retry)).toBe(first);
    // Another batch of the same file, which somebody wants.
    const others = [
      await idOf({}, { "x-stainless-retry-count": "0" }),
      await idOf({ completion_window: "2h" }, retry),
      await idOf({ metadata: { run: "2" } }, retry),
    ];
    expect(new Set([first, ...others]).size).toBe(4);
    for (const id of [first, ...others]) await call(`/v1/batches/${id}/cancel`, { method: "POST" });
    const anew = await idOf({}, retry);
    expect([first, ...others]).not.toContain(anew);
    await pass(t, 16 * 60_000);
    expect(await idOf({}, retry)).not.toBe(anew);
  });

  it("is not found again by a retry after its end", async () => {
    const fileId = await upload("\n");
    const first = (await (await create(fileId)).json()) as Batch;
    await step();
    expect(await get(first.id)).toMatchObject({ status: "failed" });
    const second = (await (await create(fileId, {}, { "x-stainless-retry-count": "1" })).json()) as Batch;
    expect(second.id).not.toBe(first.id);
  });

  it("is listed, newest first, and seen by its own key only", async () => {
    const first = await start(lines(1));
    vi.advanceTimersByTime(1_000);
    const second = await start(lines(1));
    const page = await (await call("/v1/batches?limit=1")).json();
    expect(page).toMatchObject({ data: [{ id: second.id }], last_id: second.id, has_more: true });
    await expectError(await call("/v1/batches?limit=101"), 400, { code: "invalid_value", param: "limit" });
    await expectError(await call("/v1/batches?after=batch_x"), 404, { code: "not_found", param: "after" });
    const rest = await (await call(`/v1/batches?limit=5&after=${second.id}`)).json();
    expect(rest).toMatchObject({ data: [{ id: first.id }], has_more: false });
    const other = await addOrganization(t, { name: "Other" });
    for (const [path, method] of [
      [`/v1/batches/${first.id}`, "GET"],
      [`/v1/batches/${first.id}/cancel`, "POST"],
      [`/v1/batches?after=${first.id}`, "GET"],
    ] as const) {
      await expectError(await call(path, { method }, other.apiKey), 404, { code: "not_found" });
    }
  });

  it("is not what a wrong method asks of the estimates", async () => {
    for (const method of ["GET", "PUT", "DELETE"]) {
      const response = await call("/v1/batches/estimate", { method });
      expect(response.headers.get("allow")).toBe("POST");
      await expectError(response, 405, { code: "method_not_allowed" });
    }
  });

  it.each([
    [{ completion_window: "30m" }, 400, "completion_window"],
    [{ completion_window: "8d" }, 400, "completion_window"],
    [{ endpoint: "/v1/images" }, 400, "endpoint"],
    [{ input_file_id: 7 }, 400, "input_file_id"],
  ])("is refused with %j", async (over, status, param) => {
    const response = await create(await upload(lines(1)), over);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { param } });
  });

  it("needs a file of its own key", async () => {
    const other = await addOrganization(t, { name: "Other" });
    const unknown = { code: "not_found", param: "input_file_id" };
    await expectError(await create(await upload(lines(1), other.apiKey)), 404, unknown);
    await expectError(await create("file-x"), 404, unknown);
    const body = { input_file_id: "file-x", endpoint: "/v1/chat/completions", completion_window: "24h" };
    const init = { method: "POST", body: JSON.stringify(body) };
    await expectError(await call("/v1/batches/estimate", init), 404, unknown);
  });
});

describe("a file", () => {
  it.each(["file", "purpose"])("is refused if its form has the field %s twice", async (name) => {
    const form = new FormData();
    for (const field of ["file", "purpose", name]) {
      form.append(field, field === "file" ? new File([lines(1)], "a.jsonl") : "batch");
    }
    const response = await call("/v1/files", { method: "POST", body: form });
    await expectError(response, 400, { code: "invalid_value", param: name });
  });

  it("is read back, in parts too, and deleted with its content", async () => {
    const id = await upload("0123456789");
    expect(await (await call(`/v1/files/${id}`)).json()).toMatchObject({
      id,
      object: "file",
      bytes: 10,
      filename: "prompts.jsonl",
      purpose: "batch",
      status: "processed",
    });
    expect(await (await call(`/v1/files/${id}/content`)).text()).toBe("0123456789");
    const part = await call(`/v1/files/${id}/content`, { headers: { range: "bytes=2-4" } });
    expect(part.headers.get("content-length")).toBe("3");
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
      206,
      "bytes 2-4/10",
      "234",
    ]);
    const last = await call(`/v1/files/${id}/content`, { headers: { range: "bytes=-3" } });
    expect([last.status, last.headers.get("content-range"), await last.text()]).toEqual([
      206,
      "bytes 7-9/10",
      "789",
    ]);
    for (const range of ["bytes=-30", "bytes=0-16777215"]) {
      const all = await call(`/v1/files/${id}/content`, { headers: { range } });
      expect([all.status, all.headers.get("content-range")]).toEqual([206, "bytes 0-9/10"]);
    }
    const head = await call(`/v1/files/${id}/content`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10", ""]);
    expect((await call(`/v1/files/${id}`, { method: "HEAD" })).status).toBe(200);
    for (const range of ["bytes=10-", "bytes=-0"]) {
      await expectError(await call(`/v1/files/${id}/content`, { headers: { range } }), 416, {
        code: "invalid_range",
      });
    }
    expect(await (await call("/v1/files?limit=10000")).json()).toMatchObject({
      data: [{ id }],
      has_more: false,
    });
    expect(await (await call("/v1/files?purpose=batch_output&order=asc")).json()).toMatchObject({ data: [] });
    await expectError(await call("/v1/files?order=up"), 400, { param: "order" });
    await expectError(await call("/v1/files?limit=10001"), 400, { code: "invalid_value", param: "limit" });
    const twice = await call("/v1/files?limit=1&order=asc&limit=2");
    await expectError(twice, 400, { code: "invalid_value", param: "limit" });
    await expectError(await call("/v1/files?after=file-x"), 404, { code: "not_found", param: "after" });
    const deleted = await call(`/v1/files/${id}`, { method: "DELETE" });
    expect(await deleted.json()).toEqual({ id, object: "file", deleted: true });
    await expectError(await call(`/v1/files/${id}`), 404, { code: "not_found" });
    expect(await t.run(async (ctx) => await ctx.db.system.query("_storage").collect())).toEqual([]);
  });

  it("is not deleted while a batch reads it", async () => {
    const id = await upload(lines(1));
    await create(id);
    await expectError(await call(`/v1/files/${id}`, { method: "DELETE" }), 400, { code: "invalid_value" });
  });

  it("is deleted when its time is over", async () => {
    const form = new FormData();
    form.set("purpose", "batch");
    form.set("expires_after[anchor]", "created_at");
    form.set("expires_after[seconds]", "3600");
    form.set("file", new File(["x"], "x.jsonl"));
    const response = await call("/v1/files", { method: "POST", body: form });
    const { id } = (await response.json()) as { id: string };
    await t.mutation(internal.files.sweep, {});
    expect((await call(`/v1/files/${id}`)).status).toBe(200);
    vi.advanceTimersByTime(3_600_000);
    await t.mutation(internal.files.sweep, {});
    expect((await call(`/v1/files/${id}`)).status).toBe(404);
    expect(await t.run(async (ctx) => await ctx.db.system.query("_storage").collect())).toEqual([]);
  });

  it("keeps its content when content without a file is deleted", async () => {
    const dayMs = 24 * 3_600_000;
    const contents = async (): Promise<number> =>
      (await t.run(async (ctx) => await ctx.db.system.query("_storage").collect())).length;
    for (let orphan = 0; orphan < 25; orphan += 1) {
      await t.run(async (ctx) => await ctx.storage.store(new Blob(["x"])));
    }
    vi.advanceTimersByTime(20 * dayMs);
    const id = await upload(lines(1));
    await t.mutation(internal.files.sweep, {});
    expect(await contents()).toBe(26);
    vi.advanceTimersByTime(19 * dayMs);
    await t.mutation(internal.files.sweep, {});
    await t.mutation(internal.files.sweep, {});
    expect(await contents()).toBe(1);
    expect((await call(`/v1/files/${id}`)).status).toBe(200);
  });

  it.each([
    ["no form", {}, "invalid_request_body", null],
    ["without a file", { purpose: "batch" }, "missing_required_parameter", "file"],
    ["with another purpose", { purpose: "vision", file: new File(["x"], "x") }, "invalid_value", "purpose"],
    ["without a purpose", { file: new File(["x"], "x") }, "missing_required_parameter", "purpose"],
    [
      "with a time that is out of bounds",
      { purpose: "batch", file: new File(["x"], "x"), "expires_after[seconds]": "5" },
      "invalid_value",
      "expires_after[seconds]",
    ],
    [
      "with a text that is no time",
      { purpose: "batch", file: new File(["x"], "x"), "expires_after[seconds]": "7".repeat(2_000) },
      "invalid_value",
      "expires_after[seconds]",
    ],
  ])("is refused: %s", async (_why, fields, code, param) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value as string);
    const body = Object.keys(fields).length === 0 ? "{}" : form;
    await expectError(await call("/v1/files", { method: "POST", body }), 400, { code, param });
    expect(await t.run(async (ctx) => await ctx.db.system.query("_storage").collect())).toEqual([]);
  });
});

it("a revoked key's batch submits nothing more, and its files are deleted", async () => {
  const fileId = await upload(lines(2));
  const batch = (await (await create(fileId)).json()) as Batch;
  const session = await signIn(t, acme);
  const [key] = await listKeys(t, session);
  await t.mutation(api.console.keys.revoke, { session, keyId: key!.keyId });
  await step();
  await collect();
  expect(await allJobs(t, acme)).toEqual([]);
  expect((await call(`/v1/batches/${batch.id}`)).status).toBe(401);
  await t.mutation(internal.files.sweep, {});
  expect(await t.run(async (ctx) => await ctx.db.query("files").collect())).toEqual([]);
  const [row] = await t.run(async (ctx) => await ctx.db.query("batches").collect());
  expect(row).toMatchObject({ status: "cancelled" });
});
