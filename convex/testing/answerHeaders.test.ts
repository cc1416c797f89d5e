import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openApiDocument } from "../../app/openapi/document.ts";
import { answerHeaderNames } from "../../app/openapi/headers.ts";
import { api } from "../_generated/api.js";
import { hashSecret } from "../model/authenticate.ts";
import {
  addDevice,
  addOrganization,
  answer,
  type Backend,
  completeWith,
  countQueue,
  type Device,
  listKeys,
  modelId,
  type Organization,
  secret,
  signIn,
  startBackend,
} from "./backend.fixture.ts";
import { lines, uploadFile } from "./batchFile.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";

// Real answers of all kinds, and the description of the API.

let t: Backend;
let acme: Organization;
let device: Device;
let session: string;
/** Each header of an answer that a test has got. */
let seen: Set<string>;

beforeEach(async () => {
  const now = Date.parse("2026-11-28T08:00:00Z");
  vi.useFakeTimers({ now, toFake: ["Date"], shouldAdvanceTime: true });
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
  session = await signIn(t, acme);
  seen = new Set();
});

afterEach(() => {
  vi.useRealTimers();
});

type Described = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Call>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Answer>> };
};
type Call = { readonly responses: Readonly<Record<string, Answer>> };
type Answer = { readonly $ref?: string; readonly headers?: object };

const document = openApiDocument() as Described;

/** The headers that the document has for an answer. */
function describedHeaders(method: string, pattern: string, status: number): readonly string[] {
  const described = document.paths[pattern]?.[method.toLowerCase()]?.responses[String(status)];
  expect(described, `${method} ${pattern} answers ${String(status)}, which is not described`).toBeDefined();
  const { $ref } = described!;
  const found = $ref === undefined ? described : document.components.responses[$ref.split("/").at(-1)!];
  return Object.keys(found?.headers ?? {});
}

/** HTTP's own headers, and those for browsers. */
const isOfHttp = (name: string): boolean =>
  /^(content-(type|length)|cache-control|vary|access-control-.*)$/.test(name);

