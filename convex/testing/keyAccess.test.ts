import type { FunctionArgs } from "convex/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { expectError } from "./apiError.fixture.ts";
import {
  allJobs,
  type Backend,
  expectRefusal,
  listKeys,
  modelId,
  type Organization,
  pass,
  submit,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let keyId: Id<"apiKeys">;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  keyId = (await listKeys(t, session))[0]!.keyId;
});

afterEach(closeWorld);

type Access = Omit<FunctionArgs<typeof api.console.keys.setAccess>, "session" | "keyId">;

const inside = { ip: "10.1.2.3" };
const outside = { ip: "203.0.113.9" };

async function set(access: Access, from: { ip: string | null } = inside): Promise<void> {
  const caller = from.ip === null ? t : t.withRequestMetadata({ ip: from.ip });
  await caller.mutation(api.console.keys.setAccess, { session, keyId, ...access });
}

type Init = Pick<RequestInit, "method" | "body">;

async function call(path: string, init: Init = {}, from: { ip?: string } = {}): Promise<Response> {
  const caller = from.ip === undefined ? t : t.withRequestMetadata({ ip: from.ip });
  return await caller.fetch(path, { ...init, headers: { authorization: `Bearer ${acme.apiKey}` } });
}

const body = (model = modelId) => JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] });
const rowNow = async () => (await listKeys(t, session))[0]!;
const auditRows = async (numItems: number) => {
  const paginationOpts = { numItems, cursor: null };
  return (await t.query(api.console.audit.list, { session, paginationOpts })).page;
};
const auditNow = async () => (await auditRows(1))[0]!;

describe("the scopes of a key", () => {
  const calls = {
    inference: "/v1/responses/resp_1",
    batches: "/v1/batches",
    jobs: "/v1/jobs",
    usage: "/v1/usage",
  } as const;

  it("allow all calls without a list", async () => {
    expect((await rowNow()).scopes).toBe(null);
    for (const path of Object.values(calls)) expect((await call(path)).status).not.toBe(403);
  });

  it.each(Object.keys(calls) as (keyof typeof calls)[])(
    "allow only calls of the kind %s, and every key lists its models",
    async (only) => {
      await set({ scopes: [only] });
      for (const [scope, path] of Object.entries(calls)) {
        const response = await call(path);
        if (scope === only) expect(response.status).not.toBe(403);
        else {
          const message = expect.stringMatching(`“${scope}”.*administrator`) as string;
          await expectError(response, 403, { code: "insufficient_scope", message });
        }
      }
      expect((await call("/v1/models")).status).toBe(200);
    },
  );

  it("count for the files and the parts of batches, and for Convex clients", async () => {
    const jobId = await submit(t, acme);
    await set({ scopes: ["inference"] });
    for (const path of ["/v1/files", "/v1/uploads", "/v1/batches/estimate"])
      await expectError(await call(path, { method: "POST" }), 403, { code: "insufficient_scope" });
    const job = { apiKey: acme.apiKey, jobId };
    await expectRefusal(t.query(api.requests.watch, job), "scope_missing");
    await expectRefusal(t.mutation(api.requests.cancel, job), "scope_missing");
    await expectRefusal(t.mutation(api.requests.follow, job), "scope_missing");
    await expectRefusal(t.mutation(api.requests.setPriority, { ...job, priority: "low" }), "scope_missing");
    await set({ scopes: ["jobs"] });
    expect((await t.query(api.requests.watch, job)).status).toBe("queued");
  });

  it("count for an answer that is fetched later, so that no job is begun whose answer the key cannot have", async () => {
    await set({ scopes: ["inference"] });
    const authorization = `Bearer ${acme.apiKey}`;
    const ask = async (path: string, fields: object) => {
      const headers = { authorization, prefer: "respond-async" };
      return await t.fetch(path, {
        method: "POST",
        headers,
        body: JSON.stringify({ model: modelId, ...fields }),
      });
    };
    const messages = [{ role: "user", content: "Hi" }];
    const message = expect.stringMatching("“jobs”.*“Prefer: respond-async”.*administrator") as string;
    for (const [path, fields] of [
      ["/v1/chat/completions", { messages }],
      ["/v1/completions", { prompt: "Hi" }],
      ["/v1/embeddings", { input: "Hi" }],
      ["/v1/messages", { messages, max_tokens: 5 }],
      ["/api/chat", { messages, stream: false }],
    ] as const)
      expect(JSON.stringify(await (await ask(path, fields)).json())).toEqual(message);
    await expectError(await ask("/v1/chat/completions", { messages }), 403, { code: "insufficient_scope" });
    expect(await allJobs(t, acme)).toEqual([]);
    // The answer of a response is fetched with the scope of its own call.
    expect(await (await ask("/v1/responses", { input: "Hi" })).json()).toMatchObject({ status: "queued" });
    await set({ scopes: ["inference", "jobs"] });
    expect((await ask("/v1/chat/completions", { messages })).status).toBe(202);
  });

  it("also count while the limiter of rates is broken", async () => {
    await set({ scopes: ["usage"] });
    const admitted = t.query(internal.requests.identify, { apiKey: acme.apiKey, scope: "jobs" });
    await expectRefusal(admitted, "scope_missing");
  });

  it("cannot be empty", async () => {
    await expectRefusal(set({ scopes: [] }), "invalid");
  });
});

