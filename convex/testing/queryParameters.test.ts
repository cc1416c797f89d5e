import { gzipSync } from "node:zlib";
import { beforeEach, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import { hashSecret } from "../model/authenticate.ts";
import { expectError } from "./apiError.fixture.ts";
import {
  addOrganization,
  type Backend,
  modelId,
  type Organization,
  signIn,
  startBackend,
} from "./backend.fixture.ts";

let t: Backend;
let acme: Organization;

beforeEach(async () => {
  t = startBackend();
  acme = await addOrganization(t);
});

async function call(method: string, path: string, key = acme.apiKey): Promise<Response> {
  const headers = { authorization: `Bearer ${key}` };
  return await t.fetch(path, { method, headers, ...(method === "POST" ? { body: "{" } : {}) });
}

it.each([
  ["GET", "/v1/responses/resp_x?stream=true&starting_after=1", "stream"],
  ["GET", "/v1/responses/resp_x?include[]=output", "include[]"],
  ["POST", "/v1/responses/resp_x/cancel?force=1", "force"],
  ["POST", "/v1/chat/completions?api-version=1", "api-version"],
  ["GET", "/v1/jobs?limit=2&status=queued", "status"],
  ["GET", "/v1/jobs/x?limit=2", "limit"],
  ["GET", "/v1/files?limit=2&before=x", "before"],
  ["GET", "/v1/models?limit=2", "limit"],
  ["GET", "/v1/models/a/b?limit=2", "limit"],
  ["GET", "/v1/usage?month=1", "month"],
  ["GET", "/v1/budgets?days=7", "days"],
  ["GET", "/v1/credits?format=csv", "format"],
  ["GET", "/v1/openapi.json?format=yaml", "format"],
  ["GET", "/v1/jobs?beta=true", "beta"],
])("refuses a parameter of the address by its name: %s %s", async (method, path, param) => {
  await expectError(await call(method, path), 400, { code: "unknown_parameter", param });
});

it("says which parameters the call has", async () => {
  const said = async (path: string) => await (await call("GET", path)).text();
  expect(await said("/v1/jobs?page=2")).toContain("This call has 'limit', 'after'.");
  expect(await said("/v1/jobs/x?page=2")).toContain("This call has none.");
});

it.each(["/api/tags", "/api/version", "/api/ps"])(
  "refuses them in the words of Ollama's API: %s",
  async (path) => {
    const refused = await call("GET", `${path}?verbose=1`);
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: expect.stringContaining("'verbose'") as string, code: "unknown_parameter", param: "verbose" },
    ]);
  },
);

it("refuses them in the words of Anthropic's API, and accepts what Anthropic's SDK sends", async () => {
  const refused = await call("POST", "/v1/messages?trace=1");
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { type: "error", error: { type: "invalid_request_error", code: "unknown_parameter", param: "trace" } },
  ]);
  for (const path of ["/v1/messages?beta=true", "/v1/messages/count_tokens?beta=true"]) {
    const read = await call("POST", path);
    expect(await read.json()).toMatchObject({ error: { code: "invalid_json" } });
  }
  for (const path of ["/v1/models?beta=true", `/v1/models/${modelId}?beta=true`])
    expect((await call("GET", path)).status).toBe(200);
});

it("refuses them for the headers, and for a token for metrics, too", async () => {
  expect((await call("HEAD", "/v1/models?limit=2")).status).toBe(400);
  const session = await signIn(t, acme);
  const token = `gm_${"x".repeat(43)}`;
  await t.mutation(api.console.statistics.setMetricsToken, { session, tokenHash: await hashSecret(token) });
  for (const path of ["/v1/usage", "/v1/budgets"]) {
    expect((await call("GET", path, token)).status).toBe(200);
    const refused = await call("GET", `${path}?month=1`, token);
    await expectError(refused, 400, { code: "unknown_parameter", param: "month" });
  }
});

it("tells first that a key, a URL or a method is wrong", async () => {
  await expectError(await call("GET", "/v1/jobs?page=2", "sk-gleaner-wrong"), 401, {});
  await expectError(await call("GET", "/v1/none?page=2"), 404, { code: "unknown_url" });
  await expectError(await call("GET", "/v1/jobs/x/none?page=2"), 404, { code: "unknown_url" });
  await expectError(await call("DELETE", "/v1/jobs/x?page=2"), 405, { code: "method_not_allowed" });
});

it.each([
  "/v1/jobs/x/cancel",
  "/v1/batches/batch_x/cancel",
  "/v1/uploads/upload_x/cancel",
  "/v1/responses/resp_x/cancel",
])("refuses a field in the body of a call that has none: %s", async (path) => {
  const send = async (body?: string): Promise<Response> =>
    await t.fetch(path, {
      method: "POST",
      headers: { authorization: `Bearer ${acme.apiKey}` },
      ...(body === undefined ? {} : { body }),
    });
  await expectError(await send('{"reason": "late"}'), 400, { code: "unknown_parameter", param: "reason" });
  await expectError(await send("reason=late"), 400, { code: "invalid_json" });
  for (const body of [undefined, "", "{}", "null"]) await expectError(await send(body), 404, {});
});

async function cancel(body: BodyInit, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return await t.fetch("/v1/jobs/x/cancel", {
    method: "POST",
    headers: { authorization: `Bearer ${acme.apiKey}`, ...headers },
    body,
    duplex: "half",
  } as RequestInit);
}

it("reads a compressed body of such a call", async () => {
  const zipped = (text: string): Promise<Response> => cancel(gzipSync(text), { "content-encoding": "gzip" });
  await expectError(await zipped("{}"), 404, { code: "not_found" });
  await expectError(await zipped('{"reason": "late"}'), 400, { code: "unknown_parameter", param: "reason" });
  const plain = await cancel("{}", { "content-encoding": "gzip" });
  await expectError(plain, 400, { code: "invalid_request_body" });
  await expectError(await cancel("{}", { "content-encoding": "br" }), 415, {
    code: "unsupported_content_encoding",
  });
});

it("answers in OpenAI's form if such a body breaks off", async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
  await expectError(await cancel(body), 500, {});
});
