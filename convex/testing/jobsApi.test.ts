import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api } from "../_generated/api.js";
import { hashSecret } from "../model/authenticate.ts";
import { expectError } from "./apiError.fixture.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  type Backend,
  completeWith,
  type Device,
  fail,
  modelId,
  type Organization,
  secret,
  signIn,
  startBackend,
  statusOf,
} from "./backend.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;

beforeEach(async () => {
  t = startBackend();
  acme = await addOrganization(t);
  session = await signIn(t, acme);
  device = await addDevice(t, acme);
});

afterEach(() => {
  vi.useRealTimers();
});

const chat = { model: modelId, messages: [{ role: "user", content: "Name a color." }] };

type Job = {
  readonly id: string;
  readonly status: string;
  readonly endpoint: string;
  readonly waits_for: string | null;
  readonly ended_at: number | null;
  readonly result_url: string | null;
};

type Init = Pick<RequestInit, "method" | "body"> & { readonly headers?: Readonly<Record<string, string>> };

async function call(path: string, init: Init = {}, apiKey = acme.apiKey): Promise<Response> {
  return await t.fetch(path, { ...init, headers: { authorization: `Bearer ${apiKey}`, ...init.headers } });
}

async function post(path: string, body: object, prefer = "respond-async"): Promise<Response> {
  return await call(path, { method: "POST", body: JSON.stringify(body), headers: { prefer } });
}

/** Submits a chat without waiting for its answer. */
async function submitted(body: object = chat, path = "/v1/chat/completions"): Promise<Job> {
  const response = await post(path, body);
  expect(response.status).toBe(202);
  return (await response.json()) as Job;
}

const jobAt = async (id: string): Promise<Job> => (await (await call(`/v1/jobs/${id}`)).json()) as Job;

describe("a call that prefers to respond asynchronously", () => {
  it("answers with the job and its address at once, and the answer is there later", async () => {
    const response = await post("/v1/chat/completions", chat);
    const job = (await response.json()) as Job;
    expect(response.status).toBe(202);
    expect(response.headers.get("location")).toBe(`/v1/jobs/${job.id}`);
    expect(response.headers.get("preference-applied")).toBe("respond-async");
    expect(response.headers.get("x-gleaner-job")).toBe(job.id);
    expect(job).toMatchObject({
      object: "job",
      endpoint: "/v1/chat/completions",
      status: "queued",
      model: modelId,
      service_tier: "default",
      ended_at: null,
      usage: null,
      result_url: null,
    });
    const early = await call(`/v1/jobs/${job.id}/result`);
    expect(early.status).toBe(202);
    expect(early.headers.get("preference-applied")).toBeNull();
    expect(await early.json()).toMatchObject({ id: job.id, status: "queued" });

    await takeJob(t, device, async ({ prompt, complete }) => {
      expect(prompt).toBe("Name a color.");
      await complete("Blue.");
    });
    const done = await jobAt(job.id);
    expect(done).toMatchObject({
      status: "succeeded",
      usage: { prompt_tokens: 10, completion_tokens: 3 },
      result_url: `/v1/jobs/${job.id}/result`,
      waits_for: null,
      error: null,
    });
    const answer = await call(done.result_url!);
    expect(answer.headers.get("x-gleaner-price")).toMatch(/^\d+$/);
    expect(await answer.json()).toMatchObject({
      id: `chatcmpl-${job.id}`,
      object: "chat.completion",
      model: modelId,
      choices: [{ message: { role: "assistant", content: "Blue." }, finish_reason: "stop" }],
    });
  });

  it("waits for the end as long as a reader of the result asks for", async () => {
    const { id } = await submitted();
    const result = `/v1/jobs/${id}/result`;
    const short = await call(result, { headers: { prefer: "wait=1" } });
    expect([short.status, await short.json()]).toEqual([202, expect.objectContaining({ status: "queued" })]);
    const waiting = call(result, { headers: { prefer: "wait=60" } });
    await takeJob(t, device, async ({ complete }) => await complete("Green."));
    const answer = await waiting;
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "Green." } }] });
  });

  it("follows a job by its public functions", async () => {
    const { id: jobId } = await submitted();
    const { apiKey } = acme;
    expect(await t.mutation(api.requests.follow, { apiKey, jobId })).toBeNull();
    const stranger = await addOrganization(t, { name: "Other" });
    await expect(t.mutation(api.requests.follow, { apiKey: stranger.apiKey, jobId })).rejects.toThrow(
      "There is no such job.",
    );
  });

  it("says why the job waits", async () => {
    await t.mutation(api.work.goodbye, { key: device.key });
    const { id } = await submitted();
    expect(await jobAt(id)).toMatchObject({ status: "queued", waits_for: "no_worker" });
  });

  it("keeps the job, and finds it again by an idempotency key", async () => {
    const init = {
      method: "POST",
      body: JSON.stringify(chat),
      headers: { prefer: "respond-async", "idempotency-key": "order-7" },
    };
    const [first, again] = [
      await call("/v1/chat/completions", init),
      await call("/v1/chat/completions", init),
    ];
    const { id } = (await first.json()) as Job;
    expect(await again.json()).toMatchObject({ id });
    expect(await allJobs(t, acme)).toHaveLength(1);
  });

  it("answers vectors and completions as their own calls do", async () => {
    const completion = await submitted({ model: modelId, prompt: "Once" }, "/v1/completions");
    await takeJob(t, device, async ({ complete }) => await complete(" upon"));
    expect(await (await call(`/v1/jobs/${completion.id}/result`)).json()).toMatchObject({
      object: "text_completion",
      choices: [{ text: " upon" }],
    });
    const vectors = await submitted({ model: modelId, input: "Hi" }, "/v1/embeddings");
    const packed = Buffer.from(new Float32Array([1, 0, 0, 0]).buffer).toString("base64");
    await takeJob(t, device, async ({ attemptId }) => {
      await completeWith(t, device, attemptId, {
        result: { embeddings: [packed] },
        report: { usage: { promptTokens: 2, completionTokens: 0 }, timing: { prefillMs: 1, generateMs: 0 } },
      });
    });
    const result = `/v1/jobs/${vectors.id}/result`;
    expect(await (await call(result)).json()).toMatchObject({ data: [{ embedding: [1, 0, 0, 0] }] });
    expect(await (await call(`${result}?encoding_format=base64`)).json()).toMatchObject({
      data: [{ embedding: packed }],
    });
    await expectError(await call(`${result}?encoding_format=int8`), 400, { code: "invalid_value" });
  });
});