describe("the models of a key", () => {
  const other = "other-model";

  beforeEach(async () => {
    const entry = {
      modelId: other,
      source: "https://models.example.org/other.gguf",
      sha256: "cd".repeat(32),
      sizeBytes: 2 ** 20,
      licence: "",
      contextTokens: 1_024,
      template: null,
      pieces: null,
    };
    const price = { promptMicro: 1n, completionMicro: 1n };
    await t.mutation(api.console.models.add, { session, entry, price });
    await t.mutation(api.console.aliases.set, { session, alias: "small", modelId });
    await t.mutation(api.console.aliases.set, { session, alias: "large", modelId: other });
  });

  const listed = async (): Promise<string[]> => {
    const list = (await (await call("/v1/models")).json()) as { data: { id: string }[] };
    return list.data.map(({ id }) => id);
  };

  it("are the only ones that it sees and may ask, by their names and their aliases", async () => {
    expect(await listed()).toEqual([modelId, other, "large", "small"]);
    await set({ models: [modelId] });
    expect(await listed()).toEqual([modelId, "small"]);
    expect((await call(`/v1/models/${other}`)).status).toBe(404);
    for (const model of [other, "large"]) {
      const refused = await call("/v1/chat/completions", { method: "POST", body: body(model) });
      const message = expect.stringContaining("does not offer it to this API key") as string;
      await expectError(refused, 404, { code: "model_not_found", message });
    }
  });

  it("follow an alias to its model", async () => {
    await set({ models: [other] });
    await t.mutation(api.console.aliases.set, { session, alias: "small", modelId: other });
    expect(await listed()).toEqual([other, "large", "small"]);
  });

  it("have to be in the catalog", async () => {
    await expectRefusal(set({ models: ["small"] }), "not_found");
    await expectRefusal(set({ models: [] }), "invalid");
  });
});

describe("the addresses of a key", () => {
  it("refuse calls from elsewhere, and name the caller's address", async () => {
    await set({ addresses: ["10.0.0.0/8", "2001:db8::/32"] });
    for (const ip of ["10.9.9.9", "2001:db8::7"])
      expect((await call("/v1/models", {}, { ip })).status).toBe(200);
    const refused = await call("/v1/models", {}, outside);
    const message = expect.stringContaining("203.0.113.9") as string;
    await expectError(refused, 403, { code: "address_not_allowed", message });
  });

  it("refuse calls whose address is not known, also those of Convex clients", async () => {
    const jobId = await submit(t, acme);
    await set({ addresses: ["10.0.0.0/8"] });
    await expectError(await call("/v1/models"), 403, { code: "address_not_allowed" });
    await expectRefusal(t.query(api.requests.watch, { apiKey: acme.apiKey, jobId }), "address_not_allowed");
    await expectRefusal(
      t.mutation(api.requests.follow, { apiKey: acme.apiKey, jobId }),
      "address_not_allowed",
    );
    await expectRefusal(t.query(internal.requests.identify, { apiKey: acme.apiKey }), "address_not_allowed");
  });

  it("cannot be set where the server does not know its callers, and must be well-formed", async () => {
    await expectRefusal(set({ addresses: ["10.0.0.0/8"] }, { ip: null }), "conflict");
    await expectRefusal(set({ addresses: ["10.0.0.5/8"] }), "invalid");
    await expectRefusal(set({ addresses: [] }), "invalid");
    expect((await rowNow()).addresses).toBe(null);
  });
});

describe("the access of a key", () => {
  it("is in the audit trail with its changes, and can be undone by the former values", async () => {
    const { scopes, models, addresses, expiresAt, quotas } = await rowNow();
    await set({
      scopes: ["usage", "inference"],
      quotas: { day: { requests: 5 } },
      addresses: ["10.0.0.0/8"],
    });
    expect(await auditNow()).toMatchObject({
      action: "api-key.access-changed",
      detail:
        "kinds of calls: all → inference, usage; addresses: any → 10.0.0.0/8; quotas: not set → 5 requests a day",
    });
    await set({ scopes, models, addresses, expiresAt, quotas });
    expect(await rowNow()).toMatchObject({ scopes: null, addresses: null, quotas: {}, use: null });
    expect((await call("/v1/usage")).status).toBe(200);
  });

  it("does not write an entry if nothing changes", async () => {
    await set({ scopes: ["usage"] });
    const { id } = await auditNow();
    await set({ scopes: ["usage"] });
    expect((await auditNow()).id).toBe(id);
  });

  it("can be set when a key is created, also by a requester, who cannot change it later", async () => {
    const { session: requester } = await joinAs(t, session, { name: "Rita", roles: ["requester"] });
    const created = await t.mutation(api.console.keys.create, {
      session: requester,
      name: "Nightly",
      keyHash: "ab".repeat(32),
      prefix: "sk-gleaner-abcd",
      access: { scopes: ["batches"], quotas: { month: { tokens: 1_000 } } },
      concurrency: 2,
    });
    if (!("keyId" in created)) throw new Error("refused");
    const [limited, made] = await auditRows(2);
    expect(limited).toMatchObject({ action: "limit.set", detail: "jobs at once: any → 2" });
    expect(made).toMatchObject({
      action: "api-key.created",
      detail: "kinds of calls: all → batches; quotas: not set → 1,000 tokens a month",
    });
    const [row] = await listKeys(t, requester);
    expect(row).toMatchObject({
      scopes: ["batches"],
      quotas: { month: { tokens: 1_000 } },
      concurrency: 2,
    });
    const change = { session: requester, keyId: created.keyId, scopes: null };
    await expectRefusal(t.mutation(api.console.keys.setAccess, change), "forbidden");
  });
});

it("tells when a key was last used, to the minute", async () => {
  expect((await rowNow()).lastUsedAt).toBe(null);
  const first = Date.now();
  await call("/v1/models");
  await pass(t, 59_000);
  await call("/v1/models");
  expect((await rowNow()).lastUsedAt).toBe(first);
  await pass(t, 1_000);
  await call("/v1/models");
  expect((await rowNow()).lastUsedAt).toBe(first + 60_000);
});
