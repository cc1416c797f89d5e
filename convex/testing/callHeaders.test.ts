import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rates } from "../../app/jobs/limits.ts";
import { api } from "../_generated/api.js";
import { hashSecret } from "../model/authenticate.ts";
import { expectError } from "./apiError.fixture.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  type Backend,
  claim,
  complete,
  countQueue,
  type Device,
  expectRefusal,
  modelId,
  type Organization,
  secret,
  signIn,
  startBackend,
  submit,
} from "./backend.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";

let t: Backend;
let acme: Organization;
let device: Device;

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"], shouldAdvanceTime: true });
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const chat = { model: modelId, messages: [{ role: "user", content: "Name a color." }] };

async function call(path: string, headers: Readonly<Record<string, string>> = {}, body?: object) {
  return await t.fetch(path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${acme.apiKey}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

describe("an answer", () => {
  it("has the time in the queue, the kind of device and the model's hash in its headers", async () => {
    const speed = { prefill: 900, generate: 60, backend: "vulkan" };
    await t.mutation(api.devices.reportModels, {
      key: device.key,
      models: [{ modelId, state: "ready", speed }],
    });
    const asked = call("/v1/chat/completions", {}, chat);
    await takeJob(t, device, async ({ complete: end }) => await end("Blue."));
    const { headers } = await asked;
    expect(headers.get("x-gleaner-queue-ms")).toMatch(/^\d+$/);
    expect(headers.get("x-gleaner-device-class")).toBe("linux-x64/vulkan");
    expect(headers.get("x-gleaner-model-sha256")).toBe("ab".repeat(32));
    expect(headers.get("x-gleaner-price")).toMatch(/^\d+$/);
    const result = await call(`/v1/jobs/${String(headers.get("x-gleaner-job"))}/result`);
    for (const name of ["x-gleaner-queue-ms", "x-gleaner-device-class", "x-gleaner-model-sha256"])
      expect(result.headers.get(name)).toBe(headers.get(name));
    const exposed = String(headers.get("access-control-expose-headers"));
    for (const name of headers.keys())
      if (/^(x-|openai)/.test(name)) expect(exposed.split(", ")).toContain(name);
  });

  it("counts the calls that are left, as the key makes them, and has none for a wrong key", async () => {
    const left = async () => {
      const { headers } = await call("/v1/models");
      return ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}-requests`));
    };
    const { burst } = rates.apiCalls;
    expect(await left()).toEqual([String(burst), String(burst - 1), "100ms"]);
    const wrong = await call("/v1/models", { authorization: "Bearer sk-gleaner-wrong" });
    expect(wrong.headers.get("x-ratelimit-limit-requests")).toBeNull();
  });
});

describe("a job that waits", () => {
  it("tells its place, the expected wait and the ready devices, in its body and in headers", async () => {
    for (let n = 0; n < 5; n += 1) {
      await submit(t, acme, { content: String(n) });
      await takeJob(t, device, async ({ complete: end }) => {
        vi.setSystemTime(Date.now() + 10_000);
        await end("Blue.");
      });
    }
    for (let n = 0; n < 4; n += 1) await submit(t, acme, { content: String(n) });
    await countQueue(t);
    const response = await call("/v1/chat/completions", { prefer: "respond-async" }, chat);
    expect(response.status).toBe(202);
    const job = (await response.json()) as { id: string; queue: object };
    expect(job.queue).toMatchObject({ jobs_ahead: 4, is_exact: true, devices_ready: 1 });
    const { expected_wait_seconds: expected } = job.queue as { expected_wait_seconds: number };
    expect(expected).toBeGreaterThan(25);
    expect(expected).toBeLessThan(60);
    expect(response.headers.get("x-gleaner-jobs-ahead")).toBe("4");
    expect(response.headers.get("x-gleaner-expected-wait")).toBe(String(expected));
    expect(response.headers.get("x-gleaner-devices-ready")).toBe("1");
    expect(await (await call(`/v1/jobs/${job.id}`)).json()).toMatchObject({ queue: { jobs_ahead: 4 } });
    // A list would cost as much for each of its jobs.
    expect(await (await call("/v1/jobs")).json()).toMatchObject({
      data: [{ id: job.id, queue: null }, {}, {}, {}, {}, {}, {}, {}, {}, {}],
    });
    const used = await addDevice(t, acme, "in use");
    await t.mutation(api.devices.report, { key: used.key, activity: { kind: "holding", reason: "in-use" } });
    await t.mutation(api.work.goodbye, { key: device.key });
    const alone = await (await call(`/v1/jobs/${job.id}`)).json();
    expect(alone).toMatchObject({
      waits_for: "no_worker",
      queue: {
        devices_ready: 0,
        expected_wait_seconds: null,
        devices_not_donating: { offline: 1, standby: 1, paused: 0, outdated: 0, pending: 0 },
      },
    });
  });

  it.each([
    ["a stream of several choices", "/v1/chat/completions", { ...chat, n: 2, stream: true }, {}, "3"],
    [
      "a stream of several prompts",
      "/v1/completions",
      { model: modelId, prompt: ["a", "b"], stream: true },
      {},
      "1",
    ],
    [
      "a stream with second opinions",
      "/v1/chat/completions",
      { ...chat, x_gleaner: { votes: 2 }, stream: true },
      {},
      "2",
    ],
    [
      "a response that is fetched later",
      "/v1/responses",
      { model: modelId, input: "Hi" },
      { prefer: "respond-async" },
      "2",
    ],
    [
      "a response in the background",
      "/v1/responses",
      { model: modelId, input: "Hi", background: true },
      {},
      "2",
    ],
  ])("tells its place in the headers of %s", async (_, path, body, headers, ahead) => {
    await submit(t, acme, {});
    await submit(t, acme, {});
    const response = await call(path, headers, body);
    expect(response.headers.get("x-gleaner-jobs-ahead")).toBe(ahead);
    expect(response.headers.get("x-gleaner-devices-ready")).toMatch(/^\d+$/);
    await response.body?.cancel();
  });

  it("sends its new place to those who follow its events", async () => {
    const first = await submit(t, acme, {});
    const { id } = (await (await call("/v1/chat/completions", { prefer: "respond-async" }, chat)).json()) as {
      id: string;
    };
    const response = await call(`/v1/jobs/${id}/events`);
    expect(response.headers.get("x-gleaner-jobs-ahead")).toBe("1");
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toContain('"jobs_ahead":1');
    await complete(t, device, await claim(t, device, first));
    vi.setSystemTime(Date.now() + 31_000);
    const news = (await reader.read()).value;
    expect(news).toContain("event: job");
    expect(news).toContain('"jobs_ahead":0');
    await reader.cancel();
  });
});

describe("pages in browsers", () => {
  const page = "https://chat.example.com";
  const origins = async (origin: string) => {
    const preflight = await t.fetch("/v1/chat/completions", { method: "OPTIONS", headers: { origin } });
    const models = await call("/v1/models", { origin });
    const unknown = await call("/v1/nothing", { origin });
    return [preflight, models, unknown].map(({ headers }) => headers.get("access-control-allow-origin"));
  };

  it("may not call by default, only from the operator's origins", async () => {
    expect(await origins(page)).toEqual([null, null, null]);
    vi.stubEnv("CORS_ORIGINS", `http://localhost:5173, ${page}/`);
    expect(await origins(page)).toEqual([page, page, page]);
    expect(await origins("https://evil.example")).toEqual([null, null, null]);
    vi.stubEnv("CORS_ORIGINS", "*");
    expect(await origins(page)).toEqual(["*", "*", "*"]);
    const models = await call("/v1/models");
    expect(models.status).toBe(200);
  });

  it("are refused in the form of the API that they call", async () => {
    const preflight = async (path: string, origin: string) =>
      await t.fetch(path, { method: "OPTIONS", headers: { origin } });
    const refused = [await preflight("/api/chat", page), await preflight("/v1/messages", page)];
    expect(refused.map(({ status }) => status)).toEqual([403, 403]);
    const [ollama, anthropic] = await Promise.all(
      refused.map(async (response): Promise<unknown> => await response.json()),
    );
    expect(ollama).toMatchObject({ error: expect.stringContaining(page) as string });
    expect(anthropic).toMatchObject({
      type: "error",
      error: { message: expect.stringContaining(page) as string },
    });
    // No browser sends an empty origin.
    expect((await preflight("/api/chat", "")).status).toBe(204);
  });

  it("are refused with a reason, before anything is done, and their browsers send no call", async () => {
    for (const foreign of [page, "null", "app://obsidian.md", "http://some.convex.site:8443"]) {
      const refusal = { code: "origin_not_allowed", message: expect.stringContaining(foreign) as string };
      const preflight = await t.fetch("/v1/chat/completions", {
        method: "OPTIONS",
        headers: { origin: foreign },
      });
      await expectError(preflight, 403, refusal);
      const refused = await call("/v1/chat/completions", { origin: foreign, prefer: "respond-async" }, chat);
      await expectError(refused, 403, refusal);
      expect(refused.headers.get("vary")).toBe("Origin");
      expect(refused.headers.get("access-control-allow-origin")).toBeNull();
    }
    expect(await allJobs(t, acme)).toEqual([]);
    const { headers } = await call("/v1/models");
    expect(headers.get("x-ratelimit-remaining-requests")).toBe(String(rates.apiCalls.burst - 1));
  });

  it("of the server itself and of the console may always call", async () => {
    vi.stubEnv("CONVEX_SITE_URL", "https://gleaner.example.org");
    vi.stubEnv("GLEANER_CONSOLE_URL", "https://console.example.org/");
    await t.mutation(api.console.keys.setOrigins, { session: await signIn(t, acme), origins: [page] });
    for (const own of ["https://gleaner.example.org", "https://console.example.org"])
      expect(await origins(own)).toEqual([own, own, own]);
    // Browsers tell by `sec-fetch-site` that the page is of the server that they call, but without TLS only by the host.
    for (const headers of [
      { origin: "https://behind.proxy.example", "sec-fetch-site": "same-origin" },
      { origin: "http://office:3211", host: "office:3211" },
    ])
      expect((await call("/v1/models", headers)).status).toBe(200);
    const others = { origin: "https://behind.proxy.example", "sec-fetch-site": "cross-site" };
    expect((await call("/v1/models", others)).status).toBe(403);
  });

  it("may call from the origins that an administrator lists, whatever the operator allows", async () => {
    vi.stubEnv("CORS_ORIGINS", "https://operators.example");
    const session = await signIn(t, acme);
    const set = async (list: string[] | null) =>
      await t.mutation(api.console.keys.setOrigins, { session, origins: list });
    expect(await set([page])).toBeNull();
    expect(await origins(page)).toEqual([page, page, page]);
    expect(await origins("https://evil.example")).toEqual([null, null, null]);
    const read = await t.query(api.console.keys.pageOrigins, { session });
    expect(read).toEqual({ own: [page], operators: ["https://operators.example"] });
    expect(await set(["*"])).toEqual([page]);
    expect(await origins("https://evil.example")).toEqual(["*", "*", "*"]);
    expect(await set(null)).toEqual(["*"]);
    expect(await origins(page)).toEqual([null, null, null]);
    const { page: trail } = await t.query(api.console.audit.list, {
      session,
      action: "page-origins.changed",
      paginationOpts: { numItems: 9, cursor: null },
    });
    expect(trail.map(({ detail }) => detail)).toEqual([
      "origins: * → not set",
      `origins: ${page} → *`,
      `origins: not set → ${page}`,
    ]);
    for (const wrong of [[], [`${page}/path`], ["*", page]]) await expectRefusal(set(wrong), "invalid");
  });

  it("of another organization may send a preflight, but not read the answers to this one's keys", async () => {
    const other = await addOrganization(t, { name: "Other" });
    const session = await signIn(t, acme);
    const others = await signIn(t, other);
    await t.mutation(api.console.keys.setOrigins, { session, origins: [page] });
    await t.mutation(api.console.keys.setOrigins, { session: others, origins: ["https://other.example"] });
    expect(await origins(page)).toEqual([page, page, page]);
    expect(await origins("https://other.example")).toEqual([
      "https://other.example",
      null,
      "https://other.example",
    ]);
    // A call without a valid key, or without a valid token for metrics, belongs to no organization.
    const noKey = await t.fetch("/v1/models", { headers: { origin: "https://other.example" } });
    expect([noKey.status, noKey.headers.get("access-control-allow-origin")]).toEqual([
      401,
      "https://other.example",
    ]);
    for (const path of ["/v1/usage", "/v1/budgets"]) {
      const byToken = async (origin: string) => {
        const wrong = await t.fetch(path, { headers: { authorization: "Bearer gm_none", origin } });
        return [wrong.status, wrong.headers.get("access-control-allow-origin")];
      };
      expect(await byToken(page)).toEqual([401, page]);
      expect(await byToken("https://evil.example")).toEqual([401, null]);
    }
  });

  it("of another organization are refused without a word that a browser could read", async () => {
    const other = await addOrganization(t, { name: "Other" });
    await t.mutation(api.console.keys.setOrigins, { session: await signIn(t, other), origins: [page] });
    const session = await signIn(t, acme);
    const token = secret("gm_");
    await t.mutation(api.console.statistics.setMetricsToken, { session, tokenHash: await hashSecret(token) });
    const refused = [
      await call("/v1/models", { origin: page }),
      await call("/v1/usage", { origin: page, authorization: `Bearer ${token}` }),
      await call("/v1/budgets", { origin: page, authorization: `Bearer ${token}` }),
    ];
    for (const { status, headers } of refused)
      expect([status, headers.get("access-control-allow-origin")]).toEqual([403, null]);
    await t.mutation(api.console.keys.setOrigins, { session, origins: [page] });
    const allowed = await call("/v1/usage", { origin: page, authorization: `Bearer ${token}` });
    expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([200, page]);
  });
});
