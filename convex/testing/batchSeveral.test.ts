import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { batchLimits } from "../../app/batches/limits.ts";
import { api, internal } from "../_generated/api.js";
import { addWrongLine } from "../model/batches/wrongLines.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  answerMicro,
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
  take,
} from "./backend.fixture.ts";
import { ask, collectEnds, line, runDue, uploadFile } from "./batchFile.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";

// Requests of batches that are several jobs: with several choices, or with more inputs than fit a job.

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
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
};

async function post(path: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${acme.apiKey}` };
  return await t.fetch(path, { method: "POST", body: JSON.stringify(body), headers });
}

async function get(path: string): Promise<string> {
  return await (await t.fetch(path, { headers: { authorization: `Bearer ${acme.apiKey}` } })).text();
}

const batchNow = async (id: string): Promise<Batch> => JSON.parse(await get(`/v1/batches/${id}`)) as Batch;

async function start(lines: readonly string[], endpoint = "/v1/chat/completions"): Promise<string> {
  const input_file_id = await uploadFile(t, acme.apiKey, lines.join("\n"));
  const response = await post("/v1/batches", { input_file_id, endpoint, completion_window: "24h" });
  const { id } = (await response.json()) as Batch;
  await runDue(t);
  return id;
}

type FileLine = {
  readonly custom_id: string;
  readonly response: { readonly body: Readonly<Record<string, unknown>> };
};

async function content(fileId: string | null): Promise<readonly FileLine[]> {
  const text = await get(`/v1/files/${String(fileId)}/content`);
  return text
    .trimEnd()
    .split("\n")
    .map((each) => JSON.parse(each) as FileLine);
}

async function answerNext(): Promise<void> {
  await takeJob(
    t,
    device,
    async ({ request, complete }) => await complete("seed" in request ? `seed ${String(request.seed)}` : ""),
  );
}

const rowsOf = async (table: "batchLines" | "batchEnds"): Promise<readonly object[]> =>
  await t.run(async (ctx) => await ctx.db.query(table).collect());
const statuses = async (): Promise<readonly string[]> =>
  (await allJobs(t, acme)).map(({ status }) => status).sort();

const choices = { ...ask("Name a color."), seed: 7, n: 3 };

it("has its choices in one answer, once the last of them is there, and costs what they cost together", async () => {
  const id = await start([line("three", choices), line("one")]);
  expect(await allJobs(t, acme)).toHaveLength(4);
  for (let jobs = 0; jobs < 3; jobs += 1) {
    await answerNext();
    await collectEnds(t);
  }
  const partly = await batchNow(id);
  expect(partly.status).toBe("in_progress");
  await answerNext();
  await collectEnds(t);
  const done = await batchNow(id);
  expect(done).toMatchObject({
    status: "completed",
    error_file_id: null,
    request_counts: { total: 2, completed: 2, failed: 0 },
    usage: { total_tokens: 4 * 13 },
    price_micro: String(4n * answerMicro),
  });
  const answers = await content(done.output_file_id);
  expect(answers).toHaveLength(2);
  expect(answers.find(({ custom_id }) => custom_id === "three")?.response.body).toMatchObject({
    object: "chat.completion",
    choices: [
      { index: 0, message: { content: "seed 7" } },
      { index: 1, message: { content: "seed 8" } },
      { index: 2, message: { content: "seed 9" } },
    ],
    usage: { prompt_tokens: 30, completion_tokens: 9 },
  });
  expect([await rowsOf("batchLines"), await rowsOf("batchEnds")]).toEqual([[], []]);
  await expectBooksInOrder(t);
});

it("completes the prompts of a request in one answer", async () => {
  const body = { model: modelId, prompt: ["One", "Two"], seed: 7, n: 2 };
  const id = await start([line("four", body, { url: "/v1/completions" })], "/v1/completions");
  for (let jobs = 0; jobs < 4; jobs += 1) await answerNext();
  await collectEnds(t);
  const done = await batchNow(id);
  expect(done).toMatchObject({ status: "completed", request_counts: { total: 1, completed: 1 } });
  const [answer] = await content(done.output_file_id);
  expect(answer?.response.body).toMatchObject({
    choices: [7, 8, 7, 8].map((seed, index) => ({ index, text: `seed ${String(seed)}` })),
    usage: { prompt_tokens: 40, completion_tokens: 12 },
  });
});

it("names the choice of each wrong answer", async () => {
  const id = await start([line("three", choices), line("one")]);
  await t.run(async (ctx) => {
    const orders = await ctx.db.query("orders").collect();
    // The second and the third choice, and the line of one job.
    for (const order of orders.slice(1)) await addWrongLine(ctx, order);
  });
  const { found_wrong: found } = (await batchNow(id)) as unknown as {
    found_wrong: { count: number; lines: { custom_id: string; index: number | null }[] };
  };
  expect(found.count).toBe(3);
  expect(found.lines.map(({ custom_id: customId, index }) => [customId, index])).toEqual([
    ["three", 1],
    ["three", 2],
    ["one", null],
  ]);
});

it("fails once if one of its jobs fails: the others are canceled, and those that have ended are paid", async () => {
  const id = await start([line("three", choices)]);
  await answerNext();
  await takeJob(
    t,
    device,
    async ({ attemptId }) => void (await fail(t, device, attemptId, { retryable: false })),
  );
  await runDue(t);
  expect(await statuses()).toEqual(["canceled", "failed", "succeeded"]);
  await collectEnds(t);
  const done = await batchNow(id);
  expect(done).toMatchObject({
    status: "completed",
    output_file_id: null,
    request_counts: { total: 1, completed: 0, failed: 1 },
    price_micro: String(answerMicro),
  });
  expect(await content(done.error_file_id)).toMatchObject([
    { custom_id: "three", response: { body: { error: { code: "context_length_exceeded" } } } },
  ]);
  expect(await rowsOf("batchLines")).toEqual([]);
  await expectBooksInOrder(t);
});

it("ends with its batch, once", async () => {
  const id = await start([line("three", choices)]);
  await answerNext();
  await post(`/v1/batches/${id}/cancel`, {});
  await runDue(t);
  await collectEnds(t);
  const done = await batchNow(id);
  expect(done).toMatchObject({ status: "cancelled", request_counts: { completed: 0, failed: 1 } });
  expect(await content(done.error_file_id)).toMatchObject([
    { custom_id: "three", response: null, error: { code: "batch_cancelled" } },
  ]);
  await expectBooksInOrder(t);
});

/** Answers jobs for vectors, the last one first. The first number of a vector is its input. */
async function answerVectors(count: number, dimensions: number): Promise<void> {
  const jobs = await take(t, device, count);
  expect(jobs.map(({ kind }) => kind)).toEqual(Array.from({ length: count }, () => "embedding"));
  for (const { attemptId, payload } of jobs.toReversed()) {
    const { inputs } = payload as { inputs: string[] };
    const embeddings = inputs.map((each) => {
      const vector = new Float32Array(dimensions);
      vector[0] = Number(each);
      return Buffer.from(vector.buffer).toString("base64");
    });
    const usage = { promptTokens: inputs.length, completionTokens: 0 };
    const report = { usage, timing: { prefillMs: 1, generateMs: 0 } };
    await completeWith(t, device, attemptId, { result: { embeddings }, report });
  }
  await collectEnds(t);
}

const url = "/v1/embeddings";
const inputs = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at));

it("has the vectors of more inputs than fit a job in one answer, in their order", async () => {
  const input = inputs(40);
  const id = await start([line("many", { model: modelId, input }, { url })], url);
  await answerVectors(2, 1);
  const [answered] = await content((await batchNow(id)).output_file_id);
  const { data, usage } = answered!.response.body as { data: { embedding: number[] }[]; usage: object };
  expect(data.map(({ embedding }) => embedding[0])).toEqual(input.map(Number));
  expect(usage).toEqual({ prompt_tokens: 40, total_tokens: 40 });
  await expectBooksInOrder(t);
});

it("fails as its call would if its vectors take too much room, and is paid", async () => {
  const id = await start([line("long", { model: modelId, input: inputs(256) }, { url })], url);
  await answerVectors(8, 3_060);
  const done = await batchNow(id);
  expect(await content(done.error_file_id)).toMatchObject([
    { response: { body: { error: { code: "result_too_large", param: "input" } } } },
  ]);
  expect(done).toMatchObject({ status: "completed", price_micro: String(256 * 2) });
});

it("waits with all its jobs while the key has credits for some of them only", async () => {
  await start([line("a")]);
  const reserved = await t.run(async (ctx) => (await ctx.db.query("orders").first())!.reservedMicro);
  acme = await addOrganization(t, { name: "Poor", creditsMicro: 3n * reserved });
  await start([line("one", ask("Answer a.")), line("three", { ...ask("Answer a."), n: 3 })]);
  expect(await allJobs(t, acme)).toHaveLength(1);
});

it("waits with all its jobs for a quota", async () => {
  const session = await signIn(t, acme);
  const { keyId } = (await listKeys(t, session))[0]!;
  await t.mutation(api.console.keys.setAccess, { session, keyId, quotas: { day: { requests: 3 } } });
  await start([line("one"), line("three", choices), line("last")]);
  expect(await allJobs(t, acme)).toHaveLength(1);
});

it("counts with its jobs for the room that a batch has in the queue", async () => {
  const id = await start([line("three", choices)]);
  const batch = async () => await t.run(async (ctx) => (await ctx.db.query("batches").collect())[0]!);
  expect(await batch()).toMatchObject({ total: 1, jobs: 3, furtherJobs: 2, isCut: true });
  const { _id: batchId, cut } = await batch();
  // As if 3,997 other requests were submitted, and more lines follow.
  await t.run(
    async (ctx) =>
      await ctx.db.patch("batches", batchId, {
        isCut: false,
        cut: { ...cut, requests: cut.requests + 3_997 },
      }),
  );
  const piece = { batchId, from: cut.bytes, requests: [], isLast: false };
  expect(await t.mutation(internal.batches.addPiece, piece)).toBe("later");
  await t.run(async (ctx) => await ctx.db.patch("batches", batchId, { isCut: true, cut }));
  for (let jobs = 0; jobs < 3; jobs += 1) await answerNext();
  await collectEnds(t);
  expect((await batchNow(id)).status).toBe("completed");
  expect((await batch()).furtherJobs).toBe(0);
});

it("counts with its jobs for the most that a batch has, and for its estimate", async () => {
  const lines = [line("eight", { ...ask("x"), n: 8 }), line("one", ask("x"))];
  const input_file_id = await uploadFile(t, acme.apiKey, lines.join("\n"));
  const batch = { input_file_id, endpoint: "/v1/chat/completions", completion_window: "24h" };
  const one = { ...batch, input_file_id: await uploadFile(t, acme.apiKey, line("one", ask("x"))) };
  const priceOf = async (body: object) =>
    Number(
      ((await (await post("/v1/batches/estimate", body)).json()) as { most_price_micro: string })
        .most_price_micro,
    );
  expect(await priceOf(batch)).toBe(9 * (await priceOf(one)));

  const most = batchLimits.lines / 8;
  const id = await start(
    Array.from({ length: most + 1 }, (_, at) => line(`q${String(at)}`, { ...ask("x"), n: 8 })),
  );
  expect(await batchNow(id)).toMatchObject({
    status: "failed",
    errors: { data: [{ code: "too_many_requests", line: most + 1 }] },
  });
});