describe("the result of a job", () => {
  const text = { model: modelId, messages: [{ role: "user", content: "Hi" }] };
  const vectorAnswer = {
    result: { embeddings: [Buffer.from(new Float32Array([1, 0, 0, 0]).buffer).toString("base64")] },
    report: { usage: { promptTokens: 2, completionTokens: 0 }, timing: { prefillMs: 1, generateMs: 0 } },
  };

  it.each([
    ["/v1/messages", { ...text, max_tokens: 9 }, { type: "message", content: [{ text: "Blue." }] }],
    ["/api/chat", text, { message: { content: "Blue." }, done: true }],
    ["/api/generate", { model: modelId, prompt: "Hi" }, { response: "Blue.", done: true }],
    ["/api/embed", { model: modelId, input: ["Hi"] }, { embeddings: [[1, 0, 0, 0]] }],
    ["/api/embeddings", { model: modelId, prompt: "Hi" }, { embedding: [1, 0, 0, 0] }],
  ])("has the form of its call %s", async (path, body, answered) => {
    const { id } = await submitted(body, path);
    await takeJob(t, device, async ({ attemptId, complete }) => {
      if ("message" in answered || "content" in answered || "response" in answered) await complete("Blue.");
      else await completeWith(t, device, attemptId, vectorAnswer);
    });
    expect((await jobAt(id)).endpoint).toBe(path);
    // The answer does not change with the time of the fetch.
    const fetched = async (): Promise<unknown> => await (await call(`/v1/jobs/${id}/result`)).json();
    const result = await fetched();
    expect(result).toMatchObject(answered);
    expect(await fetched()).toEqual(result);
  });

  it("of the Responses API is a response, also if its call waited", async () => {
    const asked = post("/v1/responses", { model: modelId, input: "Hi" }, "wait=60");
    await takeJob(t, device, async ({ complete }) => await complete("Blue."));
    const jobId = String((await asked).headers.get("x-gleaner-job"));
    expect(await jobAt(jobId)).toMatchObject({ endpoint: "/v1/responses" });
    expect(await (await call(`/v1/jobs/${jobId}/result`)).json()).toMatchObject({
      id: `resp_${jobId}`,
      object: "response",
      output: [{ content: [{ text: "Blue." }] }],
    });
  });

  it("stays that of the first call if another one repeats its idempotency key", async () => {
    const ask = async (path: string): Promise<Job> => {
      const body = JSON.stringify({ ...text, max_tokens: 9 });
      const headers = { prefer: "respond-async", "idempotency-key": "order-8" };
      return (await (await call(path, { method: "POST", body, headers })).json()) as Job;
    };
    const { id } = await ask("/v1/messages");
    expect(await ask("/v1/chat/completions")).toMatchObject({ id, endpoint: "/v1/messages" });
  });

  it("is an error in OpenAI's form, which names the field of its call", async () => {
    const { id } = await submitted({ model: modelId, prompt: "Hi" }, "/api/generate");
    await takeJob(t, device, async ({ attemptId }) => {
      const why = { code: "context_length_exceeded", message: "Too long.", retryable: false } as const;
      await fail(t, device, attemptId, why);
    });
    const response = await call(`/v1/jobs/${id}/result`);
    expect(await response.json()).toMatchObject({
      error: { code: "context_length_exceeded", param: "prompt" },
    });
  });
});