type Sent = {
  /** The path in the document, if the address has an id. */
  readonly pattern?: string;
  readonly method?: string;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Makes a call whose answer must have this status and only described headers. */
async function call(path: string, status: number, sent: Sent = {}): Promise<Response> {
  const { body, headers, pattern = path, method = body === undefined ? "GET" : "POST" } = sent;
  const response = await t.fetch(path, {
    method,
    headers: { authorization: `Bearer ${acme.apiKey}`, ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  expect(response.status).toBe(status);
  const own = [...response.headers.keys()].filter((name) => !isOfHttp(name));
  expect(describedHeaders(method, pattern, status)).toEqual(expect.arrayContaining(own));
  for (const name of own) seen.add(name);
  return response;
}

/** Answers the next job, as a device that measures its energy. */
async function answerNext(): Promise<void> {
  await takeJob(t, device, async ({ attemptId, request }) => {
    // It takes its time, so the queue knows its pace.
    vi.setSystemTime(Date.now() + 2_000);
    const isEmbedding = "inputs" in request;
    const vector = Buffer.from(Float32Array.of(1, 2).buffer).toString("base64");
    const { result, report } = answer("Blue.", { promptTokens: 10, completionTokens: isEmbedding ? 0 : 3 });
    await completeWith(t, device, attemptId, {
      result: isEmbedding ? { embeddings: [vector] } : result,
      report: { ...report, energy: { microWh: 2_083, source: "measured" } },
    });
  });
}

const messages = [{ role: "user", content: "Name a color." }];
const chat = { model: modelId, messages };
const chatPath = "/v1/chat/completions";
const answers = [
  [chatPath, chat],
  [chatPath, { ...chat, n: 2 }],
  [chatPath, { ...chat, stream: true }],
  ["/v1/completions", { model: modelId, prompt: "Blue" }],
  ["/v1/responses", { model: modelId, input: "Name a color." }],
  ["/v1/messages", { ...chat, max_tokens: 16 }],
  ["/v1/embeddings", { model: modelId, input: "Blue" }],
] as const;
const later = { prefer: "respond-async" };

async function makeCalls(): Promise<void> {
  // First, because `convex-test` stores no file while another function runs.
  await makeCallsOfFiles();
  await t.mutation(api.devices.reportModels, {
    key: device.key,
    models: [{ modelId, state: "ready", speed: { prefill: 900, generate: 60, backend: "vulkan" } }],
  });
  for (const [path, body] of answers) {
    const asked = call(path, 200, { body });
    const count = "n" in body ? body.n : 1;
    for (let jobs = 0; jobs < count; jobs += 1) await answerNext();
    await (await asked).text();
  }
  await makeCallsOfJobs();
  await makeOtherCalls();
}

async function makeCallsOfJobs(): Promise<void> {
  for (const [path, body] of answers.filter(([, each]) => !("n" in each || "stream" in each)))
    await call(path, 202, { body, headers: later });
  await countQueue(t);
  const accepted = await call(chatPath, 202, { body: chat, headers: later });
  const { id } = (await accepted.json()) as { id: string };
  const pattern = (rest = "") => ({ pattern: `/v1/jobs/{id}${rest}` });
  await call(`/v1/jobs/${id}`, 200, pattern());
  await call(`/v1/jobs/${id}/result`, 202, pattern("/result"));
  await (await call(`/v1/jobs/${id}/events`, 200, pattern("/events"))).body?.cancel();
  await call(`/v1/responses/resp_${id}`, 200, { pattern: "/v1/responses/{id}" });
  await call(`/v1/jobs/${id}/cancel`, 200, { ...pattern("/cancel"), method: "POST" });
  await call(`/v1/jobs/${id}/result`, 409, pattern("/result"));
  await call(`/v1/jobs/${id}/rating`, 409, { ...pattern("/rating"), body: { rating: "good" } });
  const listed = await (await call("/v1/jobs", 200)).json();
  const { data } = listed as { data: { id: string; status: string; endpoint: string }[] };
  const isAnsweredChat = (each: (typeof data)[number]): boolean =>
    each.status === "succeeded" && each.endpoint === "/v1/chat/completions";
  const answered = data.find(isAnsweredChat)!.id;
  await call(`/v1/jobs/${answered}/result`, 200, pattern("/result"));
  await call(`/v1/jobs/${answered}/cancel`, 409, { ...pattern("/cancel"), method: "POST" });
  await call(`/v1/responses/resp_${answered}`, 200, { pattern: "/v1/responses/{id}" });
  // No device takes it up.
  await call(chatPath, 503, { body: chat, headers: { prefer: "wait=1" } });
}

async function makeCallsOfFiles(): Promise<void> {
  const file = await uploadFile(t, acme.apiKey, lines(3));
  const pattern = { pattern: "/v1/files/{id}/content" };
  const range = (bytes: string) => ({ ...pattern, headers: { range: `bytes=${bytes}` } });
  await call(`/v1/files/${file}/content`, 200, pattern);
  await call(`/v1/files/${file}/content`, 206, range("0-9"));
  await call(`/v1/files/${file}/content`, 416, range("100000-"));
  await call(`/v1/files/${file}`, 200, { pattern: "/v1/files/{id}" });
  await call("/v1/files/file-none", 404, { pattern: "/v1/files/{id}" });
}

async function makeOtherCalls(): Promise<void> {
  const wrong = { authorization: "Bearer sk-gleaner-wrong" };
  await call("/v1/models", 200);
  await call("/v1/models", 401, { headers: wrong });
  await call("/v1/messages", 401, { headers: wrong, body: {} });
  await call("/v1/models/none", 404, { pattern: "/v1/models/{id}" });
  await call(chatPath, 400, { body: "{" });
  await call("/v1/messages", 400, { body: {} });
  await call(chatPath, 415, { body: chat, headers: { "content-encoding": "br" } });
  await call("/v1/estimate/chat/completions", 200, { body: chat });
  const none = { headers: { authorization: "" } };
  const etag = (await call("/v1/openapi.json", 200, none)).headers.get("etag") ?? "";
  await call("/v1/openapi.json", 304, { headers: { "if-none-match": etag } });
  const token = secret("gm_");
  await t.mutation(api.console.statistics.setMetricsToken, { session, tokenHash: await hashSecret(token) });
  for (const path of ["/v1/usage", "/v1/budgets"]) {
    await call(path, 200, { headers: { authorization: `Bearer ${token}` } });
    await call(path, 401, { headers: { authorization: "Bearer gm_none" } });
  }
  const { keyId } = (await listKeys(t, session))[0]!;
  await t.mutation(api.console.keys.setAccess, { session, keyId, scopes: ["inference"] });
  await call("/v1/jobs", 403);
  await t.mutation(api.console.keys.setAccess, { session, keyId, quotas: { day: { tokens: 1 } } });
  await call(chatPath, 429, { body: chat });
}

it("of an answer tell how many tokens of the key's quota are left after it", async () => {
  const { keyId } = (await listKeys(t, session))[0]!;
  const left = async (sent: Sent = {}, path = "/v1/models") => {
    const { headers } = await call(path, sent.body === undefined ? 200 : 202, sent);
    return ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}-tokens`));
  };
  expect(await left()).toEqual([null, null, null]);
  await t.mutation(api.console.keys.setAccess, { session, keyId, quotas: { day: { requests: 9 } } });
  expect(await left()).toEqual([null, null, null]);
  const quotas = { day: { tokens: 5_000 }, month: { tokens: 9_000 } };
  await t.mutation(api.console.keys.setAccess, { session, keyId, quotas });
  const [limit, remaining, reset] = await left(
    { body: { ...chat, max_tokens: 10 }, headers: later },
    chatPath,
  );
  expect([limit, reset]).toEqual(["5000", expect.stringMatching(/^15h59m\d+s$|^16h0m0s$/)]);
  // The most that the job may use counts until its end.
  expect(Number(remaining)).toBeLessThan(5_000 - 10);
  await answerNext();
  expect((await left())[1]).toBe(String(5_000 - 13));
});

it("of real answers are described, and no answer lacks one that is described", async () => {
  await makeCalls();
  expect([...answerHeaderNames].filter((name) => !seen.has(name))).toEqual([]);
});

it("are named on the page of the API", () => {
  const page = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  expect(answerHeaderNames.filter((name) => !page.toLowerCase().includes(`\`${name}\``))).toEqual([]);
});

it.each([
  ["/v1/estimate/chat/completions", { ...chat, model: "none" }],
  ["/v1/estimate/messages", { ...chat, model: "none", max_tokens: 16 }],
  ["/v1/messages/count_tokens", { ...chat, model: "none" }],
  ["/v1/batches", { input_file_id: "file-none", endpoint: chatPath, completion_window: "24h" }],
  ["/v1/batches/estimate", { input_file_id: "file-none", endpoint: chatPath, completion_window: "24h" }],
])("and statuses of an unknown model or file are described: %s", async (path, body) => {
  await call(path, 404, { body });
});

it.each(["jobs", "receipts", "batches", "files"])(
  "and statuses of a list after an unknown entry are described: %s",
  async (list) => {
    await call(`/v1/${list}?after=none`, 404, { pattern: `/v1/${list}` });
  },
);

it("and statuses of a batch's key that was used before are described", async () => {
  const sent = (window: string) => ({
    body: { input_file_id: file, endpoint: chatPath, completion_window: window },
    headers: { "idempotency-key": "night 1" },
  });
  const file = await uploadFile(t, acme.apiKey, lines(3));
  await call("/v1/batches", 200, sent("24h"));
  await call("/v1/batches", 409, sent("48h"));
});

it("of every call have an id and the time that it took", async () => {
  for (const path of ["/v1/models", "/v1/openapi.json", "/v1/nothing", "/v1/usage", "/api/nothing"]) {
    const { headers } = await t.fetch(path);
    expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
    expect(headers.get("openai-processing-ms")).toMatch(/^\d+$/);
  }
});