describe("a call that prefers to wait for a while", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.now(), toFake: ["Date"], shouldAdvanceTime: true });
  });

  it("gets the answer if it comes in time, and else the job", async () => {
    const quick = post("/v1/chat/completions", chat, "respond-async, wait=60");
    await takeJob(t, device, async ({ complete }) => await complete("Blue."));
    expect((await quick).status).toBe(200);
    const slow = await post("/v1/chat/completions", chat, "respond-async, wait=1");
    expect(slow.status).toBe(202);
    const { id } = (await slow.json()) as Job;
    expect(await statusOf(t, acme, id)).toBe("ready");
  });

  it("waits as long as any other if it asks for no time, or for a stream", async () => {
    const whole = post("/v1/chat/completions", chat, "wait=0");
    await takeJob(t, device, async ({ complete }) => await complete("Blue."));
    expect((await whole).status).toBe(200);
    const streamed = post("/v1/chat/completions", { ...chat, stream: true }, "wait=1");
    await takeJob(t, device, async ({ append, complete }) => {
      await append(0, "Bl");
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await complete("Blue.");
    });
    expect(await (await streamed).text()).toContain("[DONE]");
  });

  it("ends with an error without respond-async, and the job with it", async () => {
    const response = await post("/v1/chat/completions", chat, "wait=1");
    const id = String(response.headers.get("x-gleaner-job"));
    await expectError(response, 503, { code: "no_capacity" });
    expect(await statusOf(t, acme, id)).toBe("canceled");
  });
});

describe("/v1/jobs", () => {
  it("lists the key's jobs, newest first, page by page", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.unshift((await submitted()).id);
    const first = (await (await call("/v1/jobs?limit=2")).json()) as { data: Job[]; last_id: string };
    expect(first).toMatchObject({ object: "list", has_more: true, last_id: ids[1] });
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const rest = (await (await call(`/v1/jobs?limit=2&after=${first.last_id}`)).json()) as { data: Job[] };
    expect(rest).toMatchObject({ has_more: false });
    expect(rest.data.map(({ id }) => id)).toEqual(ids.slice(2));
    const other = await addOrganization(t, { name: "Other" });
    expect(await (await call("/v1/jobs", {}, other.apiKey)).json()).toMatchObject({
      data: [],
      last_id: null,
    });
    await expectError(await call(`/v1/jobs?after=${ids[0]!}`, {}, other.apiKey), 404, {
      code: "not_found",
      param: "after",
    });
    for (const limit of ["0", "101", "x", "1.5", "1e1", ""]) {
      await expectError(await call(`/v1/jobs?limit=${limit}`), 400, {
        code: "invalid_value",
        param: "limit",
      });
    }
  });

  it("knows no job of another key, not even of the same organization", async () => {
    const { id } = await submitted();
    const { apiKey } = await addKey();
    for (const path of [
      `/v1/jobs/${id}`,
      `/v1/jobs/${id}/result`,
      `/v1/jobs/${id}/events`,
      "/v1/jobs/nothing",
    ]) {
      await expectError(await call(path, {}, apiKey), 404, { code: "not_found" });
    }
    await expectError(await call(`/v1/jobs/${id}/cancel`, { method: "POST" }, apiKey), 404, {
      code: "not_found",
    });
    await expectError(await call(`/v1/jobs/${id}/more`), 404, { code: "unknown_url" });
    await expectError(await call(`/v1/jobs/${id}/more`, { method: "POST" }), 404, { code: "unknown_url" });
    for (const [below, method, allowed] of [
      ["", "DELETE", "GET"],
      ["", "POST", "GET"],
      ["/result", "POST", "GET"],
      ["/cancel", "GET", "POST"],
      ["/priority", "PUT", "POST"],
    ] as const) {
      const wrong = await call(`/v1/jobs/${id}${below}`, { method });
      expect(wrong.headers.get("allow")).toBe(allowed);
      await expectError(wrong, 405, { code: "method_not_allowed" });
    }
  });

  it("cancels a job, also twice, but none that has its answer", async () => {
    const { id } = await submitted();
    const cancel = async (jobId: string) => await call(`/v1/jobs/${jobId}/cancel`, { method: "POST" });
    for (let n = 0; n < 2; n += 1) {
      const response = await cancel(id);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ id, status: "canceled" });
    }
    await expectError(await call(`/v1/jobs/${id}/result`), 409, { code: "job_canceled" });
    const done = await submitted();
    await takeJob(t, device, async ({ complete }) => await complete("Blue."));
    await expectError(await cancel(done.id), 409, { code: "job_ended" });
    const paginationOpts = { numItems: 50, cursor: null };
    const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
    expect(page.filter(({ action }) => action === "job.canceled")).toHaveLength(1);
  });

  it("gives a failed job's error as its call would have", async () => {
    const { id } = await submitted();
    await takeJob(t, device, async ({ attemptId }) => {
      await fail(t, device, attemptId, {
        code: "context_length_exceeded",
        message: "Too long.",
        retryable: false,
      });
    });
    const response = await call(`/v1/jobs/${id}/result`);
    expect(await response.clone().json()).toMatchObject({ error: { param: "messages" } });
    await expectError(response, 400, { code: "context_length_exceeded" });
    expect(await jobAt(id)).toMatchObject({ status: "failed", error: { code: "context_length_exceeded" } });
  });
});

/** Another API key of the organization. */
async function addKey(): Promise<{ readonly apiKey: string }> {
  const apiKey = secret("sk-gleaner-");
  const key = { name: "Second", keyHash: await hashSecret(apiKey), prefix: apiKey.slice(0, 15) };
  await t.mutation(api.console.keys.create, { session, ...key, creditsMicro: 5_000n });
  return { apiKey };
}

describe("the events of a job", () => {
  /** The events of a stream until its end: names, ids and data. */
  async function eventsOf(response: Response) {
    const blocks = (await response.text())
      .split("\n\n")
      .filter((block) => block !== "" && !block.startsWith(":"));
    return blocks.map((block) => {
      const fields = Object.fromEntries(
        block
          .split("\n")
          .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
      );
      return {
        name: fields["event"],
        id: fields["id"],
        data: JSON.parse(fields["data"] ?? "null") as object,
      };
    });
  }

  it("are its states and its text, for several readers, and go on after the last one", async () => {
    const { id } = await submitted({ ...chat, stream: true });
    const readers = [call(`/v1/jobs/${id}/events`), call(`/v1/jobs/${id}/events`)];
    await takeJob(t, device, async ({ append, complete }) => {
      await append(0, "Bl");
      await append(1, "ue.");
      await complete("Blue.");
    });
    for (const reader of readers) {
      const response = await reader;
      expect(response.headers.get("content-type")).toContain("text/event-stream");
      const events = await eventsOf(response);
      const text = events.flatMap(({ name, data }) =>
        name === "text" ? [(data as { text: string }).text] : [],
      );
      expect(text.join("")).toBe("Blue.");
      expect(events.at(-1)).toMatchObject({ name: "job", data: { id, status: "succeeded" } });
    }
    const all = await eventsOf(await call(`/v1/jobs/${id}/events`));
    const pieces = all.filter(({ name }) => name === "text");
    expect(pieces.length).toBeGreaterThan(0);
    const after = async (last: string) =>
      await eventsOf(await call(`/v1/jobs/${id}/events`, { headers: { "last-event-id": last } }));
    const rest = (await after(String(pieces[0]?.id))).filter(({ name }) => name !== "job");
    expect(rest.map(({ data }) => data)).toEqual(pieces.slice(1).map(({ data }) => data));
    expect((await after("another:1")).map(({ name }) => name)).toEqual([
      "restart",
      ...all.map(({ name }) => name),
    ]);
    expect((await after("no place")).map(({ name }) => name)).toEqual(all.map(({ name }) => name));
  });

  it("have the whole text, also what the device did not stream, and for a reader who comes back or late", async () => {
    const { id } = await submitted({ ...chat, stream: true });
    const textOf = async (response: Response) =>
      (await eventsOf(response)).flatMap(({ name, data }) =>
        name === "text" ? [(data as { text: string }).text] : [],
      );
    const reader = call(`/v1/jobs/${id}/events`);
    await takeJob(t, device, async ({ append, complete }) => {
      await append(0, "Bl");
      // A device of a later version streams what this server does not know.
      const data = [{ mood: "glad" }] as unknown as NonNullable<Parameters<typeof append>[2]>;
      await expect(append(1, "u", data)).rejects.toThrow("mood");
      await append(2, "e");
      await complete("Blue.");
    });
    expect(await textOf(await reader)).toEqual(["Bl", "ue."]);
    const all = await eventsOf(await call(`/v1/jobs/${id}/events`));
    const last = { "last-event-id": String(all.find(({ name }) => name === "text")?.id) };
    expect(await textOf(await call(`/v1/jobs/${id}/events`, { headers: last }))).toEqual(["ue."]);
    const rest = { "last-event-id": String(all.findLast(({ name }) => name === "text")?.id) };
    expect(await textOf(await call(`/v1/jobs/${id}/events`, { headers: rest }))).toEqual([]);

    const unfollowed = await submitted();
    await takeJob(t, device, async ({ complete }) => await complete("Green."));
    expect(await textOf(await call(`/v1/jobs/${unfollowed.id}/events`))).toEqual(["Green."]);
  });

  it("begin the text again if the attempt that answers has streamed nothing of it", async () => {
    const { id } = await submitted({ ...chat, stream: true });
    const response = await call(`/v1/jobs/${id}/events`);
    const [live, whole] = response.body!.tee();
    const all = eventsOf(new Response(whole));
    const reader = live.pipeThrough(new TextDecoderStream()).getReader();
    await takeJob(t, device, async ({ append, attemptId }) => {
      await append(0, "Bl");
      while (!(await reader.read()).value!.includes('"Bl"'));
      await fail(t, device, attemptId);
    });
    const other = await addDevice(t, acme, "other");
    await takeJob(t, other, async ({ complete }) => await complete("Green."));
    const said = (await all).filter(({ name }) => name !== "job");
    expect(said.map(({ name, data }) => [name, data])).toEqual([
      ["text", { attempt: 1, text: "Bl" }],
      ["restart", {}],
      ["text", { attempt: 2, text: "Green." }],
    ]);
  });

  it("of vectors are its states", async () => {
    const { id } = await submitted({ model: modelId, input: "Hi" }, "/v1/embeddings");
    const reader = call(`/v1/jobs/${id}/events`);
    const packed = Buffer.from(new Float32Array([1, 0, 0, 0]).buffer).toString("base64");
    await takeJob(t, device, async ({ attemptId }) => {
      await completeWith(t, device, attemptId, {
        result: { embeddings: [packed] },
        report: { usage: { promptTokens: 2, completionTokens: 0 }, timing: { prefillMs: 1, generateMs: 0 } },
      });
    });
    const events = await eventsOf(await reader);
    expect(new Set(events.map(({ name }) => name))).toEqual(new Set(["job"]));
    expect(events.at(-1)).toMatchObject({ data: { endpoint: "/v1/embeddings", status: "succeeded" } });
  });

  it("begin with the job while it is not over, and end with its last status", async () => {
    const { id } = await submitted({ ...chat, stream: true });
    const response = await call(`/v1/jobs/${id}/events`);
    await takeJob(t, device, async ({ append, complete }) => {
      await append(0, "Blue.");
      await complete("Blue.");
    });
    const events = await eventsOf(response);
    const statuses = events.flatMap(({ name, data }) => (name === "job" ? [(data as Job).status] : []));
    expect(events[0]).toMatchObject({ name: "job", data: { status: "queued" } });
    expect(statuses.filter((status) => status === "succeeded")).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ name: "job", data: { status: "succeeded" } });
  });

  it("have all of a text that is longer than one read of it", async () => {
    const { id } = await submitted({ ...chat, max_tokens: 1_000, stream: true });
    const pieces = Array.from({ length: 6 }, (_, n) => String(n).repeat(60_000));
    await takeJob(t, device, async ({ append, attemptId }) => {
      for (const [n, piece] of pieces.entries()) await append(n, piece);
      await fail(t, device, attemptId, { code: "context_length_exceeded", retryable: false });
    });
    const events = await eventsOf(await call(`/v1/jobs/${id}/events`));
    const text = events.flatMap(({ name, data }) =>
      name === "text" ? [(data as { text: string }).text] : [],
    );
    expect(text.join("").length).toBe(360_000);
    expect(events.at(-1)).toMatchObject({ name: "job", data: { status: "failed" } });
  });

  it("tell of a job that was canceled", async () => {
    const { id } = await submitted();
    const reader = call(`/v1/jobs/${id}/events`);
    await call(`/v1/jobs/${id}/cancel`, { method: "POST" });
    expect((await eventsOf(await reader)).at(-1)).toMatchObject({
      name: "job",
      data: { status: "canceled" },
    });
  });
});
